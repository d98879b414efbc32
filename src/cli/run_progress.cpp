#include "run_progress.hpp"

#include "memlane/report/progress_text.hpp"

namespace memlane::cli {

RunProgressLine::RunProgressLine(Limits& limits) : start_(Clock::now()), launch_start_(start_) {
  if (!line_.shown()) return;
  limits.progress = &progress_;
  limits.check = [this, check = limits.check] {
    show();
    return check ? check() : Stop::none;
  };
}

void RunProgressLine::show() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return; // another thread is at it
  const Clock::time_point now = Clock::now();
  const std::int64_t launch = progress_.starts * 1'000'000'000 + progress_.launches;
  if (launch != launch_) {
    launch_ = launch;
    launch_start_ = now;
  }
  if (now - start_ < std::chrono::seconds(1)) return;
  const std::chrono::duration<double> of_launch = now - launch_start_;
  line_.show(progress_text(progress_, of_launch.count()));
}

} // namespace memlane::cli
