// The account of a memory unit's time (configs/README.md section 5).
#pragma once

#include "port.hpp"

#include "memlane/engine/account.hpp"

#include <vector>

namespace memlane::reference {

/// An idle span in which a request was in flight. It is latency if one of the warps in flight later
/// makes another request; otherwise `at_barrier` decides.
struct Undecided {
  Cycles begin;
  Cycles end;
  bool at_barrier = false; ///< a warp waited at a barrier: idle_barrier, else idle_drain
};

/// The account of one unit. It counts the warps that the unit serves, whichever unit holds their
/// requests: all warps of its multiprocessor, or of the machine for the global unit.
struct Ledger {
  Cycles until{0}; ///< accounted for so far
  std::int64_t in_flight = 0;
  std::int64_t at_barrier = 0;
  std::vector<Undecided> undecided; ///< in order of time
};

/// Accounts for the time up to `now`. Call this before the port or a number in the ledger changes:
/// they must be constant between two calls, so that each span has one kind.
void settle(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now);

/// A warp whose request was in flight from `begin` to `end` makes another request: the undecided
/// spans in between are latency. Each span is decided once. Amortised cost: O(log spans).
void decide_latency(Ledger& ledger, UnitAccount& account, Cycles begin, Cycles end);

/// The launch has ended at `now`: no warp makes another request. If a limit ended it, busy time
/// after `now` is subtracted.
void close(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now);

} // namespace memlane::reference
