#include "accounts.hpp"

#include "saturate.hpp"

#include <algorithm>
#include <utility>

namespace memlane::reference {

void settle(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now) {
  const Cycles begin = std::max(ledger.until, later(port.last, {1}));
  ledger.until = now;
  if (begin >= now) return;
  ledger.uncharged += (now - begin).value;
  if (ledger.in_flight > 0) {
    ledger.undecided.push_back({begin, now, ledger.at_barrier > 0});
  } else if (ledger.at_barrier > 0) {
    account.idle_barrier += (now - begin).value;
  } else {
    account.idle_empty += (now - begin).value;
  }
}

void decide_latency(Ledger& ledger, UnitAccount& account, Cycles begin, Cycles end) {
  // The ledger was settled at `begin` and at `end`, so every span lies on one side of each. Most
  // flights end now, and each span that is looked at is decided.
  const auto before = [](const Undecided& span, Cycles time) { return span.begin < time; };
  auto& spans = ledger.undecided;
  const bool all = spans.empty() || spans.back().begin < end;
  const auto last = all ? spans.end() : std::lower_bound(spans.begin(), spans.end(), end, before);
  auto first = last;
  while (first != spans.begin() && (first - 1)->begin >= begin) {
    --first;
    account.idle_latency += (first->end - first->begin).value;
  }
  spans.erase(first, last);
}

void charge(Ledger& ledger, UnitAccount& account, Cycles now, const EndedWait& wait) {
  const auto give = [&](const EndedWait& to, std::int64_t time) {
    account.charge(to.cause, {to.instruction, to.site, time});
  };
  if (ledger.charged_at == now) {
    if (wait.warp >= ledger.charged_to.warp) return;
    give(ledger.charged_to, -ledger.charged);
  } else {
    if (ledger.uncharged <= 0) return;
    ledger.charged_at = now;
    ledger.charged = std::exchange(ledger.uncharged, 0);
  }
  ledger.charged_to = wait;
  give(wait, ledger.charged);
}

void decide_rest(Ledger& ledger, UnitAccount& account, std::size_t spans) {
  const auto first = ledger.undecided.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(spans);
  for (auto span = first; span != last; ++span)
    (span->at_barrier ? account.idle_barrier : account.idle_drain) +=
        (span->end - span->begin).value;
  ledger.undecided.erase(first, last);
}

void close(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now) {
  settle(ledger, port, account, now);
  decide_rest(ledger, account, ledger.undecided.size());
  if (port.last >= now) account.busy += (now - port.last).value - 1;
}

int useful_doublings(const MachineSpec& machine) {
  int doublings = 0;
  const auto consider = [&](const std::optional<UnitSpec>& unit, std::int64_t multiprocessors) {
    if (!unit) return;
    const std::int64_t needed = saturating_multiply(
        2 * machine.width, saturating_multiply(unit->latency.value, unit->ports));
    std::int64_t threads = saturating_multiply(machine.threads, multiprocessors);
    for (std::size_t k = 0; k < latency_doublings; ++k, threads = saturating_multiply(threads, 2))
      if (threads < needed) doublings = std::max(doublings, static_cast<int>(k) + 1);
  };
  consider(machine.shared, 1);
  consider(machine.global, machine.multiprocessors);
  return doublings;
}

RequestChains::RequestChains(std::int64_t warps, int doublings)
    : doublings_(static_cast<std::size_t>(doublings)), now_(place(warps)), most_(place(warps)),
      rounds_(place(warps)), all_(place(warps)), less_(doublings_, Numbers(place(warps))),
      less_of_every_(doublings_) {}

void RequestChains::end_serial(std::int64_t first, std::int64_t last) {
  const std::int64_t more = std::exchange(every_.now, 0);
  every_.all += more;
  for (std::int64_t& less : less_of_every_) less += more;
  if (!own_) return;
  for (auto w = place(first); w < place(last); ++w) {
    if (now_[w] == 0) continue;
    all_[w] += now_[w];
    for (Numbers& less : less_) less[w] += now_[w];
    now_[w] = 0;
  }
  own_ = !is_all(first, last);
}

void RequestChains::end_round(std::int64_t first, std::int64_t last, std::int64_t round) {
  if (!own_) {
    if (every_.now == 0) return;
    every_.all += every_.now;
    every_.most = std::max(every_.most, every_.now);
    every_.rounds = round + 1;
    every_.now = 0;
    return;
  }
  for (auto w = place(first); w < place(last); ++w) {
    const std::int64_t requests = now_[w] + every_.now;
    if (requests == 0) continue;
    all_[w] += requests;
    most_[w] = std::max(most_[w], requests);
    rounds_[w] = round + 1;
    now_[w] = 0;
  }
  every_.now = 0;
  own_ = !is_all(first, last);
}

void RequestChains::end_forall(std::int64_t first, std::int64_t last) {
  for (auto w = place(first); w < place(last); ++w) {
    const std::int64_t most = std::max(most_[w], every_.most);
    if (most == 0) continue;
    const std::int64_t of_all = std::max(rounds_[w], every_.rounds);
    for (std::size_t k = 0; k < doublings_; ++k) {
      const std::int64_t rounds = ((of_all - 1) >> (k + 1)) + 1; // rounded up
      less_[k][w] = saturating_add(less_[k][w], saturating_multiply(most, rounds));
    }
    most_[w] = rounds_[w] = 0;
  }
  every_.most = every_.rounds = 0;
}

void RequestChains::spread_every() {
  for (std::size_t w = 0; w < all_.size(); ++w) {
    all_[w] += every_.all;
    for (std::size_t k = 0; k < doublings_; ++k)
      less_[k][w] = saturating_add(less_[k][w], less_of_every_[k]);
  }
  every_.all = 0;
  std::fill(less_of_every_.begin(), less_of_every_.end(), 0);
}

ByDoubling RequestChains::take(std::int64_t first, std::int64_t last) {
  if (every_.all != 0 && !is_all(first, last)) spread_every();
  ByDoubling longest{};
  for (auto w = place(first); w < place(last); ++w) {
    const std::int64_t all = all_[w] + every_.all;
    longest[0] = std::max(longest[0], all);
    for (std::size_t k = 0; k < doublings_; ++k) {
      const std::int64_t less = saturating_add(less_[k][w], less_of_every_[k]);
      longest[k + 1] = std::max(longest[k + 1], std::min(all, less));
      less_[k][w] = 0;
    }
    all_[w] = 0;
  }
  every_.all = 0;
  std::fill(less_of_every_.begin(), less_of_every_.end(), 0);
  for (std::size_t k = doublings_ + 1; k < longest.size(); ++k) longest[k] = longest[doublings_];
  return longest;
}

bool RequestChains::repeat(const RequestChains& before, std::int64_t rounds, std::int64_t times) {
  constexpr std::int64_t most = std::int64_t{1} << 61;
  bool fits = true;
  const auto add = [&](std::int64_t& to, std::int64_t once) {
    const std::int64_t more = saturating_multiply(once, times);
    fits = fits && more <= most && to <= most;
    if (fits) to += more;
  };
  const auto grow = [&](const Numbers& from, Numbers& to) {
    for (std::size_t k = 0; k < to.size(); ++k) add(to[k], to[k] - from[k]);
  };
  grow(before.now_, now_);
  grow(before.all_, all_);
  for (std::size_t k = 0; k < doublings_; ++k) grow(before.less_[k], less_[k]);
  for (std::size_t w = 0; w < rounds_.size(); ++w)
    if (rounds_[w] != before.rounds_[w]) add(rounds_[w], rounds);
  add(every_.now, every_.now - before.every_.now);
  add(every_.all, every_.all - before.every_.all);
  grow(before.less_of_every_, less_of_every_);
  if (every_.rounds != before.every_.rounds) add(every_.rounds, rounds);
  return fits;
}

namespace {

std::int64_t exposed(std::int64_t latency, std::int64_t stages, const UnitSpec& unit) {
  const std::int64_t bandwidth = stages == 0 ? 0 : divide_up(stages, unit.ports);
  return std::max<std::int64_t>(0, latency - bandwidth);
}

} // namespace

ByDoubling overlapped(ByDoubling chains, std::int64_t k) {
  if (k == 1) return chains;
  for (std::int64_t& time : chains) time = divide_up(time, k);
  return chains;
}

void BlockLoad::add_interval(const UnitSpec& unit, const ByDoubling& longest, std::int64_t stages) {
  if (longest[0] == 0) return;
  for (std::size_t k = 0; k < longest.size(); ++k) {
    chain[k] = saturating_add(chain[k], longest[k]);
    exposed[k] = saturating_add(exposed[k], reference::exposed(longest[k], stages, unit));
  }
}

LaunchLoads::LaunchLoads(const MachineSpec& machine, const LaunchShape& shape,
                         const Residency& residency)
    : machine_(machine), shape_(shape), slots_(residency.slots), most_slots_(residency.most_slots) {
  const auto multiprocessors = static_cast<std::size_t>(residency.multiprocessors);
  if (machine.shared) shared_.resize(multiprocessors);
  if (machine.global) global_.resize(multiprocessors);
}

void LaunchLoads::add(Sums& sums, const BlockLoad& block, std::int64_t blocks) const {
  const auto add_all = [&](std::int64_t& sum, std::int64_t more) {
    sum = saturating_add(sum, saturating_multiply(more, blocks));
  };
  for (std::size_t k = 0; k < block.chain.size(); ++k) {
    add_all(sums.chain[k], block.chain[k]);
    sums.longest[k] = std::max(sums.longest[k], block.chain[k]);
    add_all(sums.exposed[k], block.exposed[k]);
  }
}

void LaunchLoads::add(std::int64_t multiprocessor, const BlockLoad& shared, const BlockLoad& global,
                      std::int64_t blocks) {
  const auto mp = static_cast<std::size_t>(multiprocessor);
  if (machine_.shared) add(shared_[mp], shared, blocks);
  if (machine_.global) add(global_[mp], global, blocks);
}

/// A lower bound of the launch's time: each block takes at least the time of its chain, and the
/// blocks of a multiprocessor share its slots.
std::int64_t LaunchLoads::bound(const Sums* first, std::size_t count, std::size_t k,
                                std::int64_t slots) {
  std::int64_t chain = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const Sums& sums = first[at];
    if (sums.chain[k] == 0) continue;
    chain = std::max({chain, divide_up(sums.chain[k], slots), sums.longest[k]});
  }
  return chain;
}

