// Opens stores for reading, and reads rows by SQL.
#include "reader.hpp"

#include "database.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

namespace memlane::sweep {

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

LogRemover::LogRemover(const std::string& path) : path_(path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path + "-wal", none);
  is_wanted_ = none || size == 0; // else a killed process may have left it: not a reader's work
}

LogRemover::~LogRemover() {
  std::error_code none;
  if (!is_wanted_ || !std::filesystem::exists(path_ + "-wal", none)) return;
  try {
    const StoreUse use{path_, {}, 0};
    SQLite::Database last = open_database(use, StoreAccess::write);
    last.execAndGet("SELECT count(*) FROM sqlite_schema");
  } catch (const SQLite::Exception&) { // read-only: they stay
  }
}

StoreReader::StoreReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
StoreReader::StoreReader(StoreReader&&) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&&) noexcept = default;
StoreReader::~StoreReader() = default;

namespace {

/// Errors: a file without tables, or with others than a store's.
Status check_readable(SQLite::Database& database, const std::string& path) {
  bool is_new = false;
  if (Status status = check_catalogue(database, path, is_new); !status) return status;
  if (!is_new) return Done{};
  return error_in(path, "is empty: no point has been stored",
                  {"'memlane sweep … --store FILE' fills it"});
}

} // namespace

/// The texts of replacements, each once, by column.
static std::vector<std::pair<std::string, std::vector<std::string>>>
replaced_texts(SQLite::Database& database, const std::vector<FileColumn>& columns) {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const FileColumn& column : columns) {
    if (!lists_replacements(column)) continue;
    std::vector<std::string>& texts =
        all.emplace_back(column.shown, std::vector<std::string>()).second;
    SQLite::Statement query(database, fmt::format("SELECT DISTINCT {0} FROM subjects WHERE {0} IS "
                                                  "NOT NULL",
                                                  column.sql_name()));
    while (query.executeStep()) texts.push_back(query.getColumn(0).getString());
  }
  return all;
}

/// Makes a view over the columns that the reader knows, since the file's own view may differ.
void StoreReader::File::prepare() {
  columns = read_columns(database);
  // Tables of added points, and what queries sort: 1 GiB, in pages of 4096 bytes.
  database.exec("PRAGMA temp.max_page_count = 262144");
  database.exec("CREATE TEMP VIEW results AS " + view_text(columns));
  for (const StoreColumn& column : store_columns())
    columns.push_back({0, column.shared ? ColumnKind::shared : ColumnKind::own, column.name,
                       column.meaning, column.name, column.name});
  for (const FileColumn& column : columns)
    shown.push_back({column.shown, column.meaning, column.kind == ColumnKind::shared,
                     column.kind == ColumnKind::parameter});
  names.emplace(columns, replaced_texts(database, columns));
  // Made at first use, which counts as the creation of a table.
  for (const char* table : {"json_each", "json_tree"})
    database.exec(fmt::format("SELECT 1 FROM {}('[]')", table));
  const std::string worst_of = names->sql_of(worst_of_column);
  if (!worst_of.empty())
    hides_trials = database
                       .execAndGet(fmt::format("SELECT EXISTS (SELECT 1 FROM results WHERE {} IS "
                                               "NULL)",
                                               worst_of))
                       .getInt() == 1;
  sqlite3_set_authorizer(database.getHandle(), allow_reading, nullptr);
}

Result<StoreReader> StoreReader::open(const std::string& path, std::function<Stop()> check) {
  if (Status usable = check_store_file(path); !usable) return usable.errors();
  if (Status apart = note_store(path); !apart) return apart.errors();
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    return error_in(path, "there is no such file",
                    {"'memlane sweep … --store FILE' makes a store"});
  constexpr int wait_milliseconds = 10'000;
  const StoreUse opening{path, std::move(check), wait_milliseconds, true};
  const auto open_as = [&](StoreAccess access) -> Result<StoreReader> {
    auto log = std::make_unique<LogRemover>(path);
    SQLite::Database database = open_database(opening, access);
    if (const Status readable = check_readable(database, path); !readable) return readable.errors();
    auto file = std::make_unique<File>(std::move(log), opening, std::move(database));
    stop_with(file->database, file->use);
    file->prepare();
    return StoreReader(std::move(file));
  };
  return at_store(opening, [&]() -> Result<StoreReader> {
    try {
      return open_as(StoreAccess::read);
    } catch (const SQLite::Exception& error) {
      const int code = error.getErrorCode();
      const auto log = std::filesystem::file_size(path + "-wal", none);
      const bool is_written = !none && log != 0;
      if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || is_written) throw;
      return open_as(StoreAccess::unchanging);
    }
  });
}

