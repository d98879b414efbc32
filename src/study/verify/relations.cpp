// The runs of a program from which its relations follow.
#include "memlane/study/verify/relations.hpp"

#include "memlane/count/derive.hpp"
#include "memlane/engine/observer.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>

namespace memlane::sweep {
namespace {

/// When the last multiprocessor ends. O(blocks * log(multiprocessors)).
std::int64_t greedy_time(const std::vector<std::int64_t>& blocks, std::int64_t multiprocessors) {
  const auto count = std::min(static_cast<std::size_t>(multiprocessors), blocks.size());
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> free(
      {}, std::vector<std::int64_t>(count, 0));
  std::int64_t end = 0;
  for (const std::int64_t block : blocks) {
    const std::int64_t ended = free.top() + block;
    free.pop();
    free.push(ended);
    end = std::max(end, ended);
  }
  return end;
}

std::int64_t merged_time(const std::vector<std::int64_t>& blocks, std::int64_t multiprocessors) {
  std::vector<std::int64_t> times(static_cast<std::size_t>(multiprocessors), 0);
  for (std::size_t j = 0; j < blocks.size(); ++j) times[j % times.size()] += blocks[j];
  return *std::max_element(times.begin(), times.end());
}

/// Sums the schedules of a run that it observes.
class LaunchSchedules final : public Observer {
public:
  /// `multiprocessors`: of the greedy schedule; `merged`: keys of ScheduleSums::merged.
  LaunchSchedules(std::int64_t multiprocessors, std::vector<std::int64_t> merged)
      : multiprocessors_(multiprocessors), merged_(std::move(merged)) {}

