// How far a run is, while it goes on.
#pragma once

#include <atomic>
#include <cstdint>

namespace memlane {

/// Written by the run at each launch, at the end of blocks and where it asks `Limits::check`; read
/// by the caller at any time, from any thread.
struct RunProgress {
  std::atomic<std::int64_t> starts{0};   ///< of the run: more than 1 after a restart
  std::atomic<std::int64_t> launches{0}; ///< that have ended since the last start
  std::atomic<std::int64_t> blocks{0};   ///< of the current launch; 0: host code runs
  std::atomic<std::int64_t> blocks_done{0};
  std::atomic<std::int64_t> time{0}; ///< time units since the last start
  /// Work of the engines, also of restarts: an instruction, or one of what they do for
  /// each access or time unit, is a step. Counted by `worked` alone.
  std::atomic<std::int64_t> steps{0};
  static constexpr std::int64_t steps_between = 0x4000;

  void begin_run() {
    starts += 1;
    launches = blocks = blocks_done = time = 0;
  }
  /// An engine is about to ask, as it does once in so many steps.
  void worked() { steps += steps_between; }
  /// `before`: the time of the launches before this one.
  void begin_launch(std::int64_t launch_blocks, std::int64_t before) {
    time_before_ = before;
    blocks_done = 0;
    blocks = launch_blocks;
  }
  /// `now`: since the launch began.
  void update_launch(std::int64_t now, std::int64_t done) {
    time = time_before_ + now;
    blocks_done = done;
  }
  void end_launch(std::int64_t total_time) {
    time = total_time;
    blocks = 0;
    launches += 1;
  }

private:
  std::int64_t time_before_ = 0; ///< used by the thread that runs the launch
};

} // namespace memlane
