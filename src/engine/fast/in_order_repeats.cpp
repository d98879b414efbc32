// Repetitions in closed form: see timeline_repeats.cpp for other machines.
#include "in_order.hpp"

#include <algorithm>

namespace memlane::fast {

using reference::later;
using reference::saturating_multiply;

/// All warps are at the same repetition: it is gone through time after time until the port and the
/// warps' requests are as far apart as the time before. What follows depends on nothing else, so
/// all further times take as long as that one. False: execution has halted.
bool InOrderTimeline::repeat_all() {
  std::uint32_t length = 0;
  std::int64_t times = INT64_MAX;
  for (const Segment& segment : segments_) {
    if (segment.through) continue;
    const StepLog& log = interval_.tiles[segment.tile];
    if (!segment.each.empty() || segment.next >= log.entries.size()) return true;
    const Entry& entry = log.entries[segment.next];
    if (entry.ask != Ask::repeat) return true;
    const Repeat& again = log.repeats[entry.amount];
    if (length != 0 && again.length != length) return true;
    length = again.length;
    times = std::min(times, segment.left < 0 ? again.times : segment.left);
  }
  if (length == 0) return true;
  note_offsets();
  while (times > 0) {
    const std::int64_t last = port_.last.value, entered = port_.entered;
    const std::int64_t busy = counts_->busy, idle = counts_->idle_latency;
    if (!repeat_once(length)) return false;
    --times;
    std::swap(before_, offsets_);
    note_offsets();
    if (offsets_ != before_ || port_.entered != entered) continue;
    const std::int64_t by = port_.last.value - last;
    const std::int64_t end = saturating_multiply(by, times);
    if (end > INT64_MAX / 4) return launch_.fast.halt(Halted::refused);
    port_.last = later(port_.last, {end});
    for_warps_left([&](std::size_t w) {
      begin_[w] += end;
      ready_[w] += end;
    });
    counts_->busy += (counts_->busy - busy) * times;
    counts_->idle_latency += (counts_->idle_latency - idle) * times;
    for (Segment& segment : segments_)
      if (!segment.through) segment.left -= times;
    break;
  }
  return port_.last <= limit_ || launch_.fast.halt(Halted::refused);
}

void InOrderTimeline::note_offsets() {
  offsets_.clear();
  for_warps_left([&](std::size_t w) {
    offsets_.push_back(begin_[w] - port_.last.value);
    offsets_.push_back(ready_[w] - port_.last.value);
  });
}

bool InOrderTimeline::repeat_once(std::uint32_t length) {
  for (std::uint32_t k = 0; k < length; ++k)
    for (Segment& segment : segments_)
      if (!segment.through && !turn(segment)) return false;
  return launch_.poll();
}

} // namespace memlane::fast
