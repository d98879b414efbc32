// Stores that another program changed, names that are no files, and queries without an end.
#include "store_fixture.hpp"

#include "memlane/store/merge.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <functional>

namespace memlane::store_test::catalogue {
namespace {

StoredPoint numbered(std::int64_t i) { return test_point("p", {{"n", i}}, i * 7); }

/// A closed store of five points that `sql`, run by another program, has changed.
std::string changed_store(const StoreFolder& folder, const std::string& sql) {
  static int count = 0;
  const std::string path = folder.file("changed" + std::to_string(++count) + ".db");
  {
    Store store = open_store(path);
    for (std::int64_t i = 1; i <= 5; ++i) add(store, numbered(i));
  }
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql);
  return path;
}

std::string message_of(const Diagnostics& errors) { return errors.front().message; }

/// Says stop when it has been asked so often.
std::function<Stop()> stop_after(int questions) {
  return [questions]() mutable { return --questions < 0 ? Stop::interrupted : Stop::none; };
}

} // namespace

TEST_CASE("tables that are not a store's are refused before anything is read or written") {
  const StoreFolder folder;
  for (const auto& [sql, said] : std::vector<std::pair<std::string, std::string>>{
           {"DELETE FROM columns WHERE name = 'time'", "'points' is not the table"},
           {"INSERT INTO columns (kind, name, meaning) VALUES (1, 'x', '')", "'points' is not"},
           {"INSERT INTO columns (kind, name, meaning) VALUES (0, 'time', '')", "named 'time'"},
           {"UPDATE columns SET kind = 9 WHERE number = 1", "column 1 has no kind"},
           {"UPDATE columns SET name = X'41' WHERE number = 1", "column 1 has no kind or name"},
           {"ALTER TABLE points ADD COLUMN c99", "'points' is not"},
           {"ALTER TABLE outputs RENAME COLUMN content TO c", "'outputs' is not"},
           {"DROP TABLE texts", "'texts' is not"},
           {"DROP VIEW results; ALTER TABLE points RENAME TO p; CREATE VIEW points AS SELECT 1",
            "'points' is not"},
           {"DROP TABLE seconds; CREATE TABLE seconds (id INTEGER PRIMARY KEY, microseconds TEXT)",
            "'seconds' is not"},
           {"DROP VIEW results; CREATE TABLE results (a)", "'results' is not the view"},
           {"CREATE TRIGGER t AFTER INSERT ON points BEGIN DELETE FROM points; END", "trigger 't'"},
           {"UPDATE outputs SET id = 9223372036854775807 WHERE id = 5", "9223372036854775807"},
           {"UPDATE points SET id = -4 WHERE id = 5", "the number -4"}}) {
    const std::string path = changed_store(folder, sql);
    INFO(sql);
    const std::string before = read_text(path);
    const Result<StoreReader> reader = StoreReader::open(path);
    REQUIRE(!reader);
    INFO(message_of(reader.errors()));
    CHECK(message_of(reader.errors()).find(said) != std::string::npos);
    CHECK(!reader.errors().front().help.empty());
    const Result<Store> store = Store::open(path, test_columns());
    REQUIRE(!store);
    CHECK(message_of(store.errors()) == message_of(reader.errors()));
    CHECK(read_text(path) == before);
  }
}

TEST_CASE("tables, indexes and views of others do not matter, nor what the view has become") {
  const StoreFolder folder;
  const std::string path = changed_store(
      folder, "CREATE TABLE notes (a); CREATE INDEX by_subject ON points (subject); "
              "DROP VIEW results; CREATE VIEW results AS WITH RECURSIVE c(x) AS (SELECT 1 UNION "
              "ALL SELECT x + 1 FROM c) SELECT x AS time FROM c");
  const StoreReader reader = open_reader(path);
  CHECK(text_of(reader.select("SELECT count(*) AS points, sum(time) AS time FROM results")) ==
        "points time|5 105");
  CHECK(reader.check().ok());
  CHECK(Store::open(path, test_columns()).ok());
}

