// Whole results in the store: every byte comes back, a result costs little beside the first of its
// program, and a damaged one is an error.
#include "store_fixture.hpp"

#include "memlane/store/merge.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <random>

namespace memlane::store_test::outputs {
namespace {

/// JSON like a result: counts of units that are often equal, a list whose length varies, ratios.
std::string result_text(std::mt19937& random, std::int64_t n, int units = 14) {
  std::string text = fmt::format(R"({{"program":{{"n":{},"name":"a \"b\" \\"}},"units":[)", n);
  for (int unit = 0; unit < units; ++unit) {
    const std::int64_t requests =
        n / 32 + (unit == 3 ? static_cast<std::int64_t>(random() % 9) : 0);
    text += fmt::format(R"({}{{"requests":{},"reads":{},"idle":{},"congestion":[)",
                        unit == 0 ? "" : ",", requests, requests / 2, 1'000'000 - requests);
    const int lines = static_cast<int>(random() % 4);
    for (int i = 0; i < lines; ++i)
      text += fmt::format(R"({}{{"stages":{},"requests":{}}})", i == 0 ? "" : ",", i + 1, random());
    text += "]}";
  }
  return text + fmt::format(R"(],"ratio":{},"reason":{}}})", static_cast<double>(n) / 7,
                            n % 2 == 0 ? "null" : "\"odd\"");
}

StoredPoint with_result(const std::string& program, std::int64_t i, const std::string& json) {
  StoredPoint point = test_point(program, {{"n", i}}, i);
  point.json = json;
  return point;
}

std::vector<StoredPoint> similar_points(const std::string& program, std::int64_t begin,
                                        std::int64_t end) {
  std::mt19937 random(5);
  std::vector<StoredPoint> points;
  for (std::int64_t i = begin; i < end; ++i)
    points.push_back(with_result(program, i, result_text(random, 64 * (1 + i % 7))));
  return points;
}

void add_all(const std::string& path, const std::vector<StoredPoint>& points) {
  Store store = open_store(path);
  for (const StoredPoint& point : points) add(store, point);
}

void check_all(const std::string& path, const std::vector<StoredPoint>& points) {
  const StoreReader reader = open_reader(path);
  for (const StoredPoint& point : points) CHECK(*reader.json(point.key) == point.json);
  CHECK(reader.check().ok());
}

std::string selected(const std::string& path, const std::string& sql) {
  return text_of(open_reader(path).select(sql));
}

} // namespace

