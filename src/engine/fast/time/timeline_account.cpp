// The cost of a launch, at its end or where it is stopped.
#include "timeline.hpp"

namespace memlane::fast {

using reference::later;
using reference::saturating_multiply;

/// The caller stops the run: counts the requests of running blocks so far.
void Timeline::account_in_part() {
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    if (slots_[at].block < 0) continue;
    if (streams_) blocks_.finish(slots_[at].executed.loads);
    add(slots_[at].executed.loads, mp_of_slot(static_cast<std::int64_t>(at)));
  }
  for (const Scope& scope : scopes_) take_back(scope);
  account();
}

/// Adds the requests of a block on the multiprocessor that ran it.
void Timeline::add(const BlockLoads& loads, std::int64_t mp) {
  const auto of_mp = static_cast<std::size_t>(mp);
  if (machine_.shared) units_[of_mp].stages += loads.stages[0];
  if (machine_.global) units_.back().stages += loads.stages[1];
  if (!tally_->dynamic.empty()) add_requests(tally_->dynamic[of_mp], loads.requests);
}

/// A multiprocessor was moved ahead in time, with a request in flight all the time.
void Timeline::settle_latency(Unit& unit) {
  const Cycles begin = std::max(unit.ledger.until, later(unit.port.last, {1}));
  const Cycles end = std::min(now_, unit.latency_until);
  if (begin < end) unit.account->idle_latency += (end - begin).value;
  unit.ledger.until = std::max(unit.ledger.until, end);
}

void Timeline::account() {
  tally_->time = later(now_, {skipped_});
  tally_->barriers = barriers_;
  launch_.fast.work.time_units.add({saturating_multiply(tally_->time.value, multiprocessors_), 0});
  std::vector<std::int64_t> stages;
  for (Unit& unit : units_) {
    settle(unit);
    reference::close(unit.ledger, unit.port, *unit.account, now_);
    stages.push_back(unit.stages);
  }
  loads_.finish(*tally_, stages);
  for (auto mp = static_cast<std::size_t>(multiprocessors_); mp < tally_->shared.size(); ++mp)
    tally_->shared[mp].idle_empty = tally_->time.value;
}

} // namespace memlane::fast
