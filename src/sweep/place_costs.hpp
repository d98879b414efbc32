// What is known of the places of a grid before they are run: which can be run, and at what cost.
#pragma once

#include "grid_places.hpp"

#include "memlane/claim/grid.hpp"
#include "memlane/sweep/point.hpp"
#include "memlane/sweep/verification.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace memlane::sweep {

/// The places of one program on the machines of one setting. A place is a value for each axis.
class PlaceCosts {
public:
  /// Keeps references to all but the setting.
  PlaceCosts(const std::vector<GridAxis>& axes, const CheckedProgram& program,
             const GridSetting& setting, const Recipe& recipe, const Sources& sources)
      : axes_(axes), program_(program), model_(setting.model), lockstep_(setting.lockstep),
        recipe_(recipe), sources_(sources), watch_(sources.limits()) {}

  Point point(const GridValues& values) const { return point(values, recipe_); }
  Point point(const GridValues& values, const Recipe& recipe) const {
    return point_at(recipe, axes_, values, model_, lockstep_, program_);
  }
  Place place(const GridValues& values) const {
    return place_at(axes_, values, model_, lockstep_, program_.checked);
  }
  const Sources& sources() const { return sources_; }
  /// The code of a place. Errors: those of lower_at.
  Result<ir::Program> code(const GridValues& values) const {
    return lower_at(point(values), sources_);
  }
  bool can_run(const GridValues& values);
  /// None: it cannot be bound, or the machine cannot run it.
  std::optional<WordCount> words(const GridValues& values);
  /// Its words and threads of its machine; none: it cannot be run, or is above the limit.
  std::optional<double> cost(const GridValues& values);

  /// A launch of the place does not fit on the machine, whatever the latencies.
  void mark_unfit(const GridValues& values) { unfit_.insert(without_latencies(values)); }
  /// Places with so many words or more are not run any more.
  void limit(double words) { most_ = words; }

  /// Stops where the sources' limits do: what is not known yet then cannot be run.
  Watch& watch() { return watch_; }

  const Diagnostics& refusal() const { return refusal_; }
  const Diagnostics& model_refusal() const { return model_refusal_; }

private:
  struct Estimate {
    std::optional<WordCount> words; ///< none: cannot be run
    bool any_threads = false;       ///< the same for every p
  };
  Estimate estimate(const GridValues& values);
  GridValues without_latencies(GridValues values) const;
  std::int64_t letter(const GridValues& values, std::string_view name) const;

  const std::vector<GridAxis>& axes_;
  const CheckedProgram& program_;
  Model model_;
  bool lockstep_;
  const Recipe& recipe_;
  const Sources& sources_;
  Watch watch_;
  /// The words of a place's arrays, by its values; 0 for those of l, L, U, P, and p unless it
  /// matters.
  /// None: cannot be run.
  std::map<GridValues, std::optional<WordCount>> words_;
  std::set<GridValues> unfit_;
  double most_ = std::numeric_limits<double>::infinity();
  Diagnostics refusal_;       ///< why the last place could not be bound
  Diagnostics model_refusal_; ///< why the model could not run the program at the last place
};

} // namespace memlane::sweep
