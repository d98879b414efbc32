#include "sweep_progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {

SweepProgress::SweepProgress(const sweep::Pending& pending, double now)
    : total_(static_cast<std::int64_t>(pending.points.size())), begun_(now) {
  for (const sweep::PendingPoint& point : pending.points) weight_ += point.weight;
}

void SweepProgress::begin(const sweep::PendingPoint& point, const std::string& label, double now) {
  const std::lock_guard lock(mutex_);
  running_[point.number] = {label, now};
}

void SweepProgress::end(const sweep::PendingPoint& point) {
  const std::lock_guard lock(mutex_);
  ++done_;
  done_weight_ += point.weight;
  running_.erase(point.number);
}

// Large points come first, so the time that is left follows the weight, not the number of points.
std::string SweepProgress::text(double now) const {
  const std::lock_guard lock(mutex_);
  const double passed = now - begun_;
  std::string text = fmt::format("{} of {} points", done_, total_);
  if (done_ > 0 && passed > 0) {
    const double rate = static_cast<double>(done_) / passed;
    text += rate >= 1 ? fmt::format(", {:.1f} a second", rate)
                      : fmt::format(", {:.1f} a minute", rate * 60);
    if (done_weight_ > 0)
      text += fmt::format(", about {} left",
                          duration_text(passed * (weight_ - done_weight_) / done_weight_));
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
