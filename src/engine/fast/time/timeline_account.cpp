// What a launch has cost, at its end or where it is stopped.
#include "timeline.hpp"

namespace memlane::fast {

using reference::later;

/// What is known when the caller stops the run: of the block under way the requests executed so
/// far.
void Timeline::account_in_part(Counts& counts) {
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    if (slots_[at].block < 0) continue;
    const auto mp = static_cast<std::size_t>(mp_of_slot(static_cast<std::int64_t>(at)));
    if (streams_) blocks_.finish(slots_[at].executed.tally);
    if (machine_.shared) *units_[mp].counts += slots_[at].executed.tally.shared;
    if (machine_.global) *units_.back().counts += slots_[at].executed.tally.global;
  }
  for (const Scope& scope : scopes_) take_back(scope);
  account(counts);
}

/// A multiprocessor was leapt ahead, with a request in flight all the time.
void Timeline::settle_latency(Unit& unit) {
  const Cycles begin = std::max(unit.ledger.until, later(unit.port.last, {1}));
  const Cycles end = std::min(now_, unit.latency_until);
  if (begin < end) unit.counts->idle_latency += (end - begin).value;
  unit.ledger.until = std::max(unit.ledger.until, end);
}

void Timeline::account(Counts& counts) {
  counts.time = later(now_, {skipped_});
  counts.barriers = barriers_;
  for (Unit& unit : units_) {
    settle(unit);
    reference::close(unit.ledger, unit.port, *unit.counts, now_);
  }
  loads_.finish(counts);
  for (auto mp = static_cast<std::size_t>(multiprocessors_); mp < counts.shared.size(); ++mp)
    counts.shared[mp].idle_empty = counts.time.value;
}

} // namespace memlane::fast
