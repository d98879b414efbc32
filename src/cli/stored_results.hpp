// memlane results: what its words have in common.
#pragma once

#include "command.hpp"
#include "results.hpp"

#include "memlane/store/query.hpp"
#include "memlane/study/results/stored_rows.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::cli {

/// The words of `memlane results`, one file each.
Command results_best_command();
Command results_diff_command();
Command results_merge_command();
Command results_import_command();
Command results_check_command();

/// --where: rows that meet it.
void add_where(Options& options, std::string& where);
/// --by: the column that is compared.
void add_by(Options& options, std::string& by);

/// Says on standard error how many points were left out since they are not done.
void print_left_out(std::int64_t count, const Console& console);

/// Writes rows in the formats that were asked for.
Status write_rows(StoredRows rows, std::vector<ResultTarget>& targets, Console& console);

} // namespace memlane::cli
