// The best of each group, baselines, differences, merged stores.
#include "store_fixture.hpp"

#include "memlane/store/comparison.hpp"
#include "memlane/store/merge.hpp"

namespace memlane::store_test {
namespace {

Cell number(std::int64_t value) { return value; }

StoredPoint on_machine(StoredPoint point, const std::string& machine) {
  point.cells[1] = machine;
  point.key = sha256(point.key + machine);
  return point;
}

std::string text_of(const Result<sweep::RowsWithBaseline>& rows) {
  return store_test::text_of(rows ? Result<Rows>(rows->rows) : Result<Rows>(rows.errors()));
}

/// A program with a parameter of its own, and one without, on two machines.
void fill(Store& store) {
  for (const std::int64_t n : {64, 128}) {
    for (const std::int64_t alpha : {1, 2, 4})
      add(store, test_point("scan", {{"n", number(n)}, {"alpha", number(alpha)}},
                            n * (alpha == 2 ? 2 : 3)));
    add(store, test_point("simple", {{"n", number(n)}}, n * 6));
    add(store, on_machine(test_point("simple", {{"n", number(n)}}, n * 12), "a slow machine"));
  }
}

} // namespace

TEST_CASE("the best of each group, and the second best as its multiple") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  fill(store);
  const StoreReader reader = open_reader(folder.file("a.db"));
  sweep::BestQuery query;
  query.per = {"n"};
  query.where = "program = 'scan'";
  CHECK(text_of(best_rows(reader, query)) ==
        "n alpha time ties next_best rows|64 2 128 0 1.5 3|128 2 256 0 1.5 3");
  query.largest = true;
  query.per.clear();
  CHECK(text_of(best_rows(reader, query)) == "alpha n time ties next_best rows|1 128 384 1 1 6");
  // A point that failed its check wins nothing.
  StoredPoint wrong = test_point("scan", {{"n", number(64)}, {"alpha", number(8)}}, 1);
  REQUIRE(store.add(wrong, PointStatus::done, true, ""));
  query = {"time", false, {"n"}, "n = 64"};
  const auto best = best_rows(reader, query);
  REQUIRE(best);
  CHECK(best->rows.size() == 1);
  CHECK(text_of(best).find(" 128 ") != std::string::npos);
  query.by = "tiem";
  CHECK(text_of(best_rows(reader, query)) == "error: --by: the store has no column 'tiem'");
  query = {"time", false, {"nn"}, ""};
  const auto mistyped = best_rows(reader, query);
  REQUIRE(!mistyped);
  CHECK(text_of(mistyped) == "error: --per: the store has no column 'nn'");
  CHECK(mistyped.errors().front().help == std::vector<std::string>{"did you mean 'n'?"});
}

TEST_CASE("a baseline is a program or a machine at the same parameters") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  fill(store);
  const StoreReader reader = open_reader(folder.file("a.db"));
  sweep::BaselineQuery query;
  query.rows.columns = {"n", "alpha", "time"};
  query.rows.where = "program = 'scan' AND n = 64";
  query.baseline = "simple";
  CHECK(text_of(rows_with_baseline(reader, query)) ==
        "n alpha time baseline speedup|64 1 192 384 2|64 2 128 384 3|64 4 192 384 2");
  query.rows.where = "program = 'simple'";
  query.rows.columns = {"machine_name", "n"};
  query.baseline = "a slow machine";
  CHECK(text_of(rows_with_baseline(reader, query)) ==
        "machine_name n baseline speedup|a machine 64 768 2|a machine 128 1536 2|"
        "a slow machine 64 768 1|a slow machine 128 1536 1");
  query.baseline = "simpel";
  const auto unknown = rows_with_baseline(reader, query);
  REQUIRE(!unknown);
  CHECK(unknown.errors().front().help == std::vector<std::string>{"did you mean 'simple'?"});
  // scan has three rows for each n: no single one is the baseline of simple.
  query.baseline = "scan";
  CHECK(rows_with_baseline(reader, query).ok()); // simple has no alpha: no baseline
}

