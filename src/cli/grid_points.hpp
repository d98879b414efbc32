// Runs at many points of a grid, side by side.
#pragma once

#include "grid_places.hpp"

#include "memlane/claim/claim.hpp"

#include <cstdint>
#include <vector>

namespace memlane::cli {

/// What is kept of one run.
struct PointRun {
  std::uint64_t seed = 1;
  Stop stop = Stop::none;
  Verdict verify = Verdict::none;
  bool races = false;               ///< some were found and allowed
  EngineUse engine;                 ///< which engine served it
  Diagnostics errors;               ///< why it failed or stopped
  std::vector<ClaimOutcome> claims; ///< by claim; without text and source; of a run to its
                                    ///< end that verify did not fail

  /// It was asked to end, and says nothing.
  bool ended() const { return stop == Stop::interrupted || stop == Stop::wall_clock; }
};

/// The runs at each of the places: none where the program cannot be bound or run, request.seeds
/// where some `~` claim may apply, else one. The large ones begin first; what comes out does not
/// depend on request.jobs. Once the limits' check asks to stop, no more are begun; those that were
/// done are there. All at once hold no more bytes of arrays than one may.
std::vector<std::vector<PointRun>> run_places(const CheckedProgram& program, const Sources& sources,
                                              const GridRequest& request,
                                              const std::vector<Place>& places);

} // namespace memlane::cli
