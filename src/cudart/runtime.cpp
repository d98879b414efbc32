#include "runtime.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace memlane::cudart {

namespace {

/// What a child of fork has is a copy of everything, and works: device memory is the process's. The
/// lock is taken meanwhile, so that no other thread holds it in the child for ever.
void lock_before_fork() { runtime().lock.lock(); }
void unlock_after_fork() { runtime().lock.unlock(); }
/// The thread that holds the lock has another number in the child, which may not unlock it: the
/// child gets a new one. It has no results of its own, which nobody asked for.
void renew_after_fork() {
  Runtime& all = runtime();
  new (&all.lock) std::recursive_mutex;
  all.priced.reset();
}

std::atomic<bool> stops_launches{false}, has_stopped{false};
constexpr std::chrono::milliseconds pause_for_lock{20};

void write_results() {
  Runtime& all = runtime();
  std::unique_lock<std::recursive_mutex> guard = lock_soon();
  stops_launches = !guard;
  while (!guard && !has_stopped && !guard.try_lock()) std::this_thread::sleep_for(pause_for_lock);
  if (all.priced) all.priced->write_end(all.device);
}

} // namespace

/// Programs call CUDA's functions in destructors of their own, which run after the library's would:
/// destructors of the library's static objects are not registered, so that these live as long as
/// the process. (`on_exit` does not come here.)
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

/// Kinds of faults after which launches go on: names with commas between them. What is no such name
/// is said, since a fault would end the program instead.
ptx::FaultKinds allowed_faults() {
  ptx::FaultKinds kinds;
  const char* set = std::getenv(allow_variable);
  std::string rest = set ? set : "";
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string name = rest.substr(0, comma);
    const auto kind = ptx::fault_named(name);
    if (kind && may_be_allowed(*kind))
      kinds.set(static_cast<std::size_t>(*kind));
    else
      say("error: " + std::string(allow_variable) + ": there is no fault '" + name +
          "' that can be allowed");
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return kinds;
}

std::unique_lock<std::recursive_mutex> lock_soon() {
  constexpr int tries = 25;
  std::unique_lock<std::recursive_mutex> lock(runtime().lock, std::defer_lock);
  for (int k = 0; k < tries && !lock.try_lock(); ++k) std::this_thread::sleep_for(pause_for_lock);
  return lock;
}
bool are_launches_stopped() { return stops_launches; }
void wait_for_end() {
  has_stopped = true;
  for (;;) ::pause();
}

Runtime& runtime() {
  static Runtime* const all = [] {
    auto* const made = new Runtime;
    made->device.allow(allowed_faults());
    if (made->priced) {
      made->device.set_limits(made->priced->limits());
      on_exit([](int, void*) { write_results(); }, nullptr);
      at_quick_exit(write_results);
    }
    pthread_atfork(lock_before_fork, unlock_after_fork, renew_after_fork);
    return made;
  }();
  return *all;
}

Error sticky_error() {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  return all.sticky;
}

} // namespace memlane::cudart
