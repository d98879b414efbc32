#include "progress.hpp"

#include "console.hpp"

#include "memlane/points/progress_text.hpp"
#include "memlane/support/terminal.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace memlane::cli {

ProgressLine::ProgressLine(Text text)
    : text_(std::move(text)), terminal_(isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + std::chrono::seconds(1)) {}

void ProgressLine::show() {
  if (!terminal_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return; // another thread shows it
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  // A line that the terminal does not wrap; the window may change its size at any time.
  // Back to the line's begin, the text, and what is behind it erased (ECMA-48: CR, EL).
  std::fprintf(stderr, "\r%s\x1b[K", on_one_line(text_(), columns_of(STDERR_FILENO) - 1).c_str());
  std::fflush(stderr);
  written_ = true;
}

void ProgressLine::show_with(Limits& limits) {
  if (!terminal_) return;
  limits.check = [this, check = limits.check] {
    show();
    return check ? check() : Stop::none;
  };
}

void ProgressLine::erase() {
  const std::lock_guard lock(mutex_);
  if (!written_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  written_ = false;
}

ProgressLine::Text text_of_run(const RunProgress& progress) {
  using Clock = std::chrono::steady_clock;
  using Launch = std::pair<std::int64_t, std::int64_t>; // start of the run, launch
  return [&progress, begun = Clock::now(), launch = Launch(1, 0)]() mutable {
    const Clock::time_point now = Clock::now();
    const Launch current(progress.starts, progress.launches);
    if (std::exchange(launch, current) != current) begun = now;
    return progress_text(progress, std::chrono::duration<double>(now - begun).count());
  };
}

// --- Of a sweep.

namespace {

/// `3 s`, `4 min`, `2.5 h`.
std::string duration_text(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  if (seconds < 72 * hour) return fmt::format("{:.1f} h", seconds / hour);
  return fmt::format("{:.0f} days", seconds / (24 * hour));
}

} // namespace

SweepProgress::SweepProgress(const sweep::PointOrder& order, std::size_t total, std::size_t jobs,
                             double now)
    : order_(order), total_(total), jobs_(std::max<std::size_t>(1, jobs)), begun_(now) {}

void SweepProgress::begin(const sweep::PendingPoint& point, const std::string& label, double now) {
  const std::lock_guard lock(mutex_);
  running_[{point.sweep, point.number}] = {label, now};
}

void SweepProgress::end(const sweep::PendingPoint& point) {
  const std::lock_guard lock(mutex_);
  ++done_;
  running_.erase({point.sweep, point.number});
}

std::string SweepProgress::text(double now) const {
  const std::lock_guard lock(mutex_);
  const double passed = now - begun_;
  std::string text = fmt::format("{} of {} points", done_, total_);
  if (done_ > 0 && passed > 0) {
    const double rate = static_cast<double>(done_) / passed;
    text += rate >= 1 ? fmt::format(", {:.1f} a second", rate)
                      : fmt::format(", {:.1f} a minute", rate * 60);
    if (const auto left = order_.seconds_left())
      text += fmt::format(", about {} left", duration_text(*left / static_cast<double>(jobs_)));
  }
  const auto longest =
      std::min_element(running_.begin(), running_.end(), [](const auto& a, const auto& b) {
        return a.second.begun < b.second.begun;
      });
  if (longest != running_.end() && now - longest->second.begun >= 1)
    text += fmt::format("; longest: {}, {}", longest->second.label,
                        duration_text(now - longest->second.begun));
  return text;
}

} // namespace memlane::cli
