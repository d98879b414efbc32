// Stores that are damaged, foreign, newer, full, locked or gone: each is said, with a way out.
#include "store_fixture.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

namespace memlane::store_test {
namespace {

StoredPoint numbered(std::int64_t i) { return test_point("p", {{"n", i}}, i * 7); }

/// A closed store of some points.
std::string make_store(const StoreFolder& folder, const std::string& name, std::int64_t points) {
  const std::string path = folder.file(name);
  Store store = open_store(path);
  for (std::int64_t i = 0; i < points; ++i) add(store, numbered(i));
  return path;
}

/// What opening says, for writing and for reading; `ok` where nothing is wrong.
std::pair<std::string, std::string> said_of(const std::string& path) {
  const Result<StoreReader> reader = StoreReader::open(path);
  const Result<Store> store = Store::open(path, test_columns());
  const auto text = [](const auto& result) {
    if (result) return std::string("ok");
    CHECK(!result.errors().front().help.empty());
    return result.errors().front().message;
  };
  return {text(store), text(reader)};
}

} // namespace

TEST_CASE("files that are no stores are said to be none, and stay as they are") {
  const StoreFolder folder;
  write_text(folder.file("text.db"), std::string(5000, 'x'));
  CHECK(said_of(folder.file("text.db")) ==
        std::pair<std::string, std::string>{"is not a result store", "is not a result store"});
  CHECK(read_text(folder.file("text.db")) == std::string(5000, 'x'));
  {
    SQLite::Database other(folder.file("other.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE own (a)");
  }
  const std::string foreign = "is an SQLite database, but not a result store";
  CHECK(said_of(folder.file("other.db")) == std::pair(foreign, foreign));
  CHECK(!StoreReader::open(folder.file("none.db")));
  CHECK(!std::filesystem::exists(folder.file("none.db")));
  CHECK(!Store::open(folder.file("no/folder/a.db"), test_columns()));
  write_text(folder.file("empty.db"), "");
  CHECK(StoreReader::open(folder.file("empty.db")).errors().front().message ==
        "is empty: no point has been stored");
  CHECK(Store::open(folder.file("empty.db"), test_columns()).ok());
}

TEST_CASE("stores of older and newer versions are left alone") {
  const StoreFolder folder;
  const std::string path = make_store(folder, "a.db", 3);
  for (const auto& [format, help] : std::vector<std::pair<int, std::string>>{
           {1, "run the sweep again into a new store"},
           {99, "use the newer memlane that made it, or another --store"}}) {
    SQLite::Database(path, SQLite::OPEN_READWRITE)
        .exec(fmt::format("PRAGMA user_version = {}", format));
    const std::string said =
        fmt::format("the store has format {}; this version reads format 2", format);
    CHECK(said_of(path) == std::pair(said, said));
    CHECK(StoreReader::open(path).errors().front().help == std::vector{help});
  }
}

TEST_CASE("damaged stores: cut off anywhere, overwritten anywhere") {
  const StoreFolder folder;
  const std::string path = make_store(folder, "whole.db", 60);
  CHECK(open_reader(path).check().ok());
  const std::string whole = read_text(path);
  const std::string damaged = folder.file("damaged.db");
  const auto try_all = [&](const std::string& bytes) {
    for (const char* side : {"", "-wal", "-shm"}) std::filesystem::remove(damaged + side);
    write_text(damaged, bytes);
    const Result<StoreReader> reader = StoreReader::open(damaged);
    bool found = !reader;
    if (reader) {
      // Reads give rows or errors, nothing else.
      (void)reader->rows({{}, "", {}});
      for (std::int64_t i = 0; i < 60; i += 7) {
        const Result<std::string> json = reader->json(numbered(i).key);
        if (json && !json->empty()) CHECK(*json == numbered(i).json);
      }
      found = !reader->check();
    }
    Result<Store> store = Store::open(damaged, test_columns());
    if (store) (void)store->add(numbered(1000), PointStatus::done, false, "");
    return found;
  };
  for (std::size_t part = 1; part < 8; ++part)
    CHECK(try_all(whole.substr(0, whole.size() * part / 8)));
  int found = 0;
  for (std::size_t page = 0; page < whole.size() / 4096; ++page) {
    std::string bytes = whole;
    for (std::size_t i = 0; i < 4096; ++i) bytes[page * 4096 + i] = static_cast<char>(i * 37 % 251);
    found += try_all(bytes) ? 1 : 0;
  }
  // Some pages may be unused; all others are noticed.
  CHECK(found + 2 >= static_cast<int>(whole.size() / 4096));
}

TEST_CASE("a limit on the size of files: what was stored stays, and the next process goes on") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300'000, 300'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Result<Store> store = Store::open(path, test_columns());
    std::int64_t stored = 0;
    std::string message = "no error";
    for (; store && stored < 100'000; ++stored) {
      const Status added = store->add(numbered(stored), PointStatus::done, false, "");
      if (added) continue;
      message = added.errors().front().message;
      break;
    }
    const std::string text = std::to_string(stored) + " " + message;
    (void)!write(pipe_ends[1], text.data(), text.size());
    _exit(0);
  }
  close(pipe_ends[1]);
  std::string said(1000, '\0');
  const ssize_t size = read(pipe_ends[0], said.data(), said.size());
  close(pipe_ends[0]);
  REQUIRE(size > 0);
  said.resize(static_cast<std::size_t>(size));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  const std::int64_t stored = std::stoll(said);
  CHECK(stored > 0);
  CHECK(stored < 100'000);
  INFO(said);
  CHECK((said.find("the store cannot be") != std::string::npos ||
         said.find("no space is left") != std::string::npos));
  Store store = open_store(path);
  for (std::int64_t i = 0; i < stored; ++i) CHECK(store.find(numbered(i).key));
  add(store, numbered(stored));
  CHECK(open_reader(path).check().ok());
  CHECK(text_of(open_reader(path).select("SELECT count(*) AS points FROM results")) ==
        "points|" + std::to_string(stored + 1));
}

TEST_CASE("a store that is removed while it is written is noticed") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  Store store = open_store(path);
  add(store, numbered(1));
  std::filesystem::rename(path, folder.file("b.db"));
  const Status added = store.add(numbered(2), PointStatus::done, false, "");
  REQUIRE(!added);
  CHECK(added.errors().front().message == "the store was removed or renamed while it was written");
}

