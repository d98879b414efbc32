// The result store: what is put in comes out, whatever the names and the order.
#include "store_fixture.hpp"

#include <algorithm>

namespace memlane::store_test {
namespace {

Cell n(std::int64_t value) { return value; }

} // namespace

TEST_CASE("a point that is added is found, in this process and the next") {
  const StoreFolder folder;
  const StoredPoint point = test_point("sum", {{"n", n(1024)}}, 77);
  {
    Store store = open_store(folder.file("a.db"));
    CHECK(!store.find(point.key));
    add(store, point);
    REQUIRE(store.find(point.key));
  }
  Store again = open_store(folder.file("a.db"));
  const auto known = again.find(point.key);
  REQUIRE(known);
  CHECK(known->status == PointStatus::done);
  CHECK(!known->check_failed);
  CHECK(known->seconds == 0.25);
  const StoreReader reader = open_reader(folder.file("a.db"));
  CHECK(*reader.json(point.key) == point.json);
  CHECK(reader.json(sha256("another"))->empty());
  CHECK(text_of(reader.rows({{"program", "n", "time", "ratio", "status", "key"}, "", {}})) ==
        "program n time ratio status key|sum 1024 77 0.1 done " + point.key);
}

TEST_CASE("a point that is added again replaces what was stored") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  const StoredPoint point = test_point("sum", {{"n", n(1)}}, 5);
  REQUIRE(store.add(point, PointStatus::stopped, true, "--max-seconds 10"));
  const auto stopped = store.find(point.key);
  REQUIRE(stopped);
  CHECK(stopped->status == PointStatus::stopped);
  CHECK(stopped->check_failed);
  CHECK(stopped->limit == "--max-seconds 10");
  StoredPoint whole = point;
  whole.cells[3] = std::int64_t{6};
  whole.json = "{}";
  add(store, whole);
  CHECK(store.find(point.key)->limit.empty());
  const StoreReader reader = open_reader(folder.file("a.db"));
  CHECK(text_of(reader.rows({{"n", "time", "stopped_by"}, "", {}})) ==
        "n time stopped_by|1 6 null");
  CHECK(*reader.json(point.key) == "{}");
}

TEST_CASE("parameters keep their names: by case, named like a count, or with quotes") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  add(store, test_point("a", {{"N", n(1)}, {"n", n(2)}, {"time", n(3)}}, 10));
  add(store, test_point("b", {{"n", n(4)}, {"status", n(5)}, {"it's \"x\"; --", n(6)}}, 20));
  const StoreReader reader = open_reader(folder.file("a.db"));
  CHECK(
      text_of(reader.rows(
          {{"N", "n", "param_time", "param_status", "it's \"x\"; --", "time"}, "", {{"time"}}})) ==
      "N n param_time param_status it's \"x\"; -- time|1 2 3 null null 10|null 4 null 5 6 20");
  // For SQL, where case makes no difference.
  CHECK(text_of(reader.select("SELECT n, param_N, time FROM results WHERE \"it's \"\"x\"\"; --\" "
                              "IS NULL")) == "n N time|2 1 10");
}

