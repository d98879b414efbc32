// One line on a terminal that says how far the work is, and how far a sweep is.
#pragma once

#include "memlane/store/point_order.hpp"
#include "memlane/support/limits.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace memlane::cli {

/// Standard error has the line if it is a terminal, from the first second of the work on. Each text
/// overwrites the one before; the line is erased at the end. Any thread may call.
class ProgressLine {
public:
  /// `text` may be called by any thread that calls `show`, by one at a time.
  using Text = std::function<std::string()>;
  explicit ProgressLine(Text text);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether standard error is a terminal.
  bool is_shown() const { return terminal_; }
  /// Writes the text, cut to the terminal's width, at most ten times a second.
  void show();
  /// Makes the work show the line wherever it asks for its limits. This must outlive the work.
  void show_with(Limits& limits);
  /// Before anything else is written to the terminal.
  void erase();

private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  Text text_;
  bool terminal_ = false, written_ = false;
  Clock::time_point next_;
};

/// How far a run is, with the seconds left of a launch. Called ten times a second, it notices a new
/// launch soon enough. Refers to `progress`.
ProgressLine::Text text_of_run(const RunProgress& progress);

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

} // namespace memlane::cli
