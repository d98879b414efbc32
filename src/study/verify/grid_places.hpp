// What is known of the places of a grid before they are run: which can be run, and at what cost.
#pragma once

#include "memlane/claim/grid.hpp"
#include "memlane/points/point.hpp"
#include "memlane/study/verify/verification.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace memlane::sweep {

/// The standard axes, those of machines that an HMM or an AGPU has where one is among the models
/// (with the value 1 alone on machines without them), and those of --grid in their place. Errors:
/// an axis that is no parameter or letter.
Result<std::vector<GridAxis>> grid_axes(const lang::Checked& checked, const GridRequest& request,
                                        Model model);

/// What the values of a place say.
struct Place {
  MachineSpec machine;
  std::vector<lang::ParamValue> parameters;
};

/// What an axis is on a model's machines: one of these, or neither where they have no such letter.
struct AxisUse {
  const lang::ParamSymbol* param = nullptr;
  const MachineKey* key = nullptr;
};
std::vector<AxisUse> uses_of(const std::vector<GridAxis>& axes, Model model,
                             const lang::Checked& checked);
MachineSpec machine_at(const std::vector<AxisUse>& axes, const GridValues& values, Model model,
                       bool lockstep);
Place place_at(const std::vector<AxisUse>& axes, const GridValues& values, Model model,
               bool lockstep);

/// The point of a recipe at a place, not bound yet.
Point point_at(const Recipe& recipe, Place place, const CheckedProgram& program);

/// The code of a point. Errors: those of lang::lower; none at all where p is no multiple of w.
Result<ir::Program> lower_at(const Point& point, const Sources& sources);

/// The cost of a run is about the number of words that it handles: those of its arrays, of matrices
/// times an eighth of a side, since what is done with them goes up to n^3; and one for each thread
/// of the machine.
struct WordCount {
  double placed = 0;  ///< words of its arrays
  double handled = 0; ///< the cost, without threads
};
WordCount words_of(const ir::Program& code);
double threads_of(const MachineSpec& machine);

/// The places of one program on the machines of one setting. A place is a value for each axis.
class PlaceCosts {
public:
  /// Keeps references to the program, the recipe and the sources.
  PlaceCosts(const std::vector<GridAxis>& axes, const CheckedProgram& program,
             const GridSetting& setting, const Recipe& recipe, const Sources& sources);

  Point point(const GridValues& values) const { return point(values, recipe_); }
  /// With the counts that the program's claims ask for.
  Point point(const GridValues& values, const Recipe& recipe) const;
  Place place(const GridValues& values) const { return place_at(uses_, values, model_, lockstep_); }
  const std::vector<AxisUse>& uses() const { return uses_; }
  const Sources& sources() const { return sources_; }
  /// The code of a place. Errors: those of lower_at.
  Result<ir::Program> code(const GridValues& values) const {
    return lower_at(point(values), sources_);
  }
  bool can_run(const GridValues& values);
  /// None: it cannot be bound, or the machine cannot run it, as far as arrays tell.
  std::optional<WordCount> words(const GridValues& values);
  /// Its words and threads of its machine; none: it cannot be run, or is above the limit.
  std::optional<double> cost(const GridValues& values);

  /// The values with 0 for those of latencies: places that have the same ones may share a run.
  GridValues without_latencies(const GridValues& values) const;

  /// A launch of the place does not fit on the machine, whatever the latencies.
  void mark_unfit(const GridValues& values) {
    unfit_.insert(without_latencies(values));
    last_cost_.reset();
  }
  /// The place's code turned out to have errors.
  void refuse(const GridValues& values, Diagnostics why);
  /// Places with so many words or more are not run any more.
  void limit(double words) {
    most_ = words;
    last_cost_.reset();
  }

  /// Stops where the sources' limits do: what is not known yet then cannot be run.
  Watch& watch() { return watch_; }

  const Diagnostics& refusal() const { return refusal_; }
  const Diagnostics& model_refusal() const { return model_refusal_; }

private:
  using Axes = std::vector<bool>;
  struct Estimate {
    std::optional<WordCount> words; ///< none: cannot be run
    Axes axes;                      ///< places with the same values of these have the same
  };
  Estimate estimate(const GridValues& values);
  /// Of a place that words() asked for.
  struct Asked {
    GridValues values;
    Estimate own;
  };
  Estimate answer(const GridValues& values);
  static GridValues only(GridValues values, const Axes& axes);
  static bool agree(const GridValues& a, const GridValues& b, const Axes& axes);
  Axes axes_of(const std::set<std::string>& letters) const;
  bool differ_in_latencies(const GridValues& a, const GridValues& b) const; ///< at most in them
  std::optional<double> new_cost(const GridValues& values);
  /// Of the axis p, which is whole warps of w.
  std::optional<std::size_t> p_, w_;

  std::vector<AxisUse> uses_;
  Axes beside_latencies_;     ///< all but those of latencies
  std::optional<Asked> last_; ///< places are asked for in an order in which most have its answer
  std::optional<std::pair<GridValues, std::optional<double>>> last_cost_; ///< likewise
  const CheckedProgram& program_;
  Model model_;
  bool lockstep_;
  bool pram_ = false; ///< a claim asks for it
  const Recipe& recipe_;
  const Sources& sources_;
  Watch watch_;
  /// The words of places' arrays, by the axes that decided them and the values of these; none:
  /// cannot be run.
  std::map<Axes, std::map<GridValues, std::optional<WordCount>>> words_;
  std::set<GridValues> unfit_, refused_;
  double most_ = std::numeric_limits<double>::infinity();
  Diagnostics refusal_;       ///< why the last place could not be bound
  Diagnostics model_refusal_; ///< why the model could not run the program at the last place
};

} // namespace memlane::sweep
