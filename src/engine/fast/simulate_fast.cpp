// Runs whose launches are executed and timed apart from each other.
#include "in_order.hpp"
#include "launcher.hpp"
#include "timeline.hpp"

#include "memlane/engine/simulate.hpp"

namespace memlane {

namespace fast {

namespace {

void count_lines(const LaunchRun& launch, const BlockRunner& blocks, const Sources& sources,
                 Counts& counts) {
  for (std::size_t at = 0; at < blocks.totals().size(); ++at) {
    const Span span = launch.kernel.code[at].span;
    if (!span.known()) continue;
    const std::vector<std::int64_t>& took = blocks.totals()[at].took;
    for (std::size_t stages = 1; stages < took.size(); ++stages) {
      if (took[stages] == 0) continue;
      LineCounts& line = counts.lines[{span.file, sources.begin(span).line}];
      line.requests += took[stages];
      line.stages += took[stages] * static_cast<std::int64_t>(stages);
      line.worst = std::max(line.worst, static_cast<std::int64_t>(stages));
    }
  }
}

/// However the timeline ends: helpers would wait for it.
struct Closing {
  BlocksAhead& ahead;
  ~Closing() { ahead.close(); }
};

bool run_timeline(LaunchRun& launch, BlockRunner& blocks, Cycles limit, Counts& counts) {
  const MachineSpec& machine = launch.run.machine;
  if (InOrderTimeline::serves(machine)) return InOrderTimeline(launch, blocks, limit).run(counts);
  const SideBySide& lent = *launch.fast.side_by_side;
  const bool helped = lent.threads > 1 && !Timeline::streams(machine, launch.shape) &&
                      BlocksAhead::serves(launch, lent.least);
  if (!helped) return Timeline(launch, blocks, nullptr, limit).run(counts);
  BlocksAhead ahead(launch, blocks, lent.threads);
  bool whole = false;
  lent.run(lent.threads + 1, [&](std::size_t number) {
    if (number > 0) return ahead.help(number - 1);
    const Closing closing{ahead};
    whole = Timeline(launch, blocks, &ahead, limit).run(counts);
  });
  if (!ahead.merge(counts) && whole) return launch.fast.halt(Halted::refused);
  return whole;
}

LaunchOutcome run_launch(LaunchRun& launch, Cycles start, const Sources& sources) {
  const MachineSpec& machine = launch.run.machine;
  const Limits& limits = *launch.run.budget.limits;
  LaunchOutcome outcome;
  Counts& counts = outcome.counts;
  counts.launches = 1;
  counts.shared_words = launch.shape.shared_words;
  if (machine.shared) counts.shared.resize(static_cast<std::size_t>(machine.multiprocessors));
  if (machine.global) counts.global.resize(1);
  const Cycles limit = std::min(Cycles{limits.time}, Cycles{INT64_MAX - 1}) - start;
  if (Timeline::too_many_warps(machine, launch.shape, limits.memory)) {
    launch.fast.halt(Halted::refused);
  } else {
    BlockRunner blocks(launch, Timeline::streams(machine, launch.shape));
    const bool whole = run_timeline(launch, blocks, limit, counts);
    if (whole || launch.fast.halted == Halted::asked) count_lines(launch, blocks, sources, counts);
    blocks.close();
  }
  counts.instructions = launch.instructions;
  if (launch.fast.halted == Halted::asked) {
    outcome.stop = launch.fast.stop;
  } else if (launch.fast.halted != Halted::no) {
    outcome.stop = Stop::error; // of which nobody hears: another run tells
  }
  return outcome;
}

} // namespace

Launcher launcher(FastRun& fast, const Sources& sources) {
  return [&](const RunState& run, const ir::Function& kernel, const LaunchShape& shape,
             std::vector<ir::Value> formals, FnTally& tally, std::int64_t, Cycles start) {
    LaunchRun launch(fast, run, kernel, shape, std::move(formals), tally);
    return run_launch(launch, start, sources);
  };
}

} // namespace fast

std::optional<RunResult> try_fast(const ir::Program& program, const MachineSpec& machine,
                                  const RunOptions& options, const Sources& sources,
                                  int tile_lanes) {
  if (options.allow_races) return std::nullopt;
  Observer nobody;
  std::set<std::int32_t> exact;
  for (;;) {
    fast::FastRun fast;
    fast.exact = exact;
    fast.tile_lanes = tile_lanes;
    fast.side_by_side = &options.side_by_side;
    RunResult result = simulate_with(fast::launcher(fast, sources), HostRuns::as_code, program,
                                     machine, options, sources, nobody);
    if (fast.halted == fast::Halted::refused) return std::nullopt;
    if (fast.halted != fast::Halted::unsure) return result;
    exact.insert(fast.unproven); // again, and closer
  }
}

RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes) {
  Observer nobody;
  RunOptions without = options;
  without.verify = false;
  without.timing_only = true;
  without.outputs.clear();
  without.side_by_side = {};
  fast::FastRun fast;
  fast.timing_only = true;
  fast.side_by_side = &without.side_by_side;
  fast.tile_lanes = tile_lanes;
  RunResult result = simulate_with(fast::launcher(fast, sources), HostRuns::as_lane, program,
                                   machine, without, sources, nobody);
  if (fast.halted == fast::Halted::no || fast.halted == fast::Halted::asked) {
    result.steps += fast.leapt_steps;
  } else if (fast.uncountable.known() && options.limits.time == INT64_MAX) {
    result.stop = Stop::error;
    result.errors = {error_at(fast.uncountable,
                              "the time or a count of this run is 2^61 or more, too much to count",
                              {"fewer rounds, or --max-time to stop before"})};
  } else {
    without.timing_only = false;
    result = simulate(program, machine, without, sources, nobody);
    if (result.stop == Stop::memory)
      result.reached =
          "an error or a limit ends this run, and telling which takes a run with arrays: " +
          result.reached;
  }
  if (result.verify == Verdict::none) result.verify = Verdict::not_run;
  return result;
}

RunResult simulate_fast(const ir::Program& program, const MachineSpec& machine,
                        const RunOptions& options, const Sources& sources) {
  if (auto result = try_fast(program, machine, options, sources)) return std::move(*result);
  Observer nobody;
  return simulate(program, machine, options, sources, nobody);
}

} // namespace memlane
