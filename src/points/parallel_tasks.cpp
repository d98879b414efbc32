#include "memlane/points/parallel_tasks.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace memlane::sweep {
namespace {

/// The tasks and how far they are. `mutex_` guards what changes.
class TaskQueue {
public:
  TaskQueue(std::int64_t memory, const ParallelTasks& tasks)
      : tasks_(tasks), memory_(memory), done_(tasks.count), held_by_(tasks.count) {}

  /// What each thread does until no task is left.
  void run_tasks();
  void throw_if_failed() const {
    if (failure_) std::rethrow_exception(failure_);
  }

private:
  using Lock = std::unique_lock<std::mutex>;

  bool over() const { return failure_ || next_ == tasks_.count; }
  bool start(std::size_t task);
  void finish(std::size_t task);
  void release(std::size_t task);

  const ParallelTasks& tasks_;
  const std::int64_t memory_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::size_t next_ = 0; ///< the first task that no thread has
  /// How many tasks have started, and how many were taken: always the first ones.
  std::size_t started_ = 0, taken_ = 0;
  std::size_t holding_ = 0;           ///< tasks that hold their bytes
  std::int64_t held_ = 0;             ///< the bytes these hold
  std::vector<bool> done_;            ///< one for each task
  std::vector<std::int64_t> held_by_; ///< the bytes that each task holds
  bool taking_ = false;               ///< a thread calls `take`
  std::exception_ptr failure_;
};

void TaskQueue::run_tasks() {
  for (;;) {
    std::size_t task = 0;
    {
      const Lock lock(mutex_);
      if (over()) return;
      task = next_++;
    }
    try {
      if (!start(task)) return;
      tasks_.work(task);
      finish(task);
    } catch (...) {
      const Lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      change_.notify_all();
    }
  }
}

// Tasks start in their order, so one that waits for memory gets it at last: all before it are
// running or done, and will be taken. False if the work ended meanwhile.
bool TaskQueue::start(std::size_t task) {
  const std::int64_t bytes = tasks_.bytes ? tasks_.bytes(task) : 0;
  Lock lock(mutex_);
  change_.wait(lock, [&] {
    return failure_ || (started_ == task && (holding_ == 0 || bytes <= memory_ - held_));
  });
  if (failure_) return false;
  ++started_;
  ++holding_;
  held_ += held_by_[task] = bytes;
  change_.notify_all();
  return true;
}

/// Requires that mutex_ is locked.
void TaskQueue::release(std::size_t task) {
  held_ -= held_by_[task];
  --holding_;
  change_.notify_all();
}

/// Takes all results that are next in order, unless another thread does, which sees this one too.
/// Without `take` nothing is kept for its turn.
void TaskQueue::finish(std::size_t task) {
  Lock lock(mutex_);
  if (!tasks_.take) return release(task);
  done_[task] = true;
  if (taking_) return;
  taking_ = true;
  while (taken_ < started_ && done_[taken_]) {
    lock.unlock();
    tasks_.take(taken_); // no other thread changes it now
    lock.lock();
    release(taken_++);
  }
  taking_ = false;
}

} // namespace

void run_parallel(std::size_t jobs, std::int64_t memory, const ParallelTasks& tasks) {
  TaskQueue queue(memory, tasks);
  const std::size_t threads = std::min(jobs, tasks.count);
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    while (others.size() + 1 < threads) others.emplace_back([&queue] { queue.run_tasks(); });
  } catch (const std::system_error&) {
    // The system allows no more threads: the existing ones do the work.
  }
  queue.run_tasks();
  for (std::thread& other : others) other.join();
  queue.throw_if_failed();
}

void run_together(std::size_t count, const std::function<void(std::size_t)>& work) {
  ParallelTasks tasks;
  tasks.count = count;
  tasks.work = work;
  run_parallel(count, 0, tasks);
}

} // namespace memlane::sweep
