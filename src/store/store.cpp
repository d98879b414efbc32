#include "memlane/store/store.hpp"

#include "database.hpp"
#include "tables.hpp"
#include "texts.hpp"

#include "memlane/support/sha256.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>

namespace memlane::sweep {
namespace {

void bind_cell(SQLite::Statement& statement, int index, const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell))
    statement.bind(index, *number);
  else if (const auto* real = std::get_if<double>(&cell))
    statement.bind(index, *real);
  else if (const auto* text = std::get_if<std::string>(&cell))
    statement.bindNoCopy(index, *text);
  else
    statement.bind(index);
}

void bind_bytes(SQLite::Statement& statement, int index, const std::string& bytes) {
  statement.bindNoCopy(index, bytes.data(), static_cast<int>(bytes.size()));
}

/// The same bytes only for the same cells.
void append_cell(std::string& bytes, const Cell& cell) {
  append_number(bytes, cell.index());
  if (const auto* number = std::get_if<std::int64_t>(&cell)) append_number(bytes, folded(*number));
  if (const auto* real = std::get_if<double>(&cell)) {
    std::array<char, sizeof(double)> raw;
    std::copy_n(reinterpret_cast<const char*>(real), raw.size(), raw.begin());
    bytes.append(raw.data(), raw.size());
  }
  if (const auto* text = std::get_if<std::string>(&cell)) {
    append_number(bytes, text->size());
    bytes += *text;
  }
}

std::string insert_text(const std::string& table, const std::vector<std::string>& columns) {
  std::string marks = "?";
  for (std::size_t i = 1; i < columns.size(); ++i) marks += ", ?";
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(columns, ", "), marks);
}

/// Whether there were any. Requires a transaction.
bool add_missing_columns(SQLite::Database& database, const std::vector<StoreColumn>& columns) {
  std::set<std::string> known;
  for (const FileColumn& column : read_columns(database))
    if (column.kind != ColumnKind::parameter) known.insert(column.name);
  bool added = false;
  for (const StoreColumn& column : columns) {
    if (!known.insert(column.name).second) continue;
    add_column(database, column.shared ? ColumnKind::shared : ColumnKind::own, column.name,
               column.meaning);
    added = true;
  }
  return added;
}

/// As the view has it.
PointStatus status_of(int number) {
  return number == 0 ? PointStatus::done : number == 1 ? PointStatus::stopped : PointStatus::failed;
}

/// Results of one program that ended alike are similar.
std::string kind_of_result(const StoredPoint& point, PointStatus status) {
  std::string kind(name_of(status));
  for (const auto& [part, text] : point.key_parts)
    if (part == "program") kind += ' ' + text;
  return kind;
}

} // namespace

std::optional<double> number_in(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*number);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

std::string_view name_of(PointStatus status) {
  constexpr std::string_view names[] = {"done", "stopped", "failed"};
  return names[static_cast<std::size_t>(status)];
}

struct Store::File {
  File(std::string path, SQLite::Database its_database)
      : use{std::move(path)}, database(std::move(its_database)), texts(database),
        outputs(database, texts),
        find(database, "SELECT p.id, p.status, p.check_failed, p.stopped_by, t.microseconds "
                       "FROM points AS p LEFT JOIN seconds AS t ON t.id = p.id WHERE p.key = ?"),
        add_seconds(database, "INSERT INTO seconds (id, microseconds) VALUES (?, ?)") {}

  void place_columns(const std::vector<StoreColumn>& columns);
  std::int64_t subject_of(const StoredPoint& point);
  void know_parameters(const StoredPoint& point);
  SQLite::Statement& point_insert(const StoredPoint& point);
  void insert(const StoredPoint& point, PointStatus status, bool check_failed,
              const std::string& limit);
  std::int64_t remove(const std::string& key);
  void forget();
  Status check_still_there();

