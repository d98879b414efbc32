// Runs whose launches are executed and timed apart from each other.
#include "blocks_ahead.hpp"
#include "counted_launch.hpp"
#include "fast/launch_run.hpp"
#include "fast/time.hpp"
#include "ordered_stream.hpp"
#include "repeated_launches.hpp"
#include "shared_execution.hpp"

#include "memlane/engine/run.hpp"

#include <algorithm>
#include <tuple>

namespace memlane {

namespace fast {

namespace {

LaunchOutcome run_launch(LaunchRun& launch, Cycles start) {
  const MachineSpec& machine = launch.run.machine;
  const Limits& limits = *launch.run.budget.limits;
  LaunchOutcome outcome;
  LaunchTally& tally = outcome.tally;
  tally = empty_tally(machine, launch.shape);
  const Cycles limit = reference::last_time(limits, start);
  if (launch.fast.halted != Halted::no) {
    // The kernel was not even prepared.
  } else if (!reference::Residency(machine, launch.shape).fits(limits)) {
    launch.fast.halt(Halted::refused);
  } else {
    const InPhase phase(launch.run.budget.clock, EnginePhase::timeline);
    launch.fast.begin_stage(launch.run.launch.stage);
    const bool counted = counts_alone(launch);
    BlockRunner blocks(launch, executes_in_parts(machine, launch.shape) && !launch.ordered &&
                                   !launch.followed && !counted &&
                                   (launch.fast.also.empty() || is_untimed(machine)));
    counted ? run_counted(launch, blocks, tally) : run_side_by_side(launch, blocks, limit, tally);
    for (std::size_t mp = 0; mp < tally.multiprocessors.size(); ++mp)
      tally.multiprocessors[mp] += blocks.tallies()[mp];
    blocks.close();
    if (launch.fast.halted == Halted::no)
      tell_others(launch.fast.also, launch.elsewhere, tally, launch.run.launch.stage,
                  launch.number);
  }
  if (launch.fast.halted == Halted::asked) {
    outcome.stop = launch.fast.stop;
  } else if (launch.fast.halted == Halted::spins) {
    outcome.stop = Stop::steps; // the place is kept: another run has the result, if there is time
  } else if (launch.fast.halted != Halted::no) {
    outcome.stop = Stop::error; // discarded: another run has the result
  }
  return outcome;
}

/// What atomics leave is data.
bool needs_reference(const FastRun& fast, const ir::Function& kernel) {
  return fast.timing_only &&
         std::any_of(kernel.code.begin(), kernel.code.end(),
                     [](const ir::Instruction& in) { return ir::is_atomic(in.op); });
}

/// Its arrays are those of this engine, too. An error has to be the first of the run, so another
/// run finds it.
LaunchOutcome run_on_reference(FastRun& fast, const RunState& run, const ir::Function& kernel,
                               const LaunchShape& shape, std::vector<ir::Value> formals,
                               std::int64_t number, Cycles start) {
  LaunchOutcome outcome;
  outcome.tally = empty_tally(run.machine, shape);
  outcome.stop = Stop::error;
  if (fast.halted != Halted::no) return outcome;
  if (!fast.also.empty()) {
    fast.unshared = true;
    fast.halt(Halted::unsure);
    return outcome;
  }
  const auto stream = kernel_stream(run, kernel, shape, std::move(formals), number);
  outcome = memlane::run_launch(run.machine, shape, *stream, number, start, *run.budget.limits);
  if (outcome.stop == Stop::none) return outcome;
  fast.stop = outcome.stop;
  fast.halt(Halted::refused);
  outcome.stop = Stop::error;
  return outcome;
}

} // namespace

Launcher launcher(FastRun& fast) {
  // Of the warps of one tile; what the other tiles of its block keep, `take_tile_bytes` counts.
  const auto registers = [&](const RunState& run, const ir::Function& kernel,
                             const LaunchShape& shape) {
    return bytes_of_registers(kernel, warps_of_tile(run.machine, shape, fast.tile_lanes) *
                                          run.machine.width);
  };
  return {registers, [&](const RunState& run, const ir::Function& kernel, const LaunchShape& shape,
                         std::vector<ir::Value> formals, std::int64_t number, Cycles start) {
            if (needs_reference(fast, kernel))
              return run_on_reference(fast, run, kernel, shape, std::move(formals), number, start);
            return run_or_repeat(fast, run, kernel, shape, std::move(formals), number, start,
                                 [&](LaunchRun& launch) { return run_launch(launch, start); });
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

/// They need runs of their own.
void forget_others(std::span<AlsoTimed>& also) {
  for (AlsoTimed& one : also) one.time.reset();
  also = {};
}

/// Whether the reference engine finds neither an end nor an error in a part of the steps that this
/// engine took until a loop seemed to wait. If so, it is worth to go on here.
bool goes_on(const ir::Program& program, const MachineSpec& machine, const RunOptions& options,
             const Sources& sources, std::int64_t steps) {
  RunOptions part = options;
  part.limits.steps = std::max(std::int64_t{1} << 16, steps / 16);
  if (part.limits.steps >= options.limits.steps) return false;
  part.limits.progress = nullptr;
  part.verify = false;
  part.outputs.clear();
  part.print = {};
  part.clock = {};
  Observer nothing;
  return run_reference(program, machine, part, sources, nothing).stop == Stop::steps;
}

} // namespace

} // namespace fast

std::optional<RunOutcome> run_fast(const ir::Program& program, const MachineSpec& machine,
                                   const RunOptions& options, const Sources& sources,
                                   Observer& observer, int tile_lanes, EngineUse* use,
                                   std::span<AlsoTimed> also) {
  EngineUse engine;
  std::optional<RunOutcome> whole;
  if (options.allow_races) engine.reason = "races are allowed";
  if (observer.times() || observer.values()) engine.reason = "the steps of warps are observed";
  if (keeps_shared_words(program, machine))
    engine.reason = "shared memory is not volatile: blocks find what others have left";
  fast::FastRun last;
  std::int64_t most_rounds = last.most_rounds;
  bool together = true;
  for (bool again = engine.reason.empty(); again;) {
    fast::FastRun fast;
    fast.unproven = last.unproven;
    fast.most_rounds = most_rounds;
    fast.tile_lanes = tile_lanes;
    fast.together = together;
    fast.side_by_side = &options.side_by_side;
    fast.also = also;
    fast::SharedObserver observers(observer, also);
    RunOutcome result = run_with(fast::launcher(fast), HostRuns::as_code, program, machine, options,
                                 sources, observers);
    if (fast.unshared) {
      fast::forget_others(also);
      continue;
    }
    const bool spins = fast.halted == fast::Halted::spins;
    if (spins) most_rounds *= 4;
    // Blocks that were executed together may need each one alone.
    const bool apart = fast.halted == fast::Halted::refused && fast.blocks_together;
    together = together && !apart;
    again = apart || fast.halted == fast::Halted::unsure ||
            (spins && fast::goes_on(program, machine, options, sources, result.steps));
    engine.restarts += again ? 1 : 0;
    // The caller's time may be over meanwhile: which launch this run came to is known.
    const bool is_known = spins && !again && result.time.value > 0 && options.limits.check;
    const Stop asked = is_known ? options.limits.check() : Stop::none;
    if (asked != Stop::none) result.stop = asked;
    engine.fast = !again && fast.halted != fast::Halted::refused && (!spins || asked != Stop::none);
    if (engine.fast) {
      fast::note_by_word(fast, program, engine);
      engine.work = fast.work;
      for (std::size_t k = 0; k < engine_phases; ++k) engine.seconds[k] += result.engine.seconds[k];
      result.engine = engine;
      whole = std::move(result);
    } else {
      engine.discard(result.engine.seconds);
    }
    if (!engine.fast && !again) {
      engine.restarts += 1;
      fast::note_refusal(fast, engine);
    }
    last.unproven = std::move(fast.unproven);
  }
  if (!whole || whole->stop != Stop::none) fast::forget_others(also);
  if (use) *use = std::move(engine);
  return whole;
}

namespace fast {

namespace {

RunOutcome run_timing(const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources, Observer& observer,
                      int tile_lanes, std::span<AlsoTimed> also, bool together) {
  RunOptions without = options;
  without.verify = false;
  without.timing_only = true;
  without.outputs.clear();
  without.side_by_side = {};
  FastRun fast;
  fast.timing_only = true;
  fast.together = together;
  fast.side_by_side = &without.side_by_side;
  fast.tile_lanes = tile_lanes;
  fast.also = also;
  SharedObserver observers(observer, also);
  RunOutcome result =
      run_with(launcher(fast), HostRuns::as_lane, program, machine, without, sources, observers);
  if (fast.unshared) {
    forget_others(also);
    return run_timing(program, machine, options, sources, observer, tile_lanes, {}, together);
  }
  if (fast.halted == Halted::refused && fast.blocks_together && !fast.uncountable.known() &&
      result.steps <= options.limits.steps) {
    const PhaseSeconds attempt = result.engine.seconds;
    result = run_timing(program, machine, options, sources, observer, tile_lanes, also, false);
    result.engine.discard(attempt);
    result.engine.restarts += 1;
    return result;
  }
  if (result.stop != Stop::none) forget_others(also);
  if (fast.halted == Halted::no || fast.halted == Halted::asked) {
    result.steps += fast.skipped_steps;
    result.engine.fast = true;
    result.engine.work = fast.work;
  } else if (!options.locate_stop && fast.halted == Halted::refused &&
             result.steps > options.limits.steps) {
    result.stop = Stop::steps;
    result.errors.clear();
    result.steps = options.limits.steps;
  } else if (fast.uncountable.known() && options.limits.time == INT64_MAX) {
    result.stop = Stop::error;
    result.errors = {error_at(fast.uncountable,
                              "the time or a count of this run is 2^61 or more, too much to count",
                              {"fewer rounds, or --max-time to stop before"})};
  } else {
    without.timing_only = false;
    const PhaseSeconds attempt = result.engine.seconds;
    result = run_reference(program, machine, without, sources, observer);
    result.engine.discard(attempt);
    result.engine.restarts = 1;
    note_refusal(fast, result.engine);
    if (result.stop == Stop::memory)
      result.reached =
          "an error or a limit ends this run, and telling which takes a run with arrays: " +
          result.reached;
  }
  if (result.verify == Verdict::none) result.verify = Verdict::not_run;
  return result;
}

} // namespace

} // namespace fast

RunOutcome run_timing(const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources, Observer& observer,
                      int tile_lanes, std::span<AlsoTimed> also) {
  return fast::run_timing(program, machine, options, sources, observer, tile_lanes, also, true);
}

} // namespace memlane