TEST_CASE("texts of any kind come back byte by byte") {
  const StoreFolder folder;
  const std::string path = folder.file("it's a \"store\"?#%41.db");
  const std::string long_text(10'000, 'x');
  const std::vector<std::string> texts = {"",          "'; DROP TABLE points; --",
                                          "line\nend", "\xc3\xa4\xe2\x82\xac",
                                          long_text,   std::string("nul\0byte", 8)};
  Store store = open_store(path);
  for (const std::string& text : texts)
    add(store, test_point("p" + text, {{"x", text}, {"i", n(INT64_MIN)}}, 1));
  const StoreReader reader = open_reader(path);
  for (const std::string& text : texts) {
    const StoredPoint point = test_point("p" + text, {{"x", text}, {"i", n(INT64_MIN)}}, 1);
    CHECK(*reader.json(point.key) == point.json);
    const auto rows =
        reader.rows({{"x", "i", "program"}, fmt::format("key = '{}'", point.key), {}});
    REQUIRE(rows);
    REQUIRE(rows->rows.size() == 1);
    CHECK(rows->rows[0] == std::vector<Cell>{text, INT64_MIN, "p" + text});
  }
}

TEST_CASE("rows have the columns that differ, and the time, in a fixed order") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  add(store, test_point("sum", {{"n", n(4096)}, {"m", n(7)}}, 30));
  add(store, test_point("sum", {{"n", n(64)}, {"m", n(7)}}, 40));
  add(store, test_point("scan", {{"n", n(512)}, {"m", n(7)}}, 20));
  const StoreReader reader = open_reader(folder.file("a.db"));
  CHECK(text_of(reader.rows({{}, "", {}})) == "program n time|scan 512 20|sum 64 40|sum 4096 30");
  CHECK(text_of(reader.rows({{}, "program = 'sum'", {}})) == "n time|64 40|4096 30");
  CHECK(text_of(reader.rows({{"n"}, "", {{"time"}}, 2})) == "n|512|4096");
  CHECK(text_of(reader.rows({{}, "", {{"time"}}, 1})) == "program n time|scan 512 20");
  CHECK(text_of(reader.rows({{"tme"}, "", {}})) ==
        "error: --columns: the store has no column 'tme'");
  CHECK(text_of(reader.rows({{}, "tme > 5", {}})) ==
        "error: --where: the store has no column 'tme'");
  CHECK(text_of(reader.rows({{}, "program = \"sum\"", {}})) ==
        "error: --where: the store has no column 'sum'");
}

TEST_CASE("a query can only read") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  Store store = open_store(path);
  add(store, test_point("sum", {{"n", n(1)}}, 1));
  const StoreReader reader = open_reader(path);
  for (const std::string sql :
       {"DELETE FROM points", "DROP VIEW results", "ATTACH 'other.db' AS o",
        "PRAGMA user_version = 7", "SELECT load_extension('x')", "VACUUM INTO 'copy.db'"}) {
    INFO(sql);
    CHECK(!reader.select(sql).ok());
  }
  CHECK(text_of(reader.select("SELECT count(*) AS c FROM results")) == "c|1");
}

TEST_CASE("some points and rows that are no runs are a table of their own for queries") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  Store store = open_store(path);
  std::vector<std::string> keys;
  for (const std::int64_t size : {4, 2, 1}) {
    const StoredPoint point = test_point("sum", {{"n", n(size)}}, 10 * size);
    keys.push_back(point.key);
    if (size != 2) add(store, point);
  }
  add(store, test_point("other", {{"m", n(7)}}, 1));
  StoreReader reader = open_reader(path);
  REQUIRE(reader.add_table({"shown", keys, {{keys[0], {{"n", n(8)}, {"time", 81.5}}}}}));
  CHECK(
      text_of(reader.select("SELECT program, n, time, seed, basis, json_extract(json, '$.list[1]') "
                            "AS second, m FROM shown")) ==
      "program n time seed basis second m|sum 4 40 1 model 2 null|sum 1 10 1 model 2 null|sum 8 "
      "81.5 null formula null null");
  CHECK(text_of(reader.select("SELECT count(*) AS n FROM results")) == "n|3");
  CHECK(text_of(reader.select("SELECT n, sum(item.value) AS items FROM shown, "
                              "json_each(shown.json, '$.list') AS item WHERE n = 4")) ==
        "n items|4 6");
  CHECK(text_of(reader.select("DROP TABLE shown")).rfind("error: ", 0) == 0);

  const auto error_of = [&](const PointTable& table) {
    const Status made = reader.add_table(table);
    return made ? std::string() : made.errors().front().message;
  };
  CHECK(error_of({"shown", {}, {}}).find("already exists") != std::string::npos);
  CHECK(error_of({"a", {}, {{sha256("none"), {}}}}).find("is not in the store") !=
        std::string::npos);
  CHECK(error_of({"b", {}, {{keys[0], {{"tine", n(1)}}}}}) == "the store has no column 'tine'");
  CHECK(read_text(path).find("81.5") == std::string::npos);
}

