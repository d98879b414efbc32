// How far a sweep is, in one line.
#pragma once

#include "memlane/sweep/sweep_run.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace memlane::cli {

/// Points done, their rate, the time that is left, and the run that has lasted longest. Any thread
/// may call.
class SweepProgress {
public:
  /// `now` in seconds, as in all calls.
  SweepProgress(const sweep::Pending& pending, double now);

  void begin(const sweep::PendingPoint& point, const std::string& label, double now);
  void end(const sweep::PendingPoint& point);
  /// `123 of 400 points, 41.2 a second, about 7 s left; longest: sum on hmm-titan, n=2^27, 12 s`.
  std::string text(double now) const;

private:
  struct Running {
    std::string label;
    double begun = 0;
  };

  mutable std::mutex mutex_;
  std::int64_t total_ = 0, done_ = 0;
  double weight_ = 0, done_weight_ = 0; ///< of PendingPoint
  double begun_ = 0;
  std::map<std::int64_t, Running> running_; ///< by number in the plan
};

/// `3 s`, `4 min`, `2.5 h`.
std::string duration_text(double seconds);

} // namespace memlane::cli
