#include "memlane/sweep/store_query.hpp"

#include "store_bytes.hpp"
#include "store_default_columns.hpp"
#include "store_errors.hpp"
#include "store_names.hpp"
#include "store_output.hpp"
#include "store_tables.hpp"
#include "store_texts.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace memlane::sweep {
namespace {

constexpr int reader_wait_milliseconds = 10'000;
/// The place of errors of whole queries, which are not conditions of options.
constexpr const char* query_place = "query";

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

/// Removes the files FILE-wal and FILE-shm that SQLite makes for a reader of a store without them,
/// and which a connection for reading only cannot remove. The last connection that may write does
/// it, under SQLite's locks: while another process has the store open, they stay.
class LogRemover {
public:
  explicit LogRemover(const std::string& path) : path_(path) {
    std::error_code none;
    const auto size = std::filesystem::file_size(path + "-wal", none);
    is_wanted_ = none || size == 0; // else a killed process may have left it: not a reader's work
  }
  LogRemover(const LogRemover&) = delete;
  LogRemover& operator=(const LogRemover&) = delete;
  ~LogRemover() {
    std::error_code none;
    if (!is_wanted_ || !std::filesystem::exists(path_ + "-wal", none)) return;
    try {
      SQLite::Database last(path_, SQLite::OPEN_READWRITE);
      last.execAndGet("SELECT count(*) FROM sqlite_schema");
    } catch (const SQLite::Exception&) { // read-only: they stay
    }
  }

private:
  std::string path_;
  bool is_wanted_ = false;
};

struct StoreReader::File {
  File(std::unique_ptr<LogRemover> its_log, std::string its_path, SQLite::Database its_database)
      : log(std::move(its_log)), path(std::move(its_path)), database(std::move(its_database)),
        outputs(database), texts(database) {}

  Result<Rows> read(const std::string& sql, const std::string& place) const;
  /// SQL of a column that users write; or an error with the nearest one.
  Result<std::string> column_in_view(const std::string& shown, const std::string& place) const;
  Result<std::string> condition_in_view(const std::string& condition,
                                        const std::string& place) const;
  Diagnostic condition_error(const SQLite::Exception& error, const std::string& place) const;
  Result<std::string> json_of(std::string_view key) const;
  Result<WholePoint> point_of(SQLite::Statement& query) const;
  std::string point_columns() const;
  void copy_points(const PointTable& table);
  Status add_row(const std::string& table, const AddedRow& row);
  Result<std::string> in_view(const std::vector<std::string>& names,
                              const std::string& place) const;
  Result<std::string> where_clause(const RowQuery& query) const;
  Result<std::string> clauses(const RowQuery& query) const;
  std::string default_order() const;

  std::unique_ptr<LogRemover> log; ///< outlives the connection
  std::string path;
  mutable SQLite::Database database;
  mutable OutputReader outputs;
  mutable StoreTexts texts;
  std::vector<FileColumn> columns; ///< store_columns() among them
  std::vector<StoreColumn> shown;
  std::optional<StoreNames> names;
};

Result<std::string> StoreReader::File::column_in_view(const std::string& name,
                                                      const std::string& place) const {
  const std::string sql = names->sql_of(name);
  if (!sql.empty()) return sql;
  return error_in(place, fmt::format("the store has no column '{}'", name),
                  names->suggestions(name));
}

/// What SQLite says of a condition, in the words of its writer.
Diagnostic StoreReader::File::condition_error(const SQLite::Exception& error,
                                              const std::string& place) const {
  if (error.getErrorCode() != SQLITE_ERROR) return store_error(path, error);
  const std::string what = error.what();
  if (what == "incomplete input") return error_in(place, "the condition is not complete");
  const std::string_view unknown = "no such column: ";
  if (what.rfind(unknown, 0) != 0) return error_in(place, what);
  std::string name = what.substr(unknown.size());
  name = name.substr(0, name.find(" - ")); // advice of later versions of SQLite
  if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
  std::vector<std::string> help = names->suggestions(name);
  help.push_back(fmt::format("a text is in single quotes: '{}'", name));
  // A query has tables of its own.
  return error_in(place,
                  place == query_place ? fmt::format("no such column: {}", name)
                                       : fmt::format("the store has no column '{}'", name),
                  help);
}

/// The condition with the names of the view. SQLite reads it alone, so that no bracket of a query
/// around it hides a mistake.
Result<std::string> StoreReader::File::condition_in_view(const std::string& condition,
                                                         const std::string& place) const {
  std::string text = names->condition_in_view(condition);
  try {
    const SQLite::Statement whole(database, "SELECT key FROM results WHERE " + text);
  } catch (const SQLite::Exception& error) {
    return condition_error(error, place);
  }
  return text;
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
      for (int i = 0; i < query.getColumnCount(); ++i) row.push_back(cell_in(query.getColumn(i)));
      rows.rows.push_back(std::move(row));
    }
    return rows;
  } catch (const SQLite::Exception& error) {
    return condition_error(error, place);
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
  add([](const FileColumn& c) { return c.kind == ColumnKind::shared && c.name != "path"; });
  return fmt::format("{}", fmt::join(order, ", ")) + (order.empty() ? "key" : ", key");
}

