// Reading a result store: filtered rows, and whole results.
#pragma once

#include "memlane/store/store.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// Columns of inputs that `memlane worst` tried.
inline constexpr const char *worst_of_column = "worst_of", *worst_value_column = "worst_value",
                            *worst_refutes_column = "worst_refutes";

/// A condition over columns, in SQL; it may name what StoreReader::columns and other_names give.
struct RowCondition {
  std::string text;
  std::string option = {}; ///< the option that the condition is from, for errors
};

/// A column by which rows are sorted.
struct OrderColumn {
  std::string name;
  bool descending = false;
};
/// `n`, `n asc` or `n desc`, in small letters or capitals.
OrderColumn order_column(const std::string& text);
/// For a name that is no column but looks as if it said a direction: `-n`, `n descending`.
std::vector<std::string> order_help(const std::string& name);

/// Which rows, and what of them.
struct RowQuery {
  /// Empty: what was run, where it differs between the rows (of all, whatever `most` is) and the
  /// columns before do not tell it, then the time, and how points ended if not all are done.
  std::vector<std::string> columns;
  std::string where;                   ///< a condition, that of --where; empty: all
  std::vector<OrderColumn> order;      ///< empty: by program, machine, parameters, seed
  std::int64_t most = INT64_MAX;       ///< rows
  std::vector<RowCondition> also = {}; ///< further conditions that must hold
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
  std::vector<std::string> keys; ///< the points' keys; a key that the store lacks gives no row
  std::vector<AddedRow> added;
};

/// Whether queries can have a table of this name beside the view `results`: no word of SQL, which
/// does not tell capitals from small letters.
bool can_name_table(const std::string& name);

/// A store that is open for reading only; a sweep may write it meanwhile.
class StoreReader {
public:
  /// Errors: as Store::open, and a file that does not exist. `check` may stop the opening and all
  /// reading: the error says so then.
  static Result<StoreReader> open(const std::string& path, std::function<Stop()> check = {});
  StoreReader(StoreReader&&) noexcept;
  StoreReader& operator=(StoreReader&&) noexcept;
  ~StoreReader();

  /// Parameters by their own names, columns by theirs; a parameter that is named like a column is
  /// `param_NAME`. In the order in which tables show them.
  std::vector<StoreColumn> columns() const;
  /// Other names that options and conditions may use, unless a parameter has the name: the letters
  /// and keys of machines that axes of sweeps have (`p` of machine_threads), `layout` for layouts,
  /// and the arrays and types that the rows replace: `t` is `padded(1)` where layouts are
  /// `t=padded(1)`.
  const std::vector<StoreColumn>& other_names() const;
  /// Help for a name that is no column: the nearest one, else some columns.
  std::vector<std::string> suggestions(const std::string& name) const;
  /// Errors: names that are no columns, said of the option.
  Status check_columns(const std::vector<std::string>& names, const std::string& option) const;
  /// The number of rows; columns, order and `most` do not matter. Errors: as rows.
  Result<std::int64_t> count(const RowQuery& query) const;
  /// Rows of inputs that `memlane worst` tried are left out beside those of runs, unless a
  /// condition or a column names them: `worst_of`, `worst_value`.
  Result<std::int64_t> trials_left_out(const RowQuery& query) const;
  /// Errors: an unknown column (with the nearest), a condition that SQLite does not understand.
  Result<Rows> rows(const RowQuery& query) const;
  /// The columns that `rows` gives if the query names none.
  Result<std::vector<std::string>> shown_columns(const RowQuery& query) const;
  /// The values of a column of what was run, each once.
  Result<Rows> distinct(const std::string& column) const;
  /// The rows of a SELECT over the view `results`, which has all columns. It can change nothing.
  Result<Rows> select(const std::string& sql) const;
  /// Makes the table for queries of this reader; the file does not change. The points are those of
  /// now. Errors: a name that another table has, an added row like no point, an unknown column.
  Status add_table(const PointTable& table);
  /// Every point whose row meets the condition (empty: all), whole, in the order in which they were
  /// added; its cells are those of `result_columns`. Ends at the first error of `take`.
  Status each_point(const std::string& where,
                    const std::function<Status(const WholePoint&)>& take) const;
  /// One point; none if the store does not have it. Cost: one look into an index.
  Result<std::optional<WholePoint>> point(std::string_view key) const;
  /// The columns of results, without parameters and those that every store has, as Store::open
  /// takes them.
  std::vector<StoreColumn> result_columns() const;
  /// The keys that begin with these digits, at most two.
  Result<std::vector<std::string>> keys_like(std::string_view digits) const;
  /// Whether SQLite and all whole results are sound. Errors: what is damaged, and those of `take`,
  /// which gets every point. Reads everything.
  Status check(const std::function<Status(const WholePoint&)>& take = {}) const;
  /// The whole result of a point, as JSON on one line; empty where there is none.
  Result<std::string> json(std::string_view key) const;

private:
  struct File;
  explicit StoreReader(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

} // namespace memlane::sweep
