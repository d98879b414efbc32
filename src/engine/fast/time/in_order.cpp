#include "in_order.hpp"

#include "accounts.hpp"
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

using reference::later;
using reference::saturating_multiply;

namespace {

std::size_t place(std::int64_t index) { return static_cast<std::size_t>(index); }

} // namespace

bool InOrderTimeline::serves(const MachineSpec& machine) {
  const bool one_unit = machine.shared.has_value() != machine.global.has_value();
  return one_unit && machine.multiprocessors == 1 && machine.resident_blocks == 1 &&
         !machine.lockstep && machine.instruction_cost.value == 0 && machine.operations.empty() &&
         machine.requests_in_flight == 1;
}

InOrderTimeline::InOrderTimeline(TimedLaunch& launch, BlockSource& blocks, Cycles limit)
    : launch_(launch), blocks_(blocks), spec_(launch.machine.memory_unit()), limit_(limit),
      tile_warps_(launch.tile_warps) {
  const std::size_t warps = place(launch.warps_of_block);
  begin_.resize(warps);
  ready_.resize(warps);
  asked_.resize(warps);
  fresh_.resize(warps);
}

bool InOrderTimeline::run(LaunchTally& tally) {
  account_ = launch_.machine.shared ? &tally.shared[0] : &tally.global[0];
  reference::LaunchLoads loads(launch_.machine, launch_.shape, {launch_.machine, launch_.shape});
  std::int64_t stages = 0;
  now_ = launch_.machine.launch_cost;
  settle(ledger_, port_, *account_, now_);
  bool whole = now_ <= limit_;
  for (std::int64_t block = 0; block < launch_.shape.blocks && whole; ++block) {
    launch_.blocks_done = block;
    BlockLoads of_block;
    whole = blocks_.start(block) && run_block();
    const bool finished =
        (whole || launch_.timed.halted == Halted::asked) && blocks_.finish(of_block);
    whole = whole && finished;
    loads.add(0, of_block.of[0], of_block.of[1]);
    stages += of_block.stages[0] + of_block.stages[1];
  }
  if (!whole && launch_.timed.halted == Halted::no) return launch_.timed.halt(Halted::refused);
  if (launch_.timed.halted == Halted::asked) now_ = std::max(now_, later(port_.last, {1}));
  tally.time = now_;
  tally.barriers = barriers_;
  launch_.timed.work.time_units.add({now_.value, 0});
  close(ledger_, port_, *account_, now_);
  account_->resident_warps = launch_.warps_of_block;
  loads.finish(tally, {stages});
  return whole;
}

bool InOrderTimeline::run_block() {
  std::fill(asked_.begin(), asked_.end(), std::uint8_t{0});
  do {
    if (!blocks_.advance(interval_) || !run_interval()) return false;
    end_interval(!interval_.last);
    if (now_ > limit_) return false;
  } while (!interval_.last);
  return true;
}

bool InOrderTimeline::run_interval() {
  last_warp_ = -1;
  begin_segments();
  std::size_t left = segments_.size();
  while (left > 0) {
    if (!repeat_all()) return false;
    left = 0;
    for (Segment& segment : segments_) {
      if (!segment.ended && !turn(segment)) return false;
      left += segment.ended ? 0 : 1;
    }
    launch_.now = port_.last;
    if (!launch_.poll()) return false;
    if (port_.last > limit_) return false;
  }
  return true;
}

/// The warps of tiles with a request, from the cursor on.
void InOrderTimeline::begin_segments() {
  segments_.clear();
  const std::int64_t tile_warps = tile_warps_;
  const std::size_t tiles = interval_.tiles.size();
  const auto middle = place(cursor_ / tile_warps);
  const auto last_of = [&](std::size_t tile) {
    return std::min((static_cast<std::int64_t>(tile) + 1) * tile_warps, launch_.warps_of_block);
  };
  const auto first_of = [&](std::size_t tile) {
    return static_cast<std::int64_t>(tile) * tile_warps;
  };
  add_segment(middle, cursor_, last_of(middle));
  for (std::size_t k = 1; k < tiles; ++k) {
    const std::size_t tile = (middle + k) % tiles;
    add_segment(tile, first_of(tile), last_of(tile));
  }
  add_segment(middle, first_of(middle), cursor_);
}

void InOrderTimeline::add_segment(std::size_t tile, std::int64_t first, std::int64_t last) {
  if (first >= last || (interval_.tiles[tile].entries.empty() && !interval_.partial)) return;
  Segment& segment = segments_.emplace_back();
  segment.tile = tile;
  segment.first = first;
  segment.count = last - first;
  std::fill(fresh_.begin() + first, fresh_.begin() + last, std::uint8_t{1});
}