StoreReader::StoreReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
StoreReader::StoreReader(StoreReader&&) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&&) noexcept = default;
StoreReader::~StoreReader() = default;

Result<StoreReader> StoreReader::open(const std::string& path) {
  if (Status short_enough = check_name_length(path); !short_enough) return short_enough.errors();
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return error_in(path, "there is no such file",
                    {"'memlane sweep … --store FILE' makes a store"});
  const auto open_as = [&](const std::string& name, int flags) -> Result<StoreReader> {
    auto log = std::make_unique<LogRemover>(path);
    SQLite::Database database(name, SQLite::OPEN_READONLY | flags, reader_wait_milliseconds);
    bool is_new = false;
    if (const Status status = check_format(database, path, is_new); !status) return status.errors();
    if (is_new)
      return error_in(path, "is empty: no point has been stored",
                      {"'memlane sweep … --store FILE' fills it"});
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    auto file = std::make_unique<File>(std::move(log), path, std::move(database));
    file->columns = read_columns(file->database);
    for (const StoreColumn& column : store_columns())
      file->columns.push_back({0, column.shared ? ColumnKind::shared : ColumnKind::own, column.name,
                               column.meaning, column.name, column.name});
    for (const FileColumn& column : file->columns)
      file->shown.push_back({column.shown, column.meaning, column.kind == ColumnKind::shared,
                             column.kind == ColumnKind::parameter});
    file->names.emplace(file->columns);
    // Made at first use, which counts as the creation of a table.
    for (const char* table : {"json_each", "json_tree"})
      file->database.exec(fmt::format("SELECT 1 FROM {}('[]')", table));
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

Result<std::string> StoreReader::File::in_view(const std::vector<std::string>& names,
                                               const std::string& place) const {
  ErrorCollector errors;
  std::vector<std::string> found(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    errors.take(column_in_view(names[i], place), found[i]);
  if (!errors.ok()) return errors.errors();
  return fmt::format("{}", fmt::join(found, ", "));
}

/// ` WHERE …`. A comment at the end of a condition ends with the line.
Result<std::string> StoreReader::File::where_clause(const RowQuery& query) const {
  std::vector<RowCondition> all = query.also;
  all.insert(all.begin(), {query.where, "--where"});
  ErrorCollector errors;
  std::string text;
  for (const RowCondition& condition : all) {
    if (condition.text.empty()) continue;
    std::string own;
    if (errors.take(condition_in_view(condition.text, condition.option), own))
      text += fmt::format("{}({}\n)", text.empty() ? " WHERE " : " AND ", own);
  }
  if (!errors.ok()) return errors.errors();
  return text;
}

/// ` WHERE … ORDER BY … LIMIT …`.
Result<std::string> StoreReader::File::clauses(const RowQuery& query) const {
  Result<std::string> where = where_clause(query);
  if (!where) return where;
  std::string text = std::move(*where);
  if (query.order.empty()) {
    text += " ORDER BY " + default_order();
  } else {
    const Result<std::string> order = in_view(query.order, "--order");
    if (!order) return order.errors();
    text += fmt::format(" ORDER BY {}, {}", *order, default_order());
  }
  if (query.most != INT64_MAX)
    text += fmt::format(" LIMIT {}", std::max<std::int64_t>(query.most, 0));
  return text;
}

Result<std::vector<std::string>> StoreReader::shown_columns(const RowQuery& query) const {
  const Result<std::string> where = file_->where_clause(query);
  if (!where) return where.errors();
  return at_store(file_->path, [&]() -> Result<std::vector<std::string>> {
    try {
      return default_columns(file_->database, file_->columns, "results" + *where);
    } catch (const SQLite::Exception& error) { // such as a number that overflows in a condition
      return file_->condition_error(error, "--where");
    }
  });
}

Status StoreReader::check_columns(const std::vector<std::string>& names,
                                  const std::string& option) const {
  const Result<std::string> known = file_->in_view(names, option);
  if (!known) return known.errors();
  return Done{};
}

const std::vector<StoreColumn>& StoreReader::machine_names() const {
  return file_->names->machine_names();
}

std::vector<std::string> StoreReader::suggestions(const std::string& name) const {
  return file_->names->suggestions(name);
}

Result<std::int64_t> StoreReader::count(const RowQuery& query) const {
  const Result<std::string> where = file_->where_clause(query);
  if (!where) return where.errors();
  const Result<Rows> rows = file_->read("SELECT count(*) FROM results" + *where, "--where");
  if (!rows) return rows.errors();
  return std::get<std::int64_t>(rows->rows[0][0]);
}

Result<Rows> StoreReader::rows(const RowQuery& query) const {
  ErrorCollector errors;
  std::vector<std::string> names = query.columns;
  std::string columns, clauses;
  if (names.empty())
    errors.take(shown_columns(query), names);
  else
    errors.check(file_->where_clause(query));
  errors.take(file_->in_view(names, "--columns"), columns);
  if (!errors.ok()) return errors.errors();
  errors.take(file_->clauses(query), clauses);
  if (!errors.ok()) return errors.errors();
  Result<Rows> rows =
      file_->read(fmt::format("SELECT {} FROM results{}", columns, clauses), "--where");
  if (rows) rows->columns = std::move(names);
  return rows;
}

Result<Rows> StoreReader::distinct(const std::string& column) const {
  for (const FileColumn& known : file_->columns) {
    if (known.shown != column || known.kind != ColumnKind::shared || known.number == 0) continue;
    return file_->read(fmt::format("SELECT DISTINCT {} FROM subjects", known.sql_name()), column);
  }
  const Result<std::string> name = file_->column_in_view(column, column);
  if (!name) return name.errors();
  return file_->read(fmt::format("SELECT DISTINCT {} FROM results", *name), column);
}

Result<Rows> StoreReader::select(const std::string& sql) const {
  return file_->read(sql, query_place);
}

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

std::vector<StoreColumn> StoreReader::result_columns() const {
  std::vector<StoreColumn> own;
  for (const FileColumn& column : file_->columns)
    if (column.number != 0 && column.kind != ColumnKind::parameter)
      own.push_back({column.name, column.meaning, column.kind == ColumnKind::shared});
  return own;
}

/// The columns of `query` are those of the file without the store's own, then `point_columns`.
Result<WholePoint> StoreReader::File::point_of(SQLite::Statement& query) const {
  WholePoint ended;
  StoredPoint& point = ended.point;
  int at = 0;
  for (const FileColumn& column : columns) {
    if (column.number == 0) continue;
    Cell cell = cell_in(query.getColumn(at++));
    if (column.kind != ColumnKind::parameter)
      point.cells.push_back(std::move(cell));
    else if (cell.index() != 0)
      point.parameters.emplace_back(column.name, std::move(cell));
  }
  point.key = query.getColumn(at++).getString();
  point.sweep = query.getColumn(at++).getString();
  const std::string status = query.getColumn(at++).getString();
  for (const PointStatus known : {PointStatus::stopped, PointStatus::failed})
    if (status == name_of(known)) ended.status = known;
  ended.check_failed = query.getColumn(at++).getInt() != 0;
  ended.limit = query.getColumn(at++).getString();
  point.seconds = query.getColumn(at++).getDouble();
  const SQLite::Column device = query.getColumn(at);
  if (!device.isNull())
    point.measured = MeasuredTime{device.getString(), query.getColumn(at + 1).getString(),
                                  query.getColumn(at + 2).getDouble()};
  SQLite::Statement parts(database, "SELECT parts FROM points WHERE key = ?");
  const std::string key = bytes_of_hex(point.key).value_or(point.key);
  parts.bind(1, key.data(), static_cast<int>(key.size()));
  if (parts.executeStep()) point.key_parts = unpacked_parts(parts.getColumn(0).getString(), texts);
  Result<std::string> json = json_of(point.key);
  if (!json) return json.errors();
  point.json = std::move(*json);
  return ended;
}

std::string StoreReader::File::point_columns() const {
  std::string names;
  for (const FileColumn& column : columns)
    if (column.number != 0) names += quoted_name(column.in_view) + ", ";
  return names + "key, sweep, status, check_failed, stopped_by, seconds, device, variant, "
                 "nanoseconds";
}

Status StoreReader::each_point(const std::string& where,
                               const std::function<Status(const WholePoint&)>& take) const {
  const Result<std::string> clause = file_->where_clause({{}, where, {}});
  if (!clause) return clause.errors();
  return at_store(file_->path, [&]() -> Status {
    // The view's CROSS JOIN reads points in the order of their ids.
    SQLite::Statement query(
        file_->database, fmt::format("SELECT {} FROM results{}", file_->point_columns(), *clause));
    while (query.executeStep()) {
      const Result<WholePoint> point = file_->point_of(query);
      if (!point) return point.errors();
      if (Status taken = take(*point); !taken) return taken;
    }
    return Done{};
  });
}

Result<std::optional<WholePoint>> StoreReader::point(std::string_view key) const {
  return at_store(file_->path, [&]() -> Result<std::optional<WholePoint>> {
    SQLite::Statement query(file_->database,
                            fmt::format("SELECT {} FROM ({} WHERE p.key = ?)",
                                        file_->point_columns(), view_text(file_->columns)));
    const std::string bytes = bytes_of_hex(key).value_or(std::string(key));
    query.bind(1, bytes.data(), static_cast<int>(bytes.size()));
    if (!query.executeStep()) return std::optional<WholePoint>();
    Result<WholePoint> point = file_->point_of(query);
    if (!point) return point.errors();
    return std::optional(std::move(*point));
  });
}

Result<std::vector<std::string>> StoreReader::keys_like(std::string_view digits) const {
  return at_store(file_->path, [&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> keys;
    SQLite::Statement query(
        file_->database, "SELECT lower(hex(key)) FROM points WHERE key >= ? AND key < ? LIMIT 2");
    // Of an odd number of digits, the last is half of a byte.
    std::string low(digits), high(digits);
    if (low.size() % 2 != 0) {
      low += '0';
      high += 'f';
    }
    const auto least = bytes_of_hex(low), most = bytes_of_hex(high);
    if (!least || !most || digits.empty()) return keys;
    const std::string behind = *most + std::string(32, '\xff');
    query.bindNoCopy(1, least->data(), static_cast<int>(least->size()));
    query.bindNoCopy(2, behind.data(), static_cast<int>(behind.size()));
    while (query.executeStep()) keys.push_back(query.getColumn(0).getString());
    return keys;
  });
}

Status StoreReader::check() const {
  sqlite3* const handle = file_->database.getHandle();
  sqlite3_set_authorizer(handle, nullptr, nullptr);
  const Status sound = at_store(file_->path, [&]() -> Status {
    SQLite::Statement query(file_->database, "PRAGMA integrity_check(1)");
    if (query.executeStep() && query.getColumn(0).getString() != "ok")
      return damaged_store(file_->path, query.getColumn(0).getString());
    return each_point("", [](const WholePoint&) -> Status { return Done{}; });
  });
  sqlite3_set_authorizer(handle, allow_reading, nullptr);
  return sound;
}

} // namespace memlane::sweep
