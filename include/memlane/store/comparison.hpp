// Rows of stores beside each other: the best of each group, multiples of a baseline, differences of
// two stores.
#pragma once

#include "memlane/store/query.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::sweep {

/// Rows with the least (or largest) value of a column, one for each combination of others.
struct BestQuery {
  std::string by = "time";
  bool largest = false;
  std::vector<std::string> per; ///< empty: one row of all
  std::string where;
};
/// The columns `per`, what else was run where it differs, `by`, then `ties`, how many other rows
/// have the same value, `next_best`, the second best value as a multiple of the best (empty: a
/// group of one), and `rows`, how many there are. Only points that ended without a failed check
/// count. Of equal ones, the first in the order of
/// StoreReader::rows wins. Errors: as StoreReader::rows.
Result<Rows> best_rows(const StoreReader& reader, const BestQuery& query);

/// The rows of a query with two more columns: `baseline`, the value of `by` at the baseline, and
/// `speedup`, that value divided by the row's.
struct BaselineQuery {
  RowQuery rows;
  std::string by = "time";
  std::string baseline; ///< a program, a layout, a machine: a value of a column of what was run
};
/// The columns of the rows if the query names none: those of StoreReader::shown_columns, with `by`
/// in place of the time.
Result<std::vector<std::string>> shown_columns(const StoreReader& reader,
                                               const BaselineQuery& query);
struct RowsWithBaseline {
  Rows rows;
  std::int64_t left_out = 0; ///< rows of points that are not done
};
/// A row's baseline has the same parameters, seed and so on: all that was run except for the column
/// of the baseline and those that belong to it. A machine's key that differs between rows of one
/// machine is a parameter too. The baseline is looked up among all points of the store that
/// are done; of several with different values, among those that meet the rows' condition. Errors:
/// as StoreReader::rows, a value that no column has, several baselines for one row.
Result<RowsWithBaseline> rows_with_baseline(const StoreReader& reader, const BaselineQuery& query);

struct DiffQuery {
  std::string by = "time";
  std::vector<std::string> on;         ///< columns that match points; empty: what was run
  std::string left_where, right_where; ///< conditions
  bool all = false;                    ///< shows equal points, too
  std::string where = {};              ///< a condition on both sides
};
struct StoreDiff {
  Rows rows; ///< what was run, `left`, `right`, `ratio` (right / left)
  std::int64_t matched = 0, equal = 0, changed = 0, only_left = 0, only_right = 0;
  double largest_change = 0; ///< the largest |ratio - 1|; infinite where one side has no value
  std::int64_t left_out = 0; ///< points of both sides that are not done
};
/// Matches points that are done by what was run, without the program's text and the version. With
/// both conditions, what differs between all of one side and all of the other does not have to
/// match. A point without a parameter matches only one without it. Errors: as StoreReader::rows,
/// nothing that matches, several points for one match.
Result<StoreDiff> diff_rows(const StoreReader& left, const StoreReader& right,
                            const DiffQuery& query);

} // namespace memlane::sweep
