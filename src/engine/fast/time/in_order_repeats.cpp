// Skips repetitions in logs; timeline_repeats.cpp does so for other machines.
#include "in_order.hpp"

#include <algorithm>

namespace memlane::fast {

using reference::later;
using reference::saturating_multiply;

/// Whether all warps that are not at the end are at repetitions with equally many requests a round;
/// collects them.
bool InOrderTimeline::find_repetition() {
  repeating_.clear();
  times_ = INT64_MAX;
  for (const Segment& segment : segments_) {
    if (segment.ended) continue;
    const bool together = segment.each.empty();
    for (std::int64_t k = 0; k < segment.count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const std::uint32_t next = together ? segment.next : segment.each[at];
      if (next >= interval_.tiles[segment.tile].entries.size()) {
        if (together || interval_.partial) return false;
        continue; // it has ended
      }
      const std::int64_t left = together ? segment.left : segment.each_left[at];
      if (!add_repetition(segment, segment.first + k, next, left)) return false;
    }
  }
  return !repeating_.empty();
}

bool InOrderTimeline::add_repetition(const Segment& segment, std::int64_t warp, std::uint32_t next,
                                     std::int64_t left) {
  const StepLog& log = interval_.tiles[segment.tile];
  if (log.entries[next].ask != Ask::repeat) return false;
  const std::uint32_t requests = log.round(next, place_in_tile(segment, warp)).requests;
  if (requests == 0 || (!repeating_.empty() && requests != requests_)) return false;
  requests_ = requests;
  times_ = std::min(times_, left < 0 ? log.repeats[log.entries[next].amount].times : left);
  repeating_.push_back(static_cast<std::size_t>(warp));
  return true;
}

/// If all warps left are at a repetition: simulates rounds until the port and the flights have the
/// same distances as a round before. Nothing else decides what follows, so that all further rounds
/// take as long as that one, and are skipped. False: execution has halted.
bool InOrderTimeline::repeat_all() {
  if (!find_repetition()) return true;
  note_offsets();
  while (times_ > 0) {
    const std::int64_t last = port_.last.value, entered = port_.entered;
    const std::int64_t busy = account_->busy, idle = account_->idle_latency;
    if (!repeat_once()) return false;
    --times_;
    std::swap(before_, offsets_);
    note_offsets();
    if (offsets_ != before_ || port_.entered != entered) continue;
    const std::int64_t time = saturating_multiply(port_.last.value - last, times_);
    if (time > INT64_MAX / 4) return launch_.fast.too_large(launch_.kernel.span);
    account_->busy += (account_->busy - busy) * times_;
    account_->idle_latency += (account_->idle_latency - idle) * times_;
    skip_rounds(times_, time);
    break;
  }
  return port_.last <= limit_ || launch_.fast.halt(Halted::refused);
}

/// Moves port and flights past skipped rounds, which take `time`.
void InOrderTimeline::skip_rounds(std::int64_t times, std::int64_t time) {
  launch_.fast.work.time_units.add({0, time});
  port_.last = later(port_.last, {time});
  for (const std::size_t w : repeating_) {
    begin_[w] += time;
    ready_[w] += time;
  }
  for (Segment& segment : segments_) {
    if (segment.ended) continue;
    if (segment.each.empty()) segment.left -= times;
    for (std::size_t k = 0; k < segment.each.size(); ++k) {
      const auto& entries = interval_.tiles[segment.tile].entries;
      if (segment.each[k] < entries.size()) segment.each_left[k] -= times;
    }
  }
}

void InOrderTimeline::note_offsets() {
  offsets_.clear();
  for (const std::size_t w : repeating_) {
    offsets_.push_back(begin_[w] - port_.last.value);
    offsets_.push_back(ready_[w] - port_.last.value);
  }
}

bool InOrderTimeline::repeat_once() {
  for (std::uint32_t k = 0; k < requests_; ++k)
    for (Segment& segment : segments_)
      if (!segment.ended && !turn(segment)) return false;
  return launch_.poll();
}

} // namespace memlane::fast
