#include "memlane/count/derive.hpp"

namespace memlane {

namespace {

void add(UnitCounts& unit, const RequestTally& requests, bool write) {
  unit.concurrent_writes += requests.concurrent_writes;
  for (const EqualRequests& equal : requests.by_stages) {
    unit.requests += equal.requests;
    unit.stages += equal.requests * equal.stages;
    (write ? unit.writes : unit.reads) += equal.requests;
    unit.congestion[equal.stages] += equal.requests;
  }
}

} // namespace

// A shared unit counts the requests of the blocks that ran on its multiprocessor, with either
// schedule.
void count_units(const LaunchTally& tally, const CodeFacts& facts, Counts& counts) {
  for (const UnitAccount& account : tally.shared)
    static_cast<UnitAccount&>(counts.shared.emplace_back()) = account;
  for (const UnitAccount& account : tally.global)
    static_cast<UnitAccount&>(counts.global.emplace_back()) = account;
  for (std::size_t mp = 0; mp < tally.multiprocessors.size(); ++mp) {
    const std::vector<RequestTally>& ran =
        tally.dynamic.empty() ? tally.multiprocessors[mp].requests : tally.dynamic[mp];
    for (std::size_t k = 0; k < ran.size(); ++k) {
      const SiteFacts& site = facts.sites[k];
      add(site.unit == UnitId::shared ? counts.shared[mp] : counts.global[0], ran[k], site.write);
    }
  }
}

} // namespace memlane