TEST_CASE("why finds the stored point that differs in the fewest values") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  const StoredPoint small = test_point("sum", {{"n", n(1)}}, 1);
  const StoredPoint large = test_point("sum", {{"n", n(2)}}, 1);
  CHECK(store.nearest_parts(small.key_parts).empty());
  add(store, small);
  add(store, large);
  auto changed = small.key_parts;
  changed[0].second = "another text of the program";
  CHECK(store.nearest_parts(changed) == small.key_parts);
  changed = large.key_parts;
  changed[2].second = "2";
  CHECK(store.nearest_parts(changed) == large.key_parts);
  // One value of the parameters is nearer than two, in whatever order they were stored.
  const auto with = [&](const char* parameters) {
    StoredPoint point = test_point("strided", {}, 1);
    point.key = sha256(parameters);
    point.key_parts[1].second = parameters;
    return point;
  };
  const StoredPoint near = with("n=128\ns=2"), far = with("n=64\ns=1");
  add(store, near);
  add(store, far);
  CHECK(store.nearest_parts(with("n=128\ns=3").key_parts) == near.key_parts);
  CHECK(store.nearest_parts(with("n=64\ns=3").key_parts) == far.key_parts);
}

TEST_CASE("two stores open on one file see each other's points and columns") {
  const StoreFolder folder;
  Store first = open_store(folder.file("a.db"));
  Store second = open_store(folder.file("a.db"));
  for (int i = 0; i < 20; ++i) {
    Store& store = i % 2 == 0 ? first : second;
    add(store, test_point("p", {{"n", n(i)}, {fmt::format("x{}", i / 3), n(i)}}, i));
  }
  CHECK(first.find(test_point("p", {{"n", n(19)}, {"x6", n(19)}}, 0).key));
  const StoreReader reader = open_reader(folder.file("a.db"));
  CHECK(text_of(reader.select("SELECT count(*) AS points, sum(x6) AS x FROM results")) ==
        "points x|20 37");
}

TEST_CASE("columns are chosen from all rows that match, and an end that is not done is shown") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  for (const std::int64_t k : {1, 2}) add(store, test_point("a", {{"n", n(k)}}, 10 * k));
  const StoreReader reader = open_reader(folder.file("a.db"));
  sweep::RowQuery query;
  query.most = 1;
  CHECK(text_of(reader.rows(query)) == "n time|1 10");
  REQUIRE(
      store.add(test_point("b", {{"n", n(3)}}, 0), PointStatus::stopped, false, "--max-steps 9"));
  REQUIRE(
      store.add(test_point("b", {{"n", n(4)}}, 0), PointStatus::stopped, false, "--max-steps 9"));
  query.where = "program = 'b'"; // both ended in one way, which is not the usual one
  CHECK(text_of(reader.rows(query)) == "n time status stopped_by|3 0 stopped --max-steps 9");
}

TEST_CASE("measured times are shown, be they equal or of one row") {
  const StoreFolder folder;
  const auto measured = [](std::int64_t size) {
    StoredPoint point = test_point("p", {{"n", n(size)}}, 7);
    point.cells.erase(point.cells.begin() + 3, point.cells.end());
    point.measured = MeasuredTime{"a GPU", "emitted", 81.5};
    return point;
  };
  const std::vector<StoreColumn> columns(test_columns().begin(), test_columns().begin() + 3);
  Result<Store> store = Store::open(folder.file("a.db"), columns);
  REQUIRE(store);
  add(*store, measured(1));
  const StoreReader reader = open_reader(folder.file("a.db"));
  CHECK(text_of(reader.rows({})) == "nanoseconds|81.5");
  CHECK(text_of(reader.rows({{}, "n = 3", {}})) == "nanoseconds");
  add(*store, measured(2));
  CHECK(text_of(reader.rows({})) == "n nanoseconds|1 81.5|2 81.5");
}

