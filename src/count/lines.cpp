#include "memlane/count/derive.hpp"

#include <algorithm>
#include <tuple>

namespace memlane {

void count_accesses(const LaunchTally& tally, const CodeFacts& facts,
                    const std::vector<ir::Array>& arrays, std::vector<AccessCounts>& accesses) {
  const auto key = [](const AccessCounts& access) {
    return std::tie(access.line, access.array, access.write, access.unit);
  };
  const auto before = [&](const AccessCounts& a, const AccessCounts& b) { return key(a) < key(b); };
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k) {
      const RequestTally& requests = of_mp.requests[k];
      const SiteFacts& site = facts.sites[k];
      if (requests.by_stages.empty() || site.line.second == 0 || site.array < 0) continue;
      const AccessCounts access{
          site.line, arrays[static_cast<std::size_t>(site.array)].name, site.unit, site.write, 0, 0,
          0};
      auto found = std::lower_bound(accesses.begin(), accesses.end(), access, before);
      if (found == accesses.end() || before(access, *found)) found = accesses.insert(found, access);
      found->requests += requests.requests();
      found->stages += requests.stages();
      found->worst = std::max(found->worst, requests.by_stages.back().stages);
    }
}

void count_lines(const LaunchTally& tally, const CodeFacts& facts, Counts& counts) {
  for (const Tally& of_mp : tally.multiprocessors) {
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k) {
      const RequestTally& requests = of_mp.requests[k];
      const SiteFacts& site = facts.sites[k];
      if (requests.by_stages.empty() || site.line.second == 0) continue;
      LineCounts& line = counts.lines[site.line];
      line.requests += requests.requests();
      line.stages += requests.stages();
      line.worst = std::max(line.worst, requests.by_stages.back().stages);
      *line.io += count_io(requests, site);
    }
    if (of_mp.executed.empty()) continue;
    for (const OperatorFacts& in : facts.operators)
      if (const std::int64_t warps = of_mp.executed[in.instruction].warps;
          warps > 0 && in.line.second > 0)
        counts.lines[in.line].operators += warps;
  }
}

} // namespace memlane
