#include "warp_steps.hpp"

#include <algorithm>
#include <utility>

namespace memlane::fast {

WarpSteps::WarpSteps(const MachineSpec& machine)
    : several_(machine.requests_in_flight > 1), hoists_(machine.schedule == Schedule::hoisted),
      pieces_(several_) {
  if (hoists_) reads_.follow_all();
}

bool WarpSteps::execute(const WarpInstruction& now, bool operates, StepLog& log) {
  if (hoists_) {
    if (pieces_.ends_before(now)) end_piece(log);
    pieces_.execute(now, reads_);
    site_ = -1;
  } else if (!is_idle()) {
    reads_.pass(now);
    if (operates) wait_for_needed(log);
  }
  return reads_.unclear() < 0;
}

void WarpSteps::need(std::span<const std::int64_t> reads, std::int32_t instruction) {
  for (const std::int64_t number : reads) reads_.need(number, instruction);
}

void WarpSteps::request(const OwnRequest& own, StepLog& log) {
  std::int64_t number = requests_;
  if (hoists_) {
    number = pieces_.request(own.unit, own.returns, own.instruction, reads_);
    site_ = own.site;
  } else {
    wait_for_needed(log);
    ++requests_;
    sites_.add(own.site);
  }
  if (own.returns) reads_.read(own.to, own.lanes, number);
}

void WarpSteps::logged(const StepLog& log) {
  if (hoists_ && log.entries.size() > piece_ + logged_.size())
    logged_.push_back({pieces_.latest(), site_});
}

void WarpSteps::end_interval(StepLog& log) {
  if (!hoists_) return wait_for_needed(log);
  end_piece(log);
  pieces_.complete_reads(reads_);
}

void WarpSteps::wait_for_needed(StepLog& log) {
  for (LaneReads::Wait& needed : reads_.take_waits(requests_))
    wait(std::move(needed.awaited), needed.instruction, log);
}

/// With one request on its way at most, a warp goes on when it is complete.
void WarpSteps::wait(std::vector<std::uint32_t> awaited, std::int32_t instruction, StepLog& log) {
  if (!several_ || awaited.empty()) return;
  Wait wait{instruction, std::move(awaited), {}};
  for (const std::uint32_t earlier : wait.earlier) wait.sites.push_back(sites_.of(earlier));
  const std::uint32_t index = log.index_of(wait);
  if (hoists_) {
    log.entries.push_back({Ask::wait, false, false, index});
  } else {
    waits_.push_back(index);
  }
}

void WarpSteps::end_piece(StepLog& log) {
  const auto first = log.entries.begin() + static_cast<std::ptrdiff_t>(piece_);
  entries_.assign(first, log.entries.end());
  log.entries.erase(first, log.entries.end());
  pieces_.end(reads_, [&](const IssueOrder::Issued& issued, std::int32_t instruction) {
    wait(issued.awaited, instruction, log);
    const auto found =
        std::lower_bound(logged_.begin(), logged_.end(), issued.number,
                         [](const Logged& a, std::int64_t b) { return a.number < b; });
    if (found == logged_.end() || found->number != issued.number) return;
    log.entries.push_back(entries_[static_cast<std::size_t>(found - logged_.begin())]);
    if (found->site >= 0) sites_.add(found->site);
  });
  logged_.clear();
  piece_ = log.entries.size();
}

// The warps of a tile.

TileSteps::TileSteps(const MachineSpec& machine, int warps, int full)
    : fresh_(machine), width_(static_cast<int>(machine.width)), warps_(warps), full_(full),
      wait_of_warp_(static_cast<std::size_t>(warps)) {
  unite();
}

void TileSteps::unite() {
  groups_.clear();
  for (int warp = 0; warp < warps_; ++warp) {
    if (warp == 0 || warp == full_) groups_.push_back({{}, fresh_});
    groups_.back().warps.push_back(warp);
  }
}

/// Whether two warps execute the same.
bool TileSteps::alike(const TileInstruction& now, int a, int b) const {
  if (now.counts[a] != now.counts[b]) return false;
  const std::uint8_t* const of_a = now.lanes + a * width_;
  const bool some = now.counts[a] > 0 && now.counts[a] < width_; // else all lanes are alike
  if (some && !std::equal(of_a, of_a + width_, now.lanes + b * width_)) return false;
  for (int lane = 0; now.element && lane < width_; ++lane)
    if (of_a[lane] != 0 && now.element(a, lane) != now.element(b, lane)) return false;
  return true;
}

/// Warps that do something else than the others of their group make another one.
void TileSteps::part(const TileInstruction& now) {
  if (now.whole && !now.element) return;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    std::vector<int>& warps = groups_[k].warps;
    const auto as_first = [&](int warp) { return alike(now, warps.front(), warp); };
    if (std::all_of(warps.begin() + 1, warps.end(), as_first)) continue;
    Group others{{}, groups_[k].steps};
    const auto unlike = std::stable_partition(warps.begin() + 1, warps.end(), as_first);
    others.warps.assign(unlike, warps.end());
    warps.erase(unlike, warps.end());
    groups_.push_back(std::move(others));
  }
}

