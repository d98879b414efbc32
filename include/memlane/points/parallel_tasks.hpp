// Independent tasks on the cores of this machine: the only threads there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace memlane::sweep {

/// Tasks 0 … count - 1, which share nothing.
struct ParallelTasks {
  std::size_t count = 0;
  /// Does a task; called by any thread, for several tasks at once.
  std::function<void(std::size_t)> work;
  /// Receives the result of a task, in the order of the tasks, one at a time; by any thread. Empty:
  /// results stay where `work` put them.
  std::function<void(std::size_t)> take = {};
  /// Bytes that a task holds, from the start of its work until it is taken, or without `take` until
  /// the work is done. Called once, by the thread that does the work and before it, so that it may
  /// prepare the task. Empty: few.
  std::function<std::int64_t(std::size_t)> bytes = {};
};

/// Does all tasks with at most `jobs` threads, the calling one among them, and starts them in their
/// order. A task waits while its bytes and those of the running tasks exceed `memory`, unless none
/// is running. Results do not depend on the number of jobs. What a function throws ends the work:
/// running tasks are finished, then it is thrown here.
void run_parallel(std::size_t jobs, std::int64_t memory, const ParallelTasks& tasks);

/// work(0) … work(count - 1), each in a thread of its own: SideBySide::run of a run's options.
void run_together(std::size_t count, const std::function<void(std::size_t)>& work);

} // namespace memlane::sweep
