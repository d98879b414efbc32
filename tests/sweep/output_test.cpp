// Whole results in the store: every byte comes back, and a neighbour costs little.
#include "bit_coder.hpp"
#include "json_tree.hpp"
#include "sweep/store_fixture.hpp"
#include "tree_delta.hpp"

#include <random>

namespace memlane::store_test {
namespace {

/// JSON like a result: counts of units that are often equal, a list whose length varies, ratios.
std::string result_text(std::mt19937& random, std::int64_t n) {
  std::string text = fmt::format(R"({{"program":{{"n":{},"name":"a \"b\" \\"}},"units":[)", n);
  for (int unit = 0; unit < 14; ++unit) {
    const std::int64_t requests =
        n / 32 + (unit == 3 ? static_cast<std::int64_t>(random() % 9) : 0);
    text += fmt::format(R"({}{{"requests":{},"reads":{},"idle":{},"congestion":[)",
                        unit == 0 ? "" : ",", requests, requests / 2, 1'000'000 - requests);
    const int lines = static_cast<int>(random() % 4);
    for (int i = 0; i < lines; ++i)
      text += fmt::format(R"({}{{"stages":{},"requests":{}}})", i == 0 ? "" : ",", i + 1, random());
    text += "]}";
  }
  return text + fmt::format(R"(],"ratio":{},"reason":{},"small":-{},"odd":[0,-0,1e5,"",{{}},[]]}})",
                            static_cast<double>(n) / 7, n % 2 == 0 ? "null" : "\"odd\"", n);
}

/// Packs and unpacks; the size of the difference.
std::size_t round_trip(const std::string& base, const std::string& text) {
  const JsonTree old = json_tree(base), tree = json_tree(text);
  REQUIRE(!old.nodes.empty());
  REQUIRE(!tree.nodes.empty());
  const auto delta = tree_delta(tree, old);
  REQUIRE(delta);
  const auto again = patched(old, *delta, text.size());
  REQUIRE(again);
  CHECK(again->text == text);
  // What is unpacked serves as a base like what was read.
  CHECK(tree_delta(old, *again) == tree_delta(old, tree));
  return delta->size();
}

} // namespace

TEST_CASE("bits, numbers and texts are decoded as they were coded") {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> numbers = {0, 1, UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 63};
  for (int i = 0; i < 2000; ++i) numbers.push_back(random() >> (random() % 64));
  const std::vector<std::string> texts = {"", "1.0555555555555556", std::string("\0\xff", 2),
                                          std::string(300, 'x')};
  BitEncoder encoder;
  NumberChances written;
  TextChances letters;
  for (const std::uint64_t number : numbers) written.code(encoder, number);
  for (const std::string& text : texts) letters.code(encoder, text, 1000);
  BitDecoder decoder(encoder.bytes());
  NumberChances read;
  TextChances read_letters;
  for (const std::uint64_t number : numbers) CHECK(read.code(decoder, 0) == number);
  for (const std::string& text : texts) CHECK(read_letters.code(decoder, "", 1000) == text);
}

TEST_CASE("a result comes back from its difference to another") {
  std::mt19937 random(1);
  const std::string base = result_text(random, 1024);
  CHECK(round_trip(base, base) < 20);
  std::size_t bytes = 0;
  for (int i = 1; i <= 100; ++i) {
    const std::string text = result_text(random, 1024 + 37 * i);
    bytes += round_trip(base, text);
    if (i == 1) CHECK(text.size() > 1200);
  }
  // A fifth of the text: half of its numbers are random.
  CHECK(bytes / 100 < 250);
}

TEST_CASE("differences between things that are not alike") {
  const std::vector<std::string> texts = {"1",
                                          "-5",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "9223372036854775808",
                                          "0",
                                          "-0",
                                          "007",
                                          "1.50",
                                          "\"\"",
                                          "[]",
                                          "{}",
                                          "[[],[1],[1,2]]",
                                          "{\"a\":{\"b\":1}}",
                                          "{\"a\":{\"c\":1}}",
                                          "[1]",
                                          "[1,\"x\",null,true,{\"k\":[]}]",
                                          "{\"a\":1,\"a\":2}",
                                          "\"\\\"\""};
  for (const std::string& base : texts)
    for (const std::string& text : texts) round_trip(base, text);
  for (const std::string text : {"", "{", "[1", "{\"a\"}", "{1:2}", "\"a", "[1]x", "[,]"})
    CHECK(json_tree(text).nodes.empty());
  CHECK(json_tree(std::string(5000, '[') + std::string(5000, ']')).nodes.empty());
}

TEST_CASE("damaged differences end, and give no wrong tree") {
  std::mt19937 random(3);
  const JsonTree base = json_tree(result_text(random, 64));
  const JsonTree tree = json_tree(result_text(random, 4096));
  const std::string delta = *tree_delta(tree, base);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = delta;
    damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    const auto read = patched(base, damaged, tree.text.size());
    if (read) CHECK(read->text.size() <= tree.text.size());
  }
}

TEST_CASE("results of a store come back, whatever they are, in less than an eighth of their size") {
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  std::mt19937 random(5);
  std::vector<StoredPoint> points;
  std::size_t bytes = 0;
  for (int i = 0; i < 200; ++i) {
    StoredPoint point = test_point("sum", {{"n", std::int64_t{i}}}, i);
    point.json = result_text(random, 64 * (1 + i % 7));
    if (i == 50) point.json = "no JSON at all { \x01";
    if (i == 60) point.json = "";
    if (i == 70) point.json = R"({ "blanks": 1 })";
    bytes += point.json.size();
    points.push_back(std::move(point));
  }
  // A process for each hundred; the second continues from what the first has stored.
  for (int half = 0; half < 2; ++half) {
    Store store = open_store(path);
    for (std::size_t i = 0; i < 100; ++i)
      add(store, points[static_cast<std::size_t>(half) * 100 + i]);
  }
  const StoreReader reader = open_reader(path);
  for (const StoredPoint& point : points) CHECK(*reader.json(point.key) == point.json);
  const auto stored = reader.select("SELECT sum(length(content)) AS bytes FROM outputs");
  REQUIRE(stored);
  CHECK(static_cast<std::size_t>(std::get<std::int64_t>(stored->rows[0][0])) < bytes / 8);
}

} // namespace memlane::store_test
