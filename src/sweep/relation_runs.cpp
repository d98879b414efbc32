#include "relation_runs.hpp"

namespace memlane::sweep {

std::vector<std::int64_t> fewer_multiprocessors(std::int64_t multiprocessors) {
  constexpr std::size_t most = 8;
  for (std::int64_t factor = 2;; factor *= 2) {
    std::vector<std::int64_t> fewer;
    for (std::int64_t count = 1; count < multiprocessors; count *= factor) fewer.push_back(count);
    if (fewer.size() <= most) return fewer;
  }
}

RelationRuns::RelationRuns(const RelationsRequest& request, const Sources& sources)
    : request_(request), sources_(sources),
      fewer_(fewer_multiprocessors(request.point.machine.multiprocessors)) {}

void RelationRuns::run(const std::vector<MachineVariant>& variants) {
  std::vector<Point> points;
  std::vector<VariantRun*> runs;
  std::vector<std::unique_ptr<LaunchSchedules>> schedules;
  const Point& asked = request_.point;
  for (const MachineVariant& variant : variants) {
    std::unique_ptr<VariantRun>& run = runs_[variant];
    if (run) continue;
    run = std::make_unique<VariantRun>();
    run->machine = asked.machine;
    run->machine.multiprocessors = variant.first;
    run->machine.is_volatile = variant.second;
    // Ports change no count of an AGPU, but many multiprocessors with one take long to simulate.
    if (variant.first > asked.machine.multiprocessors) run->machine.global->ports = variant.first;
    const bool is_asked = variant.first == asked.machine.multiprocessors;
    schedules.push_back(std::make_unique<LaunchSchedules>(
        *asked.code, run->machine, sources_, asked.machine.multiprocessors,
        is_asked ? fewer_ : std::vector<std::int64_t>()));
    points.push_back(asked);
    points.back().machine = run->machine;
    points.back().claims = false;
    points.back().observer = schedules.back().get();
    runs.push_back(run.get());
  }
  run_points(points, sources_, request_.runs, [&](std::size_t at, PointResult result) {
    runs[at]->result = std::move(result.run);
    runs[at]->schedules = schedules[at]->sums();
  });
}

} // namespace memlane::sweep
