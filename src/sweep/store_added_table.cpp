// Tables of points that a reader adds for its queries.
#include "store_errors.hpp"
#include "store_reader.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

namespace memlane::sweep {

/// The rows of `results`, in the order of the keys, each with its whole result. The keys go into a
/// table first, since the view is read from end to end for each query by key.
void StoreReader::File::copy_points(const PointTable& table) {
  const std::string name = quoted_name(table.name);
  database.exec(fmt::format("CREATE TEMP TABLE {} AS SELECT *, '' AS json FROM "
                            "results WHERE 0",
                            name));
  database.exec("CREATE TEMP TABLE \"keys of points\" (key TEXT, json TEXT)");
  SQLite::Statement add(database, "INSERT INTO temp.\"keys of points\" VALUES (?1, ?2)");
  for (const std::string& key : table.keys) {
    const Result<std::string> json = json_of(key);
    add.reset();
    add.bind(1, key);
    add.bind(2, json ? *json : std::string());
    add.exec();
  }
  database.exec(fmt::format("INSERT INTO temp.{} SELECT results.*, k.json FROM results JOIN "
                            "temp.\"keys of points\" AS k ON k.key = results.key ORDER BY k.rowid",
                            name));
  database.exec("DROP TABLE temp.\"keys of points\"");
}

Status StoreReader::File::add_row(const std::string& table, const AddedRow& row) {
  std::vector<std::string> values;
  std::vector<const Cell*> cells;
  for (const FileColumn& column : columns) {
    const auto set = std::find_if(row.cells.begin(), row.cells.end(),
                                  [&](const auto& cell) { return cell.first == column.shown; });
    if (set != row.cells.end()) {
      cells.push_back(&set->second);
      values.push_back(fmt::format("?{}", cells.size() + 1));
    } else {
      values.push_back(column.shown == "basis"          ? "'formula'"
                       : column.kind == ColumnKind::own ? "NULL"
                                                        : quoted_name(column.in_view));
    }
  }
  if (cells.size() != row.cells.size())
    for (const auto& [name, cell] : row.cells)
      if (const auto known = column_in_view(name, table); !known) return known.errors();
  std::vector<std::string> names;
  for (const FileColumn& column : columns) names.push_back(quoted_name(column.in_view));
  SQLite::Statement add(database, fmt::format("INSERT INTO temp.{} ({}) SELECT {} FROM results "
                                              "WHERE key = ?1",
                                              quoted_name(table), fmt::join(names, ", "),
                                              fmt::join(values, ", ")));
  add.bind(1, row.like);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const int at = static_cast<int>(i) + 2;
    std::visit(
        [&](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
            add.bind(at, value);
        },
        *cells[i]);
  }
  if (add.exec() == 1) return Done{};
  return error_in(table,
                  fmt::format("a row is like point {}, which is not in the store", row.like));
}

Status StoreReader::add_table(const PointTable& table) {
  // Queries may only read; the table is made in a database of this connection.
  sqlite3* const handle = file_->database.getHandle();
  sqlite3_set_authorizer(handle, nullptr, nullptr);
  const Status made = at_store(file_->use, [&]() -> Status {
    file_->copy_points(table);
    for (const AddedRow& row : table.added)
      if (const Status added = file_->add_row(table.name, row); !added) return added.errors();
    return Done{};
  });
  sqlite3_set_authorizer(handle, allow_reading, nullptr);
  return made;
}

} // namespace memlane::sweep
