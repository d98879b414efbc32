// What an engine did for a run, in words.
#pragma once

#include "memlane/engine/outcome.hpp"

#include <string>

namespace memlane {

/// A line for each way of skipping that the fast engine had a use for, as `loops: 3 of 8 iterations
/// executed, the rest extrapolated or replayed`. Empty for the reference engine.
std::string engine_work_text(const EngineWork& work);

/// One line: the seconds of each phase that took any; empty where no clock was given.
std::string phase_seconds_text(const PhaseSeconds& seconds);

} // namespace memlane
