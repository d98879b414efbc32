#include "pieces.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace memlane::cli {

namespace {

/// Pieces under way. What changes is the lock's.
class Work {
public:
  Work(std::int64_t memory, const Pieces& pieces)
      : pieces_(pieces), memory_(memory), done_(pieces.count) {}

  /// What each thread does, until there is nothing to begin.
  void go_on();
  void throw_if_failed() const {
    if (failure_) std::rethrow_exception(failure_);
  }

private:
  using Lock = std::unique_lock<std::mutex>;

  bool over() const { return failure_ || begun_ == pieces_.count; }
  std::int64_t bytes(std::size_t piece) const { return pieces_.bytes ? pieces_.bytes(piece) : 0; }
  bool has_room() const { return begun_ == taken_ || bytes(begun_) <= memory_ - held_; }
  void finished(std::size_t piece, Lock& lock);

  const Pieces& pieces_;
  const std::int64_t memory_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::size_t begun_ = 0, taken_ = 0; ///< so many, the first ones
  std::int64_t held_ = 0;             ///< bytes of those begun and not taken
  std::vector<bool> done_;
  bool taking_ = false; ///< a thread does
  std::exception_ptr failure_;
};

// The next piece alone may begin, so that one that waits for room gets it at last: all before it
// are under way or done, and will be taken.
void Work::go_on() {
  Lock lock(mutex_);
  for (;;) {
    change_.wait(lock, [&] { return over() || has_room(); });
    if (over()) return;
    const std::size_t piece = begun_++;
    held_ += bytes(piece);
    lock.unlock();
    try {
      pieces_.work(piece);
      lock.lock();
      finished(piece, lock);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!failure_) failure_ = std::current_exception();
      change_.notify_all();
    }
  }
}

/// Takes what can be taken now, unless another thread is about it, which will see this one too.
void Work::finished(std::size_t piece, Lock& lock) {
  done_[piece] = true;
  if (taking_) return;
  taking_ = true;
  while (taken_ < begun_ && done_[taken_]) {
    if (pieces_.take) {
      lock.unlock();
      pieces_.take(taken_); // no other thread changes it now
      lock.lock();
    }
    held_ -= bytes(taken_++);
    change_.notify_all();
  }
  taking_ = false;
}

} // namespace

void do_pieces(std::size_t jobs, std::int64_t memory, const Pieces& pieces) {
  Work work(memory, pieces);
  const std::size_t threads = std::min(jobs, pieces.count);
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    while (others.size() + 1 < threads) others.emplace_back([&work] { work.go_on(); });
  } catch (const std::system_error&) {
    // The system allows no more threads: those that there are do the work.
  }
  work.go_on();
  for (std::thread& other : others) other.join();
  work.throw_if_failed();
}

void work_together(std::size_t count, const std::function<void(std::size_t)>& work) {
  Pieces pieces;
  pieces.count = count;
  pieces.work = work;
  do_pieces(count, 0, pieces);
}

} // namespace memlane::cli
