// Limits of work, their check outside of runs, and how far a run is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace memlane {

// How far a run is, while it goes on.

/// Written by the run at each launch, at the end of blocks and where it asks `Limits::check`; read
/// by the caller at any time, from any thread.
struct RunProgress {
  std::atomic<std::int64_t> starts{0};   ///< starts of the run: more than 1 after a restart
  std::atomic<std::int64_t> launches{0}; ///< launches that have ended since the last start
  std::atomic<std::int64_t> blocks{0};   ///< the current launch's blocks; 0: host code runs
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

// Limits.

/// Why work stopped early.
enum class Stop : std::uint8_t {
  none,
  error, ///< the program has one; see `errors`
  steps, ///< limits
  time,
  memory,
  wall_clock,  ///< the caller's deadline
  interrupted, ///< the caller asked
};

/// Limits of work. The work calls `check` regularly and stops unless it returns Stop::none.
struct Limits {
  std::int64_t steps = INT64_MAX;  ///< instructions executed by warps and host
  std::int64_t memory = INT64_MAX; ///< bytes of arrays and of the threads' registers
  std::int64_t time = INT64_MAX;   ///< time units
  std::function<Stop()> check = {};
  RunProgress* progress = nullptr; ///< kept up to date by a run; null: not wanted
};

/// Checks limits outside of a run: during reading, parsing, checking, lowering. One object for each
/// piece of work; it refers to the limits.
class Watch {
public:
  explicit Watch(const Limits& limits) : limits_(&limits) {}

  /// Counts a step of the work, and `bytes` of additional memory. False if the work must stop, also
  /// in all later calls.
  bool go_on(std::int64_t bytes = 0) {
    if (stop_ != Stop::none) return false;
    bytes_ += bytes;
    if (bytes_ > limits_->memory) stop_ = Stop::memory;
    constexpr std::uint64_t steps_between = 256;
    return ++steps_ % steps_between == 0 ? ask() : stop_ == Stop::none;
  }
  /// Asks at once: before or after a long step, or where short pieces of work are many.
  bool ask() {
    if (stop_ == Stop::none && limits_->check) stop_ = limits_->check();
    return stop_ == Stop::none;
  }
  Stop stop() const { return stop_; }
  bool stopped() const { return stop_ != Stop::none; }

private:
  const Limits* limits_;
  std::int64_t bytes_ = 0;
  std::uint64_t steps_ = 0;
  Stop stop_ = Stop::none;
};

/// Whether work goes on that may be watched.
inline bool goes_on(Watch* watch) { return !watch || watch->go_on(); }

} // namespace memlane
