#include "latency_load.hpp"

#include "saturate.hpp"

#include <algorithm>

namespace memlane::reference {

namespace {

std::int64_t exposed(std::int64_t latency, std::int64_t stages, const UnitSpec& unit) {
  const std::int64_t bandwidth = stages == 0 ? 0 : divide_up(stages, unit.ports);
  return std::max<std::int64_t>(0, latency - bandwidth);
}

} // namespace

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

void LaunchLoads::add(Sums& sums, const BlockLoad& block) const {
  for (std::size_t k = 0; k < block.chain.size(); ++k) {
    sums.chain[k] = saturating_add(sums.chain[k], block.chain[k]);
    sums.longest[k] = std::max(sums.longest[k], block.chain[k]);
    sums.exposed[k] = saturating_add(sums.exposed[k], block.exposed[k]);
  }
}

void LaunchLoads::add(std::int64_t multiprocessor, const BlockLoad& shared,
                      const BlockLoad& global) {
  const auto mp = static_cast<std::size_t>(multiprocessor);
  if (machine_.shared) add(shared_[mp], shared);
  if (machine_.global) add(global_[mp], global);
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

// If a unit serves one block at a time, intervals follow each other and their exposed times add up.
// If it serves several blocks, only the launch as a whole has a bound.
void LaunchLoads::finish(UnitAccount& account, std::int64_t stages, const UnitSpec& unit,
                         const Sums* first, std::size_t count) const {
  const bool alone = slots_ == 1 && count == 1;
  // With a dynamic schedule, any change of timing assigns blocks differently.
  const bool stays = deals_statically(machine_);
  const auto exposed_with = [&](std::size_t k) {
    return alone ? first->exposed[k] : exposed(bound(first, count, k, slots_), stages, unit);
  };
  account.latency_bound = bound(first, count, 0, slots_);
  account.exposed = exposed_with(0);
  for (std::size_t k = 0; k < latency_doublings; ++k) {
    account.exposed_with_threads[k] =
        stays && shape_.threads_follow_machine ? exposed_with(k + 1) : account.exposed;
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
