// Limits of work, and their check outside of runs.
#pragma once

#include "memlane/support/progress.hpp"

#include <cstdint>
#include <functional>

namespace memlane {

/// Why work stopped early.
enum class Stop : std::uint8_t {
  none,
  error, ///< of the program; see `errors`
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

} // namespace memlane
