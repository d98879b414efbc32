#include "memlane/store/point_order.hpp"

#include "memlane/store/power_law.hpp"

#include <algorithm>
#include <mutex>

namespace memlane::sweep {

/// The points of one program.
struct ProgramQueue {
  std::vector<std::size_t> points; ///< places in Pending::points, the heaviest first
  std::size_t first = 0, last = 0; ///< of `points`: those that have not begun
  std::int64_t running = 0;
  double running_seconds = 0; ///< expected when they began
  std::vector<TimedPoint> runs;
  std::size_t fitted = 0; ///< runs behind the law
  std::optional<PowerLaw> law;

  bool waits() const { return first < last; }
  void add_run(const TimedPoint& run);
};

/// The law is fitted again when a quarter more runs are known, so that fits cost little.
void ProgramQueue::add_run(const TimedPoint& run) {
  constexpr std::size_t most = 2000;
  if (run.seconds <= 0 || runs.size() == most) return;
  runs.push_back(run);
  if (4 * runs.size() < 5 * fitted) return;
  law = fitted_law(runs);
  fitted = runs.size();
}

struct PointOrder::State {
  const Pending* pending = nullptr;
  std::vector<ProgramQueue> programs;
  mutable std::mutex mutex;

  double expected(const ProgramQueue& program, std::size_t place) const {
    return program.law ? program.law->at(static_cast<double>(pending->points[place].weight)) : 0;
  }
  ProgramQueue* untimed();
  ProgramQueue& longest();
};

/// A program of which nothing is known, and nothing runs that will tell.
ProgramQueue* PointOrder::State::untimed() {
  if (programs.size() < 2) return nullptr; // weights tell the order
  for (ProgramQueue& program : programs)
    if (program.waits() && !program.law && program.running == 0) return &program;
  return nullptr;
}

/// The program with the point that is expected to take longest; one without a law only if no other
/// has a point.
ProgramQueue& PointOrder::State::longest() {
  ProgramQueue* best = nullptr;
  double most = -1;
  for (ProgramQueue& program : programs) {
    if (!program.waits()) continue;
    const double seconds = program.law ? expected(program, program.points[program.first]) : -0.5;
    if (best && seconds <= most) continue;
    best = &program;
    most = seconds;
  }
  return *best;
}

PointOrder::PointOrder(const Pending& pending) : state_(std::make_unique<State>()) {
  state_->pending = &pending;
  state_->programs.resize(pending.programs.size());
  const auto program = [&](std::int32_t number) -> ProgramQueue& {
    return state_->programs[static_cast<std::size_t>(number)];
  };
  for (std::size_t place = 0; place < pending.points.size(); ++place)
    program(pending.points[place].program).points.push_back(place);
  for (ProgramQueue& one : state_->programs) one.last = one.points.size();
  for (const TimedPoint& run : pending.timed) program(run.program).add_run(run);
}

PointOrder::~PointOrder() = default;

std::size_t PointOrder::next() {
  const std::lock_guard lock(state_->mutex);
  ProgramQueue* const untimed = state_->untimed();
  ProgramQueue& program = untimed ? *untimed : state_->longest();
  const std::size_t place = program.points[untimed ? --program.last : program.first++];
  ++program.running;
  program.running_seconds += state_->expected(program, place);
  return place;
}

void PointOrder::ended(const PendingPoint& point, double seconds) {
  const std::lock_guard lock(state_->mutex);
  ProgramQueue& program = state_->programs[static_cast<std::size_t>(point.program)];
  program.running_seconds *= static_cast<double>(program.running - 1) /
                             static_cast<double>(std::max<std::int64_t>(1, program.running));
  --program.running;
  program.add_run({point.program, point.weight, seconds});
}

std::optional<double> PointOrder::seconds_left() const {
  constexpr std::size_t looked_at = 256; // of each program
  const std::lock_guard lock(state_->mutex);
  double seconds = 0;
  for (const ProgramQueue& program : state_->programs) {
    seconds += program.running_seconds / 2;
    if (!program.waits()) continue;
    if (!program.law) return std::nullopt;
    const std::size_t step = (program.last - program.first + looked_at - 1) / looked_at;
    for (std::size_t k = program.first; k < program.last; k += step)
      seconds += state_->expected(program, program.points[k]) *
                 static_cast<double>(std::min(step, program.last - k));
  }
  return seconds;
}

} // namespace memlane::sweep