/// Slots for blocks of 2^k times the threads; 0: there is no room for one.
std::int64_t LaunchLoads::slots_with_threads(std::size_t k) const {
  LaunchShape more = shape_;
  more.threads = saturating_multiply(shape_.threads, std::int64_t{1} << k);
  return Residency(machine_, more).slots;
}

// If a unit serves one block at a time, intervals follow each other and their exposed times add up.
// If it serves several blocks, only the launch as a whole has a bound.
void LaunchLoads::finish(UnitAccount& account, std::int64_t stages, const UnitSpec& unit,
                         const Sums* first, std::size_t count) const {
  // With a dynamic schedule, any change of timing assigns blocks differently.
  const bool stays = deals_statically(machine_) && !machine_.is_beyond_papers();
  const auto exposed_with = [&](std::size_t k, std::int64_t slots) {
    const bool alone = slots == 1 && count == 1;
    return alone ? first->exposed[k] : exposed(bound(first, count, k, slots), stages, unit);
  };
  account.latency_bound = bound(first, count, 0, slots_);
  account.exposed = exposed_with(0, slots_);
  for (std::size_t k = 0; k < latency_doublings; ++k) {
    const std::int64_t before = k > 0 ? account.exposed_with_threads[k - 1] : account.exposed;
    const std::int64_t room = slots_with_threads(k + 1);
    account.exposed_with_threads[k] = !stays || !shape_.threads_follow_machine ? account.exposed
                                      : room == 0                              ? before
                                                  : exposed_with(k + 1, room);
    const std::int64_t asked =
        saturating_multiply(machine_.resident_blocks, std::int64_t{1} << (k + 1));
    const std::int64_t slots = std::min(asked, most_slots_);
    account.exposed_with_blocks[k] = !stays || slots == slots_
                                         ? account.exposed
                                         : exposed(bound(first, count, 0, slots), stages, unit);
  }
}

void LaunchLoads::finish(LaunchTally& tally, const std::vector<std::int64_t>& stages) const {
  for (std::size_t mp = 0; mp < shared_.size(); ++mp)
    finish(tally.shared[mp], stages[mp], *machine_.shared, &shared_[mp], 1);
  if (machine_.global)
    finish(tally.global[0], stages.back(), *machine_.global, global_.data(), global_.size());
}

} // namespace memlane::reference
