#include "memlane/sweep/store_query.hpp"

#include "store_bytes.hpp"
#include "store_errors.hpp"
#include "store_output.hpp"
#include "store_tables.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace memlane::sweep {
namespace {

constexpr int reader_wait_milliseconds = 10'000;

Cell cell_of(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isNull()) return std::monostate();
  return column.getString();
}

/// A query may read and compute, nothing else: no PRAGMA, no ATTACH, no extension.
int allow_reading(void*, int action, const char*, const char* name, const char*, const char*) {
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE: return SQLITE_OK;
  case SQLITE_FUNCTION:
    return name && std::string_view(name) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
  default: return SQLITE_DENY;
  }
}

/// SQLite cannot read a store in a folder that it cannot write, unless told that the file does not
/// change. Without a log beside it, no process writes it.
std::string unchanging_uri(const std::string& path) {
  std::string uri = "file:";
  for (char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > ' ' && byte < 0x7f && c != '%' && c != '?' && c != '#';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", byte);
  }
  return uri + "?immutable=1";
}

} // namespace

struct StoreReader::File {
  File(std::string its_path, SQLite::Database its_database)
      : path(std::move(its_path)), database(std::move(its_database)), outputs(database) {}

  Result<Rows> read(const std::string& sql, const std::string& place) const;
  /// The view's name of a column that users write, quoted; or an error with the nearest one.
  Result<std::string> column_in_view(const std::string& shown, const std::string& place) const;
  Result<std::string> json_of(std::string_view key) const;
  void copy_points(const PointTable& table);
  Status add_row(const std::string& table, const AddedRow& row);
  std::string default_order() const;
  std::vector<std::string> default_columns(const std::string& from) const;

  std::string path;
  mutable SQLite::Database database;
  mutable OutputReader outputs;
  std::vector<FileColumn> columns; ///< store_columns() among them
  std::vector<StoreColumn> shown;
};

Result<std::string> StoreReader::File::column_in_view(const std::string& name,
                                                      const std::string& place) const {
  for (const FileColumn& column : columns)
    if (column.shown == name) return quoted_name(column.in_view);
  std::vector<std::string> known;
  for (const FileColumn& column : columns) known.push_back(column.shown);
  std::vector<std::string> help = did_you_mean(name, known);
  help.push_back(fmt::format("its columns: {}", fmt::join(known, ", ")));
  return error_in(place, fmt::format("the store has no column '{}'", name), help);
}

Result<Rows> StoreReader::File::read(const std::string& sql, const std::string& place) const {
  try {
    SQLite::Statement query(database, sql);
    Rows rows;
    for (int i = 0; i < query.getColumnCount(); ++i) {
      const std::string name = query.getColumnName(i);
      const auto column = std::find_if(columns.begin(), columns.end(),
                                       [&](const FileColumn& c) { return c.in_view == name; });
      rows.columns.push_back(column == columns.end() ? name : column->shown);
    }
    while (query.executeStep()) {
      std::vector<Cell> row;
      row.reserve(rows.columns.size());
      for (int i = 0; i < query.getColumnCount(); ++i) row.push_back(cell_of(query.getColumn(i)));
      rows.rows.push_back(std::move(row));
    }
    return rows;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() != SQLITE_ERROR) return store_error(path, error);
    std::vector<std::string> help;
    const std::string what = error.what();
    const std::string unknown = "no such column: ";
    if (what.rfind(unknown, 0) == 0) {
      std::vector<std::string> known;
      for (const FileColumn& column : columns) known.push_back(column.in_view);
      help = did_you_mean(what.substr(unknown.size()), known);
      help.push_back(fmt::format("its columns: {}", fmt::join(known, ", ")));
      help.push_back("a text is in single quotes: 'text'");
    }
    return error_in(place, what, help);
  }
}

std::string StoreReader::File::default_order() const {
  std::vector<std::string> order;
  const auto add = [&](auto wanted) {
    for (const FileColumn& column : columns) {
      const std::string name = quoted_name(column.in_view);
      if (wanted(column) && std::find(order.begin(), order.end(), name) == order.end())
        order.push_back(name);
    }
  };
  for (const char* first : {"program", "machine", "machine_name"})
    add([&](const FileColumn& c) { return c.kind == ColumnKind::shared && c.name == first; });
  add([](const FileColumn& c) { return c.kind == ColumnKind::parameter; });
  add([](const FileColumn& c) { return c.name == "seed"; });
  add([](const FileColumn& c) { return c.kind == ColumnKind::shared; });
  return fmt::format("{}", fmt::join(order, ", ")) + (order.empty() ? "key" : ", key");
}

/// Those that differ between the rows, and the time; the store's own only if they are not as usual.
std::vector<std::string> StoreReader::File::default_columns(const std::string& from) const {
  std::vector<std::string> names;
  for (const FileColumn& column : columns) names.push_back(quoted_name(column.in_view));
  SQLite::Statement query(database, fmt::format("SELECT {} FROM {}", fmt::join(names, ", "), from));
  std::vector<Cell> first;
  std::vector<bool> differs(columns.size());
  while (query.executeStep()) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (differs[i]) continue;
      Cell cell = cell_of(query.getColumn(static_cast<int>(i)));
      if (first.size() < columns.size())
        first.push_back(std::move(cell));
      else if (cell != first[i])
        differs[i] = true;
    }
  }
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].shown;
    if (name == "time" || (differs[i] && name != "key" && name != "seconds"))
      chosen.push_back(name);
  }
  return chosen;
}

StoreReader::StoreReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
StoreReader::StoreReader(StoreReader&&) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&&) noexcept = default;
StoreReader::~StoreReader() = default;

