// How far a sweep is, in one line.
#pragma once

#include "memlane/sweep/point_order.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace memlane::cli {

/// Points done, their rate, the time that is left, and the run that has lasted longest. Any thread
/// may call.
class SweepProgress {
public:
  /// `order` estimates the time that is left, which `jobs` points at once share. `now` in seconds,
  /// as in all calls.
  SweepProgress(const sweep::PointOrder& order, std::size_t total, std::size_t jobs, double now);

  void begin(const sweep::PendingPoint& point, const std::string& label, double now);
  void end(const sweep::PendingPoint& point);
  /// `123 of 400 points, 41.2 a second, about 7 s left; longest: sum on hmm-titan, n=2^27, 12 s`.
  std::string text(double now) const;

private:
  using Place = std::pair<std::int32_t, std::int64_t>; ///< sweep, and number in its plan
  struct Running {
    std::string label;
    double begun = 0;
  };

  mutable std::mutex mutex_;
  const sweep::PointOrder& order_;
  std::size_t total_ = 0, jobs_ = 1, done_ = 0;
  double begun_ = 0;
  std::map<Place, Running> running_;
};

/// `3 s`, `4 min`, `2.5 h`.
std::string duration_text(double seconds);

} // namespace memlane::cli
