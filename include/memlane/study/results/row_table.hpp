// Rows of a store as a table of a paper: columns by formulas, groups of rows, a column for each
// value of another one.
#pragma once

#include "memlane/store/comparison.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

struct TableRequest {
  sweep::BaselineQuery query; ///< its columns may be formulas: `time/n as ratio`
  bool with_baseline = false;
  std::vector<std::string> group_by; ///< a row for each combination of their values
  std::string pivot;                 ///< a column for each of its values; empty: none
};

struct RowTable {
  sweep::Rows rows;
  std::vector<std::string> over;  ///< what stands over each column of a pivoted table, mostly none
  std::int64_t left_out = 0;      ///< rows of points that are not done
  std::vector<std::string> notes; ///< sentences about cells without a value
};

/// Aggregates and baselines leave out points that are not done. Errors: as StoreReader::rows, a
/// formula that names no column, a text where a number must be, two rows for one cell of a pivoted
/// table, several columns that its cells could be.
Result<RowTable> row_table(const sweep::StoreReader& reader, const TableRequest& request,
                           Sources& sources);

} // namespace memlane
