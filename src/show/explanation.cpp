#include "memlane/show/explanation.hpp"

#include "memlane/count/hiding.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace memlane {

namespace {

constexpr std::size_t most_suggestions = 3;
constexpr std::int64_t most_requests_in_flight = 1024; ///< that a machine file may hold

/// Values worth a run: 2, 4 and 8 times the present one, and what the account advises.
std::set<std::int64_t> more_of(std::int64_t value,
                               const std::vector<std::optional<HidingAdvice>>& advice) {
  std::set<std::int64_t> values;
  for (std::int64_t times = 2; times <= 8; times *= 2)
    if (value <= INT64_MAX / times) values.insert(times * value);
  for (const auto& one : advice)
    if (one) values.insert(one->value);
  return values;
}

/// Time units that are worth a change.
double least_time(const MachineSpec& machine, const RunResult& run) {
  return least_gain * static_cast<double>(time_beside_launches(machine, run.counts));
}

bool waits_for_latency(const MachineSpec& machine, const RunResult& run) {
  const auto waits = [&](const std::vector<UnitCounts>& units) {
    return std::any_of(units.begin(), units.end(), [&](const UnitCounts& unit) {
      return unit.requests > 0 &&
             static_cast<double>(unit.idle_latency + unit.idle_barrier) >= least_time(machine, run);
    });
  };
  return waits(run.counts.global) || waits(run.counts.shared);
}

/// Whether a unit was often idle for this reason.
bool waits_often(const MachineSpec& machine, const RunResult& run, WaitCause cause) {
  const auto waits = [&](const UnitCounts& unit) {
    return static_cast<double>(unit.waits[static_cast<std::size_t>(cause)]) >=
           least_time(machine, run);
  };
  return run.counts.time.value > 0 &&
         (std::any_of(run.counts.global.begin(), run.counts.global.end(), waits) ||
          std::any_of(run.counts.shared.begin(), run.counts.shared.end(), waits));
}

} // namespace

std::string_view name_of(PredictionBasis basis) {
  constexpr std::array<std::string_view, 2> names = {"simulated_without_data", "simulated"};
  return names[static_cast<std::size_t>(basis)];
}

std::vector<Suggestion> best_suggestions(std::vector<Suggestion> all) {
  std::vector<Suggestion> best;
  constexpr double about = 0.95;
  for (const Suggestion& one : all) {
    std::int64_t most = 0;
    const auto same = [&](const Suggestion& other) {
      return other.change.kind == one.change.kind && other.change.name == one.change.name;
    };
    for (const Suggestion& other : all)
      if (same(other)) most = std::max(most, other.predicted_gain);
    const bool enough =
        static_cast<double>(one.predicted_gain) >= about * static_cast<double>(most);
    if (enough && std::none_of(best.begin(), best.end(), same)) best.push_back(one);
  }
  std::stable_sort(best.begin(), best.end(), [](const Suggestion& a, const Suggestion& b) {
    return a.predicted_time < b.predicted_time;
  });
  best.resize(std::min(best.size(), most_suggestions), {});
  return best;
}

std::vector<Change> latency_changes(const MachineSpec& machine, const RunResult& run) {
  std::vector<Change> changes;
  if (!is_timed(machine.model) || !waits_for_latency(machine, run)) return changes;
  const LatencyHiding account = latency_hiding(machine, run.counts);
  std::vector<std::optional<HidingAdvice>> threads, blocks;
  for (const auto* unit : {&account.global, &account.shared})
    if (*unit) {
      threads.push_back((*unit)->threads);
      blocks.push_back((*unit)->resident_blocks);
    }
  for (const std::int64_t value : more_of(machine.threads, threads))
    changes.push_back({ChangeKind::machine, "threads", std::to_string(value)});
  // Warps often had as many requests on their way as they may have, or waited for a value.
  if (waits_often(machine, run, WaitCause::requests))
    for (const std::int64_t value : more_of(machine.requests_in_flight, {}))
      if (value <= most_requests_in_flight)
        changes.push_back({ChangeKind::machine, "requests_in_flight", std::to_string(value)});
  const bool may_hoist = machine.requests_in_flight > 1 && machine.schedule == Schedule::program;
  if (may_hoist && waits_often(machine, run, WaitCause::value))
    changes.push_back({ChangeKind::machine, "schedule", std::string(name_of(Schedule::hoisted))});
  const bool several =
      std::any_of(run.launches.begin(), run.launches.end(), [&](const LaunchCounts& launch) {
        return launch.blocks > machine.multiprocessors * machine.resident_blocks;
      });
  if (!several) return changes;
  for (const std::int64_t value : more_of(machine.resident_blocks, blocks))
    changes.push_back({ChangeKind::machine, "resident_blocks", std::to_string(value)});
  return changes;
}

} // namespace memlane
