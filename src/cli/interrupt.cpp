#include "interrupt.hpp"

#include "pending_file.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace memlane::cli {
namespace {

constexpr std::int64_t no_signal = -1;
/// Wrappers such as timeout(1) signal the program and its group: within so long it is one wish.
constexpr std::int64_t one_wish = 300;

// When the first signal came, in milliseconds. Global, since a signal handler can reach nothing
// else.
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
  end_by_signal(signal);
}

/// 0 where it is not set.
std::int64_t number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : 0;
}

/// For tests: with MEMLANE_POLLS in the environment, how often work asks whether to stop, and the
/// longest time that it does not, from the first limits to the end of the program. With
/// MEMLANE_INTERRUPT_AT=n, too, the n-th question has the answer that it has after Ctrl-C.
class PollRecord {
public:
  void add() {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = milliseconds();
    if (polls_++ > 0) longest_ = std::max(longest_, now - last_);
    last_ = now;
    if (interrupt_at_ > 0 && polls_ >= interrupt_at_) signalled = now;
  }
  ~PollRecord() {
    add();
    fmt::print(stderr, "polls: {}, at most {} ms apart\n", polls_, longest_);
  }

private:
  std::mutex mutex_;
  std::int64_t polls_ = 0, last_ = 0, longest_ = 0;
  std::int64_t interrupt_at_ = number_in_environment("MEMLANE_INTERRUPT_AT");
};

PollRecord* poll_record() {
  static const std::unique_ptr<PollRecord> record(
      std::getenv("MEMLANE_POLLS") ? std::make_unique<PollRecord>() : nullptr);
  return record.get();
}

constexpr std::array noted = {SIGINT, SIGTERM, SIGHUP};

} // namespace

InterruptGuard::InterruptGuard() {
  signalled = no_signal;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  for (std::size_t k = 0; k < noted.size(); ++k) {
    sigaction(noted[k], nullptr, &before_[k]);
    // A signal that was ignored from the start (nohup, a shell's `&`) stays so.
    if (before_[k].sa_handler != SIG_IGN) sigaction(noted[k], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t k = 0; k < noted.size(); ++k) sigaction(noted[k], &before_[k], nullptr);
}

std::function<Stop()> stop_check(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  return [start, seconds, record = poll_record()] {
    if (record) record->add();
    if (signalled != no_signal) return Stop::interrupted;
    if (seconds <= 0) return Stop::none;
    const std::chrono::duration<double> passed = Clock::now() - start;
    return passed.count() >= seconds ? Stop::wall_clock : Stop::none;
  };
}

} // namespace memlane::cli
