// The places of a grid: its axes, and the machine and parameters at a point.
#pragma once

#include "memlane/sweep/verification.hpp"

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
Place place_at(const std::vector<GridAxis>& axes, const GridValues& values, Model model,
               bool lockstep, const lang::Checked& checked);

/// The point of a recipe at a place of the axes, not bound yet.
Point point_at(const Recipe& recipe, const std::vector<GridAxis>& axes, const GridValues& values,
               Model model, bool lockstep, const CheckedProgram& program);

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

} // namespace memlane::sweep
