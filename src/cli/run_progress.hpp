// How far one run is, on a terminal.
#pragma once

#include "progress.hpp"

#include "memlane/support/limits.hpp"

#include <mutex>

namespace memlane::cli {

/// Shows the progress of a run whose limits it was given, from its first second on: launches, the
/// share of blocks, time units and, in a launch of many blocks, the seconds left.
class RunProgressLine {
public:
  /// On a terminal, makes `limits` keep the progress and show it where `check` is called. This must
  /// outlive the run.
  explicit RunProgressLine(Limits& limits);

  /// Before anything else is written to the terminal.
  void erase() { line_.erase(); }

private:
  using Clock = std::chrono::steady_clock;
  void show();

  std::mutex mutex_; ///< several threads call `check`
  ProgressLine line_;
  RunProgress progress_;
  Clock::time_point start_, launch_start_;
  std::int64_t launch_ = -1; ///< that began at launch_start_: number of starts and launches
};

} // namespace memlane::cli
