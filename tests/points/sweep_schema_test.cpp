// The JSON Schema of sweep files accepts what the reader accepts, and configs/README.md has the
// table of keys.
#include "machine/schema_check.hpp"
#include "sweep_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <sstream>

namespace memlane::sweep {
namespace {

using Json = nlohmann::json;

/// A sweep with every key.
const Json whole = Json::parse(R"j({
  "$schema": "../sweep.schema.json", "name": "x", "description": "y",
  "programs": ["sum", {"program": "reduction", "layout": {"T": "rows"},
    "fn": {"combine": "(x, y) = max(x, y)"}, "type": {"value": "int"},
    "parameters": {"n": "2^10"}}],
  "machines": ["umm-w32", {"machine": "dmm-w32", "set": {"latency": 5}}],
  "axes": {"a": [1], "b": {"values": ["x"]}, "c": {"range": [1, 9, 2]}, "d": {"pow2": [1, 8]}},
  "zip": [{"e": [1, 2], "f": [3, 4]}],
  "where": "n > 1", "seeds": [1, 2], "timing_only": true, "verify": false, "allow_races": true,
  "pram": true, "prices": {"pem": {"lambda": 400, "sigma": "5/2"},
    "bsp": {"g": 1.5, "l": 0, "p": 14}, "io": {}},
  "inputs": {"a": "a.csv"}})j");

const std::vector<Json> values = [] {
  std::vector<Json> all;
  for (const char* text : {"null",
                           "true",
                           "3",
                           "0",
                           "-1",
                           "1.5",
                           "\"sum\"",
                           "\"\"",
                           "[]",
                           "{}",
                           "[\"sum\"]",
                           "[2]",
                           "[1, 2]",
                           "[1, 2, 1]",
                           "[-1]",
                           "[null]",
                           "[[]]",
                           "[{}]",
                           "{\"n\": [1]}",
                           "{\"a\": \"(b)\"}",
                           "{\"a\": {}}",
                           "[1, 2, 1, 1]"})
    all.push_back(Json::parse(text));
  return all;
}();

/// Places of all keys and items of a value.
void places_in(const Json& value, const std::string& at, std::vector<std::string>& places) {
  if (!at.empty()) places.push_back(at);
  if (value.is_object())
    for (const auto& [name, part] : value.items()) places_in(part, at + "/" + name, places);
  if (value.is_array())
    for (std::size_t k = 0; k < value.size(); ++k)
      places_in(value[k], at + "/" + std::to_string(k), places);
}

/// Not in the schema: repetitions, equal lengths, and what expressions and texts say.
bool only_beyond_schema(const std::string& problems) {
  std::istringstream lines(problems);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": error: ") == std::string::npos) continue;
    static const std::regex beyond(
        "twice|has [0-9]+ values?, |descends|unknown name|does not begin "
        "with|a step is at least|miss the end|doubling");
    if (!std::regex_search(line, beyond)) return false;
  }
  return true;
}

void compare(const Json& file) {
  static const Json schema = Json::parse(sweep_schema().dump());
  test::SweepWorld world;
  const std::string text = file.dump();
  const bool accepted = world.read(text).has_value() || only_beyond_schema(world.problems);
  INFO(text << "\n" << world.problems);
  CHECK(test::valid(schema, file) == accepted);
}

} // namespace

TEST_CASE("schema and reader of sweep files agree on every key with every kind of value",
          "[release]") {
  compare(whole);
  std::vector<std::string> places;
  places_in(whole, "", places);
  REQUIRE(places.size() > 40);
  for (const std::string& place : places) {
    for (const Json& value : values) {
      Json changed = whole;
      changed[Json::json_pointer(place)] = value;
      compare(changed);
    }
    Json without = whole;
    const std::size_t slash = place.rfind('/');
    Json& owner = without[Json::json_pointer(place.substr(0, slash))];
    if (owner.is_object()) owner.erase(place.substr(slash + 1));
    compare(without);
    if (owner.is_object()) owner["unknown key"] = 1;
    compare(without);
  }
}

namespace {

std::string page_of_configs() {
  return *test::read_machine_file(MEMLANE_SOURCE_DIR "/configs/README.md");
}

/// The keys as configs/README.md has them.
std::string sweep_key_table() {
  std::string table = "| in | key | meaning |\n|---|---|---|\n";
  for (const FileKey& key : sweep_file_keys())
    table += fmt::format("| {} | `{}` | {} |\n", key.object, key.name, key.meaning);
  return table;
}

} // namespace

TEST_CASE("configs/README.md has the table of keys of sweep files, and lists every shipped sweep") {
  const std::string page = page_of_configs(), table = sweep_key_table();
  INFO(table);
  CHECK(page.find(table) != std::string::npos);
  for (const auto& file :
       std::filesystem::directory_iterator(MEMLANE_SOURCE_DIR "/configs/sweeps")) {
    INFO(file.path());
    CHECK(page.find("| `" + file.path().stem().string() + "` |") != std::string::npos);
  }
}

TEST_CASE("the sweeps in configs/README.md can be planned") {
  const std::string page = page_of_configs();
  int found = 0;
  for (std::size_t at = page.find("```json\n"); at != std::string::npos;
       at = page.find("```json\n", at + 1)) {
    const std::string text = page.substr(at + 8, page.find("```", at + 8) - at - 8);
    const auto has = [&](const char* key) { return text.find(key) != std::string::npos; };
    if (!has("\"programs\"") || has("\"sweeps\"")) continue; // a machine, or a figure
    test::SweepWorld world;
    const auto plan = world.plan_file(text);
    INFO(world.problems);
    REQUIRE(plan);
    CHECK(plan->size() == 20);
    CHECK(plan->excluded() == 4);
    ++found;
  }
  CHECK(found == 1);
}

TEST_CASE("every shipped sweep has a description, fits its schema, and can be planned") {
  const Json schema = Json::parse(sweep_schema().dump());
  int found = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(MEMLANE_SOURCE_DIR "/configs/sweeps")) {
    test::SweepWorld world;
    const std::string text = *test::read_machine_file(file.path().string());
    const auto sweep = world.read(text, "configs/sweeps/" + file.path().filename().string());
    INFO(file.path() << world.problems);
    REQUIRE(sweep);
    CHECK(sweep->description.size() > 40);
    CHECK(sweep->name == file.path().stem().string());
    CHECK(test::valid(schema, Json::parse(text)));
    CHECK(Json::parse(text)["$schema"] == "../sweep.schema.json");
    const auto plan = world.plan(sweep);
    INFO(world.problems);
    REQUIRE(plan);
    CHECK(plan->size() > 8);
    for (const std::int64_t k : {std::int64_t{0}, plan->size() - 1})
      CHECK(bind_point(plan->point(k).point, world.sources));
    ++found;
  }
  CHECK(found >= 6);
}

} // namespace memlane::sweep
