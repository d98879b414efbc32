#include "memlane/count/derive.hpp"

namespace memlane {

void count_mmm_lines(const LaunchTally& tally, const CodeFacts& facts, Counts& counts) {
  const auto at = [&](SourceLine place) -> MmmLineCounts& {
    LineCounts& line = counts.lines[place];
    line.agpu_time.reset();
    line.io.reset();
    return line.mmm ? *line.mmm : line.mmm.emplace();
  };
  for (const Tally& of_mp : tally.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    for (const OperatorFacts& in : facts.operators) {
      const Executions& executed = of_mp.executed[in.instruction];
      if (executed.threads == 0 || in.line.second == 0) continue;
      at(in.line).work += executed.threads;
      counts.lines[in.line].operators += executed.warps;
    }
    for (const SiteFacts& site : facts.sites) {
      const std::int64_t words = of_mp.executed[site.instruction].threads;
      if (words == 0 || site.line.second == 0) continue;
      MmmLineCounts& line = at(site.line);
      (!site.global ? line.local_accesses : site.write ? line.writes : line.reads) += words;
    }
  }
}

} // namespace memlane
