#include "memlane/count/derive.hpp"

#include <algorithm>

namespace memlane {

void count_calls(const LaunchTally& launch, const CodeFacts& facts, std::vector<FnCounts>& fns) {
  if (facts.calls.empty()) return;
  std::vector<std::int64_t> slowest(fns.size()), steps(fns.size());
  for (const Tally& of_mp : launch.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    std::fill(steps.begin(), steps.end(), 0);
    for (const CallFacts& call : facts.calls) {
      steps[call.fn] += of_mp.executed[call.instruction].warps;
      fns[call.fn].calls += of_mp.executed[call.instruction].threads;
    }
    for (std::size_t fn = 0; fn < fns.size(); ++fn) slowest[fn] = std::max(slowest[fn], steps[fn]);
  }
  for (std::size_t fn = 0; fn < fns.size(); ++fn) fns[fn].steps += slowest[fn];
}

} // namespace memlane
