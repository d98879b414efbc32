// What the claims of a program ask of the grid that they are verified on.
#pragma once

#include "grid_rays.hpp"

#include "memlane/claim/grid.hpp"
#include "memlane/claim/grid_verdict.hpp"
#include "memlane/lang/ast.hpp"

#include <cstdint>
#include <vector>

namespace memlane::sweep {

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