TEST_CASE("a baseline is looked up in the whole store, and chosen by the condition if it must") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  for (const std::int64_t n : {64, 128}) {
    add(store, test_point("fast", {{"n", number(n)}}, n));
    add(store, test_point("base", {{"n", number(n)}}, n * 4));
  }
  add(store, test_point("base", {{"n", number(128)}, {"alpha", number(2)}}, 256));
  const StoreReader reader = open_reader(folder.file("a.db"));
  sweep::BaselineQuery query;
  query.rows.columns = {"program", "n"};
  query.rows.where = "program = 'fast'";
  query.baseline = "base";
  CHECK(text_of(rows_with_baseline(reader, query)) ==
        "program n baseline speedup|fast 64 256 4|fast 128 512 4"); // those without alpha
  // The version of the program is no part of what matches.
  Store other = open_store(folder.file("b.db"));
  for (const std::int64_t n : {64, 128}) {
    add(other, test_point("fast", {{"n", number(n)}}, n));
    add(other, test_point("base", {{"n", number(n)}}, n * 4));
  }
  StoredPoint second = test_point("base", {{"n", number(128)}}, 256);
  second.key = sha256("of another version of the program");
  add(other, second);
  const StoreReader two = open_reader(folder.file("b.db"));
  query.rows.where = "program = 'fast' AND n = 64";
  CHECK(text_of(rows_with_baseline(two, query)) == "program n baseline speedup|fast 64 256 4");
  query.rows.where = "program = 'fast'";
  CHECK(text_of(rows_with_baseline(two, query))
            .rfind("error: --baseline: several points match each other at machine_name='a machine'",
                   0) == 0);
  query.rows.where = "program = 'fast' OR time = 256";
  CHECK(text_of(rows_with_baseline(two, query)).find("|fast 128 256 2") != std::string::npos);
  query.rows.where = "n =";
  CHECK(text_of(rows_with_baseline(two, query)) == "error: --where: the condition is not complete");
  query.rows.where = "tiem = 3";
  CHECK(text_of(rows_with_baseline(two, query)) ==
        "error: --where: the store has no column 'tiem'");
  query.rows.where = "";
  query.by = "tiem";
  CHECK(text_of(rows_with_baseline(two, query)) == "error: --by: the store has no column 'tiem'");
}

TEST_CASE("the key of a machine that a sweep varies is a parameter of its baseline") {
  const StoreFolder folder;
  std::vector<StoreColumn> columns = test_columns();
  columns.push_back({"machine_width", "of requests", true});
  columns.push_back({"machine_latency", "of a request", true});
  Result<Store> store = Store::open(folder.file("a.db"), columns);
  REQUIRE(store);
  for (const std::int64_t latency : {5, 20})
    for (const bool is_fast : {true, false}) {
      StoredPoint point = on_machine(test_point("sum", {{"n", number(latency)}}, 1),
                                     fmt::format("{} {}", is_fast, latency));
      point.parameters = {{"n", number(64)}};
      point.cells = {
          "sum", is_fast ? "fast" : "slow", number(1),      number(latency * (is_fast ? 1 : 4)),
          0.5,   number(is_fast ? 32 : 16), number(latency)};
      add(*store, point);
    }
  const StoreReader reader = open_reader(folder.file("a.db"));
  sweep::BaselineQuery query;
  query.rows.columns = {"machine_name", "machine_latency"};
  query.rows.where = "machine_name = 'fast'"; // no row of the baseline
  query.baseline = "slow";
  CHECK(text_of(rows_with_baseline(reader, query)) ==
        "machine_name machine_latency baseline speedup|fast 5 20 4|fast 20 80 4");
  // A value of a key, of the same machine.
  query.baseline = "20";
  CHECK(text_of(rows_with_baseline(reader, query)) ==
        "machine_name machine_latency baseline speedup|fast 5 20 4|fast 20 20 1");
  // Without columns, the one that is compared stands in place of the time.
  query.rows.columns.clear();
  query.by = "ratio";
  CHECK(text_of(rows_with_baseline(reader, query)) ==
        "machine_latency ratio baseline speedup|5 0.5 0.5 1|20 0.5 0.5 1");
}

TEST_CASE("points that are not done are no baselines and no differences, and are counted") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  const auto add_stopped = [&](StoredPoint point) {
    REQUIRE(store.add(point, PointStatus::stopped, false, "--max-steps 1"));
  };
  for (const std::int64_t n : {64, 128}) add(store, test_point("fast", {{"n", number(n)}}, n));
  add(store, test_point("base", {{"n", number(64)}}, 256));
  add_stopped(test_point("base", {{"n", number(128)}}, 7)); // its time is of a part of the run
  add_stopped(test_point("fast", {{"n", number(256)}}, 7));
  const StoreReader reader = open_reader(folder.file("a.db"));
  sweep::BaselineQuery query;
  query.rows.columns = {"program", "n"};
  query.rows.where = "program = 'fast'";
  query.baseline = "base";
  const auto rows = rows_with_baseline(reader, query);
  CHECK(text_of(rows) == "program n baseline speedup|fast 64 256 4|fast 128 null null");
  CHECK(rows->left_out == 1);
  sweep::DiffQuery sides;
  sides.left_where = "program = 'fast'";
  sides.right_where = "program = 'base'";
  const auto diff = diff_rows(reader, reader, sides);
  REQUIRE(diff);
  CHECK(diff->matched == 1);
  CHECK(diff->left_out == 2);
  sides.left_where = "n = 256";
  const auto none = diff_rows(reader, reader, sides);
  REQUIRE(!none);
  CHECK(none.errors().front().message == "no point of the left side came to its end");
}

