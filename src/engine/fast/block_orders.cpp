// The orders in which blocks of a launch are executed: one after the other, in groups, by helpers,
// as atomics demand, or only the first and the last.
#include "alike_blocks.hpp"
#include "blocks_ahead.hpp"
#include "execution_order.hpp"
#include "fast/time.hpp"
#include "shared_execution.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace memlane::fast {

namespace {

/// The blocks of a launch with atomics in the order of the run, each executed when the timeline
/// starts it or one behind it (configs/README.md section 11).
class OrderedBlocks {
public:
  OrderedBlocks(LaunchRun& launch, BlockRunner& runner)
      : launch_(launch), runner_(runner),
        order_(
            execution_order(launch.run.options, launch.shape.blocks, {launch.number, -1, 0, 0})) {}

  bool take(std::int64_t block, ExecutedBlock& executed) {
    const InPhase phase(launch_.run.budget.clock, EnginePhase::execution);
    while (waiting_.count(block) == 0)
      if (!execute(order_[executed_++])) return false;
    const auto own = waiting_.find(block);
    bytes_ -= own->second.bytes;
    executed = std::move(own->second.executed);
    waiting_.erase(own);
    return true;
  }

private:
  struct Waiting {
    ExecutedBlock executed;
    std::int64_t bytes = 0; ///< size of its logs
  };

  bool execute(std::int64_t block) {
    Waiting& begun = waiting_[block];
    if (!execute_block(runner_, block, begun.executed)) return false;
    begun.bytes = launch_.logged;
    bytes_ += begun.bytes;
    return bytes_ <= launch_.run.budget.limits->memory || launch_.fast.halt(Halted::refused);
  }

  LaunchRun& launch_;
  BlockRunner& runner_;
  std::vector<std::int64_t> order_;
  std::size_t executed_ = 0; ///< blocks, in this order
  std::map<std::int64_t, Waiting> waiting_;
  std::int64_t bytes_ = 0; ///< of those that wait
};

/// Blocks that are executed together when the timeline starts one of them: it may start later ones
/// first. The groups are those behind the first blocks.
class GroupedBlocks {
public:
  GroupedBlocks(LaunchRun& launch, BlockRunner& runner, FirstBlocks first)
      : launch_(launch), runner_(runner), together_(first.together),
        begin_(std::ssize(first.executed)) {
    keep(0, first.executed);
  }

  bool take(std::int64_t block, ExecutedBlock& executed) {
    if (waiting_.count(block) == 0) {
      const std::int64_t first = begin_ + (block - begin_) / together_ * together_;
      const std::int64_t count = std::min(together_, launch_.shape.blocks - first);
      std::vector<ExecutedBlock> group(static_cast<std::size_t>(count));
      if (!execute_blocks(runner_, first, group)) return false;
      keep(first, group);
    }
    const auto own = waiting_.find(block);
    executed = std::move(own->second);
    waiting_.erase(own);
    return true;
  }

private:
  void keep(std::int64_t first, std::vector<ExecutedBlock>& executed) {
    for (ExecutedBlock& block : executed) waiting_[first++] = std::move(block);
  }

  LaunchRun& launch_;
  BlockRunner& runner_;
  std::int64_t together_, begin_;
  std::map<std::int64_t, ExecutedBlock> waiting_;
};

/// The blocks of a launch without data that are alike: the first and the last are executed.
class RepeatedBlocks {
public:
  RepeatedBlocks(LaunchRun& launch, BlockRunner& runner, const FirstBlocks& first)
      : launch_(launch), runner_(runner), first_(first), last_(launch.shape.blocks - 1),
        again_(runner.tallies().size()) {}

