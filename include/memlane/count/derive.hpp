// Counts, derived from tallies. One file each: src/count/units.cpp, lines.cpp, operators.cpp,
// fns.cpp, statements.cpp.
#pragma once

#include "memlane/count/code_facts.hpp"
#include "memlane/count/counts.hpp"

namespace memlane {

/// All counts of one launch, or of the sum of several launches of one kernel.
Counts counts_of(const LaunchTally& tally, std::int64_t launches, const CodeFacts& facts);

/// Totals of the memory units (requests, stages, reads, writes, congestion) and their accounts.
void count_units(const LaunchTally& tally, const CodeFacts& facts, Counts& counts);

/// The requests of each source line and their stages.
void count_lines(const LaunchTally& tally, const CodeFacts& facts, Counts& counts);

/// Counted operators that warps executed (configs/README.md section 6).
std::int64_t count_operators(const LaunchTally& tally, const CodeFacts& facts);

/// Adds the calls of fns in one launch, by Program::fns. Steps are those of the launch's slowest
/// multiprocessor, so launches must be added one by one.
void count_calls(const LaunchTally& launch, const CodeFacts& facts, std::vector<FnCounts>& fns);

/// Sums over the executions of one statement by the warps of one multiprocessor. An execution costs
/// max(1, operators + global operands) + conflicts ([K]; configs/README.md section 6); `cost` is
/// the sum of these, since the 1 only matters in silent executions.
struct StatementCounts {
  std::int64_t executions = 0;
  std::int64_t operators = 0;
  std::int64_t global_operands = 0; ///< requests to memory arrays
  std::int64_t silent = 0;          ///< executions with neither of them
  std::int64_t conflicts = 0;       ///< stages beyond the first of each request
  std::int64_t blocks_touched = 0;  ///< address groups of global operands, request by request

  std::int64_t cost() const { return operators + global_operands + silent + conflicts; }

  bool operator==(const StatementCounts&) const = default;
};

/// By Function::statements.
std::vector<StatementCounts> count_statements(const ir::Function& kernel, const Tally& tally,
                                              const CodeFacts& facts);

} // namespace memlane
