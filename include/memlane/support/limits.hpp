// How far work may go: what a caller allows, and how long work without a run of its own asks.
#pragma once

#include "memlane/support/progress.hpp"

#include <cstdint>
#include <functional>

namespace memlane {

/// Why work stopped before its end.
enum class Stop : std::uint8_t {
  none,
  error, ///< of the program; `errors` says which
  steps, ///< limits
  time,
  memory,
  wall_clock,  ///< the caller's deadline
  interrupted, ///< the caller asked
};

/// How far work may go. `check` is asked now and then and stops the work with what it returns.
struct Limits {
  std::int64_t steps = INT64_MAX;  ///< instructions executed by warps and host
  std::int64_t memory = INT64_MAX; ///< bytes of arrays and of the threads' registers
  std::int64_t time = INT64_MAX;   ///< time units
  std::function<Stop()> check = {};
  RunProgress* progress = nullptr; ///< kept up to date by a run; null: not wanted
};

/// Limits of what happens before and beside a run: reading, parsing, checking, lowering. One for
/// each piece of work; it holds the limits by reference.
class Watch {
public:
  explicit Watch(const Limits& limits) : limits_(&limits) {}

  /// A step of the work, which keeps `bytes` more than before. False where the work is to end; from
  /// then on always.
  bool go_on(std::int64_t bytes = 0) {
    if (stop_ != Stop::none) return false;
    bytes_ += bytes;
    if (bytes_ > limits_->memory) stop_ = Stop::memory;
    constexpr std::uint64_t steps_between = 256;
    if (stop_ == Stop::none && ++steps_ % steps_between == 0 && limits_->check)
      stop_ = limits_->check();
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