  StoreUse use;           ///< nothing stops it: what was finished is stored
  bool in_commit = false; ///< several points share the current commit
  SQLite::Database database;
  StoreTexts texts;
  StoreOutputs outputs;
  SQLite::Statement find, add_seconds;
  /// Of the caller's columns, those of subjects and those of points: index and name in the file.
  std::vector<std::pair<std::size_t, std::string>> shared, own;
  std::map<std::string, std::string> parameters; ///< their columns
  std::unordered_map<std::string, std::int64_t> subjects;
  /// Keyed by the names of parameters.
  std::map<std::vector<std::string>, SQLite::Statement> inserts;
  std::optional<SQLite::Statement> add_subject, find_subject;
};

void Store::File::place_columns(const std::vector<StoreColumn>& columns) {
  std::map<std::string, FileColumn> known;
  for (FileColumn& column : read_columns(database)) {
    if (column.kind == ColumnKind::parameter)
      parameters[column.name] = column.sql_name();
    else
      known[column.name] = std::move(column);
  }
  std::vector<std::string> names = {"hash", "sweep", "device", "variant"};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const FileColumn& column = known.at(columns[i].name);
    (column.kind == ColumnKind::shared ? shared : own).emplace_back(i, column.sql_name());
    if (column.kind == ColumnKind::shared) names.push_back(column.sql_name());
  }
  add_subject.emplace(database, insert_text("subjects", names));
  find_subject.emplace(database, "SELECT id FROM subjects WHERE hash = ?");
}

std::int64_t Store::File::subject_of(const StoredPoint& point) {
  std::string content;
  const auto& measured = point.measured;
  const Cell device = measured ? Cell(measured->device) : Cell();
  const Cell variant = measured ? Cell(measured->variant) : Cell();
  for (const Cell& cell : {Cell(point.sweep), device, variant}) append_cell(content, cell);
  for (const auto& [index, name] : shared) {
    // By name, so that the content does not depend on the order of the caller's columns.
    append_cell(content, name);
    append_cell(content, point.cells[index]);
  }
  if (const auto known = subjects.find(content); known != subjects.end()) return known->second;
  const std::string hash = short_hash(content);
  bind_bytes(*find_subject, 1, hash);
  std::int64_t id = find_subject->executeStep() ? find_subject->getColumn(0).getInt64() : 0;
  find_subject->reset();
  if (id == 0) {
    bind_bytes(*add_subject, 1, hash);
    add_subject->bindNoCopy(2, point.sweep);
    bind_cell(*add_subject, 3, device);
    bind_cell(*add_subject, 4, variant);
    for (std::size_t i = 0; i < shared.size(); ++i)
      bind_cell(*add_subject, static_cast<int>(i) + 5, point.cells[shared[i].first]);
    add_subject->exec();
    add_subject->reset();
    id = database.getLastInsertRowid();
  }
  return subjects[content] = id;
}

/// Another process may have added the column meanwhile.
void Store::File::know_parameters(const StoredPoint& point) {
  const auto unknown = [&] {
    return std::any_of(point.parameters.begin(), point.parameters.end(),
                       [&](const auto& p) { return parameters.count(p.first) == 0; });
  };
  const auto read = [&] {
    for (const FileColumn& column : read_columns(database))
      if (column.kind == ColumnKind::parameter) parameters[column.name] = column.sql_name();
  };
  if (!unknown()) return;
  read();
  if (!unknown()) return;
  for (const auto& [name, value] : point.parameters)
    if (parameters.count(name) == 0)
      add_column(database, ColumnKind::parameter, name, "a parameter of the program");
  create_view(database);
  read();
}

SQLite::Statement& Store::File::point_insert(const StoredPoint& point) {
  std::vector<std::string> names;
  for (const auto& [name, value] : point.parameters) names.push_back(name);
  const auto known = inserts.find(names);
  if (known != inserts.end()) return known->second;
  std::vector<std::string> columns = {"id",          "key",          "subject",
                                      "status",      "check_failed", "stopped_by",
                                      "nanoseconds", "output",       "parts"};
  for (const std::string& name : names) columns.push_back(parameters.at(name));
  for (const auto& [index, name] : own) columns.push_back(name);
  return inserts.emplace(names, SQLite::Statement(database, insert_text("points", columns)))
      .first->second;
}

