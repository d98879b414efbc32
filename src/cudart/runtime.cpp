#include "runtime.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace memlane::cudart {

namespace {

/// What a child of fork has is a copy of everything, and works: device memory is the process's. The
/// lock is taken meanwhile, so that no other thread holds it in the child for ever.
void lock_before_fork() { runtime().lock.lock(); }
void unlock_after_fork() { runtime().lock.unlock(); }
/// A child of fork has results of its own, which nobody asked for.
void forget_results() {
  runtime().priced.reset();
  unlock_after_fork();
}

void write_results() {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  if (all.priced) all.priced->write();
}

} // namespace

Runtime& runtime() {
  static Runtime* const all = [] {
    auto* const made = new Runtime;
    if (made->priced) {
      made->device.set_limits(made->priced->limits());
      std::atexit(write_results);
    }
    pthread_atfork(lock_before_fork, unlock_after_fork, forget_results);
    return made;
  }();
  return *all;
}

Error sticky_error() {
  Runtime& all = runtime();
  const std::lock_guard<std::recursive_mutex> guard(all.lock);
  return all.sticky;
}

void say(const std::string& text) {
  std::string lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += "memlane: " + text.substr(at, end - at) + '\n';
    at = end + 1;
  }
  std::fflush(stdout); // what the program has said before stands before it
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

} // namespace memlane::cudart
