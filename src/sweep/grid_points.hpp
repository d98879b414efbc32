// Runs at many points of a grid, side by side.
#pragma once

#include "grid_places.hpp"

#include "memlane/claim/claim.hpp"

#include <cstdint>
#include <vector>

namespace memlane::sweep {

/// What is kept of one run.
struct PointRun {
  std::uint64_t seed = 1;
  Stop stop = Stop::none;
  Verdict verify = Verdict::none;
  std::int64_t steps = 0;           ///< instructions executed
  bool races = false;               ///< some were found and allowed
  bool unfit = false;               ///< a launch does not fit on the machine: RunOutcome::unfit
  EngineUse engine;                 ///< which engine served it
  Diagnostics errors;               ///< why it failed or stopped
  std::vector<ClaimOutcome> claims; ///< by claim, without text and source; of a run that came to
                                    ///< its end and that verify did not fail

  /// The work was asked to stop: the run says nothing.
  bool ended() const { return stop == Stop::interrupted || stop == Stop::wall_clock; }
};

/// The runs at each of the points: none where the program cannot be bound or run, request.seeds
/// where some `~` claim may apply, else one. The large ones start first; the result does not depend
/// on request.jobs. After the limits' check asked to stop, no more start; those that were done are
/// there. Concurrent runs hold no more bytes of arrays together than one may.
std::vector<std::vector<PointRun>>
run_grid_points(const Sources& sources, const GridRequest& request, std::vector<Point> points);

} // namespace memlane::sweep