Result<StoreReader> StoreReader::open(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return error_in(path, "there is no such file",
                    {"'memlane sweep … --store FILE' makes a store"});
  const auto open_as = [&](const std::string& name, int flags) -> Result<StoreReader> {
    SQLite::Database database(name, SQLite::OPEN_READONLY | flags, reader_wait_milliseconds);
    bool is_new = false;
    if (const Status status = check_format(database, path, is_new); !status) return status.errors();
    if (is_new)
      return error_in(path, "is empty: no point has been stored",
                      {"'memlane sweep … --store FILE' fills it"});
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    auto file = std::make_unique<File>(path, std::move(database));
    file->columns = read_columns(file->database);
    for (const StoreColumn& column : store_columns())
      file->columns.push_back(
          {0, ColumnKind::own, column.name, column.meaning, column.name, column.name});
    for (const FileColumn& column : file->columns)
      file->shown.push_back({column.shown, column.meaning, column.kind == ColumnKind::shared,
                             column.kind == ColumnKind::parameter});
    sqlite3_set_authorizer(file->database.getHandle(), allow_reading, nullptr);
    return StoreReader(std::move(file));
  };
  return at_store(path, [&]() -> Result<StoreReader> {
    try {
      return open_as(path, 0);
    } catch (const SQLite::Exception& error) {
      const int code = error.getErrorCode();
      const auto log = std::filesystem::file_size(path + "-wal", none);
      const bool is_written = !none && log != 0;
      if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || is_written) throw;
      return open_as(unchanging_uri(path), SQLite::OPEN_URI);
    }
  });
}

std::vector<StoreColumn> StoreReader::columns() const { return file_->shown; }

Result<Rows> StoreReader::rows(const RowQuery& query) const {
  ErrorCollector errors;
  const auto in_view = [&](const std::vector<std::string>& names, const std::string& place) {
    std::vector<std::string> found;
    for (const std::string& name : names) {
      std::string column;
      if (errors.take(file_->column_in_view(name, place), column)) found.push_back(column);
    }
    return found;
  };
  std::vector<std::string> columns = in_view(query.columns, "--columns");
  const std::vector<std::string> order = in_view(query.order, "--order");
  if (!errors.ok()) return errors.errors();
  const std::string where = query.where.empty() ? "" : fmt::format(" WHERE ({})", query.where);
  const std::string order_text =
      order.empty() ? file_->default_order() : fmt::format("{}, key", fmt::join(order, ", "));
  const std::string last = query.most == INT64_MAX
                               ? ""
                               : fmt::format(" LIMIT {}", std::max<std::int64_t>(query.most, 0));
  if (columns.empty()) {
    // Also finds what is wrong with the condition.
    const Result<Rows> checked =
        file_->read(fmt::format("SELECT key FROM results{} LIMIT 1", where), "--where");
    if (!checked) return checked.errors();
    std::vector<std::string> shown;
    const Status read = at_store(file_->path, [&]() -> Status {
      shown = file_->default_columns(
          last.empty()
              ? fmt::format("results{}", where)
              : fmt::format("(SELECT * FROM results{} ORDER BY {}{})", where, order_text, last));
      return Done{};
    });
    if (!read) return read.errors();
    columns = in_view(shown, "--columns");
  }
  return file_->read(fmt::format("SELECT {} FROM results{} ORDER BY {}{}", fmt::join(columns, ", "),
                                 where, order_text, last),
                     "--where");
}

Result<Rows> StoreReader::select(const std::string& sql) const { return file_->read(sql, "query"); }

/// The rows of `results`, in the order of the keys, each with its whole result. The keys go into a
/// table first, since the view is read from end to end for each query by key.
void StoreReader::File::copy_points(const PointTable& table) {
  const std::string name = quoted_name(table.name);
  database.exec(fmt::format("CREATE TEMP TABLE {} AS SELECT *, '' AS basis, '' AS json FROM "
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
  database.exec(
      fmt::format("INSERT INTO temp.{} SELECT results.*, 'model', k.json FROM results JOIN "
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
      values.push_back(column.kind == ColumnKind::own ? "NULL" : quoted_name(column.in_view));
    }
  }
  if (cells.size() != row.cells.size())
    for (const auto& [name, cell] : row.cells)
      if (const auto known = column_in_view(name, table); !known) return known.errors();
  std::vector<std::string> names;
  for (const FileColumn& column : columns) names.push_back(quoted_name(column.in_view));
  SQLite::Statement add(
      database, fmt::format("INSERT INTO temp.{} ({}, basis) SELECT {}, 'formula' FROM results "
                            "WHERE key = ?1",
                            quoted_name(table), fmt::join(names, ", "), fmt::join(values, ", ")));
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
  const Status made = at_store(file_->path, [&]() -> Status {
    file_->copy_points(table);
    for (const AddedRow& row : table.added)
      if (const Status added = file_->add_row(table.name, row); !added) return added.errors();
    return Done{};
  });
  sqlite3_set_authorizer(handle, allow_reading, nullptr);
  return made;
}

Result<std::string> StoreReader::json(std::string_view key) const { return file_->json_of(key); }

Result<std::string> StoreReader::File::json_of(std::string_view key) const {
  return at_store(path, [&]() -> Result<std::string> {
    SQLite::Statement query(database, "SELECT output FROM points WHERE key = ?");
    const std::string bytes = bytes_of_hex(key).value_or(std::string(key));
    query.bindNoCopy(1, bytes.data(), static_cast<int>(bytes.size()));
    if (!query.executeStep()) return std::string();
    const auto json = outputs.json(query.getColumn(0).getInt64());
    if (!json)
      return error_in(path, fmt::format("the stored result of point {} is damaged", key),
                      {"run the point again into another store"});
    return *json;
  });
}

} // namespace memlane::sweep
