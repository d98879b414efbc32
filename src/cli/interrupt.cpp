#include "interrupt.hpp"

#include <chrono>
#include <csignal>

namespace memlane::cli {
namespace {

// A signal handler may touch nothing else: the one mutable global of the project.
volatile std::sig_atomic_t signalled = 0;

extern "C" void note_signal(int) { signalled = 1; }

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  // Who started the program with the signal ignored (nohup, a shell's `&`) wants it so.
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

} // namespace

InterruptGuard::InterruptGuard() {
  signalled = 0;
  // The second Ctrl-C ends the program at once, should the first have been in vain.
  const int once = static_cast<int>(SA_RESETHAND);
  handle(SIGINT, note_signal, once);
  handle(SIGTERM, note_signal, once);
}

InterruptGuard::~InterruptGuard() {
  handle(SIGINT, SIG_DFL, 0);
  handle(SIGTERM, SIG_DFL, 0);
}

std::function<Stop()> stop_check(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  return [start, seconds] {
    if (signalled != 0) return Stop::interrupted;
    if (seconds <= 0) return Stop::none;
    const std::chrono::duration<double> passed = Clock::now() - start;
    return passed.count() >= seconds ? Stop::wall_clock : Stop::none;
  };
}

} // namespace memlane::cli
