#include "memlane/store/point_order.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace memlane::sweep {

/// The points of one program.
struct ProgramQueue {
  std::vector<std::size_t> points; ///< places in Pending::points, the heaviest first
  std::size_t first = 0, last = 0; ///< a range of `points`: those that have not begun
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

/// A program without a timed run, and without a running one.
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
  constexpr std::size_t looked_at = 256; // the most points of a program that are estimated
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

namespace {

using Runs = std::vector<TimedPoint>;

/// Runs points of each program with growing weights, the lightest first, until the trial's seconds
/// are over. A command can do anything, and is not run for an estimate.
void add_trials(const Plan& plan, const Pending& pending, const SweepRuns& runs, double trial,
                const Sources& sources, std::vector<Runs>& known) {
  constexpr float step = 4;
  const double end = runs.clock() + trial;
  std::vector<float> next(known.size(), 0); // the least weight that tells more
  SweepRuns short_runs = runs;
  for (auto point = pending.points.rbegin(); point != pending.points.rend(); ++point) {
    const auto program = static_cast<std::size_t>(point->program);
    if (point->weight < next[program]) continue;
    if (runs.clock() >= end) return;
    if (!plan.point(point->number).point.command.empty()) continue;
    next[program] = step * point->weight;
    short_runs.limits.seconds = std::max(1e-3, end - runs.clock());
    const EndedPoint ended = run_planned(plan, point->number, short_runs, sources);
    if (ended.status == PointStatus::done)
      known[program].push_back({point->program, point->weight, ended.stored.seconds});
  }
}

} // namespace

WorkEstimate estimate_work(const Plan& plan, const Pending& pending, const SweepRuns& runs,
                           double trial, const Sources& sources) {
  WorkEstimate estimate;
  constexpr std::size_t bound = 64;
  for (std::size_t k = 0; k < std::min(bound, pending.points.size()); ++k) {
    PlannedPoint planned = plan.point(pending.points[k].number);
    planned.point.options.limits = runs.limits.run;
    const Result<ir::Program> code = bind_point(planned.point, sources);
    if (!code) continue;
    const std::int64_t bytes = bytes_of_point(planned.point, *code);
    if (bytes <= estimate.bytes) continue;
    estimate.bytes = bytes;
    estimate.largest = planned.label;
  }
  std::vector<Runs> known(pending.programs.size());
  for (const TimedPoint& run : pending.timed)
    known[static_cast<std::size_t>(run.program)].push_back(run);
  add_trials(plan, pending, runs, trial, sources, known);
  std::vector<std::optional<PowerLaw>> laws;
  for (const Runs& timed : known) {
    estimate.from_runs += static_cast<std::int64_t>(timed.size());
    laws.push_back(timed.empty() ? std::nullopt : std::optional(fitted_law(timed)));
  }
  double seconds = 0;
  for (const PendingPoint& point : pending.points) {
    const auto& law = laws[static_cast<std::size_t>(point.program)];
    if (!law) return estimate; // a program of which nothing is known
    seconds += law->at(static_cast<double>(point.weight));
  }
  estimate.seconds = seconds;
  return estimate;
}

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

/// The median of slopes between pairs (Theil, Sen), then the median of factors among the heavier
/// half: a run that the system held up decides nothing. The power is fitted only to runs that last
/// long enough to be timed; without such pairs the seconds are taken to grow with the weight.
PowerLaw fitted_law(std::vector<TimedPoint> runs) {
  constexpr double timed = 2e-4, far_apart = 4, steepest = 3;
  constexpr std::size_t most = 200;
  std::sort(runs.begin(), runs.end(),
            [](const TimedPoint& a, const TimedPoint& b) { return a.weight < b.weight; });
  std::vector<TimedPoint> some;
  const std::size_t step = (runs.size() + most - 1) / most;
  for (std::size_t k = 0; k < runs.size(); k += step) some.push_back(runs[runs.size() - 1 - k]);
  std::vector<double> slopes, factors;
  for (const TimedPoint& heavy : some)
    for (const TimedPoint& light : some)
      if (light.seconds >= timed && heavy.weight >= far_apart * light.weight)
        slopes.push_back(std::log(heavy.seconds / light.seconds) /
                         std::log(static_cast<double>(heavy.weight / light.weight)));
  PowerLaw law;
  if (!slopes.empty()) law.power = std::clamp(median(std::move(slopes)), 0.0, steepest);
  for (std::size_t k = 0; k < (some.size() + 1) / 2; ++k)
    factors.push_back(some[k].seconds / std::pow(some[k].weight, law.power));
  law.factor = median(std::move(factors));
  return law;
}

} // namespace memlane::sweep
