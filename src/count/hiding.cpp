#include "memlane/count/hiding.hpp"

#include "memlane/machine/stages.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace memlane {
namespace {

/// Both at least 1.
std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

/// `with`: the exposed time with 2, 4, … times `value`; `time`: beside the cost of launches.
std::optional<HidingAdvice> advice(std::int64_t value, std::int64_t exposed,
                                   const std::array<std::int64_t, latency_doublings>& with,
                                   std::int64_t time) {
  const std::int64_t gain = exposed - with.back();
  if (gain <= 0 || gain < time / 20) return std::nullopt;
  for (std::size_t k = 0; k < with.size() && value <= INT64_MAX / 2; ++k) {
    value *= 2;
    if (with[k] <= with.back() + gain / 20) return HidingAdvice{value, with[k]};
  }
  return std::nullopt;
}

/// `reused`: address groups among the stages that never entered the unit (section 10).
UnitHiding unit_hiding(const MachineSpec& machine, const UnitSpec& spec, const UnitCounts& counts,
                       std::int64_t multiprocessors, const Counts& run, std::int64_t reused) {
  const std::int64_t beside_launches = time_beside_launches(machine, run);
  UnitHiding unit;
  unit.needed = divide_up(machine.width * spec.latency.value * spec.ports,
                          machine.requests_in_flight * stages_of_warp(machine, spec));
  unit.room = room_for_threads(machine) * multiprocessors;
  unit.resident = machine.width * counts.resident_warps;
  const std::int64_t entered = counts.stages - reused;
  unit.bandwidth = entered == 0 ? 0 : divide_up(entered, spec.ports);
  unit.latency = counts.latency_bound;
  unit.atomics = counts.service_bound;
  unit.exposed = counts.exposed;
  const bool idles = counts.idle_latency - unit.exposed > beside_launches / 20;
  // On the papers' machines what is exposed is told. Where nothing is, a warp's chain may take as
  // long beside stages that do not fill the port.
  if ((machine.is_beyond_papers() || unit.exposed == 0) && idles) unit.untold = counts.idle_latency;
  if (unit.latency > 0) {
    double waited = 0; // time that all warps together have waited, at least
    for (const auto& [stages, requests] : counts.congestion)
      waited += static_cast<double>(requests) *
                static_cast<double>(spec.latency.value - 1 + divide_up(stages, spec.ports));
    // Beyond the papers' machines chains do not have all requests: the whole run is asked.
    if (machine.has_own_ports() && counts.flown > 0) waited = static_cast<double>(counts.flown);
    const std::int64_t meanwhile =
        machine.is_beyond_papers() ? run.time.value * machine.requests_in_flight : unit.latency;
    unit.active =
        std::llround(static_cast<double>(machine.width) * waited / static_cast<double>(meanwhile));
  }
  unit.threads =
      advice(machine.threads, counts.exposed, counts.exposed_with_threads, beside_launches);
  unit.resident_blocks =
      advice(machine.resident_blocks, counts.exposed, counts.exposed_with_blocks, beside_launches);
  return unit;
}

/// The shared unit with the greatest bound; of equal ones the first.
UnitHiding shared_hiding(const MachineSpec& machine, const Counts& counts) {
  UnitHiding busiest;
  for (std::size_t mp = 0; mp < counts.shared.size(); ++mp) {
    UnitHiding unit = unit_hiding(machine, *machine.shared, counts.shared[mp], 1, counts, 0);
    unit.multiprocessor = static_cast<std::int64_t>(mp);
    const auto bound = [](const UnitHiding& of) { return std::max(of.bandwidth, of.latency); };
    if (mp == 0 || bound(unit) > bound(busiest)) busiest = unit;
  }
  return busiest;
}

void find_largest(LatencyHiding& account) {
  const auto consider = [&](Limitation limitation, std::int64_t bound) {
    if (bound <= account.largest_bound) return;
    account.largest = limitation;
    account.largest_bound = bound;
  };
  if (account.global) {
    consider(Limitation::global_bandwidth, account.global->bandwidth);
    consider(Limitation::global_latency, account.global->latency);
    consider(Limitation::global_atomics, account.global->atomics);
  }
  if (account.shared) {
    consider(Limitation::shared_bandwidth, account.shared->bandwidth);
    consider(Limitation::shared_latency, account.shared->latency);
  }
  if (account.own_port) consider(Limitation::own_port, account.own_port->bound);
  if (account.operations) consider(Limitation::operations, account.operations->bound);
}

/// Own ports are one stage wide.
std::optional<BusiestUnit> busiest_port(const Counts& counts) {
  std::optional<BusiestUnit> busiest;
  for (std::size_t mp = 0; mp < counts.ports.size(); ++mp)
    if (const std::int64_t bound = counts.ports[mp].stages; bound > (busiest ? busiest->bound : 0))
      busiest = {"", static_cast<std::int64_t>(mp), bound};
  return busiest;
}

std::optional<BusiestUnit> busiest_operations(const MachineSpec& machine, const Counts& counts) {
  std::optional<BusiestUnit> busiest;
  for (const OperationAccount& unit : counts.operations)
    for (const OperationUnit& spec : machine.operations) {
      if (spec.name != unit.unit || unit.stages == 0) continue;
      const std::int64_t bound = divide_up(unit.stages, spec.ports);
      if (!busiest || bound > busiest->bound) busiest = {unit.unit, unit.multiprocessor, bound};
    }
  return busiest;
}

} // namespace

