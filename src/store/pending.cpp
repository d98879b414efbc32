// Which points of a plan are to be run: those that a store lacks.
#include "memlane/store/sweep_run.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>

namespace memlane::sweep {
namespace {

/// The product of the point's sizes. A proxy of its work: it decides only in which order points
/// begin and how the time that is left is estimated.
float weight_of(const PlannedPoint& point) {
  double weight = 1;
  for (const auto& [name, value] : point.values) {
    const auto number = memlane::number_of<double>(value);
    if (number && *number > 1) weight *= *number;
  }
  return static_cast<float>(std::min(weight, 1e30));
}

/// The number of a name in the list from place `first` on, which gets it if it is new. Points of a
/// program come together.
std::int32_t number_of(const std::string& name, std::size_t first,
                       std::vector<std::string>& names) {
  if (names.size() == first || names.back() != name) {
    const auto found =
        std::find(names.begin() + static_cast<std::ptrdiff_t>(first), names.end(), name);
    if (found != names.end()) return static_cast<std::int32_t>(found - names.begin());
    names.push_back(name);
  }
  return static_cast<std::int32_t>(names.size()) - 1;
}

/// Timed points that are kept for an estimate.
constexpr std::size_t most_timed = 10'000;

/// Whether a point that did not come to its end stopped at a limit that is the same now.
bool same_limit(const KnownPoint& known, const PointLimits& limits) {
  // One that was interrupted has no limit, as a limit that is not set.
  if (known.limit.empty()) return false;
  for (const Stop stop : {Stop::steps, Stop::time, Stop::memory, Stop::wall_clock})
    if (known.limit == limits.text_of(stop)) return true;
  return false;
}

PointState state_of(const std::optional<KnownPoint>& known, bool retry, const PointLimits& limits) {
  if (!known) return PointState::missing;
  if (known->status == PointStatus::done) return PointState::known;
  if (retry) return PointState::retried;
  if (known->status == PointStatus::stopped && !same_limit(*known, limits))
    return PointState::limited;
  return PointState::known;
}

/// Adds the points of a plan, without those whose keys are in `keys` already.
void add_pending(const Plan& plan, std::int32_t sweep, const Store* store, const Shard& shard,
                 bool retry, const PointLimits& limits, std::set<std::string>* keys,
                 Pending& pending) {
  // Weights of different sweeps cannot be compared, nor can those of one program in both.
  const std::size_t first_program = pending.programs.size();
  for (std::int64_t number = 0; number < plan.size(); ++number) {
    if (limits.run.check && limits.run.check() != Stop::none) {
      pending.interrupted = true;
      return;
    }
    const PlannedPoint point = plan.point(number);
    if (!shard.holds(point.key)) {
      ++pending.elsewhere;
      continue;
    }
    if (keys && !keys->insert(point.key).second) continue;
    const std::optional<KnownPoint> known = store ? store->find(point.key) : std::nullopt;
    const PointState state = state_of(known, retry, limits);
    const std::int32_t program = number_of(point.program, first_program, pending.programs);
    if (state == PointState::known) {
      add_to(pending.known, known->status, known->check_failed);
      pending.known_points.push_back(number);
      if (pending.timed.size() < most_timed && known->seconds > 0)
        pending.timed.push_back({program, weight_of(point), known->seconds});
    } else {
      pending.points.push_back({number, weight_of(point), program, sweep, state});
    }
  }
}

} // namespace

std::string_view name_of(PointState state) {
  switch (state) {
  case PointState::known: return "known";
  case PointState::missing: return "missing";
  case PointState::limited: return "limited";
  case PointState::retried: return "retried";
  }
  return "";
}

bool Shard::holds(std::string_view key) const {
  std::uint64_t begin = 0;
  std::from_chars(key.data(), key.data() + std::min<std::size_t>(key.size(), 15), begin, 16);
  return of <= 1 || static_cast<std::int64_t>(begin % static_cast<std::uint64_t>(of)) == number - 1;
}

std::string PointLimits::text_of(Stop stop) const {
  const auto text = [](const char* option, std::int64_t value) {
    return value == INT64_MAX ? std::string() : fmt::format("{} {}", option, value);
  };
  switch (stop) {
  case Stop::steps: return text("--max-steps", run.steps);
  case Stop::time: return text("--max-time", run.time);
  case Stop::memory: return text("--max-memory", run.memory);
  case Stop::wall_clock: return seconds > 0 ? fmt::format("--max-seconds {}", seconds) : "";
  case Stop::none:
  case Stop::error:
  case Stop::interrupted: break;
  }
  return "";
}

Pending pending_points(const Plan& plan, const Store* store, const Shard& shard, bool retry,
                       const PointLimits& limits) {
  return pending_points(std::vector{&plan}, store, shard, retry, limits);
}

Pending pending_points(const std::vector<const Plan*>& plans, const Store* store,
                       const Shard& shard, bool retry, const PointLimits& limits) {
  Pending pending;
  std::set<std::string> keys; // finds points that several plans share; those of one plan differ
  for (std::size_t k = 0; k < plans.size() && !pending.interrupted; ++k)
    add_pending(*plans[k], static_cast<std::int32_t>(k), store, shard, retry, limits,
                plans.size() > 1 ? &keys : nullptr, pending);
  // A long point that begins last would run alone.
  std::stable_sort(
      pending.points.begin(), pending.points.end(),
      [](const PendingPoint& a, const PendingPoint& b) { return a.weight > b.weight; });
  return pending;
}

} // namespace memlane::sweep