bool TileSteps::execute(const TileInstruction& now, bool operates, StepLog& log) {
  if (std::all_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.steps.is_idle(); }))
    return true;
  part(now);
  bool clear = true;
  for (Group& group : groups_) {
    if (!is_active(group, now)) continue;
    const int first = group.warps.front();
    const auto element = [&](int lane) { return now.element(first, lane); };
    const WarpInstruction of_warp{now.in, now.instruction, lanes_of(group, now), element,
                                  now.depends_on_data};
    clear = group.steps.execute(of_warp, operates, log) && clear;
  }
  return clear && log_waits(log);
}

TileSteps::Reads TileSteps::reads_of(ir::Register reg, const TileInstruction& now) {
  part(now);
  Reads reads;
  for (const Group& group : groups_) {
    if (!is_active(group, now)) continue;
    for (const std::int64_t number : group.steps.reads_of(reg, lanes_of(group, now)))
      for (const int warp : group.warps) reads.emplace_back(warp, number);
  }
  return reads;
}

void TileSteps::need(const Reads& reads, const TileInstruction& now) {
  part(now);
  std::vector<std::int64_t> numbers;
  for (Group& group : groups_) {
    numbers.clear();
    for (const auto& [warp, number] : reads)
      if (warp == group.warps.front()) numbers.push_back(number);
    group.steps.need(numbers, now.instruction);
  }
}

bool TileSteps::request(WarpSteps::OwnRequest own, const TileInstruction& now, StepLog& log) {
  part(now);
  for (Group& group : groups_) {
    if (!is_active(group, now)) continue;
    own.lanes = lanes_of(group, now);
    group.steps.request(own, log);
  }
  return log_waits(log);
}

bool TileSteps::end_interval(bool keeps_reads, StepLog& log) {
  for (Group& group : groups_) group.steps.end_interval(log);
  const bool fits = log_waits(log);
  if (keeps_reads) return fits;
  const bool differs = 0 < full_ && full_ < warps_; // the last warp
  if (groups_.size() > (differs ? 2U : 1U)) return unite(), fits;
  for (Group& group : groups_) group.steps.forget_reads();
  return fits;
}

/// The waits before the steps that have just been executed.
bool TileSteps::log_waits(StepLog& log) {
  if (groups_.size() == 1) {
    for (const std::uint32_t wait : groups_.front().steps.waits())
      log.entries.push_back({Ask::wait, false, false, wait});
    groups_.front().steps.waits().clear();
    return true;
  }
  std::size_t most = 0;
  for (Group& group : groups_) most = std::max(most, group.steps.waits().size());
  for (std::size_t k = 0; k < most; ++k) {
    for (Group& group : groups_) {
      const std::vector<std::uint32_t>& waits = group.steps.waits();
      for (const int warp : group.warps) // and 1; 0: none
        wait_of_warp_[static_cast<std::size_t>(warp)] =
            static_cast<std::uint16_t>(k < waits.size() ? waits[k] + 1 : 0);
    }
    log.add_each(Ask::wait, wait_of_warp_.data(), wait_of_warp_.size());
  }
  for (Group& group : groups_) group.steps.waits().clear();
  return log.waits.size() < most_amount;
}

} // namespace memlane::fast