  bool take(std::int64_t block, ExecutedBlock& executed) {
    if (block == last_) return execute_block(runner_, block, executed);
    executed = first_.executed[0];
    return block == 0 || repeat(block);
  }
  bool pass(std::int64_t block) {
    ExecutedBlock unused;
    return block == last_ ? execute_block(runner_, block, unused) : repeat(block);
  }
  /// The counts of those that were not executed; false: they are too large.
  bool count() {
    constexpr std::int64_t most = std::int64_t{1} << 61;
    const std::int64_t blocks = std::accumulate(again_.begin(), again_.end(), std::int64_t{0});
    if (reference::saturating_multiply(first_.tally->largest(), blocks) > most ||
        reference::saturating_multiply(first_.work.steps, blocks) > most)
      return launch_.timed.too_large(launch_.code);
    for (std::size_t mp = 0; mp < again_.size(); ++mp)
      runner_.add_blocks(mp, again_[mp], *first_.tally);
    launch_.fast.skipped_steps += first_.work.steps * blocks;
    EngineWork& work = launch_.fast.work;
    work.iterations.add({first_.work.iterations * blocks, first_.work.iterations * blocks});
    work.intervals.add({first_.work.intervals * blocks, first_.work.intervals * blocks});
    return true;
  }

private:
  bool repeat(std::int64_t block) {
    const auto mps = static_cast<std::int64_t>(again_.size());
    again_[static_cast<std::size_t>(block % mps)] += 1;
    return true;
  }

  LaunchRun& launch_;
  BlockRunner& runner_;
  const FirstBlocks& first_;
  std::int64_t last_;
  std::vector<std::int64_t> again_; ///< by multiprocessor: blocks that were not executed
};

/// Where it is worth to know: more blocks than are resident at once. A timeline that executes
/// blocks in parts skips none of them, and an untimed launch has none to skip: there only without
/// data.
AlikeBlocks alike_in(const LaunchRun& launch) {
  const reference::Residency residency(launch.machine, launch.shape);
  const bool untimed = is_untimed(launch.machine);
  const bool many =
      untimed || launch.shape.blocks > 2 * residency.multiprocessors * residency.slots;
  const bool without_data = untimed || executes_in_parts(launch.machine, launch.shape);
  if (!many || launch.run.executions || !reference::deals_statically(launch.machine) ||
      (without_data && !launch.fast.timing_only))
    return {};
  return alike_blocks(launch);
}

bool run_repeated(LaunchRun& launch, BlockRunner& blocks, const FirstBlocks& first, Cycles limit,
                  LaunchTally& tally) {
  RepeatedBlocks repeated(launch, blocks, first);
  const auto take = [&](std::int64_t block, ExecutedBlock& executed) {
    return repeated.take(block, executed);
  };
  launch.execute_alike = [&](std::int64_t block) { return repeated.pass(block); };
  const bool whole = run_timelines(launch, blocks, take, limit, tally);
  const bool counted = launch.fast.halted == Halted::refused || repeated.count();
  launch.execute_alike = {};
  return whole && counted;
}

/// Blocks as `take` gives them; those that are alike need none of their steps.
bool run_each(LaunchRun& launch, BlockRunner& blocks, bool alike, const TakeBlock& take,
              Cycles limit, LaunchTally& tally) {
  if (alike)
    launch.execute_alike = [&](std::int64_t block) {
      ExecutedBlock unused;
      return take ? take(block, unused) : execute_block(blocks, block, unused);
    };
  return run_timelines(launch, blocks, take, limit, tally);
}

bool run_in_groups(LaunchRun& launch, BlockRunner& blocks, FirstBlocks first, bool alike,
                   Cycles limit, LaunchTally& tally) {
  GroupedBlocks groups(launch, blocks, std::move(first));
  const auto take = [&](std::int64_t block, ExecutedBlock& executed) {
    return groups.take(block, executed);
  };
  return run_each(launch, blocks, alike, take, limit, tally);
}

/// Without data, loops may be extrapolated where a block is executed alone, and not where several
/// are together. So the first block is alone, and the others are if that has spared most of its
/// steps. If some take many more steps than it, the run begins again with each block alone.
bool run_without_data(LaunchRun& launch, BlockRunner& blocks, std::int64_t together, bool alike,
                      Cycles limit, LaunchTally& tally) {
  constexpr std::int64_t most_of_first = std::int64_t{1} << 16, few = std::int64_t{1} << 13;
  constexpr std::int64_t times_first = 64;
  blocks.execute_whole();
  launch.fast.blocks_together = true;
  launch.fast.work.blocks.add({1, 0});
  launch.most_of_block = most_of_first;
  const std::int64_t before = launch.run.budget.steps;
  FirstBlocks first;
  if (!first.execute(launch, blocks)) return false;
  const std::int64_t executed = launch.run.budget.steps - before;
  const bool spared = first.steps > 2 * executed;
  if (!spared) first.together = together;
  launch.most_of_block = spared ? INT64_MAX : times_first * executed + few;
  return run_in_groups(launch, blocks, std::move(first), alike, limit, tally);
}

/// Threads of a launch whose helpers need not know its size.
constexpr std::int64_t least_at_once = 256;

/// Steps of the run so far, also those that were not executed one by one.
std::int64_t steps_of(const LaunchRun& launch) {
  return launch.run.budget.steps + launch.fast.skipped_steps;
}

/// Closes `ahead` however the timeline ends, since helpers wait for it.
struct Closing {
  BlocksAhead& ahead;
  ~Closing() { ahead.close(); }
};

} // namespace

