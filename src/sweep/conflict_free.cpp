// What the extra stages of a line cost.
#include "memlane/count/conflict_free.hpp"

#include "memlane/sweep/advice.hpp"

#include <algorithm>
#include <map>

namespace memlane::sweep {

std::optional<ConflictFreeLine> without_conflicts(const Point& base, const RunResult& run,
                                                  const Sources& sources, std::int64_t most_steps) {
  std::map<SourceLine, std::int64_t> extra;
  for (const AccessCounts& access : run.accesses) extra[access.line] += access.conflicts();
  ConflictFreeLine worst;
  for (const auto& [line, stages] : extra)
    if (stages > worst.extra_stages) {
      worst.line = line;
      worst.extra_stages = stages;
    }
  if (worst.extra_stages == 0 || run.steps > most_steps) return std::nullopt;
  worst.number = worst.line.second;
  RunOptions options = base.options;
  options.verify = false;
  options.timing_only = false; // the reference engine runs a program without its data as any other
  options.outputs.clear();
  options.print = {};
  options.limits.progress = nullptr;
  options.limits.memory = std::min(options.limits.memory, std::int64_t{1} << 28);
  const RunResult result = simulate_conflict_free(
      *base.code, base.machine, options, sources, [&](const Request& request) {
        return request.span.known() && request.span.file == worst.line.first &&
               sources.begin(request.span).line == worst.line.second;
      });
  if (result.stop != Stop::none) return std::nullopt;
  worst.predicted_time = result.counts.time.value;
  worst.predicted_gain = run.counts.time.value - worst.predicted_time;
  return worst;
}

} // namespace memlane::sweep
