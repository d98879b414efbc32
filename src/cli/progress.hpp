// One line on a terminal that says how far the work is.
#pragma once

#include "memlane/support/limits.hpp"

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

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

} // namespace memlane::cli
