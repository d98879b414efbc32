// Where the time of a memory unit goes (configs/README.md section 5).
#pragma once

#include "port.hpp"

#include "memlane/engine/account.hpp"

#include <vector>

namespace memlane::reference {

/// An idle span in which a served warp's request was in flight: latency if one of these warps
/// makes another request, which the future tells; else what `at_barrier` says.
struct Undecided {
  Cycles begin;
  Cycles end;
  bool at_barrier = false; ///< a warp waited at a barrier: idle_barrier, else idle_drain
};

/// The account of one unit. The numbers of warps are of those that the unit serves: all of its
/// multiprocessor, or of the machine for the global unit, whichever unit holds their requests.
struct Ledger {
  Cycles until{0}; ///< accounted for so far
  std::int64_t in_flight = 0;
  std::int64_t at_barrier = 0;
  std::vector<Undecided> undecided; ///< in order of time
};

/// Accounts for the time up to `now`. To be called before the port or a number in the ledger
/// changes: between two calls they are constant, so one span has one kind.
void settle(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now);

/// A warp whose request was in flight from `begin` to `end` makes another: undecided spans of that
/// time are latency. Each span is decided once, so the cost is O(log spans) on average.
void decide_latency(Ledger& ledger, UnitAccount& account, Cycles begin, Cycles end);

/// The launch is over at `now`: no warp makes another request. Busy time beyond `now`, where a
/// limit cut the launch off, is taken back.
void close(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now);

} // namespace memlane::reference