bool run_side_by_side(LaunchRun& launch, BlockRunner& blocks, Cycles limit, LaunchTally& tally) {
  if (launch.ordered) {
    OrderedBlocks ordered(launch, blocks);
    const auto take = [&](std::int64_t block, ExecutedBlock& executed) {
      return ordered.take(block, executed);
    };
    return run_timelines(launch, blocks, take, limit, tally);
  }
  const SideBySide& helpers = *launch.fast.side_by_side;
  const AlikeBlocks alike = alike_in(launch);
  const bool repeats = launch.fast.timing_only && alike.steps && alike.checks;
  const bool in_parts = executes_in_parts(launch.machine, launch.shape);
  const auto large = [&](std::int64_t steps) {
    return reference::saturating_multiply(steps, launch.shape.blocks) >= helpers.least;
  };
  // An earlier launch tells what this one will be, else its first blocks.
  const auto latest = launch.fast.steps_of_block.find(&launch.kernel);
  const bool known = latest != launch.fast.steps_of_block.end();
  bool helped = helpers.threads > 1 && launch.shape.blocks > 1 && !launch.run.executions &&
                !in_parts && (!known || large(latest->second));
  FirstBlocks first;
  if (!repeats) first.together = BlocksTogether::most(launch, helped ? helpers.threads : 1);
  if (!repeats && !helped && first.together == 1)
    return run_each(launch, blocks, alike.steps && !in_parts, {}, limit, tally);
  if (!repeats && launch.fast.timing_only)
    return run_without_data(launch, blocks, first.together, alike.steps, limit, tally);
  blocks.execute_whole();
  const std::int64_t before = steps_of(launch);
  // Helpers do not wait for the first blocks if these are a large part of the launch.
  const bool at_once =
      helped && !known && 4 * first.together >= launch.shape.blocks &&
      reference::saturating_multiply(launch.shape.blocks, launch.shape.threads) >= least_at_once;
  if (repeats || !helped || !(known || at_once)) {
    if (!first.execute(launch, blocks)) return false;
    if (repeats) return run_repeated(launch, blocks, first, limit, tally);
    helped = helped && large(first.steps);
  } else if (known) {
    first.steps = latest->second;
  }
  launch.fast.steps_of_block[&launch.kernel] = first.steps;
  if (!helped) return run_in_groups(launch, blocks, std::move(first), alike.steps, limit, tally);
  BlocksAhead ahead(launch, blocks, std::move(first), helpers.threads);
  const auto take = [&](std::int64_t block, ExecutedBlock& executed) {
    return ahead.take(block, executed);
  };
  bool whole = false;
  helpers.run(helpers.threads + 1, [&](std::size_t number) {
    if (number > 0) return ahead.help(number - 1);
    const Closing closing{ahead};
    whole = run_each(launch, blocks, alike.steps, take, limit, tally);
  });
  if (!ahead.merge(tally) && whole) return launch.fast.halt(Halted::refused);
  if (at_once)
    launch.fast.steps_of_block[&launch.kernel] = (steps_of(launch) - before) / launch.shape.blocks;
  return whole;
}

} // namespace memlane::fast