TEST_CASE("what no point of two sides has in common is said") {
  const StoreFolder folder;
  Store store = open_store(folder.file("a.db"));
  fill(store);
  const StoreReader reader = open_reader(folder.file("a.db"));
  sweep::DiffQuery query;
  query.on = {"n", "machine_name"};
  query.where = "program = 'simple'";
  query.left_where = "machine_name = 'a machine'";
  query.right_where = "machine_name <> 'a machine'";
  const auto diff = diff_rows(reader, reader, query);
  REQUIRE(!diff);
  CHECK(diff.errors().front().message == "no point of the left side matches one of the right");
  CHECK(diff.errors().front().help ==
        std::vector<std::string>{"no value is on both sides of machine_name (left: 'a machine', "
                                 "right: 'a slow machine')",
                                 "points match by n, machine_name",
                                 "--on COLUMN,... names the columns that match, such as --on n"});
}

TEST_CASE("differences of stores, and of parts of one") {
  const StoreFolder folder;
  Store left = open_store(folder.file("a.db")), right = open_store(folder.file("b.db"));
  fill(left);
  fill(right);
  add(right, test_point("scan", {{"n", number(64)}, {"alpha", number(1)}}, 96));
  add(right, test_point("scan", {{"n", number(256)}, {"alpha", number(1)}}, 5));
  const StoreReader a = open_reader(folder.file("a.db")), b = open_reader(folder.file("b.db"));
  const auto diff = diff_rows(a, b, {});
  REQUIRE(diff);
  CHECK(diff->matched == 10);
  CHECK(diff->equal == 9);
  CHECK(diff->changed == 1);
  CHECK(diff->only_left == 0);
  CHECK(diff->only_right == 1);
  CHECK(diff->largest_change == 0.5);
  CHECK(text_of(Result<Rows>(diff->rows)) ==
        "program machine_name alpha n left right ratio|scan a machine 1 64 192 96 0.5");
  sweep::DiffQuery machines;
  machines.left_where = "machine_name = 'a machine' AND program = 'simple'";
  machines.right_where = "machine_name = 'a slow machine'";
  const auto slower = diff_rows(a, a, machines);
  REQUIRE(slower);
  CHECK(text_of(Result<Rows>(slower->rows)) == "n left right ratio|64 384 768 2|128 768 1536 2");
  sweep::DiffQuery few;
  few.on = {"n"};
  const auto several = diff_rows(a, b, few);
  REQUIRE(!several);
  CHECK(several.errors().front().message.rfind("several points match each other at n=64", 0) == 0);
  few = {};
  few.left_where = "n = 64";
  few.right_where = "n = 128 AND alpha IS NULL";
  few.on = {"alpha", "n"};
  CHECK(!diff_rows(a, b, few)); // nothing matches
}

TEST_CASE("points of two stores match only where the same was run") {
  const StoreFolder folder;
  const auto filled = [&](const std::string& name, const std::vector<StoredPoint>& points) {
    Store store = open_store(folder.file(name));
    for (const StoredPoint& point : points) add(store, point);
    return open_reader(folder.file(name));
  };
  const auto says = [](const StoreReader& a, const StoreReader& b, const sweep::DiffQuery& query) {
    const auto diff = diff_rows(a, b, query);
    return diff ? fmt::format("{} of {}", diff->equal, diff->matched)
                : fmt::format("{}", fmt::join(diff.errors().front().help, "\n"));
  };
  const StoredPoint sum = test_point("sum", {{"n", number(64)}}, 90);
  const StoreReader one = filled("1.db", {sum});
  CHECK(says(one, filled("2.db", {on_machine(sum, "another machine")}), {}) ==
        "no value is on both sides of machine_name (left: 'a machine', right: 'another machine')\n"
        "points match by program, machine_name, n, seed, basis\n"
        "--on COLUMN,... names the columns that match, such as --on n\n"
        "--left CONDITION and --right CONDITION compare parts: a column that tells them apart does "
        "not have to match");
  const auto refuses = [&](const StoredPoint& other, const std::string& help) {
    const StoreReader two = filled(other.key + ".db", {other});
    CHECK(says(one, two, {}).find("no value is on both sides of " + help) == 0);
    sweep::DiffQuery parts;
    parts.left_where = parts.right_where = "n > 0";
    CHECK(says(one, two, parts) == "1 of 1");
  };
  refuses(test_point("scan", {{"n", number(64)}}, 90), "program (left: 'sum', right: 'scan')");
  refuses(test_point("sum", {{"n", number(128)}}, 90), "n (left: 64, right: 128)");
  // A parameter of one store alone: points without it match.
  std::vector<StoredPoint> strided = {sum};
  for (const std::int64_t s : {1, 2})
    strided.push_back(test_point("sum", {{"n", number(64)}, {"s", number(s)}}, 90 + s));
  const StoreReader more = filled("3.db", strided);
  CHECK(says(one, more, {}) == "1 of 1");
  CHECK(says(more, one, {}) == "1 of 1");
  CHECK(diff_rows(one, more, {})->only_right == 2);
  CHECK(diff_rows(more, one, {})->only_left == 2);
}

