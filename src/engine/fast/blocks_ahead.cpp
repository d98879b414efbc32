#include "blocks_ahead.hpp"

#include "alike_blocks.hpp"
#include "execution_order.hpp"
#include "fast/time.hpp"
#include "shared_execution.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace memlane::fast {

namespace {

/// Bytes of logs of blocks that wait for the timeline, without those being executed.
constexpr std::int64_t most_waiting = std::int64_t{1} << 26;
/// Instructions that a helper executes before it looks for others.
constexpr std::int64_t least_work = std::int64_t{1} << 13;
/// The timeline waits for several blocks at once, since to wake it costs like a block, but no
/// longer: of those some may never end, and never be needed.
constexpr std::chrono::milliseconds longest_wait{1};

} // namespace

namespace {

bool execute_blocks(BlockRunner& runner, std::int64_t first, std::vector<ExecutedBlock>& executed) {
  std::vector<ExecutedBlock*> each;
  for (ExecutedBlock& block : executed) each.push_back(&block);
  return runner.execute(first, each);
}

} // namespace

bool FirstBlocks::execute(LaunchRun& launch, BlockRunner& runner) {
  const InPhase phase(launch.run.budget.clock, EnginePhase::execution);
  const auto so_far = [&]() -> Work {
    const FastRun& fast = launch.fast;
    return {launch.run.budget.steps + fast.skipped_steps, fast.work.iterations.total,
            fast.work.intervals.total};
  };
  const Work before = so_far();
  executed.resize(static_cast<std::size_t>(together));
  if (!execute_blocks(runner, 0, executed)) return false;
  const Work now = so_far();
  work = {now.steps - before.steps, now.iterations - before.iterations,
          now.intervals - before.intervals};
  steps = work.steps / together;
  tally = launch.tally;
  bytes = launch.logged;
  return true;
}

namespace {

FastRun run_of_helper(FastRun& all, std::size_t number) {
  FastRun own;
  own.unproven = all.unproven;
  own.tile_lanes = all.tile_lanes;
  own.together = all.together;
  own.most_rounds = all.most_rounds;
  own.main = &all;
  own.runner = number + 1;
  return own;
}

} // namespace

// Each helper counts steps from those of the run on, so that no block exceeds the limit by itself.
BlocksAhead::Helper::Helper(BlocksAhead& ahead, LaunchRun& all, std::size_t number)
    : limits(*all.run.budget.limits),
      budget(all.run.budget), run{all.run.program, all.run.machine, budget,          all.run.memory,
                                  all.run.races,   all.run.printer, all.run.sources, nullptr,
                                  nullptr,         all.run.launch},
      fast(run_of_helper(all.fast, number)),
      launch(fast, run, all.kernel, all.shape, all.formals, all.number) {
  limits.check = [&ahead, check = all.run.budget.limits->check] {
    if (ahead.closed_) return Stop::interrupted; // a helper's own stop is not reported
    return check ? check() : Stop::none;
  };
  budget.limits = &limits;
  budget.clock = nullptr; // the run's own thread has it
  runner = std::make_unique<BlockRunner>(launch, false);
}

BlocksAhead::BlocksAhead(LaunchRun& launch, BlockRunner& own, FirstBlocks first,
                         std::size_t helpers)
    : launch_(launch), own_(own), base_steps_(launch.run.budget.steps), together_(first.together),
      at_once_(together_ > 1
                   ? together_
                   : std::clamp<std::int64_t>(least_work / std::max<std::int64_t>(first.steps, 1),
                                              1, launch.shape.blocks / 8 + 1)),
      most_ahead_(launch.resident_blocks + 2 * static_cast<std::int64_t>(helpers) * at_once_),
      ahead_bytes_(first.bytes * std::ssize(first.executed)) {
  ahead_ = executed_ = std::ssize(first.executed);
  for (std::int64_t block = 0; block < executed_; ++block)
    begun_[block] = {true, false, std::move(first.executed[static_cast<std::size_t>(block)]),
                     first.bytes};
  for (std::size_t k = 0; k < helpers; ++k)
    helpers_.push_back(std::make_unique<Helper>(*this, launch, k));
}

bool BlocksAhead::may_begin() {
  for (auto at = begun_.find(next_); at != begun_.end(); at = begun_.find(next_)) {
    if (at->second.taken) begun_.erase(at);
    ++next_;
  }
  if (has_room(1)) {
    full_ = full_ && !has_room(2);
  } else {
    full_ = true;
  }
  return next_ < launch_.shape.blocks && !full_ && (waiting_ || at_work_ + 1 < helpers_.size());
}

/// For a part of what may wait.
bool BlocksAhead::has_room(std::int64_t part) const {
  return ahead_ < most_ahead_ / part && ahead_bytes_ < most_waiting / part;
}

/// False has halted the run.
bool BlocksAhead::execute(LaunchRun& launch, BlockRunner& runner, std::int64_t first,
                          std::span<Begun* const> begun) const {
  if (together_ == 1) {
    for (Begun* one : begun) {
      if (!execute_block(runner, first++, one->executed)) return false;
      one->bytes = launch.logged;
    }
    return true;
  }
  std::vector<ExecutedBlock*> executed;
  for (Begun* one : begun) executed.push_back(&one->executed);
  if (!runner.execute(first, executed)) return false;
  for (Begun* one : begun) one->bytes = launch.logged;
  return true;
}