std::vector<StoreColumn> StoreReader::columns() const { return file_->shown; }

Result<std::string> StoreReader::File::column_in_view(const std::string& name,
                                                      const std::string& place) const {
  const std::string sql = names->sql_of(name);
  if (!sql.empty()) return sql;
  return error_in(place, fmt::format("the store has no column '{}'", name),
                  names->suggestions(name));
}

/// `, at: FROM …`: the line of the SQL from the byte on that SQLite's last error is about; empty
/// where the error is about none.
static std::string rest_at_error([[maybe_unused]] sqlite3* handle, const std::string& sql) {
  int at = -1; // what versions before 3.38 know of it
#if SQLITE_VERSION_NUMBER >= 3038000
  at = sqlite3_error_offset(handle);
#endif
  if (at < 0 || static_cast<std::size_t>(at) >= sql.size()) return "";
  constexpr std::size_t widest = 60;
  const auto begin = static_cast<std::size_t>(at);
  return ", at: " + on_one_line(sql.substr(begin, sql.find('\n', begin) - begin), widest);
}

/// What SQLite says of the SQL, in the words of the condition's writer.
Diagnostic StoreReader::File::condition_error(const SQLite::Exception& error,
                                              const std::string& place,
                                              const std::string& sql) const {
  if (error.getErrorCode() != SQLITE_ERROR) return store_error(use, error);
  const std::string what = error.what();
  if (what == "incomplete input")
    return error_in(
        place, fmt::format("the {} is not complete", place == query_place ? "query" : "condition"));
  const std::string_view unknown = "no such column: ";
  if (what.rfind(unknown, 0) != 0)
    return error_in(place, what + rest_at_error(database.getHandle(), sql));
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

namespace {

/// What a query may bring into memory. Texts of `subjects` are in the file once and in many rows.
class RowBudget {
public:
  bool takes(const Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    ++cells_;
    bytes_ += text ? text->size() : 0;
    return cells_ <= most_cells && bytes_ <= most_bytes;
  }

private:
  static constexpr std::size_t most_cells = std::size_t{1} << 25;
  static constexpr std::size_t most_bytes = std::size_t{1} << 28;
  std::size_t cells_ = 0, bytes_ = 0;
};

} // namespace

/// SQLite prepares the first statement of a text and ignores the rest, where a result may have been
/// meant to come from.
Status StoreReader::File::check_alone(const std::string& sql, const std::string& place) const {
  sqlite3* const handle = database.getHandle();
  const char* rest = sql.c_str();
  for (int count = 0; *rest != '\0'; ++count) {
    const char* const begin = rest;
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(handle, begin, -1, &statement, &rest);
    const bool is_empty = !statement && code == SQLITE_OK; // spaces and comments
    sqlite3_finalize(statement);
    if (count == 0 && is_empty)
      return error_in(place, "there is no statement in it", {"write a SELECT"});
    if (count == 0 || is_empty) continue;
    constexpr std::size_t widest = 60;
    return error_in(place,
                    "a second statement follows a ';': " +
                        on_one_line(begin + std::strspn(begin, " \t\r\n"), widest),
                    {"a query is one SELECT: leave one out"});
  }
  return Done{};
}

Result<Rows> StoreReader::File::read(const std::string& sql, const std::string& place) const {
  RowBudget budget;
  try {
    SQLite::Statement query(database, sql);
    if (Status alone = check_alone(sql, place); !alone) return alone.errors();
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
      for (int i = 0; i < query.getColumnCount(); ++i) {
        row.push_back(cell_in(query.getColumn(i)));
        if (!budget.takes(row.back()))
          return error_in(place, "the rows have more than 256 MiB of text or 32 million cells",
                          {"choose columns and rows: --columns, --where, --limit; or a shorter "
                           "query"});
      }
      rows.rows.push_back(std::move(row));
    }
    return rows;
  } catch (const SQLite::Exception& error) {
    return condition_error(error, place, place == query_place ? sql : "");
  }
}