/// Moves to the next request of a warp; false at the end of its log. Only the log of a single tile
/// can grow.
bool InOrderTimeline::next_entry(Segment& segment, std::int64_t warp, std::uint32_t& next,
                                 std::int64_t& left) {
  const StepLog& log = interval_.tiles[segment.tile];
  for (;;) {
    if (next < log.entries.size()) {
      if (log.entries[next].ask != Ask::repeat) return true;
      log.repeat(next, left, place_in_tile(segment, warp));
    } else if (!interval_.partial || !drop_passed()) {
      return false;
    }
  }
}

bool InOrderTimeline::drop_passed() {
  std::uint32_t passed = UINT32_MAX;
  const auto each_place = [&](auto f) {
    for (Segment& segment : segments_) {
      if (segment.each.empty()) f(segment.next);
      for (std::uint32_t& next : segment.each) f(next);
    }
  };
  each_place([&](std::uint32_t& next) { passed = std::min(passed, next); });
  const std::uint32_t dropped = interval_.tiles[0].drop(passed);
  each_place([&](std::uint32_t& next) { next -= dropped; });
  return blocks_.extend(interval_);
}

bool InOrderTimeline::turn(Segment& segment) {
  if (!segment.each.empty()) return turn_of_each(segment);
  if (!next_entry(segment, segment.first, segment.next, segment.left)) {
    segment.ended = true;
    return launch_.timed.halted == Halted::no;
  }
  const StepLog& log = interval_.tiles[segment.tile];
  const Entry& entry = log.entries[segment.next];
  if (entry.each) {
    const std::int64_t tile_first = static_cast<std::int64_t>(segment.tile) * tile_warps_;
    const std::uint16_t* amounts = log.amounts.data() + entry.amount + (segment.first - tile_first);
    if (std::find(amounts, amounts + segment.count, 0) != amounts + segment.count) {
      segment.each.assign(place(segment.count), segment.next);
      segment.each_left.assign(place(segment.count), segment.left);
      return turn_of_each(segment);
    }
  }
  dispatch_all(segment, entry);
  ++segment.next;
  return true;
}

/// One request of each warp that has one left.
bool InOrderTimeline::turn_of_each(Segment& segment) {
  segment.ended = true;
  for (std::int64_t k = 0; k < segment.count; ++k) {
    const std::int64_t warp = segment.first + k;
    std::uint32_t& next = segment.each[place(k)];
    std::int64_t stages = 0;
    while (stages == 0 && next_entry(segment, warp, next, segment.each_left[place(k)])) {
      const StepLog& log = interval_.tiles[segment.tile];
      const Entry& entry = log.entries[next++];
      stages = entry.each ? log.amounts[entry.amount + place_in_tile(segment, warp)] : entry.amount;
    }
    if (launch_.timed.halted != Halted::no) return false;
    if (stages == 0) continue;
    dispatch(warp, stages);
    segment.ended = false;
  }
  return true;
}

void InOrderTimeline::dispatch(std::int64_t warp, std::int64_t stages) {
  const std::size_t w = place(warp);
  if (fresh_[w]) {
    // Only now is it known that the warp's last request had "another to come" (section 5).
    if (asked_[w] && !ledger_.undecided.empty())
      decide_latency(ledger_, *account_, {begin_[w]}, {ready_[w]});
    fresh_[w] = 0;
    asked_[w] = 1;
    ready_[w] = now_.value;
  }
  const Cycles free = reference::next_room(port_, spec_, now_);
  const Cycles time = std::max(free, Cycles{ready_[w]});
  // The port idles for this warp: its request is in flight all the time, and the next one comes.
  if (time > later(port_.last, {1}) && last_warp_ >= 0)
    account_->idle_latency += (time - port_.last).value - 1;
  account_->busy += reference::enter(port_, spec_, time, stages);
  begin_[w] = time.value;
  ready_[w] = later(port_.last, spec_.latency).value;
  last_warp_ = warp;
}

/// The first requests of warps in this interval: they have waited since it began, so that the port
/// never idles between them.
void InOrderTimeline::dispatch_first(std::int64_t first, std::int64_t end,
                                     const std::uint16_t* each, std::int64_t stages) {
  const std::int64_t latency = spec_.latency.value - 1;
  std::int64_t free = std::max(now_.value, port_.last.value + 1);
  const std::int64_t begin = free;
  for (std::int64_t warp = first; warp < end; ++warp) {
    const std::size_t w = place(warp);
    // Only now is it known that the warp's last request had "another to come" (section 5).
    if (asked_[w] && !ledger_.undecided.empty() &&
        ready_[w] > ledger_.undecided.front().begin.value)
      decide_latency(ledger_, *account_, {begin_[w]}, {ready_[w]});
    begin_[w] = free;
    free += each ? each[warp - first] : stages;
    ready_[w] = free + latency;
  }
  std::fill(asked_.begin() + first, asked_.begin() + end, std::uint8_t{1});
  std::fill(fresh_.begin() + first, fresh_.begin() + end, std::uint8_t{0});
  account_->busy += free - begin;
  port_.last = {free - 1};
}