/// Executes `most` blocks from `first` on, or as many as nobody has begun. Gives up the lock
/// meanwhile.
void BlocksAhead::execute(LaunchRun& launch, BlockRunner& runner, std::int64_t first,
                          std::int64_t most, Lock& lock) {
  std::vector<Begun*> begun; // stay where they are
  for (std::int64_t block = first;
       block < launch_.shape.blocks && most-- > 0 && begun_.count(block) == 0; ++block)
    begun.push_back(&begun_[block]);
  ahead_ += static_cast<std::int64_t>(begun.size());
  lock.unlock();
  bool whole = false;
  std::exception_ptr exception;
  try {
    whole = execute(launch, runner, first, begun);
  } catch (...) {
    exception = std::current_exception();
  }
  lock.lock();
  for (Begun* const one : begun) {
    one->done = whole;
    ahead_bytes_ += one->bytes;
  }
  executed_ += static_cast<std::int64_t>(begun.size());
  if (!whole && !failed_) {
    failed_ = &launch.fast;
    exception_ = exception;
    room_.notify_all();
  }
  const bool many = executed_ >= most_ahead_ / 2 || full_ || next_ >= launch_.shape.blocks;
  if (waiting_ && (many || failed_)) done_.notify_one();
}

void BlocksAhead::help(std::size_t number) {
  Helper& helper = *helpers_[number];
  Lock lock(mutex_);
  for (;;) {
    room_.wait(lock, [&] { return over() || may_begin(); });
    if (over()) return;
    ++at_work_;
    execute(helper.launch, *helper.runner, next_, at_once_, lock);
    --at_work_;
  }
}

bool BlocksAhead::take(std::int64_t block, ExecutedBlock& executed) {
  const InPhase phase(launch_.run.budget.clock, EnginePhase::execution);
  Lock lock(mutex_);
  while (!failed_) {
    const auto at = begun_.find(block);
    if (at == begun_.end()) {
      execute(launch_, own_, block, together_, lock);
    } else if (at->second.done) {
      executed = std::move(at->second.executed);
      ahead_ -= 1;
      executed_ -= 1;
      ahead_bytes_ -= at->second.bytes;
      if (block < next_) {
        begun_.erase(at);
      } else {
        at->second = {};
        at->second.taken = true;
      }
      if (full_ && has_room(2)) room_.notify_all();
      return true;
    } else {
      waiting_ = true;
      room_.notify_one();
      done_.wait_for(lock, longest_wait);
      waiting_ = false;
    }
  }
  if (exception_) std::rethrow_exception(exception_);
  launch_.fast.halted = failed_->halted;
  launch_.fast.reason = failed_->reason;
  launch_.fast.refused_at = failed_->refused_at;
  launch_.fast.stop = failed_->stop;
  return false;
}

void BlocksAhead::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  room_.notify_all();
}

bool BlocksAhead::merge(LaunchTally& tally) {
  Budget& budget = launch_.run.budget;
  for (const auto& helper : helpers_) {
    budget.steps += helper->budget.steps - base_steps_;
    launch_.fast.work += helper->fast.work;
    launch_.fast.blocks_together |= helper->fast.blocks_together;
    for (std::size_t mp = 0; mp < tally.multiprocessors.size(); ++mp)
      tally.multiprocessors[mp] += helper->runner->tallies()[mp];
    for (const auto& [kernel_and_array, intervals] : helper->fast.unproven)
      launch_.fast.unproven[kernel_and_array].insert(intervals.begin(), intervals.end());
  }
  return budget.steps <= budget.limits->steps;
}

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
/// first.
class GroupedBlocks {
public:
  GroupedBlocks(LaunchRun& launch, BlockRunner& runner, FirstBlocks first)
      : launch_(launch), runner_(runner), together_(first.together) {
    keep(0, first.executed);
  }

  bool take(std::int64_t block, ExecutedBlock& executed) {
    if (waiting_.count(block) == 0) {
      const std::int64_t first = block / together_ * together_;
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
  std::int64_t together_;
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
    const std::vector<std::int64_t>& numbers = first_.tally->numbers();
    const std::int64_t largest = *std::max_element(numbers.begin(), numbers.end());
    const std::int64_t blocks = std::accumulate(again_.begin(), again_.end(), std::int64_t{0});
    if (reference::saturating_multiply(largest, blocks) > most ||
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
  // An earlier launch tells what this one will be.
  const auto latest = launch.fast.steps_of_block.find(&launch.kernel);
  const bool known = latest != launch.fast.steps_of_block.end();
  bool helped = helpers.threads > 1 && launch.shape.blocks > 1 && !launch.run.executions &&
                !in_parts && (!known || large(latest->second));
  FirstBlocks first;
  if (!repeats && !in_parts)
    first.together = BlocksTogether::most(launch, helped ? helpers.threads : 1);
  if (!repeats && !helped && first.together == 1)
    return run_each(launch, blocks, alike.steps && !in_parts, {}, limit, tally);
  if (repeats) blocks.execute_whole();
  if (repeats || !helped || !known) {
    if (!first.execute(launch, blocks)) return false;
    if (repeats) return run_repeated(launch, blocks, first, limit, tally);
    helped = helped && large(first.steps);
  } else {
    first.steps = latest->second;
  }
  launch.fast.steps_of_block[&launch.kernel] = first.steps;
  if (!helped) {
    GroupedBlocks groups(launch, blocks, std::move(first));
    const auto take = [&](std::int64_t block, ExecutedBlock& executed) {
      return groups.take(block, executed);
    };
    return run_each(launch, blocks, alike.steps, take, limit, tally);
  }
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
  return whole;
}

} // namespace memlane::fast
