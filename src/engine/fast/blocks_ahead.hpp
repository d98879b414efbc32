// Executes blocks of a launch ahead of the timeline, on threads supplied by the caller
// (RunOptions::side_by_side) and, if those are busy, on the timeline's own thread.
#pragma once

#include "block_run.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace memlane::fast {

/// The first block of a launch, which the timeline needs at once, or the first ones that are
/// executed together. Its work tells what all will be.
struct FirstBlocks {
  /// Work so far.
  struct Work {
    std::int64_t steps = 0, iterations = 0, intervals = 0;
  };

  /// False if execution has halted.
  bool execute(LaunchRun& launch, BlockRunner& runner);

  std::int64_t together = 1;           ///< blocks that are executed together
  std::int64_t steps = 0;              ///< of a block, about
  std::vector<ExecutedBlock> executed; ///< none where an earlier launch has told the steps
  std::optional<BlockTally> tally;     ///< if they were executed
  Work work;
  std::int64_t bytes = 0; ///< size of the logs of each
};

/// Executes blocks from `first` on, one for each of `executed`, together if they are several.
bool execute_blocks(BlockRunner& runner, std::int64_t first, std::vector<ExecutedBlock>& executed);

class BlocksAhead {
public:
  /// `own`: the timeline's runner, which has executed `first`. Refers to the launch and to it. Of
  /// the helpers all but one work at once, and the last while the timeline waits.
  BlocksAhead(LaunchRun& launch, BlockRunner& own, FirstBlocks first, std::size_t helpers);

  /// A helper's work, from 0 on: blocks, until the timeline needs no more.
  void help(std::size_t helper);

  /// The next block that the timeline starts. Executes it, unless a helper has; waits while a
  /// helper does. (The timeline's thread executes no block ahead: a block that never ends may be
  /// one that is never needed.) False if execution has halted. Each block once.
  bool take(std::int64_t block, ExecutedBlock& executed);
  /// The timeline needs no more blocks: tells the helpers to end.
  void close();
  /// After all helpers have ended: adds their counts to the launch. False: beyond the step limit.
  bool merge(LaunchTally& tally);

private:
  /// A thread's own part of the launch.
  struct Helper {
    Helper(BlocksAhead& ahead, LaunchRun& launch, std::size_t number);

    Limits limits;
    Budget budget;
    RunState run;
    FastRun fast;
    LaunchRun launch;
    std::unique_ptr<BlockRunner> runner;
  };
  struct Begun {
    bool done = false, taken = false;
    ExecutedBlock executed;
    std::int64_t bytes = 0; ///< size of its logs
  };
  using Lock = std::unique_lock<std::mutex>;

  bool over() const { return closed_ || failed_; }
  bool may_begin();
  bool has_room(std::int64_t part) const;
  void execute(LaunchRun& launch, BlockRunner& runner, std::int64_t first, std::int64_t most,
               Lock& lock);
  bool execute(LaunchRun& launch, BlockRunner& runner, std::int64_t first,
               std::span<Begun* const> begun) const;

  LaunchRun& launch_;
  BlockRunner& own_;
  std::int64_t base_steps_;
  std::int64_t together_; ///< blocks that are executed together
  std::int64_t at_once_;  ///< small blocks that a helper executes one after the other
  std::int64_t most_ahead_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::atomic<bool> closed_ = false;

  std::mutex mutex_;                    ///< protects what follows
  std::condition_variable room_;        ///< for helpers: there is room again, or all is over
  std::condition_variable done_;        ///< for the timeline: blocks are executed
  std::map<std::int64_t, Begun> begun_; ///< blocks; those that are taken as far as next_ needs them
  std::int64_t next_ = 0;               ///< all before it have begun
  std::int64_t ahead_ = 0, ahead_bytes_ = 0; ///< begun and not taken
  std::int64_t executed_ = 0;                ///< of those
  std::size_t at_work_ = 0;                  ///< helpers
  bool waiting_ = false;                     ///< the timeline
  bool full_ = false; ///< until half of what waited is taken: to wake a helper costs like a block
  FastRun* failed_ = nullptr; ///< the run whose execution has halted
  std::exception_ptr exception_;
};

/// Executes and times a launch, its blocks side by side if it is large enough and they are not
/// ordered; as run_timeline.
bool run_side_by_side(LaunchRun& launch, BlockRunner& blocks, Cycles limit, LaunchTally& tally);

} // namespace memlane::fast
