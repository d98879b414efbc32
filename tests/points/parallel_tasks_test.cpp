// Tasks on several threads: each done once, in order, within the memory.
#include "support/catch.hpp"

#include "memlane/points/parallel_tasks.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace memlane::sweep {
namespace {

/// Work of a length that depends on the task.
void spin(std::size_t task) {
  std::atomic<std::size_t> k = 0;
  while (k < (task * 7919) % 4000) ++k;
}

} // namespace

TEST_CASE("tasks are each done once, and taken in their order") {
  for (const std::size_t jobs : {1U, 2U, 7U, 100U}) {
    constexpr std::size_t count = 500;
    std::vector<int> done(count); // each is written by one piece alone
    std::vector<std::size_t> taken;
    ParallelTasks tasks;
    tasks.count = count;
    tasks.work = [&](std::size_t task) {
      spin(task);
      ++done[task];
    };
    tasks.take = [&](std::size_t task) {
      CHECK(done[task] == 1);
      taken.push_back(task);
    };
    run_parallel(jobs, 0, tasks);
    CHECK(std::count(done.begin(), done.end(), 1) == count);
    REQUIRE(taken.size() == count);
    CHECK(std::is_sorted(taken.begin(), taken.end()));
  }
  run_parallel(3, 0, ParallelTasks{});
}

TEST_CASE("running tasks never hold more than the memory, except one alone") {
  constexpr std::int64_t memory = 100;
  std::mutex mutex;
  std::int64_t held = 0, begun = 0, most = 0;
  const auto bytes = [](std::size_t task) -> std::int64_t {
    return task == 11 ? INT64_MAX : task % 10 == 0 ? 90 : 30;
  };
  ParallelTasks tasks;
  tasks.count = 60;
  tasks.bytes = bytes;
  tasks.work = [&](std::size_t task) {
    {
      const std::lock_guard lock(mutex);
      ++begun;
      if (task == 11) {
        CHECK(begun == 1);
      } else {
        held += bytes(task);
        most = std::max(most, held);
        CHECK(held <= memory);
      }
    }
    spin(task);
  };
  tasks.take = [&](std::size_t task) {
    const std::lock_guard lock(mutex);
    --begun;
    if (task != 11) held -= bytes(task);
  };
  run_parallel(7, memory, tasks);
  CHECK(held == 0);
  CHECK(most >= 90);
}

TEST_CASE("what a task throws is thrown to the caller") {
  for (const std::size_t jobs : {1U, 4U}) {
    std::atomic<int> done = 0;
    ParallelTasks tasks;
    tasks.count = 1000;
    tasks.work = [&](std::size_t task) {
      if (task == 20) throw std::runtime_error("the twentieth");
      ++done;
    };
    CHECK_THROWS_WITH(run_parallel(jobs, 0, tasks), "the twentieth");
    CHECK(done < 1000);
    tasks.work = [](std::size_t) {};
    tasks.take = [](std::size_t task) {
      if (task == 20) throw std::runtime_error("not taken");
    };
    CHECK_THROWS_WITH(run_parallel(jobs, 0, tasks), "not taken");
  }
}

TEST_CASE("a long task does not keep the memory of those that ended after it") {
  // Two threads: the first task lasts until the last one is done, and only two fit at once.
  std::atomic<bool> last = false;
  std::atomic<bool> in_time = false;
  ParallelTasks tasks;
  tasks.count = 6;
  tasks.bytes = [](std::size_t) { return 40; };
  tasks.work = [&](std::size_t task) {
    if (task + 1 == tasks.count) last = true;
    for (int k = 0; task == 0 && !last && k < 10'000; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (task == 0) in_time = last.load();
  };
  run_parallel(2, 100, tasks);
  CHECK(in_time);
}

} // namespace memlane::sweep