  void run_begins() override {
    sums_ = {};
    for (const std::int64_t count : merged_) sums_.merged[count] = 0;
  }
  void launch_begins(std::int64_t, const LaunchShape& shape, std::string_view) override {
    sums_.most_blocks = std::max(sums_.most_blocks, shape.blocks);
  }
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override;
  const ScheduleSums& sums() const { return sums_; }

private:
  std::int64_t multiprocessors_;
  std::vector<std::int64_t> merged_;
  std::vector<StatementCounts> statements_; ///< of the multiprocessor that is counted
  ScheduleSums sums_;
};

void LaunchSchedules::launch_ends(std::int64_t, const LaunchTally& tally) {
  std::vector<std::int64_t> blocks;
  for (const Tally& of_mp : tally.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    count_statements(of_mp, *tally.kernel, statements_);
    blocks.resize(static_cast<std::size_t>(&of_mp - tally.multiprocessors.data()));
    blocks.push_back(sum_of_costs(statements_));
  }
  if (blocks.empty()) return;
  sums_.most_code =
      std::max(sums_.most_code, static_cast<std::int64_t>(tally.kernel->instructions.size()));
  sums_.work += std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  sums_.depth += *std::max_element(blocks.begin(), blocks.end());
  sums_.greedy += greedy_time(blocks, multiprocessors_);
  for (auto& [count, time] : sums_.merged) time += merged_time(blocks, count);
}

using VariantRuns = std::map<MachineVariant, VariantRun>;

/// Runs the variants that have not been run, side by side. The code is as it was bound to the asked
/// machine, thus with that machine's k, p and M.
void run_variants(const RelationsRequest& request, const Sources& sources,
                  const std::vector<MachineVariant>& variants, VariantRuns& runs) {
  const Point& asked = request.point;
  const std::int64_t k = asked.machine.multiprocessors;
  std::vector<Point> points;
  std::vector<VariantRun*> of_points;
  std::deque<LaunchSchedules> schedules;
  for (const auto& [multiprocessors, is_volatile] : variants) {
    const auto [place, is_new] = runs.try_emplace({multiprocessors, is_volatile});
    if (!is_new) continue;
    MachineSpec& machine = place->second.machine;
    machine = asked.machine;
    machine.multiprocessors = multiprocessors;
    machine.is_volatile = is_volatile;
    // Ports change no count of an AGPU, but many multiprocessors with one take long to simulate.
    if (multiprocessors > k) machine.global->ports = multiprocessors;
    schedules.emplace_back(k, multiprocessors == k ? fewer_multiprocessors(k)
                                                   : std::vector<std::int64_t>());
    Point& point = points.emplace_back(asked);
    point.machine = machine;
    point.claims = false;
    point.observer = &schedules.back();
    of_points.push_back(&place->second);
  }
  run_points(points, sources, request.runs, [&](std::size_t at, PointResult result) {
    of_points[at]->result = std::move(result.run);
    of_points[at]->schedules = schedules[at].sums();
  });
}

bool ended(const VariantRun& run) { return run.result.stop == Stop::none; }

/// Whether the machine keeps shared arrays of the program.
bool keeps_shared(const ir::Program& program, const MachineSpec& machine) {
  return !machine.is_volatile &&
         std::any_of(program.arrays.begin(), program.arrays.end(), [](const ir::Array& array) {
           return array.space == ir::Space::shared && array.top_level;
         });
}

/// Whether a run with a multiprocessor for each block is possible: its tallies fit into memory.
bool can_run_apart(const ScheduleSums& sums, const Limits& limits) {
  constexpr std::int64_t most = 65536;                       // multiprocessors of any machine
  constexpr std::int64_t bytes = 2 * 4 * sizeof(Executions); // a tally and its sum, by instruction
  return sums.most_blocks <= most &&
         sums.most_blocks * bytes <= limits.memory / (sums.most_code + 1);
}

/// The first run that did not come to its end, else the first with a wrong result. The run on the
/// machine that was asked for comes first.
std::optional<VariantRun> failed_run(const VariantRuns& runs, MachineVariant asked) {
  std::vector<const VariantRun*> all = {&runs.at(asked)};
  for (const auto& [variant, run] : runs) all.push_back(&run);
  const auto is_wrong = [](auto* run) { return run->result.verify == Verdict::failed; };
  auto failed = std::find_if(all.begin(), all.end(), [](auto* run) { return !ended(*run); });
  if (failed == all.end()) failed = std::find_if(all.begin(), all.end(), is_wrong);
  return failed == all.end() ? std::nullopt : std::optional(**failed);
}

} // namespace

bool Relations::hold() const {
  return std::none_of(relations.begin(), relations.end(),
                      [](const Relation& relation) { return relation.holds == false; });
}

std::vector<std::int64_t> fewer_multiprocessors(std::int64_t multiprocessors) {
  constexpr std::size_t most = 8;
  for (std::int64_t factor = 2;; factor *= 2) {
    std::vector<std::int64_t> fewer;
    for (std::int64_t count = 1; count < multiprocessors; count *= factor) fewer.push_back(count);
    if (fewer.size() <= most) return fewer;
  }
}

Relations relations_of(const RelationsRequest& request, const Sources& sources) {
  const Point& point = request.point;
  const std::int64_t k = point.machine.multiprocessors;
  const MachineVariant asked = {k, point.machine.is_volatile}, erasing = {k, true};
  Relations relations;
  VariantRuns& runs = relations.runs;
  const auto is_cut = [&] {
    relations.failed = failed_run(runs, asked);
    return relations.failed && !ended(*relations.failed);
  };
  const bool may_keep = point.options.timing_only && keeps_shared(*point.code, point.machine);
  run_variants(request, sources, {asked, may_keep ? asked : erasing}, runs);
  // Only reads of erased words can fail on the volatile machine alone.
  const bool is_kept =
      may_keep || (ended(runs.at(asked)) && runs.at(erasing).result.stop == Stop::error);
  if (is_kept) runs.erase(erasing);
  if (is_cut()) return relations;

  const ScheduleSums& sums = runs.at(asked).schedules;
  if (!is_kept) {
    std::vector<MachineVariant> more = {{k, false}, {1, true}, {1, false}};
    for (const std::int64_t fewer : fewer_multiprocessors(k)) more.emplace_back(fewer, true);
    const MachineVariant apart = {std::max(k, sums.most_blocks), true};
    const bool is_apart = can_run_apart(sums, point.options.limits);
    if (is_apart) more.push_back(apart);
    run_variants(request, sources, more, runs);
    if (is_cut()) return relations;
    if (is_apart) relations.depth = runs.at(apart).schedules.depth;
    if (is_apart) relations.greedy = runs.at(apart).schedules.greedy;
  }
  relations.run = runs.at(asked).result;
  relations.work = sums.work;
  relations.relations = relation_list(request, relations);
  return relations;
}

} // namespace memlane::sweep
