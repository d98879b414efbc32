// The names that users write for the columns of a store, in options and in conditions.
#pragma once

#include "store_tables.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// Columns by the names that users write, and SQL for each over the view `results`: those of the
/// file, and the letters and keys of machines that axes of sweeps have (`p`, `shared.latency`).
/// Names differ by case, which SQLite's do not.
class StoreNames {
public:
  explicit StoreNames(const std::vector<FileColumn>& columns);

  /// The SQL of a column; empty: there is none of this name.
  std::string sql_of(std::string_view name) const;
  /// Letters and keys of machines, each with its meaning.
  const std::vector<StoreColumn>& machine_names() const { return machine_names_; }
  /// Suggestions for a name that is none: the nearest ones, else the columns that most stores need.
  std::vector<std::string> suggestions(const std::string& name) const;
  /// An SQL condition of a user, with the names of the view in place of the user's.
  std::string condition_in_view(std::string_view condition) const;

private:
  std::vector<std::pair<std::string, std::string>> sql_; ///< by name
  std::vector<StoreColumn> machine_names_;
  std::vector<std::string> shown_; ///< for suggestions
};

} // namespace memlane::sweep
