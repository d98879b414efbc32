// What counts are derived from the tally of a launch.
#include "memlane/count/derive.hpp"

#include <algorithm>
#include <tuple>

namespace memlane {

void count_calls(const LaunchTally& launch, const CodeFacts& facts, std::vector<FnCounts>& fns) {
  if (facts.calls.empty()) return;
  std::vector<std::int64_t> slowest(fns.size()), steps(fns.size());
  for (const Tally& of_mp : launch.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    std::fill(steps.begin(), steps.end(), 0);
    for (const CallFacts& call : facts.calls) {
      steps[call.fn] += of_mp.executed[call.instruction].warps;
      fns[call.fn].calls += of_mp.executed[call.instruction].threads;
    }
    for (std::size_t fn = 0; fn < fns.size(); ++fn) slowest[fn] = std::max(slowest[fn], steps[fn]);
  }
  for (std::size_t fn = 0; fn < fns.size(); ++fn) fns[fn].steps += slowest[fn];
}

// I/O as Koike counts it (configs/README.md section 6).

std::int64_t count_io(const RequestTally& requests, const SiteFacts& site) {
  if (!site.global) return 0;
  // A stage of a unified unit is an address group.
  return site.unit == UnitId::global ? requests.stages() : requests.groups;
}

std::int64_t count_io(const LaunchTally& tally, const CodeFacts& facts) {
  std::int64_t blocks = 0;
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k)
      blocks += count_io(of_mp.requests[k], facts.sites[k]);
  return blocks;
}

void count_accesses(const LaunchTally& tally, const CodeFacts& facts,
                    const std::vector<ir::Array>& arrays, std::vector<AccessCounts>& accesses) {
  const auto key = [](const AccessCounts& access) {
    return std::tie(access.line, access.array, access.write, access.unit);
  };
  const auto before = [&](const AccessCounts& a, const AccessCounts& b) { return key(a) < key(b); };
  for (const Tally& of_mp : tally.multiprocessors)
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k) {
      const RequestTally& requests = of_mp.requests[k];
      const SiteFacts& site = facts.sites[k];
      if (requests.by_stages.empty() || site.line.second == 0 || site.array < 0) continue;
      const AccessCounts access{
          site.line, arrays[static_cast<std::size_t>(site.array)].name, site.unit, site.write, 0, 0,
          0};
      auto found = std::lower_bound(accesses.begin(), accesses.end(), access, before);
      if (found == accesses.end() || before(access, *found)) found = accesses.insert(found, access);
      found->requests += requests.requests();
      found->stages += requests.stages();
      found->worst = std::max(found->worst, requests.by_stages.back().stages);
    }
}

void count_lines(const LaunchTally& tally, const CodeFacts& facts, Counts& counts) {
  for (const Tally& of_mp : tally.multiprocessors) {
    for (std::size_t k = 0; k < of_mp.requests.size(); ++k) {
      const RequestTally& requests = of_mp.requests[k];
      const SiteFacts& site = facts.sites[k];
      if (requests.by_stages.empty() || site.line.second == 0) continue;
      LineCounts& line = counts.lines[site.line];
      line.requests += requests.requests();
      line.stages += requests.stages();
      line.worst = std::max(line.worst, requests.by_stages.back().stages);
      *line.io += count_io(requests, site);
    }
    if (of_mp.executed.empty()) continue;
    for (const OperatorFacts& in : facts.operators)
      if (const std::int64_t warps = of_mp.executed[in.instruction].warps;
          warps > 0 && in.line.second > 0)
        counts.lines[in.line].operators += warps;
  }
}

std::int64_t count_operators(const LaunchTally& tally, const CodeFacts& facts) {
  std::int64_t operators = 0;
  for (const Tally& of_mp : tally.multiprocessors) {
    if (of_mp.executed.empty()) continue;
    for (const OperatorFacts& in : facts.operators) // a trace may say that there were 2^63
      if (__builtin_add_overflow(operators, of_mp.executed[in.instruction].warps, &operators))
        operators = INT64_MAX;
  }
  return operators;
}

namespace {

void add(UnitCounts& unit, const RequestTally& requests, bool write) {
  unit.concurrent_writes += requests.concurrent_writes;
  for (const EqualRequests& equal : requests.by_stages) {
    unit.requests += equal.requests;
    unit.stages += equal.requests * equal.stages;
    (write ? unit.writes : unit.reads) += equal.requests;
    unit.congestion[equal.stages] += equal.requests;
  }
}

} // namespace

// A shared unit counts the requests of the blocks that ran on its multiprocessor, with either
// schedule.
void count_units(const LaunchTally& tally, const CodeFacts& facts, Counts& counts) {
  for (const UnitAccount& account : tally.shared)
    static_cast<UnitAccount&>(counts.shared.emplace_back()) = account;
  for (const UnitAccount& account : tally.global)
    static_cast<UnitAccount&>(counts.global.emplace_back()) = account;
  for (std::size_t mp = 0; mp < tally.multiprocessors.size(); ++mp) {
    const std::vector<RequestTally>& ran =
        tally.dynamic.empty() ? tally.multiprocessors[mp].requests : tally.dynamic[mp];
    for (std::size_t k = 0; k < ran.size(); ++k) {
      const SiteFacts& site = facts.sites[k];
      add(site.unit == UnitId::shared ? counts.shared[mp] : counts.global[0], ran[k], site.write);
    }
  }
}

// Statements as Koike counts them (configs/README.md section 6).

void count_statements(const Tally& tally, const CodeFacts& facts,
                      std::vector<StatementCounts>& counts) {
  counts.assign(facts.statements.size(), {});
  if (tally.executed.empty()) return;
  const auto of = [&](std::int32_t statement) -> StatementCounts& {
    return counts[static_cast<std::size_t>(statement)];
  };
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const StatementFacts& statement = facts.statements[s];
    counts[s].executions = tally.executed[statement.first].warps;
    counts[s].silent = statement.performs == ir::Performs::always  ? 0
                       : statement.performs == ir::Performs::never ? counts[s].executions
                                                                   : tally.silent[s];
  }
  for (const OperatorFacts& in : facts.operators)
    if (in.statement >= 0) of(in.statement).operators += tally.executed[in.instruction].warps;
  for (std::size_t k = 0; k < tally.requests.size(); ++k) {
    const SiteFacts& site = facts.sites[k];
    if (site.statement < 0) continue;
    const RequestTally& requests = tally.requests[k];
    StatementCounts& statement = of(site.statement);
    statement.conflicts += requests.stages() - requests.requests();
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

} // namespace memlane