TEST_CASE("a commit of several points is whole or nothing") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  add(store, numbered(0));
  const Status failed = store.in_one_commit([&]() -> Status {
    for (std::int64_t i = 1; i < 20; ++i) {
      StoredPoint point = numbered(i);
      point.parameters.emplace_back("new" + std::to_string(i), i);
      const Status added = store.add(point, PointStatus::done, false, "");
      REQUIRE(added);
    }
    return error_in("", "changed its mind");
  });
  CHECK(!failed);
  CHECK(!store.find(numbered(1).key));
  // What was learnt in the commit that failed is forgotten: texts, columns, bases of results.
  for (std::int64_t i = 1; i < 20; ++i) add(store, numbered(i));
  const StoreReader reader = open_reader(folder.file("a.db"));
  CHECK(reader.check().ok());
  CHECK(text_of(reader.select("SELECT count(*) AS points FROM results")) == "points|20");
  for (const StoreColumn& column : reader.columns()) CHECK(column.name.rfind("new", 0) != 0);
}

TEST_CASE("two processes write one store at once") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  constexpr std::int64_t count = 60;
  std::vector<pid_t> children;
  for (int half = 0; half < 2; ++half) {
    children.push_back(fork());
    REQUIRE(children.back() >= 0);
    if (children.back() != 0) continue;
    Result<Store> store = Store::open(path, test_columns());
    bool ok = store.ok();
    // Half of the points are written by both.
    for (std::int64_t i = 0; ok && i < count; ++i)
      ok = store->add(numbered(half * count / 2 + i), PointStatus::done, false, "").ok();
    _exit(ok ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  const StoreReader reader = open_reader(path);
  CHECK(reader.check().ok());
  CHECK(text_of(reader.select("SELECT count(*) AS a, count(DISTINCT key) AS b FROM results")) ==
        "a b|90 90");
}

TEST_CASE("several processes create one store at once") {
  const StoreFolder folder;
  for (int round = 0; round < 20; ++round) {
    const std::string path = folder.file("new" + std::to_string(round) + ".db");
    std::vector<pid_t> children;
    for (int k = 0; k < 4; ++k) {
      children.push_back(fork());
      REQUIRE(children.back() >= 0);
      if (children.back() == 0) _exit(Store::open(path, test_columns()).ok() ? 0 : 1);
    }
    for (const pid_t child : children) {
      int status = 0;
      REQUIRE(waitpid(child, &status, 0) == child);
      CHECK(WIFEXITED(status));
      CHECK(WEXITSTATUS(status) == 0);
    }
  }
}

TEST_CASE("a store and its folder are read-only") {
  if (geteuid() == 0) {
    // Root may write everything: the test runs as another user.
    const StoreFolder folder;
    const std::string path = make_store(folder, "a.db", 3);
    const std::string parent = std::filesystem::path(path).parent_path();
    std::filesystem::permissions(path, std::filesystem::perms(0444));
    std::filesystem::permissions(parent, std::filesystem::perms(0555));
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      if (setgid(65534) != 0 || setuid(65534) != 0) _exit(9);
      const Result<Store> store = Store::open(path, test_columns());
      if (store || store.errors().front().help.empty()) _exit(1);
      if (store.errors().front().message.find("read-only") == std::string::npos) _exit(2);
      const Result<StoreReader> reader = StoreReader::open(path);
      if (!reader) _exit(3);
      const Result<Rows> rows = reader->rows({{"n"}, "", {}});
      _exit(rows && rows->rows.size() == 3 ? 0 : 4);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    std::filesystem::permissions(parent, std::filesystem::perms(0755));
    return;
  }
  const StoreFolder folder;
  const std::string path = make_store(folder, "a.db", 3);
  const std::string parent = std::filesystem::path(path).parent_path();
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  std::filesystem::permissions(parent, std::filesystem::perms(0555));
  const Result<Store> store = Store::open(path, test_columns());
  REQUIRE(!store);
  CHECK(store.errors().front().message.find("read-only") != std::string::npos);
  CHECK(open_reader(path).rows({{"n"}, "", {}})->rows.size() == 3);
  std::filesystem::permissions(parent, std::filesystem::perms(0755));
}

} // namespace memlane::store_test
