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

namespace memlane::fast {

class BlocksAhead {
public:
  /// Whether the launch is large enough.
  static bool serves(const LaunchRun& launch, std::int64_t least_threads);

  /// `own`: the timeline's runner. Refers to both. Of the helpers all but one work at once, and the
  /// last while the timeline waits.
  BlocksAhead(LaunchRun& launch, BlockRunner& own, std::size_t helpers);

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
  void execute(LaunchRun& launch, BlockRunner& runner, std::int64_t block, Lock& lock);

  LaunchRun& launch_;
  BlockRunner& own_;
  std::int64_t base_steps_;
  std::int64_t most_ahead_;
  std::vector<std::unique_ptr<Helper>> helpers_;
  std::atomic<bool> closed_ = false;

  std::mutex mutex_; ///< protects what follows
  std::condition_variable change_;
  std::map<std::int64_t, Begun> begun_; ///< blocks; those that are taken as far as next_ needs them
  std::int64_t next_ = 0;               ///< all before it have begun
  std::int64_t ahead_ = 0, ahead_bytes_ = 0; ///< begun and not taken
  std::size_t at_work_ = 0;                  ///< helpers
  bool waiting_ = false;                     ///< the timeline
  FastRun* failed_ = nullptr;                ///< the run whose execution has halted
  std::exception_ptr exception_;
};

/// Executes and times a launch, its blocks side by side if it is large enough and they are not
/// ordered; as run_timeline.
bool run_side_by_side(LaunchRun& launch, BlockRunner& blocks, Cycles limit, LaunchTally& tally);

} // namespace memlane::fast
