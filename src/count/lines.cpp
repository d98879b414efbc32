#include "memlane/count/derive.hpp"

#include <algorithm>

namespace memlane {

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
