// Statements as Koike counts them (configs/README.md section 6).
#include "memlane/count/derive.hpp"

namespace memlane {

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
