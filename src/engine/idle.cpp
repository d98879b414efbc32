#include "idle.hpp"

#include <algorithm>

namespace memlane::reference {

void settle(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now) {
  const Cycles begin = std::max(ledger.until, later(port.last, {1}));
  ledger.until = now;
  if (begin >= now) return;
  if (ledger.in_flight > 0) {
    ledger.undecided.push_back({begin, now, ledger.at_barrier > 0});
  } else if (ledger.at_barrier > 0) {
    account.idle_barrier += (now - begin).value;
  } else {
    account.idle_empty += (now - begin).value;
  }
}

void decide_latency(Ledger& ledger, UnitAccount& account, Cycles begin, Cycles end) {
  // The ledger was settled at `begin` and at `end`, so every span lies on one side of each.
  const auto before = [](const Undecided& span, Cycles time) { return span.begin < time; };
  auto& spans = ledger.undecided;
  const auto first = std::lower_bound(spans.begin(), spans.end(), begin, before);
  const auto last = std::lower_bound(first, spans.end(), end, before);
  for (auto span = first; span != last; ++span) {
    account.idle_latency += (span->end - span->begin).value;
  }
  spans.erase(first, last);
}

void close(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now) {
  settle(ledger, port, account, now);
  for (const Undecided& span : ledger.undecided) {
    (span.at_barrier ? account.idle_barrier : account.idle_drain) += (span.end - span.begin).value;
  }
  ledger.undecided.clear();
  if (port.last >= now) account.busy += (now - port.last).value - 1;
}

} // namespace memlane::reference
