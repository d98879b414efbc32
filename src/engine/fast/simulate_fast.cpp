// Runs whose launches are executed and timed apart from each other.
#include "fast/time/in_order.hpp"
#include "fast/time/timeline.hpp"
#include "launcher.hpp"

#include "memlane/engine/simulate.hpp"

#include <algorithm>
#include <tuple>

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
  const SideBySide& helpers = *launch.fast.side_by_side;
  const bool helped = helpers.threads > 1 && !Timeline::streams(machine, launch.shape) &&
                      BlocksAhead::serves(launch, helpers.least);
  if (!helped) return Timeline(launch, blocks, nullptr, limit).run(counts);
  BlocksAhead ahead(launch, blocks, helpers.threads);
  bool whole = false;
  helpers.run(helpers.threads + 1, [&](std::size_t number) {
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
  if (launch.fast.halted != Halted::no) {
    // The kernel was not even prepared.
  } else if (Timeline::too_many_warps(machine, launch.shape, limits.memory)) {
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
    outcome.stop = Stop::error; // discarded: another run has the result
  }
  return outcome;
}

} // namespace

Launcher launcher(FastRun& fast, const Sources& sources) {
  // Of the warps of one tile; what the other tiles of its block keep, `hold_tile` counts.
  const auto registers = [&](const RunState& run, const ir::Function& kernel,
                             const LaunchShape& shape) {
    return bytes_of_registers(kernel, warps_of_tile(run.machine, shape, fast.tile_lanes) *
                                          run.machine.width);
  };
  return {registers,
          [&](const RunState& run, const ir::Function& kernel, const LaunchShape& shape,
              std::vector<ir::Value> formals, FnTally& tally, std::int64_t, Cycles start) {
            LaunchRun launch(fast, run, kernel, shape, std::move(formals), tally);
            return run_launch(launch, start, sources);
          }};
}

namespace {

void note_by_word(const FastRun& fast, const ir::Program& program, EngineUse& use) {
  for (const auto& [kernel_and_array, intervals] : fast.unproven)
    for (const auto& [begin, site] : intervals) {
      const ir::Function& kernel = *kernel_and_array.first;
      const auto array = static_cast<std::size_t>(kernel_and_array.second);
      use.by_word.push_back({kernel.name, program.arrays[array].name, kernel.code[site].span});
    }
  // Not by the kernels' places in memory; a kernel's copies for other arrays are one kernel here.
  std::sort(use.by_word.begin(), use.by_word.end(), [](const auto& a, const auto& b) {
    return std::tie(a.kernel, a.array, a.at.begin) < std::tie(b.kernel, b.array, b.at.begin);
  });
  const auto same = [](const auto& a, const auto& b) {
    return a.kernel == b.kernel && a.array == b.array && a.at == b.at;
  };
  use.by_word.erase(std::unique(use.by_word.begin(), use.by_word.end(), same), use.by_word.end());
}

void note_refusal(const FastRun& fast, EngineUse& use) {
  use.reason = fast.reason.empty() ? "an error or a limit ends the run" : fast.reason;
  use.reason_at = fast.refused_at;
  use.by_word.clear();
}

} // namespace

} // namespace fast

std::optional<RunResult> try_fast(const ir::Program& program, const MachineSpec& machine,
                                  const RunOptions& options, const Sources& sources, int tile_lanes,
                                  EngineUse* use) {
  EngineUse engine;
  std::optional<RunResult> whole;
  if (options.allow_races) engine.reason = "races are allowed";
  fast::FastRun last;
  for (bool again = !options.allow_races; again;) {
    Observer no_observer;
    fast::FastRun fast;
    fast.unproven = std::move(last.unproven);
    fast.tile_lanes = tile_lanes;
    fast.side_by_side = &options.side_by_side;
    RunResult result = simulate_with(fast::launcher(fast, sources), HostRuns::as_code, program,
                                     machine, options, sources, no_observer);
    again = fast.halted == fast::Halted::unsure;
    engine.restarts += again ? 1 : 0;
    engine.fast = !again && fast.halted != fast::Halted::refused;
    if (engine.fast) {
      fast::note_by_word(fast, program, engine);
      result.engine = engine;
      whole = std::move(result);
    } else if (!again) {
      engine.restarts += 1;
      fast::note_refusal(fast, engine);
    }
    last.unproven = std::move(fast.unproven);
  }
  if (use) *use = std::move(engine);
  return whole;
}

RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes) {
  Observer no_observer;
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
                                   machine, without, sources, no_observer);
  if (fast.halted == fast::Halted::no || fast.halted == fast::Halted::asked) {
    result.steps += fast.skipped_steps;
    result.engine.fast = true;
  } else if (fast.uncountable.known() && options.limits.time == INT64_MAX) {
    result.stop = Stop::error;
    result.errors = {error_at(fast.uncountable,
                              "the time or a count of this run is 2^61 or more, too much to count",
                              {"fewer rounds, or --max-time to stop before"})};
  } else {
    without.timing_only = false;
    result = simulate(program, machine, without, sources, no_observer);
    result.engine.restarts = 1;
    fast::note_refusal(fast, result.engine);
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
  EngineUse use;
  if (auto result = try_fast(program, machine, options, sources, 0, &use))
    return std::move(*result);
  Observer no_observer;
  RunResult result = simulate(program, machine, options, sources, no_observer);
  result.engine = std::move(use);
  return result;
}

} // namespace memlane
