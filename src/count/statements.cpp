// Statements as Koike counts them (configs/README.md section 6).
#include "memlane/count/derive.hpp"

namespace memlane {

std::vector<StatementCounts> count_statements(const ir::Function& kernel, const Tally& tally,
                                              const CodeFacts& facts) {
  std::vector<StatementCounts> counts(kernel.statements.size());
  if (tally.executed.empty()) return counts;
  const auto of = [&](std::int32_t statement) -> StatementCounts& {
    return counts[static_cast<std::size_t>(statement)];
  };
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const ir::Statement& statement = kernel.statements[s];
    counts[s].executions = tally.executed[statement.first].warps;
    counts[s].silent = statement.performs == ir::Performs::always  ? 0
                       : statement.performs == ir::Performs::never ? counts[s].executions
                                                                   : tally.silent[s];
  }
  for (const std::size_t at : facts.operators)
    if (const std::int32_t s = kernel.code[at].statement; s >= 0)
      of(s).operators += tally.executed[at].warps;
  for (std::size_t k = 0; k < tally.requests.size(); ++k) {
    const SiteFacts& site = facts.sites[k];
    if (site.statement < 0) continue;
    const RequestTally& requests = tally.requests[k];
    StatementCounts& statement = of(site.statement);
    statement.conflicts += requests.stages() - requests.requests();
    if (!site.global) continue;
    statement.global_operands += requests.requests();
    statement.blocks_touched += site.unit == UnitId::global ? requests.stages() : requests.groups;
  }
  return counts;
}

} // namespace memlane
