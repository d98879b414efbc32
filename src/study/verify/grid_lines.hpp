// The lines of a grid, and the rays beyond it, on which bounds are judged.
#pragma once

#include "grid_places.hpp"

#include "memlane/claim/grid.hpp"
#include "memlane/claim/grid_verdict.hpp"
#include "memlane/claim/growth.hpp"
#include "memlane/lang/ast.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace memlane::sweep {

/// What the runs of a round may cost. Rounds follow each other in stages, which have the same room:
/// what one stage takes, if runs cost more than they seem to, is no loss of the next.
struct RoundRoom {
  bool first = true;    ///< of a stage
  bool in_order = true; ///< the first places have it; else the cheapest
  bool far = false;     ///< of one run, to see whether a growth goes on there
};
/// What is run at places: the outcome of the claim at each; none where it has none, or where there
/// was no room for the run.
using RunPlaces = std::function<std::vector<std::optional<ClaimOutcome>>(
    const std::vector<GridValues>&, RoundRoom room)>;

/// A bound in a setting of the grid, in one direction.
struct FollowedBound {
  std::size_t claim = 0;
  bool greatest = true;              ///< whether its ratio grows; else whether it vanishes
  bool seems_to_fail = false;        ///< over the grid: it is followed along more rays
  std::vector<GridRatio> applicable; ///< at the setting's points that it says something of
  std::int64_t setting = 0;
};

/// Doublings between a ray's first points, which are run at once.
constexpr std::size_t first_doublings = 4;
/// Doublings after which a single run tells whether a growth goes on.
constexpr std::size_t most_far = 20;
/// Whether the values so many doublings on are numbers of 64 bits.
bool can_move(const GridValues& values, const std::vector<int>& powers, std::size_t doublings);

/// Follows the bound along rays from small points of the grid and from the extreme one.
/// On a ray one to four of the axes that vary grow by 2 or 4 (latencies by up to 8) from point to
/// point, or all by 2 where there are many and nothing seems to fail. Those of few axes come first;
/// only those whose ratio still rises are run further, up to most_doublings. A ray says something
/// only if its ratio leaves those of the grid behind: the grid has the extreme ratios of the terms'
/// constants. Rays that end where the machine, a condition of the program or the claim's `when`
/// does are left out, unless they prove growth. What rises at small sizes must also rise, in the
/// same direction, at the grid's greatest. Stops at the first ray that does, which is then the
/// last.
class RaySearch {
public:
  /// Keeps references to all but `run`.
  RaySearch(const std::vector<GridAxis>& axes, PlaceCosts& places, const lang::Checked& checked,
            const FollowedBound& bound, RunPlaces run);
  std::vector<Ray> follow();
  /// Whether a run there would say something of the claim. What is cheap to find out comes first.
  bool possible(const GridValues& values);

private:
  using Powers = std::vector<int>;
  struct OpenRay {
    GridValues base = {};
    Ray ray = {};
    DroppedTerms dropped = {}; ///< of the formula, on this ray
    std::size_t possible = 0;  ///< points from its first that can be run
    bool ended = false;        ///< no further point has an outcome
    bool cut_off = false;      ///< because the machine or a condition has none
    bool range_ends = false;   ///< whatever the other axes are
    bool has_beside = false;   ///< or there is none
  };

  std::vector<Powers> directions(std::size_t axes) const;
  void start(const Powers& powers, std::deque<OpenRay>& rays);
  void add_beside(const OpenRay& open, std::deque<OpenRay>& rays);
  bool starts_at(const GridValues& base, const Powers& powers);
  OpenRay opened(const GridValues& base, const Powers& powers) const;
  bool beyond_grid(const Ray& ray) const;
  bool no_larger(const Powers& powers, const GridValues& values);
  enum class Seen : std::uint8_t { nothing, rise, growth, plateau };
  Seen follow(std::deque<OpenRay>& rays, std::vector<OpenRay*> next, RoundRoom room);
  Seen follow_all();
  void extend(std::span<OpenRay* const> rays, RoundRoom room);
  Seen judge(OpenRay& open);
  static double rise_of(const OpenRay& open);
  static std::vector<OpenRay*> promising(std::deque<OpenRay>& rays);
  void add_point(OpenRay& ray, const GridValues& values,
                 const std::optional<ClaimOutcome>& outcome);
  int most_power(std::size_t axis) const;
  std::optional<ir::Program> constants_at(const Place& at, bool conditions) const;
  DroppedTerms outgrown_on(const GridValues& base, const Powers& powers) const;
  bool in_balance(const Powers& powers) const;
  std::optional<GridValues> late_start(const GridValues& base, const Powers& powers,
                                       std::size_t earlier) const;
  Growth growth_later(OpenRay& early);
  std::optional<double> ratio_at(OpenRay open, std::size_t doublings);
  Growth growth_further(const OpenRay& open, Ray& found, bool steeply);
  bool reaches_end(const Ray& ray) const;

  const std::vector<GridAxis>& axes_;
  PlaceCosts& places_;
  const lang::Checked& checked_;
  const FollowedBound& bound_;
  RunPlaces run_;
  std::vector<std::size_t> growing_; ///< axes that vary, by number
  GridValues greatest_;              ///< of each axis, in the grid
  GridValues odd_;                   ///< the least odd value above one; 0 where there is none
  std::vector<GridValues> bases_;    ///< where rays begin: the least values first
  std::vector<ir::Array> arrays_;    ///< of the program: a `when` may ask for their layouts
  bool late_ = false;        ///< rays begin at large sizes: at small ones the ratio rises anyhow
  bool doubt_ = false;       ///< whether the grid or a ray leaves one: then more is tried
  bool has_stopped_ = false; ///< a growth has, further on: what others seem to prove is in doubt
  std::vector<Ray> found_;
};

/// Whether some claim is about machines in lockstep.
bool asks_for_lockstep(const lang::Program& program);

/// The points that bounds need to be judged in this setting, beside those that were run: lines
/// through the extreme ratios; then lines of every group; later, instead of these, more lines where
/// a bound seems to fail, which is to be sure. `outcomes` has a list for each claim.
std::vector<GridValues> missing_points(const lang::Program& program,
                                       const std::vector<GridAxis>& axes,
                                       const std::vector<std::vector<GridPoint>>& outcomes,
                                       std::int64_t setting, bool later);

/// The bounds that were judged in this setting: O and Omega once, Theta in both directions.
std::vector<FollowedBound> bounds_in(const lang::Program& program,
                                     const std::vector<GridAxis>& axes,
                                     const std::vector<std::vector<GridPoint>>& outcomes,
                                     std::int64_t setting);

} // namespace memlane::sweep