TEST_CASE("results of a store come back, whatever they are") {
  const StoreFolder folder;
  std::mt19937 random(1);
  std::string noise(50'000, '\0'), longer = result_text(random, 99, 2000);
  for (char& c : noise) c = static_cast<char>(1 + random() % 255);
  REQUIRE(longer.size() > 90'000);
  const std::vector<std::string> texts = {
      "",      "1",    "no JSON at all { \x01", "{ \"blanks\": 1 }",
      noise,   longer, longer + longer,         result_text(random, 5),
      "again", noise};
  // Each of them is the first of a program once, and thus the dictionary of the others.
  std::vector<StoredPoint> points;
  for (std::size_t first = 0; first < texts.size(); ++first)
    for (std::size_t i = 0; i < texts.size(); ++i)
      points.push_back(with_result(fmt::format("p{}", first), static_cast<std::int64_t>(i),
                                   texts[(first + i) % texts.size()]));
  add_all(folder.file("a.db"), points);
  check_all(folder.file("a.db"), points);
}

TEST_CASE("the first result of a program is the dictionary of those that ended alike") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  std::vector<StoredPoint> points = similar_points("sum", 0, 200);
  // A process for each half: the second finds the dictionary that the first has made.
  add_all(path, {points.begin(), points.begin() + 100});
  add_all(path, {points.begin() + 100, points.end()});
  check_all(path, points);
  CHECK(selected(path, "SELECT count(*) AS n FROM dictionaries") == "n|1");
  CHECK(selected(path, "SELECT sum(length(content)) * 4 < sum(size) AS small FROM outputs") ==
        "small|1");
  {
    Store store = open_store(path);
    const StoredPoint stopped = with_result("sum", 200, R"({"stopped":true})");
    CHECK(store.add(stopped, PointStatus::stopped, false, "--max-steps 5").ok());
    add(store, with_result("scan", 1, "{}"));
  }
  CHECK(selected(path, "SELECT count(*) AS n FROM dictionaries") == "n|3");
}

TEST_CASE("stores with other dictionaries are merged: every result once, as it was") {
  const StoreFolder folder;
  const std::string left = folder.file("left.db"), right = folder.file("right.db");
  std::vector<StoredPoint> points = similar_points("sum", 0, 40);
  add_all(left, {points.begin(), points.begin() + 25});
  add_all(right, {points.rbegin(), points.rbegin() + 25}); // from the last, ten in both
  const Result<MergeCounts> counts = merge_store(left, open_reader(right), MergeChoice::neither);
  REQUIRE(counts);
  CHECK(counts->added == 15);
  CHECK(counts->known == 10);
  check_all(left, points);
  CHECK(selected(left, "SELECT count(*) AS n, (SELECT count(*) FROM outputs) AS outputs FROM "
                       "results") == "n outputs|40 40");
}

TEST_CASE("a damaged result is an error that names its point, and others can be read") {
  const StoreFolder folder;
  const std::string whole = folder.file("whole.db"), path = folder.file("changed.db");
  std::vector<StoredPoint> points = similar_points("sum", 0, 3);
  points.push_back(with_result("bomb", 3, std::string(1'000'000, 'x')));
  add_all(whole, points);
  std::vector<std::string> changes = {
      "content = substr(content, 1, length(content) - 1)",
      "content = substr(content, 2)",
      "content = CAST(content || X'00' AS BLOB)",
      "content = X''",
      "content = 'text'",
      "content = (SELECT content FROM outputs WHERE id = 3)",
      "size = size - 1",
      "size = size + 1",
      "size = -1",
      "size = 'many'",
      "size = 100000000, content = zeroblob(500)",
      "size = 9223372036854775807",
      "size = 10, dictionary = (SELECT dictionary FROM outputs WHERE id = 4), "
      "content = (SELECT content FROM outputs WHERE id = 4)",
      "dictionary = 0",
      "dictionary = 'none'",
      "dictionary = (SELECT dictionary FROM outputs WHERE id = 4)",
  };
  for (int byte = 1; byte <= 20; ++byte)
    changes.push_back(fmt::format("content = CAST(substr(content, 1, {0} - 1) || CASE "
                                  "substr(content, {0}, 1) WHEN X'00' THEN X'01' ELSE X'00' END "
                                  "|| substr(content, {0} + 1) AS BLOB)",
                                  byte));
  const auto check_damaged = [&](const std::string& sql, std::size_t damaged, std::size_t good) {
    INFO(sql);
    std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
    CHECK(SQLite::Database(path, SQLite::OPEN_READWRITE).exec(sql) == 1);
    const StoreReader reader = open_reader(path);
    const Result<std::string> json = reader.json(points[damaged].key);
    REQUIRE(!json);
    CHECK(json.errors().front().message ==
          fmt::format("the stored result of point {} is damaged", points[damaged].key));
    CHECK(!json.errors().front().help.empty());
    CHECK(!reader.check());
    CHECK(*reader.json(points[good].key) == points[good].json);
  };
  for (const std::string& change : changes)
    check_damaged(fmt::format("UPDATE outputs SET {} WHERE id = 2", change), 1, 0);
  const std::string of_sum = "id = (SELECT dictionary FROM outputs WHERE id = 1)";
  check_damaged("UPDATE texts SET text = text || ' ' WHERE " + of_sum, 0, 3);
  check_damaged("UPDATE texts SET text = '' WHERE " + of_sum, 2, 3);
  check_damaged("DELETE FROM texts WHERE " + of_sum, 1, 3);
}

} // namespace memlane::store_test::outputs
