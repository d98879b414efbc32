// Reading a result store: filtered rows, and whole results.
#pragma once

#include "memlane/sweep/store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memlane::sweep {

/// Which rows, and what of them.
struct RowQuery {
  std::vector<std::string> columns; ///< empty: those that differ between the rows, and the time
  std::string where;                ///< an SQL condition over columns and parameters; empty: all
  std::vector<std::string> order;   ///< columns; empty: program, machine, parameters, seed
  std::int64_t most = INT64_MAX;    ///< rows
};

struct Rows {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows; ///< a cell for each column
};

/// A row of a PointTable that is not of a run: program, machine and parameters are those of a
/// stored point, counts and the rest empty, except for these columns.
struct AddedRow {
  std::string like; ///< the key of the stored point
  std::vector<std::pair<std::string, Cell>> cells;
};

/// Some points as a table of their own for `select`: all columns of `results`, and `basis`, which
/// is `model` for points of the store and `formula` for added rows, and `json`, the whole result.
struct PointTable {
  std::string name;
  std::vector<std::string> keys; ///< of points; those that the store lacks are not in the table
  std::vector<AddedRow> added;
};

/// A store that is open for reading only; a sweep may write it meanwhile.
class StoreReader {
public:
  /// Errors: as Store::open, and a file that does not exist.
  static Result<StoreReader> open(const std::string& path);
  StoreReader(StoreReader&&) noexcept;
  StoreReader& operator=(StoreReader&&) noexcept;
  ~StoreReader();

  /// Parameters by their own names, columns by theirs; a parameter that is named like a column is
  /// `param_NAME`. In the order in which tables show them.
  std::vector<StoreColumn> columns() const;
  /// Errors: an unknown column (with the nearest), a condition that SQLite does not understand.
  Result<Rows> rows(const RowQuery& query) const;
  /// The rows of a SELECT over the view `results`, which has all columns. It can change nothing.
  Result<Rows> select(const std::string& sql) const;
  /// Makes the table for queries of this reader; the file does not change. The points are those of
  /// now. Errors: a name that another table has, an added row like no point, an unknown column.
  Status add_table(const PointTable& table);
  /// The whole result of a point, as JSON on one line; empty where there is none.
  Result<std::string> json(std::string_view key) const;

private:
  struct File;
  explicit StoreReader(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

} // namespace memlane::sweep
