#include "interrupt.hpp"

#include <time.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>

namespace memlane::cli {
namespace {

constexpr std::int64_t no_signal = -1;
/// Wrappers such as timeout(1) signal the program and its group: within so long it is one wish.
constexpr std::int64_t one_wish = 300;

// When the first signal came, in milliseconds. A signal handler may touch nothing else: the one
// mutable global of the project.
std::atomic<std::int64_t> signalled = no_signal;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void note_signal(int signal) {
  const std::int64_t now = milliseconds();
  std::int64_t first = no_signal;
  if (signalled.compare_exchange_strong(first, now) || now - first < one_wish) return;
  // The second Ctrl-C ends the program at once, should the first have been in vain.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  // Who started the program with the signal ignored (nohup, a shell's `&`) wants it so.
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

} // namespace

InterruptGuard::InterruptGuard() {
  signalled = no_signal;
  handle(SIGINT, note_signal);
  handle(SIGTERM, note_signal);
}

InterruptGuard::~InterruptGuard() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

std::function<Stop()> stop_check(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  return [start, seconds] {
    if (signalled != no_signal) return Stop::interrupted;
    if (seconds <= 0) return Stop::none;
    const std::chrono::duration<double> passed = Clock::now() - start;
    return passed.count() >= seconds ? Stop::wall_clock : Stop::none;
  };
}

} // namespace memlane::cli
