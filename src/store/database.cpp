#include "database.hpp"

#include "reader.hpp"
#include "tables.hpp"

#include "memlane/support/files.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace memlane::sweep {

namespace {

/// SQLite's instructions between two polls: about 20 us, or a row of a wide table.
constexpr int steps_between_polls = 1000;
constexpr int pause_milliseconds = 10;

bool is_stopped(const StoreUse& use) { return use.check && use.check() != Stop::none; }

int poll(void* use) { return is_stopped(*static_cast<const StoreUse*>(use)) ? 1 : 0; }

int wait_for_lock(void* data, int tries) {
  const auto& use = *static_cast<const StoreUse*>(data);
  if (is_stopped(use) || tries >= use.wait_milliseconds / pause_milliseconds) return 0;
  sqlite3_sleep(pause_milliseconds);
  return 1;
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

/// What queries of strangers could do beside reading, and how much of it.
void restrain(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  constexpr std::pair<int, int> limits[] = {{SQLITE_LIMIT_ATTACHED, 0},
                                            {SQLITE_LIMIT_LENGTH, 1 << 29},
                                            {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                                            {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
                                            {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (const auto& [limit, most] : limits) sqlite3_limit(handle, limit, most);
}

} // namespace

Status check_store_file(const std::string& path) {
  if (path.empty())
    return error_in("", "the name of the store is empty", {"name a file, such as results.db"});
  if (Status short_enough = check_name_length(path); !short_enough) return short_enough;
  std::error_code none;
  const auto kind = std::filesystem::status(path, none).type();
  using std::filesystem::file_type;
  if (kind == file_type::directory)
    return error_in(path, "is a directory, not a result store", {"name a file in it"});
  if (kind == file_type::not_found || kind == file_type::none || kind == file_type::unknown)
    return Done{}; // opening it says what is wrong
  if (kind != file_type::regular)
    return error_in(path, "is a device or a pipe, not a file: it cannot hold a store",
                    {"name a file, such as results.db"});
  // SQLite takes a file of one byte for an empty one.
  constexpr std::string_view beginning = "SQLite format 3";
  std::ifstream file(path, std::ios::binary);
  std::string head(beginning.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.empty() || head == beginning) return Done{};
  return not_a_store(path);
}

std::string sqlite_name(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

void stop_with(SQLite::Database& database, const StoreUse& use) {
  // SQLite's interface knows no const; both handlers only read.
  void* const data = const_cast<StoreUse*>(&use);
  sqlite3_progress_handler(database.getHandle(), steps_between_polls, poll, data);
  sqlite3_busy_handler(database.getHandle(), wait_for_lock, data);
}

SQLite::Database open_database(const StoreUse& use, StoreAccess access) {
  const std::string name = sqlite_name(use.path);
  const bool unchanging = access == StoreAccess::unchanging;
  const int flags = access == StoreAccess::create  ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE
                    : access == StoreAccess::write ? SQLite::OPEN_READWRITE
                    : unchanging                   ? SQLite::OPEN_READONLY | SQLite::OPEN_URI
                                                   : SQLite::OPEN_READONLY;
  SQLite::Database database(unchanging ? unchanging_uri(name) : name, flags);
  restrain(database.getHandle());
  stop_with(database, use);
  return database;
}

Status check_name_length(const std::string& path) {
  constexpr std::size_t most = 255, ending = 4; // -wal, -shm
  const std::size_t length = path.size() - (path.rfind('/') + 1);
  if (length + ending <= most) return Done{};
  return error_in(on_one_line(path, 80),
                  fmt::format("the name of the store has {} bytes, at most {} are allowed", length,
                              most - ending),
                  {"file systems allow 255, and SQLite adds FILE-wal and FILE-shm"});
}

Status note_store(const std::string& path) {
  for (const char* const ending : {"", "-wal", "-shm", "-journal"})
    if (Status apart = note_read(path + ending); !apart) return apart;
  return Done{};
}

Diagnostic not_a_store(const std::string& path) {
  return error_in(path, "is not a result store",
                  {"give a file that memlane sweep made with --store, or a new name"});
}

Diagnostic damaged_store(const std::string& path, const std::string& what) {
  return error_in(path, fmt::format("the store is damaged: {}", what),
                  {"keep a copy; 'sqlite3 DAMAGED.db .recover | sqlite3 NEW.db' saves what can be "
                   "read",
                   "or run the sweep again into another store"});
}

Diagnostic store_error(const StoreUse& use, const SQLite::Exception& error) {
  const std::string& path = use.path;
  const std::string what = error.what();
  const int code = error.getErrorCode();
  const Stop stop = use.check ? use.check() : Stop::none;
  if ((code == SQLITE_INTERRUPT || code == SQLITE_BUSY) && stop != Stop::none)
    return stopped_while(stop, fmt::format("reading the store '{}'", path));
  switch (code) {
  case SQLITE_NOTADB: return not_a_store(path);
  case SQLITE_CORRUPT: return damaged_store(path, what);
  case SQLITE_FULL:
    if (use.reads)
      return error_in(path, "the points that the query asks for need more than 1 GiB",
                      {"choose fewer points, or shorter columns"});
    return error_in(path, "no space is left for the store",
                    {"free some space and run the same command again: finished points are kept"});
  case SQLITE_READONLY:
    return error_in(path, "the store cannot be written: the file or its folder is read-only",
                    {"make both writable, or copy the store to another folder"});
  case SQLITE_CANTOPEN:
    return error_in(path, "the store cannot be opened: its folder does not exist, or forbids it",
                    {"SQLite also writes FILE-wal and FILE-shm beside the store"});
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return error_in(path,
                    fmt::format("another process has locked the store for more than {} seconds",
                                use.wait_milliseconds / 1000),
                    {"run the same command again when it has ended: finished points are kept"});
  case SQLITE_IOERR:
    return error_in(path, fmt::format("the store cannot be read or written: {}", what),
                    {"the disk may be full, or a limit on the size of files reached (ulimit -f)",
                     "run the same command again then: finished points are kept"});
  case SQLITE_PERM:
  case SQLITE_AUTH:
    return error_in(path, fmt::format("not allowed: {}", what), {"a query can only read"});
  case SQLITE_NOMEM: return error_in(path, "no memory is left for SQLite");
  case SQLITE_TOOBIG:
    return error_in(path, "a text is longer than the 512 MiB that a store may hold");
  default: return error_in(path, what);
  }
}

namespace {

/// Ids beyond are not reached by counting, and leave room to count on.
constexpr std::int64_t greatest_id = std::int64_t{1} << 62;

/// One space for each gap, so that the layout of a CREATE TABLE does not matter.
std::string without_gaps(std::string_view text) {
  std::string packed;
  for (char c : text) {
    const bool gap = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!gap) packed += c;
    if (gap && !packed.empty() && packed.back() != ' ') packed += ' ';
  }
  return packed;
}

/// The CREATE TABLE that SQLite keeps for a table with these columns added, in their order.
std::string expected_text(const StoreTable& table, const std::vector<std::int64_t>& added) {
  std::string text = fmt::format("CREATE TABLE {} ({}", table.name, table.columns);
  for (const std::int64_t number : added) text += fmt::format(", c{}", number);
  return without_gaps(text + ")");
}

Status check_ids(SQLite::Database& database, const std::string& path, const StoreTable& table) {
  SQLite::Statement ids(database,
                        fmt::format("SELECT min({0}), max({0}) FROM {1}", table.id, table.name));
  ids.executeStep();
  if (ids.getColumn(0).isNull()) return Done{};
  const std::int64_t least = ids.getColumn(0).getInt64(), greatest = ids.getColumn(1).getInt64();
  if (least >= 1 && greatest <= greatest_id) return Done{};
  return damaged_store(path, fmt::format("table {} has a row with the number {}", table.name,
                                         least < 1 ? least : greatest));
}

/// The numbers of the columns that were added to `subjects` and to `points`.
Result<std::map<std::string_view, std::vector<std::int64_t>>>
added_columns(SQLite::Database& database, const std::string& path) {
  std::map<std::string_view, std::vector<std::int64_t>> added;
  std::set<std::string> names;
  for (const StoreColumn& column : store_columns()) names.insert(column.name);
  SQLite::Statement query(database, "SELECT number, typeof(kind), kind, typeof(name), name, "
                                    "typeof(meaning) FROM columns ORDER BY number");
  while (query.executeStep()) {
    const std::int64_t number = query.getColumn(0).getInt64(), kind = query.getColumn(2).getInt64();
    const auto is = [&](int column, std::string_view type) {
      return query.getColumn(column).getString() == type;
    };
    if (!is(1, "integer") || kind < 0 || kind > static_cast<int>(ColumnKind::parameter) ||
        !is(3, "text") || !is(5, "text"))
      return damaged_store(path, fmt::format("column {} has no kind or name", number));
    const bool parameter = kind == static_cast<int>(ColumnKind::parameter);
    const std::string name = query.getColumn(4).getString();
    if (name.empty() || (!parameter && !names.insert(name).second))
      return damaged_store(path, fmt::format("two columns are named '{}'", name));
    added[kind == static_cast<int>(ColumnKind::shared) ? "subjects" : "points"].push_back(number);
  }
  return added;
}

Status check_format(SQLite::Database& database, const std::string& path, bool& is_new) {
  const int application = database.execAndGet("PRAGMA application_id").getInt();
  const int format = database.execAndGet("PRAGMA user_version").getInt();
  const int tables = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt();
  is_new = tables == 0 && application == 0;
  if (is_new) return Done{};
  if (application != store_application)
    return error_in(path, "is an SQLite database, but not a result store",
                    {"give a file that memlane sweep made with --store, or a new name"});
  if (format != store_format)
    return error_in(
        path,
        fmt::format("the store has format {}; this version reads format {}", format, store_format),
        {format > store_format ? "use the newer memlane that made it, or another --store"
                               : "run the sweep again into a new store"});
  return Done{};
}

Status check_tables(SQLite::Database& database, const std::string& path) {
  std::map<std::string, std::pair<std::string, std::string>> known; // type and text by name
  SQLite::Statement schema(database, "SELECT type, name, sql FROM sqlite_schema");
  while (schema.executeStep()) {
    const std::string type = schema.getColumn(0).getString(),
                      name = schema.getColumn(1).getString();
    if (type == "trigger")
      return error_in(path,
                      fmt::format("the store has a trigger '{}', which memlane did not make", name),
                      {"a trigger could change what is stored: remove it with DROP TRIGGER"});
    known[name] = {type, schema.getColumn(2).getString()};
  }
  const auto is_table = [&](const StoreTable& table, const std::vector<std::int64_t>& added) {
    const auto& [type, text] = known[std::string(table.name)];
    return type == "table" && without_gaps(text) == expected_text(table, added);
  };
  const auto changed = [&](std::string_view name) {
    return damaged_store(path, fmt::format("'{}' is not the table that memlane makes", name));
  };
  std::map<std::string_view, std::vector<std::int64_t>> added;
  for (const StoreTable& table : store_tables()) { // `columns` is the first of them
    if (!is_table(table, added[table.name])) return changed(table.name);
    if (Status ids = check_ids(database, path, table); !ids) return ids;
    if (table.name != "columns") continue;
    auto read = added_columns(database, path);
    if (!read) return read.errors();
    added = std::move(*read);
  }
  if (known["results"].first != "view")
    return damaged_store(path, "'results' is not the view that memlane makes");
  return Done{};
}

} // namespace

Status check_catalogue(SQLite::Database& database, const std::string& path, bool& is_new) {
  // All at one moment: another process may be making the tables.
  database.exec("SAVEPOINT catalogue");
  Status status = check_format(database, path, is_new);
  if (status && !is_new) status = check_tables(database, path);
  database.exec("RELEASE catalogue");
  return status;
}

// Tables of points that a reader adds for its queries.

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