namespace {

/// Distinct combinations of program, machine and so on: with more of them, no column is left out.
constexpr std::size_t most_subjects = 2000;

/// What came out: of runs, of measurements, and of inputs that `memlane worst` tried.
bool is_result(std::string_view name) {
  return name == "time" || name == "nanoseconds" || name == worst_value_column;
}

/// Of the columns of points, those that tables show without being asked.
bool is_shown_first(std::string_view name) {
  constexpr std::string_view shown[] = {"seed", "status", "stopped_by", "check_failed"};
  return is_result(name) || std::find(std::begin(shown), std::end(shown), name) != std::end(shown);
}

/// Whether a point with this value ended otherwise than points do that went well.
bool is_bad_end(const FileColumn& column, const Cell& cell) {
  if (column.kind != ColumnKind::own) return false;
  if (column.shown == "status") return cell != Cell(std::string(name_of(PointStatus::done)));
  if (column.shown == "stopped_by") return cell.index() != 0;
  return column.shown == "check_failed" && cell != Cell(std::int64_t{0});
}

/// Whether cells at `places` decide the cell at `place`.
bool are_told(const std::set<std::vector<Cell>>& subjects, const std::vector<std::size_t>& places,
              std::size_t place) {
  std::map<std::vector<Cell>, Cell> known;
  for (const std::vector<Cell>& cells : subjects) {
    std::vector<Cell> from;
    for (const std::size_t i : places) from.push_back(cells[i]);
    const auto [entry, added] = known.emplace(std::move(from), cells[place]);
    if (!added && entry->second != cells[place]) return false;
  }
  return true;
}

} // namespace

bool can_name_table(const std::string& name) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  try {
    database.exec("CREATE TEMP VIEW results AS SELECT 1");
    database.exec("CREATE TEMP TABLE " + name + " (cell)");
    const SQLite::Statement reads(database, "SELECT * FROM " + name);
  } catch (const SQLite::Exception&) {
    return false;
  }
  return true;
}

Cell cell_in(const SQLite::Column& column) {
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  if (column.isNull()) return std::monostate();
  return column.getString();
}

std::vector<std::string> default_columns(SQLite::Database& database,
                                         const std::vector<FileColumn>& columns,
                                         const std::string& from) {
  std::vector<std::string> names;
  std::vector<const FileColumn*> read;
  for (const FileColumn& column : columns) {
    if (column.kind == ColumnKind::own && !is_shown_first(column.shown)) continue;
    names.push_back(quoted_name(column.in_view));
    read.push_back(&column);
  }
  SQLite::Statement query(database, fmt::format("SELECT {} FROM {}", fmt::join(names, ", "), from));
  std::vector<Cell> first;
  std::vector<bool> differs(read.size()); // or is a bad end
  std::vector<bool> filled(read.size());  // some row has a value
  std::set<std::vector<Cell>> subjects;   ///< cells of shared columns
  while (query.executeStep()) {
    std::vector<Cell> subject;
    for (std::size_t i = 0; i < read.size(); ++i) {
      const bool shared = read[i]->kind == ColumnKind::shared;
      filled[i] = filled[i] || !query.getColumn(static_cast<int>(i)).isNull();
      if (differs[i] && (!shared || subjects.size() > most_subjects)) continue;
      Cell cell = cell_in(query.getColumn(static_cast<int>(i)));
      if (first.size() == i) {
        first.push_back(cell);
        differs[i] = is_bad_end(*read[i], cell);
      } else if (cell != first[i]) {
        differs[i] = true;
      }
      if (shared) subject.push_back(std::move(cell));
    }
    if (subjects.size() <= most_subjects) subjects.insert(std::move(subject));
  }
  const auto has = [&](std::string_view name) {
    for (std::size_t i = 0; i < read.size(); ++i)
      if (read[i]->shown == name) return bool(filled[i]);
    return false;
  };
  const bool of_trials = has(worst_value_column), of_runs = has("time") || !of_trials;
  const bool of_measurements = has("nanoseconds");
  // The result, and of a trial what was searched.
  const auto is_always_shown = [&](std::string_view name) {
    return (name == "time" && of_runs) || (name == "nanoseconds" && of_measurements) ||
           (of_trials && (name == worst_of_column || name == worst_value_column));
  };
  std::vector<std::string> chosen;
  std::vector<std::size_t> told; // places of the chosen ones among the cells of subjects
  for (std::size_t i = 0, place = 0; i < read.size(); ++i) {
    const bool shared = read[i]->kind == ColumnKind::shared;
    const bool is_new =
        !shared || subjects.size() > most_subjects || !are_told(subjects, told, place);
    if (is_always_shown(read[i]->shown) || (differs[i] && is_new && !is_result(read[i]->shown))) {
      chosen.push_back(read[i]->shown);
      if (shared) told.push_back(place);
    }
    if (shared) ++place;
  }
  if (chosen.empty()) chosen.emplace_back("nanoseconds"); // no rows of a store of measurements
  return chosen;
}

} // namespace memlane::sweep
