#include "sweep_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {

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

std::string duration_text(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  if (seconds < 72 * hour) return fmt::format("{:.1f} h", seconds / hour);
  return fmt::format("{:.0f} days", seconds / (24 * hour));
}

} // namespace memlane::cli
