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
  } else {
    reads_.pass(now);
    if (operates) wait(reads_.take_awaited(requests_), reads_.needed_by(), log);
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
    wait(reads_.take_awaited(requests_), reads_.needed_by(), log);
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
  if (!hoists_) return wait(reads_.take_awaited(requests_), reads_.needed_by(), log);
  end_piece(log);
  pieces_.complete_reads(reads_);
}

/// With one request on its way at most, a warp goes on when it is complete.
void WarpSteps::wait(std::vector<std::uint32_t> awaited, std::int32_t instruction, StepLog& log) {
  if (!several_ || awaited.empty()) return;
  Wait wait{instruction, std::move(awaited), {}};
  for (const std::uint32_t earlier : wait.earlier) wait.sites.push_back(sites_.of(earlier));
  log.entries.push_back({Ask::wait, false, false, log.index_of(wait)});
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

} // namespace memlane::fast