TEST_CASE("conditions have the names that users write, by case, and say what is wrong") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  add(store, test_point("a", {{"N", n(1)}, {"n", n(2)}}, 10));
  const StoreReader reader = open_reader(folder.file("a.db"));
  const auto found = [&](const std::string& where) {
    return text_of(reader.rows({{"time"}, where, {}}));
  };
  CHECK(found("N = 1 and n = 2") == "time|10");
  CHECK(found("\"N\" = 1 -- a remark") == "time|10");
  CHECK(found("N = 2") == "time");
  CHECK(found("'N' = 'N' /* N */ and max(N, 0) = 1") == "time|10");
  CHECK(found("NN = 2") == "error: --where: the store has no column 'NN'");
  CHECK(found("N =") == "error: --where: the condition is not complete");
  CHECK(found("N = 1) or (n = 3") == "error: --where: near \")\": syntax error");
  CHECK(found("program = a") == "error: --where: the store has no column 'a'");
}

TEST_CASE("letters and keys of machines are names of their columns, unless a parameter has them") {
  const StoreFolder folder;
  std::vector<StoreColumn> columns = test_columns();
  columns.push_back({"machine_threads", "", true});
  columns.push_back({"machine_latency", "", true});
  columns.push_back({"machine_shared_latency", "", true});
  columns.push_back({"machine_global_latency", "", true});
  Result<Store> store = Store::open(folder.file("a.db"), columns);
  REQUIRE(store);
  const auto add_on = [&](const std::string& name, std::int64_t p, Cell l, Cell shared, Cell L) {
    StoredPoint point = test_point(name, {{"n", n(p)}}, p);
    for (Cell& cell : std::vector<Cell>{n(p), l, shared, L}) point.cells.push_back(cell);
    add(*store, point);
  };
  add_on("umm", 32, n(20), {}, {});
  add_on("hmm", 64, {}, n(5), n(100));
  {
    const StoreReader reader = open_reader(folder.file("a.db"));
    CHECK(text_of(reader.rows({{"p", "l", "L", "shared.latency"}, "", {{"p"}}})) ==
          "p l L shared.latency|32 20 null null|64 5 100 5");
    CHECK(text_of(reader.rows({{"program"}, "p > 32 and l < 6 and L = 100", {}})) == "program|hmm");
    CHECK(text_of(reader.rows({{"program"}, "shared.latency = 5", {}})) == "program|hmm");
    CHECK(text_of(reader.rows({{"d"}, "", {}})) == "error: --columns: the store has no column 'd'");
  }
  StoredPoint own = test_point("own", {{"p", n(7)}}, 1);
  for (int k = 0; k < 4; ++k) own.cells.emplace_back(n(1000));
  add(*store, own);
  CHECK(text_of(open_reader(folder.file("a.db")).rows({{"program", "p"}, "p = 7", {}})) ==
        "program p|own 7");
}

TEST_CASE("a reader leaves no file beside a store, and none of another process's") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  const auto exists = [&](const char* end) { return std::filesystem::exists(path + end); };
  {
    Store store = open_store(path);
    add(store, test_point("a", {}, 1));
  }
  REQUIRE(!exists("-wal"));
  CHECK(text_of(open_reader(path).rows({{"time"}, "", {}})) == "time|1");
  CHECK(!exists("-wal"));
  CHECK(!exists("-shm"));
  Store writer = open_store(path);
  add(writer, test_point("b", {}, 2));
  REQUIRE(exists("-wal"));
  CHECK(text_of(open_reader(path).rows({{"time"}, "", {{"time"}}})) == "time|1|2");
  CHECK(exists("-wal"));
  add(writer, test_point("c", {}, 3));
  CHECK(text_of(open_reader(path).rows({{"time"}, "", {{"time"}}})) == "time|1|2|3");
}

TEST_CASE("a name that is too long for a file is said to be") {
  const std::string path = "/tmp/" + std::string(300, 'a');
  for (const Diagnostics& errors :
       {StoreReader::open(path).errors(), Store::open(path, test_columns()).errors()})
    CHECK(errors.front().message == "the name of the store has 300 bytes, at most 251 are allowed");
}

} // namespace memlane::store_test