std::string_view name_of(Limitation limitation) {
  constexpr std::array<std::string_view, 7> names = {
      "global_bandwidth", "global_latency", "shared_bandwidth", "shared_latency",
      "global_atomics",   "operations",     "own_port"};
  return names[static_cast<std::size_t>(limitation)];
}

std::int64_t time_beside_launches(const MachineSpec& machine, const Counts& counts) {
  const std::int64_t time = counts.time.value, cost = machine.launch_cost.value;
  return cost == 0 ? time : time - std::min(time / cost, counts.launches) * cost;
}

std::int64_t stages_of_warp(const MachineSpec& machine, const UnitSpec& spec) {
  return std::max(least_stages(spec), needed_stages(machine.width, machine.stage_words(spec)));
}

LatencyHiding latency_hiding(const MachineSpec& machine, const Counts& counts) {
  LatencyHiding account;
  if (machine.global && !counts.global.empty()) {
    account.global = unit_hiding(machine, *machine.global, counts.global.front(),
                                 machine.multiprocessors, counts, reused_groups(counts).groups);
    account.own_port = busiest_port(counts);
  }
  if (machine.shared && !counts.shared.empty()) {
    account.shared = shared_hiding(machine, counts);
  }
  account.operations = busiest_operations(machine, counts);
  find_largest(account);
  const std::int64_t room = room_for_threads(machine) / machine.width;
  for (const UnitCounts& unit : counts.shared.empty() ? counts.global : counts.shared) {
    account.occupancy.push_back({unit.resident_warps, room});
  }
  return account;
}

const std::vector<Field<UnitHiding>>& hiding_fields() {
  static const std::vector<Field<UnitHiding>> fields = {
      {"needed_threads", "threads",
       "needed to fill the pipeline: width x latency x ports / (requests_in_flight x stages of a "
       "request for width words side by side)",
       count_of<&UnitHiding::needed>},
      {"room_threads", "threads",
       "room on the machine: d x p x resident_blocks, at most d x max_threads; shared: without d",
       count_of<&UnitHiding::room>},
      {"resident_threads", "threads", "largest number resident at the same time",
       count_of<&UnitHiding::resident>},
      {"active_threads", "threads", "with requests_in_flight requests to make, on average",
       count_of<&UnitHiding::active>},
      {"bandwidth", "time units", "lower bound from the number of stages",
       count_of<&UnitHiding::bandwidth>},
      {"latency", "time units", "lower bound from the longest chain of requests",
       count_of<&UnitHiding::latency>},
      {"exposed", "time units", "by which chains of requests take longer than their stages",
       count_of<&UnitHiding::exposed>},
  };
  return fields;
}

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

ReusedGroups reused_groups(const Counts& counts) {
  ReusedGroups reused;
  for (const PortCounts& port : counts.ports) {
    reused.groups += port.groups_reused;
    reused.extra += port.groups_reused_extra;
  }
  return reused;
}

TimeByCause causes_of(const UnitCounts& unit, std::int64_t launches, Cycles launch_cost,
                      const ReusedGroups& reused) {
  TimeByCause time{};
  const auto of = [&](Cause cause) -> std::int64_t& {
    return time[static_cast<std::size_t>(cause)];
  };
  of(Cause::extra_stages) =
      share(unit.busy, unit.conflicts() - reused.extra, unit.stages - reused.groups);
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

std::vector<LineWait> line_waits(const UnitCounts& unit) {
  std::vector<LineWait> waits;
  for (const auto& [lines, time] : unit.waits_of_lines)
    waits.push_back({lines.first, lines.second, time});
  std::stable_sort(waits.begin(), waits.end(),
                   [](const LineWait& a, const LineWait& b) { return a.time > b.time; });
  return waits;
}

std::optional<IdleByWait> idle_by_wait(const UnitCounts& unit) {
  if (!unit.tells_waits) return std::nullopt;
  return IdleByWait{unit.waits, unit.idle_without_wait(), line_waits(unit)};
}

std::vector<ExplainedUnit> explained_units(const MachineSpec& machine, const Counts& counts) {
  if (!is_timed(machine.model)) return {};
  const LatencyHiding account = latency_hiding(machine, counts);
  std::vector<ExplainedUnit> units;
  const auto add = [&](UnitId id, const UnitCounts& unit, std::int64_t multiprocessor,
                       bool own_port = false, const ReusedGroups& reused = {}) {
    if (unit.requests > 0)
      units.push_back({id, multiprocessor, unit.requests, unit.stages, unit.conflicts(),
                       causes_of(unit, counts.launches, machine.launch_cost, reused), own_port,
                       idle_by_wait(unit)});
  };
  if (account.global) add(UnitId::global, counts.global.front(), 0, false, reused_groups(counts));
  if (account.shared) {
    const std::int64_t busiest = account.shared->multiprocessor;
    add(UnitId::shared, counts.shared[static_cast<std::size_t>(busiest)], busiest);
  }
  const bool shared_first = account.largest == Limitation::shared_bandwidth ||
                            account.largest == Limitation::shared_latency;
  if (shared_first && units.size() == 2) std::swap(units.front(), units.back());
  const auto busiest =
      std::max_element(counts.ports.begin(), counts.ports.end(),
                       [](const PortCounts& a, const PortCounts& b) { return a.busy < b.busy; });
  if (busiest != counts.ports.end())
    add(UnitId::global, *busiest, busiest - counts.ports.begin(), true);
  return units;
}

} // namespace memlane
