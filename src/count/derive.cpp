// Counts of launches, derived from their tallies.
#include "memlane/count/derive.hpp"

#include "memlane/engine/tally.hpp"

#include <algorithm>
#include <tuple>

namespace memlane {

void count_calls(const LaunchTally& launch, const KernelInfo& kernel, std::vector<FnCounts>& fns) {
  if (kernel.calls.empty()) return;
  std::vector<std::int64_t> slowest(fns.size()), steps(fns.size());
  for (const Tally& of_mp : launch.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    std::fill(steps.begin(), steps.end(), 0);
    for (const CallInfo& call : kernel.calls) {
      steps[call.fn] += of_mp.executed[call.instruction].warps;
      fns[call.fn].calls += of_mp.executed[call.instruction].threads;
    }
    for (std::size_t fn = 0; fn < fns.size(); ++fn) slowest[fn] = std::max(slowest[fn], steps[fn]);
  }
  for (std::size_t fn = 0; fn < fns.size(); ++fn) fns[fn].steps += slowest[fn];
}

// I/O as Koike counts it (configs/README.md section 6).

namespace {

/// Address groups of w words that the requests of a site access. A stage of a unified unit is one
/// unless it is smaller; then they are counted.
std::int64_t groups_of(const RequestTally& requests, const SiteInfo& site) {
  const bool are_stages = site.unit == UnitId::global && requests.groups == 0;
  return are_stages ? requests.stages() : requests.groups;
}

} // namespace

std::int64_t count_io(const RequestTally& requests, const SiteInfo& site) {
  return site.global ? groups_of(requests, site) : 0;
}

std::int64_t count_io(const LaunchTally& tally, const KernelInfo& kernel) {
  std::int64_t blocks = 0;
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k)
      blocks += count_io(of_mp.requests[k], kernel.sites[k]);
  return blocks;
}

void count_accesses(const LaunchTally& tally, const KernelInfo& kernel,
                    const std::vector<ir::Array>& arrays, std::vector<AccessCounts>& accesses) {
  const auto key = [](const AccessCounts& access) {
    return std::tie(access.line, access.array, access.kind, access.unit);
  };
  const auto before = [&](const AccessCounts& a, const AccessCounts& b) { return key(a) < key(b); };
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k) {
      const RequestTally& requests = of_mp.requests[k];
      const SiteInfo& site = kernel.sites[k];
      if (requests.by_stages.empty() || site.line.second == 0 || site.array < 0) continue;
      const AccessCounts access{site.line, arrays[static_cast<std::size_t>(site.array)].name,
                                site.unit, site.kind};
      auto found = std::lower_bound(accesses.begin(), accesses.end(), access, before);
      if (found == accesses.end() || before(access, *found)) found = accesses.insert(found, access);
      found->requests += requests.requests();
      found->stages += requests.stages();
      found->further_needed += requests.further_needed;
      found->flown += requests.port.flown;
      found->reused += requests.port.reused;
      found->port_stages += requests.port.stages;
      found->worst = std::max(found->worst, requests.by_stages.back().stages);
    }
}

void count_lines(const LaunchTally& tally, const KernelInfo& kernel, Counts& counts) {
  for (const Tally& of_mp : tally.multiprocessors) {
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k) {
      const RequestTally& requests = of_mp.requests[k];
      const SiteInfo& site = kernel.sites[k];
      if (requests.by_stages.empty() || site.line.second == 0) continue;
      LineCounts& line = counts.lines[site.line];
      line.requests += requests.requests();
      line.stages += requests.stages();
      line.further_needed += requests.further_needed;
      line.worst = std::max(line.worst, requests.by_stages.back().stages);
      *line.io += count_io(requests, site);
    }
    for (std::size_t at = 0; at < of_mp.executed.size(); ++at) {
      const InstructionInfo& in = kernel.instructions[at];
      const std::int64_t warps = of_mp.executed[at].warps;
      if (!in.counted || warps == 0 || in.line.second <= 0) continue;
      LineCounts& line = counts.lines[in.line];
      line.operators += warps;
      if (!in.in_request) line.operations[static_cast<std::size_t>(in.operation)] += warps;
    }
  }
}

