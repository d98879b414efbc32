// Fuzzes result stores: the input is SQL that another program runs on a good store. Reading the
// store, drawing it, merging it and adding to it gives results or errors; a store that is called
// sound can be read whole, and what is added to a store is in it.
#include "fuzz.hpp"

#include "memlane/store/comparison.hpp"
#include "memlane/store/merge.hpp"
#include "memlane/store/query.hpp"
#include "memlane/study/figures/store_chart.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/study/results/stored_rows.hpp"
#include "memlane/support/sha256.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace {

using namespace memlane;
using namespace memlane::sweep;
namespace fs = std::filesystem;

/// A folder of this process, removed at its end.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("memlane-fuzz-" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

/// Says stop after so many questions: a file can make any query endless.
std::function<Stop()> patience() {
  return [left = 3000]() mutable { return --left > 0 ? Stop::none : Stop::interrupted; };
}

StoredPoint numbered(std::int64_t n) {
  StoredPoint point;
  point.key = sha256(std::to_string(n));
  point.sweep = "fuzz";
  point.key_parts = {{"program", "a text that is too long to be beside the point"},
                     {"seed", std::to_string(n)}};
  point.parameters = {{"n", n}};
  for (const StoreColumn& column : stored_columns()) {
    Cell cell;
    if (column.name == "program" || column.name == "machine") cell = std::string("sum");
    if (column.name == "time" || column.name == "seed") cell = n * n;
    point.cells.push_back(std::move(cell));
  }
  point.json = R"({"program":"sum","time":)" + std::to_string(n) + "}";
  return point;
}

void make_store(const std::string& path) {
  Result<Store> store = Store::open(path, stored_columns());
  test::require(store.ok());
  for (std::int64_t n = 1; n <= 5; ++n)
    test::require(store->add(numbered(n), PointStatus::done, false, "").ok());
}

int allow_own_file(void*, int action, const char* name, const char*, const char*, const char*) {
  if (action == SQLITE_ATTACH) return SQLITE_DENY;
  if (action == SQLITE_PRAGMA && name && std::string(name).starts_with("temp")) return SQLITE_DENY;
  return SQLITE_OK;
}

int count_down(void* left) { return --*static_cast<int*>(left) < 0; }

/// Each statement by itself, so that a wrong one does not hide those behind it.
void run_statements(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  test::require(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  int left = 200;
  sqlite3_progress_handler(database, 1000, count_down, &left);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  sqlite3_set_authorizer(database, allow_own_file, nullptr);
  for (const char *rest = sql.c_str(), *next = rest; *rest != '\0'; rest = next) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, rest, -1, &statement, &next) != SQLITE_OK) {
      const std::size_t end = sql.find(';', static_cast<std::size_t>(rest - sql.c_str()));
      if (end == std::string::npos) break;
      next = sql.c_str() + end + 1;
    }
    for (int row = 0; row < 100 && statement && sqlite3_step(statement) == SQLITE_ROW; ++row) {
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(database);
}

template <class T>
bool holds(const Result<T>& result) {
  if (!result) test::require(!result.errors().empty() && !result.errors().front().message.empty());
  return result.ok();
}

void read_all(const std::string& path) {
  const Result<StoreReader> reader = StoreReader::open(path, patience());
  if (!holds(reader)) return;
  const Result<Rows> rows = reader->rows({{}, "", {}});
  if (holds(rows))
    for (const Format format : {Format::table, Format::csv, Format::json, Format::jsonl})
      render_rows({"1", "Results", *rows, {}}, format);
  holds(reader->rows({{"n", "time", "status"}, "time > 3", {{"time", true}}, 3}));
  holds(reader->select("SELECT count(*), max(time) FROM results"));
  for (const StoreColumn& column : reader->columns())
    if (column.shared) holds(reader->distinct(column.name));
  for (std::int64_t n = 1; n <= 5; ++n) holds(reader->json(numbered(n).key));
  holds(reader->keys_like("a"));
  holds(rows_with_baseline(*reader, {{}, "time", "sum"}));
  holds(store_chart({{"a", &*reader}}, {}, {}));
  if (!holds(reader->check())) return;
  std::int64_t points = 0;
  const Status whole = reader->each_point("", [&](const WholePoint&) -> Status {
    ++points;
    return Done{};
  });
  const Result<Rows> count = reader->select("SELECT count(*) FROM points");
  if (holds(whole) && holds(count)) test::require(count->rows[0][0] == Cell(points));
}

void merge_into_good(const Folder& folder, const std::string& path) {
  const std::string good = folder.file("merged.db");
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(good + end);
  const Result<StoreReader> reader = StoreReader::open(path, patience());
  if (holds(reader)) holds(merge_store(good, *reader, MergeChoice::last));
}

void write_to(const std::string& path) {
  Result<Store> store = Store::open(path, stored_columns(), patience());
  if (!holds(store)) return;
  const StoredPoint point = numbered(6);
  store->nearest_parts(point.key_parts);
  if (!holds(store->add(point, PointStatus::done, false, ""))) return;
  const auto known = store->find(point.key);
  test::require(known && known->status == PointStatus::done);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static const std::string base = [] {
    make_store(folder.file("base.db"));
    return folder.file("base.db");
  }();
  const std::string path = folder.file("store.db");
  for (const char* end : {"-wal", "-shm", "-journal"}) fs::remove(path + end);
  fs::copy_file(base, path, fs::copy_options::overwrite_existing);
  run_statements(path, test::text_of(data, size));
  read_all(path);
  merge_into_good(folder, path);
  write_to(path);
  return 0;
}
