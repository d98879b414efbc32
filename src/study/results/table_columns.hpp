// What --columns, --group-by and --pivot ask for: the columns of a table, and what they need.
#pragma once

#include "memlane/claim/column_formula.hpp"
#include "memlane/study/results/row_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// A column of the table: one of the store as it is, or a formula.
struct TableColumn {
  std::string name;                     ///< after `as`, else what was written
  std::string text;                     ///< the column or the formula
  std::optional<ColumnFormula> formula; ///< none: a column of the store
  bool is_key = false;                  ///< says what was run, or what a group has in common
  std::string of = {};                  ///< the store's column that it is, or is a part of
};

/// The columns of a request in their order, those of groups and of the pivot among them.
Result<std::vector<TableColumn>> table_columns(const sweep::StoreReader& reader,
                                               const TableRequest& request, Sources& sources);

/// The table with a column for each value of one of its columns.
Result<RowTable> pivoted(RowTable table, const std::vector<TableColumn>& columns,
                         const std::string& pivot);

} // namespace memlane
