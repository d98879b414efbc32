// Ctrl-C, the clock and the deadline: how a run is asked to stop.
#pragma once

#include "memlane/engine/run.hpp"

#include <signal.h>

#include <array>
#include <chrono>
#include <functional>

namespace memlane::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is noted and does not end the program; one
/// more, later, does.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

private:
  std::array<struct sigaction, 3> before_{}; ///< what the signals did
};

/// For Limits::check: Stop::interrupted after a signal, Stop::wall_clock after so many seconds
/// from now (0: never).
std::function<Stop()> stop_check(double seconds);

/// The one clock of limits, progress and reports: seconds since some moment.
inline double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

} // namespace memlane::cli