TEST_CASE("results check finds values that memlane does not write") {
  const StoreFolder folder;
  CHECK(open_reader(changed_store(folder, "DELETE FROM seconds")).check().ok());
  for (const char* sql :
       {"UPDATE points SET subject = 77 WHERE id = 3", "UPDATE points SET status = 3 WHERE id = 2",
        "UPDATE points SET status = 'x' WHERE id = 2", "UPDATE points SET key = 'abc' WHERE id = 2",
        "UPDATE points SET check_failed = 0.5 WHERE id = 2",
        "UPDATE points SET output = NULL WHERE id = 2", "DELETE FROM outputs WHERE id = 4"}) {
    INFO(sql);
    const StoreReader reader = open_reader(changed_store(folder, sql));
    CHECK(!reader.check());
    (void)reader.rows({{}, "", {}});
  }
}

TEST_CASE("a name is a path, and nothing but a file becomes a store") {
  const StoreFolder folder;
  CHECK(message_of(Store::open("", test_columns()).errors()) == "the name of the store is empty");
  CHECK(message_of(StoreReader::open("").errors()) == "the name of the store is empty");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.file(""));
  for (const char* name :
       {":memory:", "file:a.db", "file::memory:?cache=shared", "a%20b?mode=memory.db"}) {
    INFO(name);
    {
      Store store = open_store(name);
      add(store, numbered(1));
    }
    CHECK(std::filesystem::is_regular_file(folder.file(name)));
    CHECK(text_of(open_reader(name).select("SELECT count(*) AS n FROM results")) == "n|1");
  }
  std::filesystem::current_path(before);
  write_text(folder.file("byte.db"), "x");
  CHECK(message_of(Store::open(folder.file("byte.db"), test_columns()).errors()) ==
        "is not a result store");
  CHECK(read_text(folder.file("byte.db")) == "x");
  const std::string device = "is a device or a pipe, not a file: it cannot hold a store";
  CHECK(message_of(Store::open("/dev/null", test_columns()).errors()) == device);
  CHECK(message_of(StoreReader::open("/dev/null").errors()) == device);
  REQUIRE(mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(message_of(Store::open(folder.file("pipe"), test_columns()).errors()) == device);
  CHECK(message_of(StoreReader::open(folder.file("pipe")).errors()) == device);
}

TEST_CASE("a stop ends queries that have no end, and the waiting for a lock") {
  const StoreFolder folder;
  const std::string path = changed_store(folder, "");
  const std::string endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) ";
  for (const auto& ask : std::vector<std::function<Stop(const StoreReader&)>>{
           [&](const StoreReader& r) {
             return stop_of(r.select(endless + "SELECT max(x) FROM c").errors());
           },
           [&](const StoreReader& r) {
             return stop_of(
                 r.rows({{"n"}, "n IN (" + endless + "SELECT x FROM c WHERE x < 0)", {}}).errors());
           },
           [&](const StoreReader& r) {
             return stop_of(
                 r.count({{}, "n < (" + endless + "SELECT count(*) FROM c)", {}}).errors());
           }}) {
    const Result<StoreReader> reader = StoreReader::open(path, stop_after(100));
    REQUIRE(reader);
    CHECK(ask(*reader) == Stop::interrupted);
  }
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  const Result<Store> store = Store::open(path, test_columns(), stop_after(5));
  REQUIRE(!store);
  CHECK(stop_of(store.errors()) == Stop::interrupted);
}

TEST_CASE("what a query brings into memory is bounded") {
  const StoreFolder folder;
  const std::string path = changed_store(folder, "");
  const StoreReader reader = open_reader(path);
  const Result<Rows> rows = reader.select(
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x, hex(zeroblob("
      "500000)) FROM c");
  REQUIRE(!rows);
  CHECK(message_of(rows.errors()) == "the rows have more than 256 MiB of text or 32 million cells");
}

TEST_CASE("points of one store that share a large text are merged") {
  const StoreFolder folder;
  const std::string path = changed_store(
      folder, "UPDATE subjects SET sweep = hex(zeroblob(20000000))"); // 40 MB, of all five points
  const Result<MergeCounts> counts =
      merge_store(folder.file("all.db"), open_reader(path), MergeChoice::neither);
  REQUIRE(counts);
  CHECK(counts->added == 5);
  CHECK(text_of(open_reader(folder.file("all.db"))
                    .select("SELECT count(*) AS n, min(length(sweep)) AS size FROM results")) ==
        "n size|5 40000000");
}

} // namespace memlane::store_test::catalogue