void count_mmm_lines(const LaunchTally& tally, const KernelInfo& kernel, Counts& counts) {
  const auto at = [&](SourceLine place) -> MmmLineCounts& {
    LineCounts& line = counts.lines[place];
    line.agpu_time.reset();
    line.io.reset();
    return line.mmm ? *line.mmm : line.mmm.emplace();
  };
  for (const Tally& of_mp : tally.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    for (std::size_t k = 0; k < of_mp.executed.size(); ++k) {
      const InstructionInfo& in = kernel.instructions[k];
      const Executions& executed = of_mp.executed[k];
      if (!in.counted || executed.threads == 0 || in.line.second == 0) continue;
      at(in.line).work += executed.threads;
      counts.lines[in.line].operators += executed.warps;
    }
    for (const SiteInfo& site : kernel.sites) {
      const std::int64_t words = of_mp.executed[site.instruction].threads;
      if (words == 0 || site.line.second == 0) continue;
      MmmLineCounts& line = at(site.line);
      (!site.global ? line.local_accesses : writes(site.kind) ? line.writes : line.reads) += words;
    }
  }
}

std::int64_t count_operators(const LaunchTally& tally, const KernelInfo& kernel) {
  std::int64_t operators = 0;
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t at = 0; at < of_mp.executed.size(); ++at)
      // A trace may say that there were 2^63.
      if (kernel.instructions[at].counted &&
          __builtin_add_overflow(operators, of_mp.executed[at].warps, &operators))
        operators = INT64_MAX;
  return operators;
}

namespace {

/// The congestion of a port is not kept: a request has as many stages as it touches lines.
void add(PortCounts& port, const RequestTally& requests, AccessKind kind) {
  const std::int64_t count = requests.requests();
  port.requests += count;
  port.stages += requests.port.stages;
  port.further_needed += requests.port.needed - count;
  (writes(kind) ? port.writes : port.reads) += count;
  port.concurrent_writes += requests.concurrent_writes;
  port.lines += requests.port.lines;
  port.groups += requests.stages();
  port.groups_reused += requests.port.reused;
  port.groups_reused_extra += requests.port.reused_extra;
}

void add(UnitCounts& unit, const RequestTally& requests, AccessKind kind) {
  unit.concurrent_writes += requests.concurrent_writes;
  unit.further_needed += requests.further_needed;
  unit.flown += requests.port.flown;
  for (const EqualRequests& equal : requests.by_stages) {
    unit.requests += equal.requests;
    unit.stages += equal.requests * equal.stages;
    (writes(kind) ? unit.writes : unit.reads) += equal.requests;
    unit.congestion[equal.stages] += equal.requests;
  }
}

/// The line that waits and the line of the read; {0, 0}: none, or unknown.
std::pair<SourceLine, SourceLine> lines_of(const ValueWait& wait, const KernelInfo& kernel) {
  std::pair<SourceLine, SourceLine> lines{{0, 0}, {0, 0}};
  if (wait.instruction >= 0)
    lines.first = kernel.instructions[static_cast<std::size_t>(wait.instruction)].line;
  if (wait.site >= 0) lines.second = kernel.sites[static_cast<std::size_t>(wait.site)].line;
  return lines;
}

} // namespace

// A shared unit counts the requests of the blocks that ran on its multiprocessor, with either
// schedule.
void count_units(const LaunchTally& tally, const KernelInfo& kernel, const MachineSpec& machine,
                 Counts& counts) {
  const auto add_account = [&](UnitCounts& unit, const UnitAccount& account) {
    static_cast<UnitAccount&>(unit) = account;
    unit.tells_waits = machine.is_beyond_papers();
    unit.value_waits.clear();
    for (const ValueWait& wait : account.value_waits)
      unit.waits_of_lines[lines_of(wait, kernel)] += wait.time;
  };
  for (const UnitAccount& account : tally.shared)
    add_account(counts.shared.emplace_back(), account);
  for (const UnitAccount& account : tally.ports) add_account(counts.ports.emplace_back(), account);
  counts.operations = tally.operations;
  for (const UnitAccount& account : tally.global)
    add_account(counts.global.emplace_back(), account);
  for (std::size_t mp = 0; mp < tally.multiprocessors.size(); ++mp) {
    const std::vector<RequestTally>& ran =
        tally.dynamic.empty() ? tally.multiprocessors[mp].requests : tally.dynamic[mp];
    for (std::size_t k = 0; k < ran.size(); ++k) {
      const SiteInfo& site = kernel.sites[k];
      add(site.unit == UnitId::shared ? counts.shared[mp] : counts.global[0], ran[k], site.kind);
      if (site.unit == UnitId::global && !counts.ports.empty())
        add(counts.ports[mp], ran[k], site.kind);
    }
  }
}

// Statements as Koike counts them (configs/README.md section 6).

