#include "memlane/show/account.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace memlane {
namespace {

UnitId unit_of(Limitation limitation) {
  return limitation == Limitation::shared_bandwidth || limitation == Limitation::shared_latency
             ? UnitId::shared
             : UnitId::global;
}

/// What fills half of the time, beside the cost of launches, or more: stages of one memory, of own
/// ports or of operations. Else warps wait.
LineCost cost_of(const Account& account) {
  if (!account.tight || account.bound < account.beside_launches / 2) return LineCost::waits;
  switch (*account.tight) {
  case Limitation::global_bandwidth:
  case Limitation::shared_bandwidth: return LineCost::stages;
  case Limitation::operations: return LineCost::operators;
  case Limitation::own_port: return LineCost::port_stages;
  case Limitation::global_latency:
  case Limitation::shared_latency:
  case Limitation::global_atomics: break;
  }
  return LineCost::waits;
}

/// The costliest line and the cost of all; of equal lines the first.
CostlyLine costliest_of(const std::vector<LineCosts::Line>& lines, SourceLine& place) {
  CostlyLine costliest;
  for (const LineCosts::Line& line : lines) {
    costliest.of_all += line.cost;
    if (line.cost <= costliest.cost) continue;
    costliest.cost = line.cost;
    place = line.line;
  }
  return costliest;
}

/// `cost` of each access, or 0.
template <class Cost>
std::vector<LineCosts::Line> total_lines(const RunResult& run, Cost&& cost) {
  std::vector<LineCosts::Line> lines; // accesses are in the order of lines
  for (const AccessCounts& access : run.accesses) {
    if (lines.empty() || lines.back().line != access.line) lines.push_back({access.line, 0});
    lines.back().cost += cost(access);
  }
  return lines;
}

/// By the stages that a line's operators take of the unit, on all multiprocessors.
std::vector<LineCosts::Line> operator_lines(const OperationUnit& unit, const Counts& counts) {
  std::vector<LineCosts::Line> lines;
  for (const auto& [place, line] : counts.lines)
    lines.push_back({place, std::inner_product(unit.stages.begin(), unit.stages.end(),
                                               line.operations.begin(), std::int64_t{0})});
  return lines;
}

std::vector<LineCosts::Line> agpu_lines(const Counts& counts) {
  std::vector<LineCosts::Line> lines;
  for (const auto& [place, line] : counts.lines)
    lines.push_back({place, line.agpu_time.value_or(line.stages)});
  return lines;
}

CountedLine line_at(SourceLine place, const Counts& counts, const Sources& sources) {
  Counts only;
  only.lines[place] = counts.lines.at(place);
  return counted_lines(only, sources).front();
}

/// The line with the most of what `cost` gives; of equal lines the first.
template <class Cost>
std::optional<MmmLine> find_mmm_line(const Counts& counts, const Sources& sources, Cost&& cost) {
  std::vector<LineCosts::Line> lines;
  for (const auto& [place, line] : counts.lines)
    if (line.mmm) lines.push_back({place, cost(*line.mmm)});
  SourceLine place{0, 0};
  const CostlyLine most = costliest_of(lines, place);
  if (most.cost == 0) return std::nullopt;
  return MmmLine{line_at(place, counts, sources), most.cost, most.of_all};
}

std::optional<CostlyLine> find_costliest(const Account& account, const MachineSpec& machine,
                                         const RunResult& run, const Sources& sources) {
  const std::optional<LineCosts> costs = line_costs(account, machine, run);
  if (!costs) return std::nullopt;
  SourceLine place{0, 0};
  CostlyLine found = costliest_of(costs->lines, place);
  found.by = costs->by;
  found.unit = costs->unit;
  if (found.cost == 0) return std::nullopt;
  found.line = line_at(place, run.counts, sources);
  for (const AccessCounts& access : run.accesses)
    if (access.line == place) found.accesses.push_back(access);
  const auto ahead = [&](const AccessCounts& a, const AccessCounts& b) {
    const bool own_a = a.unit == found.unit, own_b = b.unit == found.unit;
    if (found.by == LineCost::stages && own_a != own_b) return own_a;
    if (found.by == LineCost::waits) return waits_of(a, machine) > waits_of(b, machine);
    if (found.by == LineCost::port_stages) return a.port_stages > b.port_stages;
    return a.stages - a.reused > b.stages - b.reused;
  };
  std::stable_sort(found.accesses.begin(), found.accesses.end(), ahead);
  return found;
}

} // namespace

