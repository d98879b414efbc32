// Counts, derived from tallies. One file each: src/count/units.cpp, lines.cpp, operators.cpp,
// fns.cpp, statements.cpp, io.cpp, mmm_lines.cpp.
#pragma once

#include "memlane/count/code_facts.hpp"
#include "memlane/count/counts.hpp"

namespace memlane {

/// Totals of the memory units (requests, stages, reads, writes, congestion) and their accounts.
void count_units(const LaunchTally& tally, const CodeFacts& facts, Counts& counts);

/// The requests, stages, I/O and operators of each source line.
void count_lines(const LaunchTally& tally, const CodeFacts& facts, Counts& counts);

/// What each source line costs on an MMM.
void count_mmm_lines(const LaunchTally& tally, const CodeFacts& facts, Counts& counts);

/// Adds the requests of each access: `arrays` are Program::arrays.
void count_accesses(const LaunchTally& tally, const CodeFacts& facts,
                    const std::vector<ir::Array>& arrays, std::vector<AccessCounts>& accesses);

/// Counted operators that warps executed (configs/README.md section 6).
std::int64_t count_operators(const LaunchTally& tally, const CodeFacts& facts);

/// Adds the calls of fns in one launch, by Program::fns. Steps are those of the launch's slowest
/// multiprocessor, so launches must be added one by one.
void count_calls(const LaunchTally& launch, const CodeFacts& facts, std::vector<FnCounts>& fns);

/// Address groups that the requests to memory arrays accessed, request by request: the I/O of [K].
/// Requires blocks of one full warp: groups are counted for these (reference::counts_groups).
std::int64_t count_io(const LaunchTally& tally, const CodeFacts& facts);
std::int64_t count_io(const RequestTally& requests, const SiteFacts& site);

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

/// Sets the counts of all statements, by CodeFacts::statements.
void count_statements(const Tally& tally, const CodeFacts& facts,
                      std::vector<StatementCounts>& counts);
/// The time of one multiprocessor after [K]: the sum of its statements' costs.
std::int64_t sum_of_costs(const std::vector<StatementCounts>& statements);

} // namespace memlane