void count_statements(const Tally& tally, const KernelInfo& kernel,
                      std::vector<StatementCounts>& counts) {
  counts.assign(kernel.statements.size(), {});
  if (tally.executed.empty()) return;
  const auto of = [&](std::int32_t statement) -> StatementCounts& {
    return counts[static_cast<std::size_t>(statement)];
  };
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const StatementInfo& statement = kernel.statements[s];
    counts[s].executions = tally.executed[statement.first].warps;
    counts[s].silent = statement.performs == ir::Performs::always  ? 0
                       : statement.performs == ir::Performs::never ? counts[s].executions
                                                                   : tally.silent[s];
  }
  for (std::size_t at = 0; at < tally.executed.size(); ++at)
    if (const InstructionInfo& in = kernel.instructions[at]; in.counted && in.statement >= 0)
      of(in.statement).operators += tally.executed[at].warps;
  for (std::size_t k = 0; k < tally.requests.size(); ++k) {
    const SiteInfo& site = kernel.sites[k];
    if (site.statement < 0) continue;
    const RequestTally& requests = tally.requests[k];
    StatementCounts& statement = of(site.statement);
    const bool of_global_unit = site.unit == UnitId::global;
    const std::int64_t stages =
        of_global_unit ? groups_of(requests, site) : requests.stages() - requests.added;
    statement.conflicts += stages - requests.requests();
    if (!site.global) continue;
    statement.global_operands += requests.requests();
    statement.blocks_touched += count_io(requests, site);
  }
}

std::int64_t sum_of_costs(const std::vector<StatementCounts>& statements) {
  std::int64_t sum = 0;
  for (const StatementCounts& statement : statements) sum += statement.cost();
  return sum;
}

namespace {

std::optional<Multiplicity> multiplicity_of(const MachineSpec& machine, std::int64_t shared_words) {
  const auto capacity = machine.shared ? machine.shared->capacity : std::nullopt;
  if (!capacity || shared_words == 0) return std::nullopt;
  return Multiplicity{*capacity, shared_words};
}

} // namespace

void forget_time(Counts& counts) {
  for (auto* units : {&counts.shared, &counts.global})
    for (UnitCounts& unit : *units) {
      static_cast<UnitAccount&>(unit) = {};
      unit.timed = false;
    }
}

Cycles time_on(const MachineSpec& machine, Cycles time, const ModelCounts& models) {
  if (models.mmm) return Cycles{models.mmm->time};
  return counts_statements(machine.model) ? Cycles{models.agpu.time.value_or(0)} : time;
}

ModelCounts LaunchSums::add(const LaunchTally& launch, ModelCounts counted) {
  launches_ += 1;
  sum_ += launch;
  AgpuCounts& agpu = counted.agpu;
  agpu = {std::nullopt, std::nullopt, launch.shared_words, {}, {}};
  agpu.multiplicity = multiplicity_of(machine_, launch.shared_words);
  if (launch.threads == machine_.width && has_requests(machine_.model)) {
    agpu.io = count_io(launch, kernel_);
    if (kernel_.all_statements) agpu.time = add_slowest(launch);
  }
  models_ += counted;
  return counted;
}

/// [K]: a launch takes the time of its slowest multiprocessor, launches add up.
std::int64_t LaunchSums::add_slowest(const LaunchTally& launch) {
  std::int64_t most = -1;
  for (const Tally& of_mp : launch.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    count_statements(of_mp, kernel_, statements_);
    const std::int64_t time = sum_of_costs(statements_);
    if (time <= most) continue;
    most = time;
    slowest_.swap(statements_);
  }
  if (most < 0) return 0;
  for (std::size_t s = 0; s < time_.size(); ++s) time_[s] += slowest_[s].cost();
  return most;
}

void LaunchSums::add_statement_lines(Counts& counts) const {
  for (std::size_t s = 0; s < time_.size(); ++s)
    if (const SourceLine line = kernel_.statements[s].line; time_[s] > 0 && line.second > 0)
      *counts.lines[line].agpu_time += time_[s];
  for (auto& [place, line] : counts.lines) {
    if (!counts.agpu.time) line.agpu_time.reset();
    if (!counts.agpu.io) line.io.reset();
  }
}

Counts LaunchSums::counts() const {
  Counts counts;
  static_cast<ModelCounts&>(counts) = models_;
  counts.time = time_on(machine_, sum_.time, models_);
  counts.time_known = !counts_statements(machine_.model) || models_.agpu.time;
  counts.launches = launches_;
  counts.barriers = sum_.barriers;
  counts.instructions = count_operators(sum_, kernel_);
  counts.shared_words = sum_.shared_words;
  if (!has_requests(machine_.model)) {
    count_mmm_lines(sum_, kernel_, counts);
    return counts;
  }
  count_units(sum_, kernel_, machine_, counts);
  if (!is_timed(machine_.model)) forget_time(counts);
  count_lines(sum_, kernel_, counts);
  add_statement_lines(counts);
  return counts;
}

} // namespace memlane