std::int64_t waits_of(const AccessCounts& access, const MachineSpec& machine) {
  if (access.flown > 0) return access.flown;
  const UnitSpec& unit = access.unit == UnitId::global ? *machine.global : *machine.shared;
  return access.requests * (unit.latency.value - 1) + (access.stages + unit.ports - 1) / unit.ports;
}

std::string_view name_of(LineCost cost) {
  constexpr std::array<std::string_view, 5> names = {"stages", "waits", "agpu_time", "operators",
                                                     "port_stages"};
  return names[static_cast<std::size_t>(cost)];
}

std::optional<LineCosts> line_costs(const Account& account, const MachineSpec& machine,
                                    const RunResult& run) {
  LineCosts costs;
  if (account.counted()) {
    costs.by = LineCost::agpu_time;
    costs.lines = agpu_lines(run.counts);
    return costs;
  }
  if (account.units.empty()) return std::nullopt;
  costs.unit = account.tight ? unit_of(*account.tight) : account.units.front().unit;
  costs.by = cost_of(account);
  if (costs.by == LineCost::operators) {
    const auto unit =
        std::find_if(machine.operations.begin(), machine.operations.end(),
                     [&](const OperationUnit& of) { return of.name == account.busiest->unit; });
    costs.lines = operator_lines(*unit, run.counts);
    const auto counts = [](const LineCosts::Line& line) { return line.cost > 0; };
    if (std::none_of(costs.lines.begin(), costs.lines.end(), counts)) return std::nullopt;
    return costs;
  }
  costs.lines = total_lines(run, [&](const AccessCounts& access) {
    if (costs.by == LineCost::waits) return waits_of(access, machine);
    if (costs.by == LineCost::port_stages) return access.port_stages;
    return access.unit == costs.unit ? access.stages - access.reused : 0;
  });
  return costs;
}

std::optional<ClaimedBound> claimed_bound(const std::vector<ClaimOutcome>& claims) {
  const ClaimOutcome* best = nullptr;
  constexpr std::string_view begin = "time = Omega(";
  for (const ClaimOutcome& claim : claims) {
    const bool applies = claim.verdict == ClaimVerdict::ratio_only &&
                         claim.kind == lang::ClaimKind::omega &&
                         claim.text.compare(0, begin.size(), begin) == 0 && claim.right.value > 0;
    if (applies && (!best || claim.right.value > best->right.value)) best = &claim;
  }
  if (!best) return std::nullopt;
  // From the bracket behind Omega to its own closing one.
  const std::size_t open = begin.size() - 1;
  std::size_t close = open;
  for (int depth = 0; close < best->text.size(); ++close) {
    depth += best->text[close] == '(' ? 1 : best->text[close] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  return ClaimedBound{best->text.substr(open + 1, close - open - 1), best->right.text, best->source,
                      best->ratio};
}

Account account_of(const MachineSpec& machine, const RunResult& run, const Sources& sources) {
  Account account;
  account.model = machine.model;
  account.time = run.counts.time;
  account.stop = run.stop;
  account.multiprocessors = machine.multiprocessors;
  account.launches = run.counts.launches;
  account.beside_launches = time_beside_launches(machine, run.counts);
  if (machine.instruction_cost.value > 0 || !machine.operations.empty())
    account.timed_operators = run.counts.instructions;
  account.barriers = run.counts.barriers;
  account.barrier_cost = machine.barrier_cost;
  account.requests_in_flight = machine.requests_in_flight;
  account.reuses = machine.global && machine.global->reuse != Reuse::none;
  account.agpu = run.counts.agpu;
  account.mmm = run.counts.mmm;
  if (account.mmm) {
    account.work_line =
        find_mmm_line(run.counts, sources, [](const MmmLineCounts& line) { return line.work; });
    account.words_line = find_mmm_line(
        run.counts, sources, [](const MmmLineCounts& line) { return line.reads + line.writes; });
    return account;
  }
  if (is_timed(machine.model)) {
    account.units = explained_units(machine, run.counts);
    account.value_waits = shown_waits(run.counts, sources);
    if (run.stop == Stop::none) { // the bounds are those of whole runs
      const LatencyHiding hiding = latency_hiding(machine, run.counts);
      account.tight = hiding.largest;
      account.bound = hiding.largest_bound;
      account.busiest =
          hiding.largest == Limitation::own_port ? hiding.own_port : hiding.operations;
    }
  }
  account.costliest = find_costliest(account, machine, run, sources);
  return account;
}

} // namespace memlane
