// Idle time by what warps waited for (configs/README.md section 10, "What warps wait for").
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

/// A wait is over: idle time of the units that serve its warp is charged to it.
void Timeline::end_wait(const reference::EndedWait& wait) {
  if (!beyond_papers_) return;
  Scope& own = scopes_[static_cast<std::size_t>(warp(wait.warp).mp)];
  if (!own.state.empty() && !own.waits.add(now_, wait)) own.state.clear();
  for_units_of(warp(wait.warp).mp, [&](Unit& unit) {
    settle(unit);
    const reference::Ledger& ledger = unit.ledger; // most have nothing to charge
    if (ledger.charged_at == now_ ? wait.warp < ledger.charged_to.warp : ledger.uncharged > 0)
      reference::charge(unit.ledger, *unit.account, now_, wait);
  });
}

/// A port takes the warp's request or operation.
void Timeline::end_port_wait(std::int64_t index) {
  if (warp(index).issued < now_) end_wait({WaitCause::port, index});
}

/// As many of its requests as it may have were on their way.
void Timeline::end_wait_for_requests(std::int64_t index) {
  if (!beyond_papers_) return;
  const bool reused = several_ ? flights_of_[static_cast<std::size_t>(index)].last(now_).reused
                               : warp(index).ask == Ask::port &&
                                     needed_[static_cast<std::size_t>(index)].count == 0;
  end_wait({reused ? WaitCause::reuse : WaitCause::requests, index});
}

/// The wait before an entry of its log.
void Timeline::end_wait_before(std::int64_t index, const Wait& wait) {
  const auto last = flights_of_[static_cast<std::size_t>(index)].last(now_, wait.earlier);
  reference::EndedWait ended{WaitCause::fence, index, wait.instruction, -1};
  const auto found = std::find(wait.earlier.begin(), wait.earlier.end(), last.earlier);
  if (found != wait.earlier.end()) {
    ended.cause = WaitCause::value;
    ended.site = wait.sites[static_cast<std::size_t>(found - wait.earlier.begin())];
  }
  if (last.reused) ended.cause = WaitCause::reuse;
  end_wait(ended);
}

/// The wait before a barrier, or the end of the warp.
void Timeline::end_wait_for_reads(std::int64_t index) {
  const bool reused = flights_of_[static_cast<std::size_t>(index)].last_read(now_).reused;
  end_wait({reused ? WaitCause::reuse : WaitCause::value, index});
}

} // namespace memlane::fast