/// The number of the point that had the key; 0: none.
std::int64_t Store::File::remove(const std::string& key) {
  bind_bytes(find, 1, key);
  const std::int64_t id = find.executeStep() ? find.getColumn(0).getInt64() : 0;
  find.reset();
  if (id == 0) return 0;
  for (const char* table : {"points", "seconds"})
    database.exec(fmt::format("DELETE FROM {} WHERE id = {}", table, id));
  return id;
}

void Store::File::insert(const StoredPoint& point, PointStatus status, bool check_failed,
                         const std::string& limit) {
  const std::string key = bytes_of_hex(point.key).value_or(point.key);
  const std::int64_t replaced = remove(key);
  know_parameters(point);
  const std::string parts = packed_parts(point.key_parts, texts);
  const std::int64_t subject = subject_of(point);
  const std::int64_t output = outputs.add(kind_of_result(point, status), point.json);
  SQLite::Statement& insert = point_insert(point);
  int index = 0;
  if (replaced != 0)
    insert.bind(++index, replaced);
  else
    insert.bind(++index);
  bind_bytes(insert, ++index, key);
  insert.bind(++index, subject);
  insert.bind(++index, static_cast<int>(status));
  insert.bind(++index, check_failed ? 1 : 0);
  if (limit.empty())
    insert.bind(++index);
  else
    insert.bindNoCopy(++index, limit);
  if (point.measured)
    insert.bind(++index, point.measured->nanoseconds);
  else
    insert.bind(++index);
  insert.bind(++index, output);
  bind_bytes(insert, ++index, parts);
  for (const auto& [name, value] : point.parameters) bind_cell(insert, ++index, value);
  for (const auto& [cell, name] : own) bind_cell(insert, ++index, point.cells[cell]);
  insert.exec();
  insert.reset();
  const std::int64_t id = database.getLastInsertRowid();
  add_seconds.bind(1, id);
  add_seconds.bind(2, static_cast<std::int64_t>(std::llround(point.seconds * 1e6)));
  add_seconds.exec();
  add_seconds.reset();
}

void Store::File::forget() {
  texts.forget();
  outputs.forget();
  subjects.clear();
  inserts.clear();
  parameters.clear();
  // Statements that an error left in the middle of their work.
  for (SQLite::Statement* statement : {&find, &add_seconds, &*add_subject, &*find_subject})
    statement->tryReset();
}

/// SQLite goes on writing a file that was removed: all would be lost without a word.
Status Store::File::check_still_there() {
  int moved = 0;
  sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved == 0) return Done{};
  return error_in(use.path, "the store was removed or renamed while it was written",
                  {"points that ended before are in the old file"});
}

