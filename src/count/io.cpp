// I/O as Koike counts it (configs/README.md section 6).
#include "memlane/count/derive.hpp"

namespace memlane {

std::int64_t count_io(const RequestTally& requests, const SiteFacts& site) {
  if (!site.global) return 0;
  // A stage of a unified unit is an address group.
  return site.unit == UnitId::global ? requests.stages() : requests.groups;
}

std::int64_t count_io(const LaunchTally& tally, const CodeFacts& facts) {
  std::int64_t blocks = 0;
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k)
      blocks += count_io(of_mp.requests[k], facts.sites[k]);
  return blocks;
}

} // namespace memlane
