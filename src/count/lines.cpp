#include "memlane/count/derive.hpp"

#include <algorithm>

namespace memlane {

void count_lines(const LaunchTally& tally, const CodeFacts& facts, Counts& counts) {
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k) {
      const RequestTally& requests = of_mp.requests[k];
      if (requests.by_stages.empty() || facts.sites[k].line.second == 0) continue;
      LineCounts& line = counts.lines[facts.sites[k].line];
      line.requests += requests.requests();
      line.stages += requests.stages();
      line.worst = std::max(line.worst, requests.by_stages.back().stages);
    }
}

} // namespace memlane
