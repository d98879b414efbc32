// Points side by side: the only part of a point's run that has threads.
#include "memlane/points/parallel_tasks.hpp"
#include "memlane/points/point.hpp"

#include <mutex>

namespace memlane::sweep {
namespace {

/// Points under way. Each task has its own place in the list.
class PointQueue {
public:
  PointQueue(const PointSource& points, const Sources& sources, const PointRuns& runs,
             const TakeResult& take)
      : points_(points), sources_(sources), runs_(runs), take_(take), under_way_(points.count) {}

  void run();

private:
  struct UnderWay {
    Point point;
    PointResult result;
  };

  std::int64_t prepare(std::size_t at);
  void work(std::size_t at);
  void run_prepared(std::size_t at);
  void deliver(std::size_t at);

  const PointSource& points_;
  const Sources& sources_;
  const PointRuns& runs_;
  const TakeResult& take_;
  /// One for each point, null unless it is under way.
  std::vector<std::unique_ptr<UnderWay>> under_way_;
  std::mutex taking_, progressing_;
  std::size_t done_ = 0; ///< points that have ended
};

/// Binds the point unless the work was asked to stop; the bytes that its run will hold.
std::int64_t PointQueue::prepare(std::size_t at) {
  under_way_[at] = std::make_unique<UnderWay>(UnderWay{points_.point(at), {}});
  auto& [point, result] = *under_way_[at];
  if (point.options.limits.check) result.run.stop = point.options.limits.check();
  if (result.run.stop != Stop::none) return 0;
  const auto fail = [&result = result](const Diagnostics& errors) -> std::int64_t {
    result.code = nullptr;
    const Stop stop = stop_of(errors);
    result.run.stop = stop == Stop::none ? Stop::error : stop;
    result.run.errors = errors;
    return 0;
  };
  result.code = point.code;
  if (!result.code) {
    Result<ir::Program> code = bind_point(point, sources_);
    if (!code) return fail(code.errors());
    result.code = std::make_shared<const ir::Program>(std::move(*code));
  }
  if (runs_.bound)
    if (Status ready = runs_.bound(at, point, *result.code); !ready) return fail(ready.errors());
  return bytes_of_point(point, *result.code);
}

void PointQueue::run_prepared(std::size_t at) {
  auto& [point, result] = *under_way_[at];
  // It may have waited for memory since.
  if (point.options.limits.check) result.run.stop = point.options.limits.check();
  if (result.run.stop != Stop::none) return;
  if (runs_.begin) runs_.begin(at, point);
  const double begun = runs_.clock ? runs_.clock() : 0;
  point.code = result.code;
  result = run_point(point, sources_);
  if (runs_.clock) result.seconds = runs_.clock() - begun;
}

void PointQueue::work(std::size_t at) {
  if (under_way_[at]->result.code) run_prepared(at);
  if (runs_.progress) {
    const std::lock_guard lock(progressing_);
    runs_.progress(++done_, points_.count);
  }
  if (runs_.take_concurrently) return deliver(at);
  if (runs_.in_order) return;
  const std::lock_guard lock(taking_);
  deliver(at);
}

void PointQueue::deliver(std::size_t at) {
  take_(at, std::move(under_way_[at]->result));
  under_way_[at].reset();
}

void PointQueue::run() {
  ParallelTasks tasks;
  tasks.count = points_.count;
  tasks.bytes = [this](std::size_t at) { return prepare(at); };
  tasks.work = [this](std::size_t at) { work(at); };
  if (runs_.in_order && !runs_.take_concurrently)
    tasks.take = [this](std::size_t at) { deliver(at); };
  run_parallel(runs_.jobs, runs_.memory, tasks);
}

} // namespace

void run_points(const PointSource& points, const Sources& sources, const PointRuns& runs,
                const TakeResult& take) {
  PointQueue(points, sources, runs, take).run();
}

void run_points(const std::vector<Point>& points, const Sources& sources, const PointRuns& runs,
                const TakeResult& take) {
  run_points({points.size(), [&](std::size_t at) { return points[at]; }}, sources, runs, take);
}

} // namespace memlane::sweep