TEST_CASE("measured times that differ need a choice") {
  const StoreFolder folder;
  const auto measured = [&](const std::string& name, double nanoseconds) {
    Store store = open_store(folder.file(name));
    StoredPoint point = test_point("p", {{"n", number(7)}}, 7);
    point.cells[3] = Cell();
    point.measured = sweep::MeasuredTime{"a GPU", "emitted", nanoseconds};
    add(store, point);
    return open_reader(folder.file(name));
  };
  const StoreReader first = measured("1.db", 6331.9), second = measured("2.db", 7000);
  const std::string all = folder.file("all.db");
  REQUIRE(merge_store(all, first, sweep::MergeChoice::neither));
  CHECK(merge_store(all, first, sweep::MergeChoice::neither)->known == 1);
  const auto refused = merge_store(all, second, sweep::MergeChoice::neither);
  REQUIRE(!refused);
  CHECK(refused.errors().front().message.find("is in both stores with another nanoseconds") !=
        std::string::npos);
  const auto time = [&] { return text_of(open_reader(all).rows({{"nanoseconds"}, "", {}})); };
  CHECK(merge_store(all, second, sweep::MergeChoice::first)->known == 1);
  CHECK(time() == "nanoseconds|6331.9");
  CHECK(merge_store(all, second, sweep::MergeChoice::last)->replaced == 1);
  CHECK(time() == "nanoseconds|7000");
}

TEST_CASE("shards become one store, points that differ need a choice") {
  const StoreFolder folder;
  {
    Store one = open_store(folder.file("1.db")), two = open_store(folder.file("2.db"));
    for (std::int64_t i = 0; i < 30; ++i)
      add(i % 2 == 0 ? one : two, test_point("p", {{"n", number(i)}}, i));
    add(two, test_point("p", {{"n", number(0)}}, 0)); // equal in both
    REQUIRE(one.add(test_point("q", {{"m", number(1)}}, 1), PointStatus::stopped, false,
                    "--max-seconds 1"));
    add(two, test_point("q", {{"m", number(1)}}, 9));
  }
  const StoreReader one = open_reader(folder.file("1.db")), two = open_reader(folder.file("2.db"));
  const std::string all = folder.file("all.db");
  const auto first = merge_store(all, one, sweep::MergeChoice::neither);
  REQUIRE(first);
  CHECK(first->added == 16);
  const auto second = merge_store(all, two, sweep::MergeChoice::neither);
  REQUIRE(second);
  CHECK(second->added == 15);
  CHECK(second->known == 1);
  CHECK(second->replaced == 1);
  const StoreReader merged = open_reader(all);
  CHECK(merged.check().ok());
  CHECK(text_of(merged.rows({{"time"}, "m = 1", {}})) == "time|9");
  const StoredPoint point = test_point("p", {{"n", number(7)}}, 7);
  const auto whole = merged.point(point.key);
  REQUIRE(whole);
  REQUIRE(*whole);
  CHECK((*whole)->point.json == point.json);
  CHECK((*whole)->point.key_parts == point.key_parts);
  CHECK((*whole)->point.parameters == point.parameters);
  CHECK((*whole)->point.cells == point.cells);
  CHECK((*whole)->point.seconds == point.seconds);

  Store other = open_store(folder.file("3.db"));
  add(other, test_point("p", {{"n", number(7)}}, 70));
  StoredPoint changed = test_point("p", {{"n", number(7)}}, 70);
  const StoreReader three = open_reader(folder.file("3.db"));
  const auto refused = merge_store(all, three, sweep::MergeChoice::neither);
  REQUIRE(!refused);
  CHECK(refused.errors().front().message ==
        "point " + point.key + " is in both stores with another time");
  CHECK(merge_store(all, three, sweep::MergeChoice::first)->known == 1);
  CHECK(text_of(merged.rows({{"time"}, "n = 7", {}})) == "time|7");
  CHECK(merge_store(all, three, sweep::MergeChoice::last)->replaced == 1);
  CHECK(text_of(merged.rows({{"time"}, "n = 7", {}})) == "time|70");
}

} // namespace memlane::store_test
