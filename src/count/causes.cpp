#include "memlane/count/causes.hpp"

#include "memlane/count/hiding.hpp"

#include <algorithm>

namespace memlane {
namespace {

/// part x busy / whole without overflow: all three are below 2^61.
std::int64_t share(std::int64_t busy, std::int64_t part, std::int64_t whole) {
  if (part == 0 || whole == 0) return 0;
  if (busy == whole) return part; // one port: exact
  const long double exact = static_cast<long double>(busy) * static_cast<long double>(part) /
                            static_cast<long double>(whole);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(exact + 0.5L), 0, busy);
}

} // namespace

std::string_view name_of(Cause cause) {
  constexpr std::array<std::string_view, cause_count> names = {
      "first_stages", "extra_stages", "latency", "barrier", "drain", "launch", "empty"};
  return names[static_cast<std::size_t>(cause)];
}

TimeByCause causes_of(const UnitCounts& unit, std::int64_t launches, Cycles launch_cost) {
  TimeByCause time{};
  const auto of = [&](Cause cause) -> std::int64_t& {
    return time[static_cast<std::size_t>(cause)];
  };
  of(Cause::extra_stages) = share(unit.busy, unit.conflicts(), unit.stages);
  of(Cause::first_stages) = unit.busy - of(Cause::extra_stages);
  of(Cause::latency) = unit.idle_latency;
  of(Cause::barrier) = unit.idle_barrier;
  of(Cause::drain) = unit.idle_drain;
  // Nothing is in flight and no warp waits before a launch's first time unit, so its cost is in
  // idle_empty.
  const bool costly = launch_cost.value > 0 && launches > unit.idle_empty / launch_cost.value;
  of(Cause::launch) = costly ? unit.idle_empty : launches * launch_cost.value;
  of(Cause::empty) = unit.idle_empty - of(Cause::launch);
  return time;
}

std::vector<ExplainedUnit> explained_units(const MachineSpec& machine, const Counts& counts) {
  if (!is_timed(machine.model)) return {};
  const LatencyHiding account = latency_hiding(machine, counts);
  std::vector<ExplainedUnit> units;
  const auto add = [&](UnitId id, const UnitCounts& unit, std::int64_t multiprocessor) {
    if (unit.requests > 0)
      units.push_back({id, multiprocessor, unit.requests, unit.stages,
                       causes_of(unit, counts.launches, machine.launch_cost)});
  };
  if (account.global) add(UnitId::global, counts.global.front(), 0);
  if (account.shared) {
    const std::int64_t busiest = account.shared->multiprocessor;
    add(UnitId::shared, counts.shared[static_cast<std::size_t>(busiest)], busiest);
  }
  const bool shared_first = account.largest == Limitation::shared_bandwidth ||
                            account.largest == Limitation::shared_latency;
  if (shared_first && units.size() == 2) std::swap(units.front(), units.back());
  return units;
}

} // namespace memlane
