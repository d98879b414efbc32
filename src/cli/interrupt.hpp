// Ctrl-C and the deadline: how a run is asked to stop.
#pragma once

#include "memlane/engine/machine_run.hpp"

#include <functional>

namespace memlane::cli {

/// While it lives, SIGINT and SIGTERM are noted and not deadly; one more, later, is deadly.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// For Limits::check: Stop::interrupted after a signal, Stop::wall_clock after so many seconds
/// from now (0: never).
std::function<Stop()> stop_check(double seconds);

} // namespace memlane::cli