/// Requests of warps that have made one in this interval before.
void InOrderTimeline::dispatch_next(std::int64_t first, std::int64_t end, const std::uint16_t* each,
                                    std::int64_t stages) {
  const std::int64_t latency = spec_.latency.value - 1;
  std::int64_t free = port_.last.value + 1, idle = 0;
  const std::int64_t begin = free;
  const auto take = [&](auto stages_of) {
    for (std::int64_t warp = first; warp < end; ++warp) {
      const std::size_t w = place(warp);
      const std::int64_t time = std::max(free, ready_[w]);
      idle += time - free;
      begin_[w] = time;
      free = time + stages_of(warp);
      ready_[w] = free + latency;
    }
  };
  if (each) {
    take([=](std::int64_t warp) -> std::int64_t { return each[warp - first]; });
  } else {
    take([=](std::int64_t) { return stages; });
  }
  account_->idle_latency += idle;
  account_->busy += free - begin - idle;
  port_.last = {free - 1};
}

void InOrderTimeline::dispatch_all(const Segment& segment, const Entry& entry) {
  const std::int64_t tile_first = static_cast<std::int64_t>(segment.tile) * tile_warps_;
  const std::uint16_t* each = entry.each ? interval_.tiles[segment.tile].amounts.data() +
                                               entry.amount + (segment.first - tile_first)
                                         : nullptr;
  const std::int64_t first = segment.first, end = segment.first + segment.count;
  const std::int64_t stages = entry.amount;
  // Several ports, and what is near the end of time, one by one.
  if (spec_.ports > 1 || port_.last.value > INT64_MAX / 4 || spec_.latency.value > INT64_MAX / 4) {
    for (std::int64_t warp = first; warp < end; ++warp)
      dispatch(warp, each ? each[warp - first] : stages);
    return;
  }
  if (fresh_[place(first)]) {
    dispatch_first(first, end, each, stages);
  } else {
    dispatch_next(first, end, each, stages);
  }
  port_.entered = 1;
  last_warp_ = end - 1;
}

/// All requests are dispatched: those in flight complete, then the barrier opens or the block ends.
void InOrderTimeline::end_interval(bool barrier) {
  if (last_warp_ >= 0) {
    ledger_.until = std::max(now_, later(port_.last, {1}));
    // The port idles from here on: a span for each completion, as warps come to the barrier.
    std::vector<std::int64_t> completions;
    for (const Segment& segment : segments_)
      for (std::int64_t warp = segment.first; warp < segment.first + segment.count; ++warp)
        if (ready_[place(warp)] > ledger_.until.value && !fresh_[place(warp)])
          completions.push_back(ready_[place(warp)]);
    std::sort(completions.begin(), completions.end());
    ledger_.in_flight = static_cast<std::int64_t>(completions.size());
    ledger_.at_barrier = barrier ? launch_.warps_of_block - ledger_.in_flight : 0;
    for (const std::int64_t time : completions) {
      settle(ledger_, port_, *account_, {time});
      ledger_.in_flight -= 1;
      ledger_.at_barrier += barrier ? 1 : 0;
    }
    now_ = {ready_[place(last_warp_)]};
    cursor_ = last_warp_ + 1 == launch_.warps_of_block ? 0 : last_warp_ + 1;
  }
  if (!barrier) {
    ledger_.at_barrier = 0;
    return;
  }
  ledger_.at_barrier = launch_.warps_of_block;
  now_ = later(now_, launch_.machine.barrier_cost);
  settle(ledger_, port_, *account_, now_);
  ledger_.at_barrier = 0;
  ++barriers_;
}

// Skips repetitions in logs; timeline_repeats.cpp does so for other machines.

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
    if (time > INT64_MAX / 4) return launch_.timed.too_large(launch_.code);
    account_->busy += (account_->busy - busy) * times_;
    account_->idle_latency += (account_->idle_latency - idle) * times_;
    skip_rounds(times_, time);
    break;
  }
  return port_.last <= limit_ || launch_.timed.halt(Halted::refused);
}

/// Moves port and flights past skipped rounds, which take `time`.
void InOrderTimeline::skip_rounds(std::int64_t times, std::int64_t time) {
  launch_.timed.work.time_units.add({0, time});
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