Store::Store(std::unique_ptr<File> file) : file_(std::move(file)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

namespace {

/// Two processes that create a store hold a read lock each, and each waits for the other's: then
/// SQLite returns "busy" at once, whatever its handler says. So this tries again, as long as that.
void use_wal(SQLite::Database& database, const StoreUse& use) {
  constexpr int pause = 10; // milliseconds
  for (int waited = 0; waited < use.wait_milliseconds; waited += pause) {
    if (database.tryExec("PRAGMA journal_mode = WAL") != SQLITE_BUSY) break;
    if (use.check && use.check() != Stop::none) break;
    sqlite3_sleep(pause);
  }
  database.exec("PRAGMA journal_mode = WAL"); // throws what is wrong
}

/// Makes the tables and columns that the file lacks.
Status complete(SQLite::Database& database, const std::string& path,
                const std::vector<StoreColumn>& columns) {
  // One commit, so that a store has all its tables and columns or none.
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have made the tables since they were looked at.
  bool is_new = false;
  if (Status status = check_catalogue(database, path, is_new); !status) return status;
  if (is_new) create_tables(database);
  if (add_missing_columns(database, columns) || is_new) create_view(database);
  transaction.commit();
  return Done{};
}

} // namespace

Result<Store> Store::open(const std::string& path, const std::vector<StoreColumn>& columns,
                          const std::function<Stop()>& check) {
  if (Status usable = check_store_file(path); !usable) return usable.errors();
  if (Status apart = note_store(path); !apart) return apart.errors();
  const StoreUse opening{path, check};
  return at_store(opening, [&]() -> Result<Store> {
    SQLite::Database database = open_database(opening, StoreAccess::create);
    bool is_new = false;
    if (const Status status = check_catalogue(database, path, is_new); !status)
      return status.errors();
    use_wal(database, opening);
    database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000");
    if (const Status whole = complete(database, path, columns); !whole) return whole.errors();
    auto file = std::make_unique<File>(path, std::move(database));
    stop_with(file->database, file->use);
    file->place_columns(columns);
    return Store(std::move(file));
  });
}

std::optional<KnownPoint> Store::find(std::string_view key) const {
  SQLite::Statement& find = file_->find;
  const std::string bytes = bytes_of_hex(key).value_or(std::string(key));
  try {
    bind_bytes(find, 1, bytes);
    std::optional<KnownPoint> known;
    if (find.executeStep()) {
      known = KnownPoint{status_of(find.getColumn(1).getInt()), find.getColumn(2).getInt() != 0,
                         find.getColumn(3).getString(), find.getColumn(4).getDouble() / 1e6};
    }
    find.reset();
    return known;
  } catch (const SQLite::Exception&) {
    find.tryReset();
    return std::nullopt; // it runs again, and adding it says what is wrong with the store
  }
}

namespace {

/// The lines that one of the texts has and the other lacks.
std::size_t different_lines(std::string_view a, std::string_view b) {
  if (a == b) return 0;
  const auto lines_of = [](std::string_view text) {
    std::set<std::string_view> lines;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines.insert(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
  };
  const auto left = lines_of(a), right = lines_of(b);
  const auto common = std::count_if(left.begin(), left.end(),
                                    [&](std::string_view line) { return right.count(line) != 0; });
  return left.size() + right.size() - 2 * static_cast<std::size_t>(common);
}

/// The lines in which two lists of parts differ: each is a value, such as `n=64` of parameters.
std::size_t distance_of(const KeyParts& a, const KeyParts& b) {
  const auto text_of = [](const KeyParts& parts, const std::string& name) {
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const auto& part) { return part.first == name; });
    return found == parts.end() ? std::string_view() : std::string_view(found->second);
  };
  std::size_t distance = 0;
  for (const auto& part : a) distance += different_lines(part.second, text_of(b, part.first));
  for (const auto& part : b)
    if (std::none_of(a.begin(), a.end(), [&](const auto& own) { return own.first == part.first; }))
      distance += different_lines("", part.second);
  return distance;
}

} // namespace

std::vector<std::pair<std::string, std::string>>
Store::nearest_parts(const std::vector<std::pair<std::string, std::string>>& parts) const {
  KeyParts nearest;
  std::size_t least = SIZE_MAX;
  try {
    SQLite::Statement query(file_->database,
                            "SELECT parts FROM points ORDER BY id DESC LIMIT 1000");
    constexpr std::size_t one_value = 2; // each of them has its own
    while (least > one_value && query.executeStep()) {
      const SQLite::Column column = query.getColumn(0);
      KeyParts other = unpacked_parts(
          {static_cast<const char*>(column.getBlob()), static_cast<std::size_t>(column.getBytes())},
          file_->texts);
      const std::size_t distance = distance_of(parts, other);
      if (distance >= least) continue;
      least = distance;
      nearest = std::move(other);
    }
  } catch (const SQLite::Exception&) {
    return {};
  }
  return nearest;
}

Status Store::add(const StoredPoint& point, PointStatus status, bool check_failed,
                  const std::string& limit) {
  const auto insert = [&]() -> Status {
    return at_store(file_->use, [&]() -> Status {
      file_->insert(point, status, check_failed, limit);
      return Done{};
    });
  };
  return file_->in_commit ? insert() : in_one_commit(insert);
}

Status Store::in_one_commit(const std::function<Status()>& work) {
  assert(!file_->in_commit);
  if (Status there = file_->check_still_there(); !there) return there;
  file_->in_commit = true;
  Status added = at_store(file_->use, [&]() -> Status {
    SQLite::Transaction transaction(file_->database, SQLite::TransactionBehavior::IMMEDIATE);
    Status done = work();
    if (done) transaction.commit();
    return done;
  });
  file_->in_commit = false;
  if (!added) file_->forget();
  return added;
}

} // namespace memlane::sweep
