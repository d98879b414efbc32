#include "blocks_ahead.hpp"

#include <algorithm>
#include <chrono>
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

bool execute_blocks(BlockRunner& runner, std::int64_t first, std::vector<ExecutedBlock>& executed) {
  std::vector<ExecutedBlock*> each;
  for (ExecutedBlock& block : executed) each.push_back(&block);
  return runner.execute(first, each);
}

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

} // namespace memlane::fast
