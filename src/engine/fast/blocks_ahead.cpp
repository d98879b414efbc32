#include "blocks_ahead.hpp"

#include "alike_blocks.hpp"
#include "execution_order.hpp"
#include "fast/time.hpp"

#include <algorithm>
#include <numeric>

namespace memlane::fast {

namespace {

/// Bytes of logs of blocks that wait for the timeline, without those being executed.
constexpr std::int64_t most_waiting = std::int64_t{1} << 26;

} // namespace

bool BlocksAhead::serves(const LaunchRun& launch, std::int64_t least_threads) {
  return launch.shape.blocks > 1 && !launch.run.executions &&
         reference::saturating_multiply(launch.shape.blocks, launch.shape.threads) >= least_threads;
}

namespace {

FastRun run_of_helper(FastRun& all, std::size_t number) {
  FastRun own;
  own.unproven = all.unproven;
  own.tile_lanes = all.tile_lanes;
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

BlocksAhead::BlocksAhead(LaunchRun& launch, BlockRunner& own, std::size_t helpers)
    : launch_(launch), own_(own), base_steps_(launch.run.budget.steps),
      most_ahead_(launch.resident_blocks + 2 * static_cast<std::int64_t>(helpers)) {
  for (std::size_t k = 0; k < helpers; ++k)
    helpers_.push_back(std::make_unique<Helper>(*this, launch, k));
}

bool BlocksAhead::may_begin() {
  for (auto at = begun_.find(next_); at != begun_.end(); at = begun_.find(next_)) {
    if (at->second.taken) begun_.erase(at);
    ++next_;
  }
  return next_ < launch_.shape.blocks && ahead_ < most_ahead_ && ahead_bytes_ < most_waiting &&
         (waiting_ || at_work_ + 1 < helpers_.size());
}

/// Executes a block that is among those begun, without the lock.
void BlocksAhead::execute(LaunchRun& launch, BlockRunner& runner, std::int64_t block, Lock& lock) {
  Begun& begun = begun_[block]; // stays where it is
  ahead_ += 1;
  lock.unlock();
  bool whole = false;
  std::exception_ptr exception;
  try {
    whole = execute_block(runner, block, begun.executed);
  } catch (...) {
    exception = std::current_exception();
  }
  lock.lock();
  begun.done = true;
  begun.bytes = launch.logged;
  ahead_bytes_ += begun.bytes;
  if (!whole && !failed_) {
    failed_ = &launch.fast;
    exception_ = exception;
  }
  change_.notify_all();
}

void BlocksAhead::help(std::size_t number) {
  Helper& helper = *helpers_[number];
  Lock lock(mutex_);
  for (;;) {
    change_.wait(lock, [&] { return over() || may_begin(); });
    if (over()) return;
    ++at_work_;
    execute(helper.launch, *helper.runner, next_, lock);
    --at_work_;
  }
}

bool BlocksAhead::take(std::int64_t block, ExecutedBlock& executed) {
  const InPhase phase(launch_.run.budget.clock, EnginePhase::execution);
  Lock lock(mutex_);
  while (!failed_) {
    const auto at = begun_.find(block);
    if (at == begun_.end()) {
      execute(launch_, own_, block, lock);
    } else if (at->second.done) {
      executed = std::move(at->second.executed);
      ahead_ -= 1;
      ahead_bytes_ -= at->second.bytes;
      if (block < next_) {
        begun_.erase(at);
      } else {
        at->second = {};
        at->second.taken = true;
      }
      change_.notify_all();
      return true;
    } else {
      waiting_ = true;
      change_.notify_all();
      change_.wait(lock);
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
  change_.notify_all();
}

bool BlocksAhead::merge(LaunchTally& tally) {
  Budget& budget = launch_.run.budget;
  for (const auto& helper : helpers_) {
    budget.steps += helper->budget.steps - base_steps_;
    launch_.fast.work += helper->fast.work;
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

/// The blocks of a launch without data that are alike: the first and the last are executed.
class RepeatedBlocks {
public:
  RepeatedBlocks(LaunchRun& launch, BlockRunner& runner)
      : launch_(launch), runner_(runner), last_(launch.shape.blocks - 1), tally_(launch.tally),
        again_(runner.tallies().size()) {}

  bool take(std::int64_t block, ExecutedBlock& executed) {
    if (block == 0) return execute_first() && (executed = first_, true);
    if (block == last_) return execute_block(runner_, block, executed);
    executed = first_;
    return repeat(block);
  }
  bool pass(std::int64_t block) {
    ExecutedBlock unused;
    return block == last_ ? execute_block(runner_, block, unused) : repeat(block);
  }
  /// The counts of those that were not executed; false: they are too large.
  bool count() {
    constexpr std::int64_t most = std::int64_t{1} << 61;
    const std::vector<std::int64_t>& numbers = tally_.numbers();
    const std::int64_t largest = *std::max_element(numbers.begin(), numbers.end());
    const std::int64_t blocks = std::accumulate(again_.begin(), again_.end(), std::int64_t{0});
    if (reference::saturating_multiply(largest, blocks) > most ||
        reference::saturating_multiply(of_block_.steps, blocks) > most)
      return launch_.timed.too_large(launch_.code);
    for (std::size_t mp = 0; mp < again_.size(); ++mp) runner_.add_blocks(mp, again_[mp], tally_);
    launch_.fast.skipped_steps += of_block_.steps * blocks;
    EngineWork& work = launch_.fast.work;
    work.iterations.add({of_block_.iterations * blocks, of_block_.iterations * blocks});
    work.intervals.add({of_block_.intervals * blocks, of_block_.intervals * blocks});
    return true;
  }

private:
  /// Work so far.
  struct Work {
    std::int64_t steps = 0, iterations = 0, intervals = 0;
  };

  Work so_far() const {
    const FastRun& fast = launch_.fast;
    return {launch_.run.budget.steps + fast.skipped_steps, fast.work.iterations.total,
            fast.work.intervals.total};
  }
  bool execute_first() {
    const Work before = so_far();
    if (!execute_block(runner_, 0, first_)) return false;
    tally_ = launch_.tally;
    const Work now = so_far();
    of_block_ = {now.steps - before.steps, now.iterations - before.iterations,
                 now.intervals - before.intervals};
    return true;
  }
  bool repeat(std::int64_t block) {
    const auto mps = static_cast<std::int64_t>(again_.size());
    again_[static_cast<std::size_t>(block % mps)] += 1;
    return true;
  }

  LaunchRun& launch_;
  BlockRunner& runner_;
  std::int64_t last_;
  ExecutedBlock first_;
  BlockTally tally_; ///< of the first, as its work
  Work of_block_;
  std::vector<std::int64_t> again_; ///< by multiprocessor: blocks that were not executed
};

/// Where it is worth to know: more blocks than are resident at once.
AlikeBlocks alike_in(const LaunchRun& launch) {
  const reference::Residency residency(launch.machine, launch.shape);
  const bool many = launch.shape.blocks > 2 * residency.multiprocessors * residency.slots;
  if (!many || launch.run.executions || !reference::deals_statically(launch.machine) ||
      executes_in_parts(launch.machine, launch.shape))
    return {};
  return alike_blocks(launch);
}

bool run_repeated(LaunchRun& launch, BlockRunner& blocks, Cycles limit, LaunchTally& tally) {
  RepeatedBlocks repeated(launch, blocks);
  const auto take = [&](std::int64_t block, ExecutedBlock& executed) {
    return repeated.take(block, executed);
  };
  launch.execute_alike = [&](std::int64_t block) { return repeated.pass(block); };
  const bool whole = run_timeline(launch, blocks, take, limit, tally);
  const bool counted = launch.fast.halted == Halted::refused || repeated.count();
  launch.execute_alike = {};
  return whole && counted;
}

/// Blocks are executed as the timeline asks for them; of those that are alike, none of the steps.
bool run_one_by_one(LaunchRun& launch, BlockRunner& blocks, Cycles limit, LaunchTally& tally) {
  const AlikeBlocks alike = alike_in(launch);
  if (launch.fast.timing_only && alike.steps && alike.checks)
    return run_repeated(launch, blocks, limit, tally);
  if (alike.steps)
    launch.execute_alike = [&](std::int64_t block) {
      ExecutedBlock unused;
      return execute_block(blocks, block, unused);
    };
  return run_timeline(launch, blocks, {}, limit, tally);
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
    return run_timeline(launch, blocks, take, limit, tally);
  }
  const SideBySide& helpers = *launch.fast.side_by_side;
  const bool helped = helpers.threads > 1 && !executes_in_parts(launch.machine, launch.shape) &&
                      BlocksAhead::serves(launch, helpers.least);
  if (!helped) return run_one_by_one(launch, blocks, limit, tally);
  BlocksAhead ahead(launch, blocks, helpers.threads);
  const auto take = [&](std::int64_t block, ExecutedBlock& executed) {
    return ahead.take(block, executed);
  };
  if (alike_in(launch).steps)
    launch.execute_alike = [&](std::int64_t block) {
      ExecutedBlock unused;
      return ahead.take(block, unused);
    };
  bool whole = false;
  helpers.run(helpers.threads + 1, [&](std::size_t number) {
    if (number > 0) return ahead.help(number - 1);
    const Closing closing{ahead};
    whole = run_timeline(launch, blocks, take, limit, tally);
  });
  if (!ahead.merge(tally) && whole) return launch.fast.halt(Halted::refused);
  return whole;
}

} // namespace memlane::fast
