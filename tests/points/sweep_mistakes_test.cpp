// Mistakes in sweeps: each is an error with its place and a way out. The messages are in
// tests/golden/sweep.
#include "support/golden.hpp"
#include "sweep_files.hpp"

#include <fmt/format.h>

namespace memlane::sweep {
namespace {

using test::SweepWorld;

struct Mistake {
  const char* name;
  const char* text; ///< of the file
};

const std::vector<Mistake> mistakes_in_files = {
    {"empty", ""},
    {"no object", "[1]"},
    {"nothing in it", "{}"},
    {"misspelt key", R"j({"programs": ["sum"], "machines": ["umm-w32"], "axis": {"n": [1]}})j"},
    {"a key twice", R"j({"programs": ["sum"], "programs": ["sum"], "machines": ["umm-w32"]})j"},
    {"wrong types", R"j({"name": 3, "programs": "sum", "machines": {"a": 1}, "axes": [1],
  "zip": {"n": [1]}, "where": true, "seeds": 1.5, "timing_only": 1, "inputs": []})j"},
    {"empty lists", R"j({"programs": [], "machines": [], "axes": {"n": []}, "zip": [{}],
  "seeds": []})j"},
    {"empty texts", R"j({"name": "", "programs": [""], "machines": [{"machine": ""}],
  "where": "", "axes": {"": [1], "n": [""]}})j"},
    {"control characters",
     R"j({"name": "a\u001b", "programs": ["sum\n"], "machines": ["umm-w32"]})j"},
    {"objects of programs and machines", R"j({"programs": [{"program": "sum", "layuot": {}}, {}],
  "machines": [{"machine": "umm-w32", "sets": {}}, {"set": {"latency": [1]}}]})j"},
    {"repeated", R"j({"programs": ["sum", "sum"], "machines": ["umm-w32", "umm-w32"],
  "axes": {"n": [4, 8, 4]}, "zip": [{"n": [1]}], "seeds": [1, 2, 1]})j"},
    {"seeds", R"j({"programs": ["sum"], "machines": ["umm-w32"], "seeds": [1, -1, "2"]})j"},
    {"too many seeds", R"j({"programs": ["sum"], "machines": ["umm-w32"], "seeds": 1000001})j"},
    {"axes of an unknown form", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"n": {"pow": [1, 2]}, "p": {}, "l": {"range": [1, 2], "pow2": [1, 2]},
  "w": 32, "d": "1..4"}})j"},
    {"ranges", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"a": {"range": [9, 1]}, "b": {"range": [1, 10, 4]}, "c": {"range": [1, 10, 0]},
  "d": {"range": [1]}, "e": {"range": [1, "x"]}, "f": {"range": [1, 2.5]},
  "g": {"pow2": [1, 1000]}, "h": {"pow2": [0, 8]}, "i": {"pow2": [16, 8]},
  "j": {"range": [1, "2^63"]}, "k": {"range": [1, "2 +"]}, "m": {"pow2": [1, "w"]}}})j"},
    {"kinds of axes", R"j({"programs": ["transpose"], "machines": ["umm-w32"],
  "axes": {"layuot t": ["rows"], "layout t": [1], "fn combine": ["max(x, y)"],
  "type value": {"range": [1, 2]}}})j"},
    {"zip of unequal lengths", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "zip": [{"n": [64, 128], "p": [32]}, {"l": {"range": [1, 3]}, "w": [32, 16, 8]}]})j"},
    {"a combination twice", R"j({"programs": ["strided"], "machines": ["dmm-w32"],
  "zip": [{"n": [64, 64, 64], "s": [1, 2, 1]}, {"l": [5, 6], "w": {"pow2": [16, 32]}}]})j"},
    {"zip of lists", R"j({"programs": ["strided"], "machines": ["umm-w32"],
  "zip": [["n", "s"]]})j"},
    {"one point more than allowed", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"n": {"range": [1, 10000001]}}})j"},
    {"a count beyond 64 bits", R"j({"programs": ["sum"], "machines": ["umm-w32"], "seeds": 1000000,
  "axes": {"n": {"range": [1, "2^62"]}, "p": {"range": [1, "2^62"]}}})j"},
    {"an expression with an escape", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"n": {"range": [1, "2 \u002b"]}}})j"},
};

const std::vector<Mistake> mistakes_in_plans = {
    {"unknown program and machine", R"j({"programs": ["smu"], "machines": ["umm-w33"]})j"},
    {"misspelt axis",
     R"j({"programs": ["scan"], "machines": ["agpu-k40c"], "axes": {"alhpa": [1]}})j"},
    {"misspelt key of the machine",
     R"j({"programs": ["sum"], "machines": ["hmm-titan-plain"], "axes": {"shared.latncy": [1]}})j"},
    {"an axis that nothing uses, with one value",
     R"j({"programs": ["sum"], "machines": ["umm-w32"], "axes": {"colour": [1]}})j"},
    {"a program without an axis", R"j({"programs": ["sum", "strided"], "machines": ["umm-w32"],
  "axes": {"s": [1, 2]}})j"},
    {"a machine without an axis",
     R"j({"programs": ["sum"], "machines": ["hmm-titan-plain", "umm-w32"],
  "axes": {"shared.latency": [1, 2]}})j"},
    {"a letter that the machine lacks", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"L": [1, 2]}})j"},
    {"one key twice", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"p": [32, 64], "threads": [32, 64]}})j"},
    {"values of its own beside an axis",
     R"j({"programs": [{"program": "sum", "parameters": {"n": 64}}, {"program": "transpose",
  "layout": {"t": "rows"}}], "machines": [{"machine": "umm-w32", "set": {"latency": 5}}],
  "axes": {"n": [64], "l": [1, 2], "layout t": ["rows"]}})j"},
    {"a parameter that the program lacks",
     R"j({"programs": [{"program": "sum", "parameters": {"m": 64}}], "machines": ["umm-w32"]})j"},
    {"values that the parameter cannot have", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"n": [1.5, true, "2^64", "x", "2 +", "n/0"]}})j"},
    {"values that the machine cannot have", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"latency": [0, "2^40", "fast"], "lockstep": [true, 1]}})j"},
    {"values of the machine that do not fit together",
     R"j({"programs": ["sum"], "machines": ["umm-w32"], "axes": {"threads": [16, 32, 48]}})j"},
    {"one value written twice", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"n": [1024, "2^10"]}})j"},
    {"points that break the program's condition", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"n": [4, 5, 6, 7, 9, 10]}})j"},
    {"unknown layout", R"j({"programs": ["transpose"], "machines": ["umm-w32"],
  "axes": {"layout t": ["rows", "rowz"]}})j"},
    {"unknown array of a layout", R"j({"programs": ["transpose"], "machines": ["umm-w32"],
  "axes": {"layout q": ["rows", "padded(1)"]}})j"},
    {"a condition that excludes everything", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "axes": {"n": [64, 128]}, "where": "n > 128"})j"},
    {"a condition that excludes the only point",
     R"j({"programs": ["sum"], "machines": ["umm-w32"], "where": "n == 0"})j"},
    {"a condition that is none", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "where": "n + 1"})j"},
    {"a condition cut off",
     R"j({"programs": ["sum"], "machines": ["umm-w32"], "where": "n > ("})j"},
    {"a name of a condition that one program lacks",
     R"j({"programs": ["sum", "strided"], "machines": ["umm-w32"], "where": "s < 4 and n > 2"})j"},
    {"a count in a condition",
     R"j({"programs": ["sum"], "machines": ["umm-w32"], "where": "time < 1000"})j"},
    {"an array in a condition",
     R"j({"programs": ["sum"], "machines": ["umm-w32"], "where": "a[0] < 1000"})j"},
    {"a condition about what the machine lacks",
     R"j({"programs": ["sum"], "machines": ["umm-w32"], "where": "n <= capacity"})j"},
    {"a condition that overflows", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "where": "n / (n - n) > 1"})j"},
    {"an input that no program has", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "inputs": {"q": "q.csv"}})j"},
    {"an input that is not there", R"j({"programs": ["sum"], "machines": ["umm-w32"],
  "inputs": {"a": "data/a.csv"}})j"},
};

/// Every file with its messages.
template <class Try>
std::string messages(const std::vector<Mistake>& mistakes, const Try& attempt) {
  std::string all;
  for (const Mistake& mistake : mistakes) {
    SweepWorld world;
    INFO(mistake.name);
    CHECK(!attempt(world, mistake.text));
    CHECK(!world.problems.empty());
    all += fmt::format("== {}\n{}\n--\n{}\n", mistake.name, mistake.text, world.problems);
  }
  return all;
}

} // namespace

TEST_CASE("messages about bad sweep files") {
  const std::string all = messages(mistakes_in_files, [](SweepWorld& world, const char* text) {
    return world.read(text, "s.json").has_value();
  });
  CHECK(all == test::golden("sweep/files.txt", all));
}

TEST_CASE("messages about sweeps that cannot be planned") {
  const std::string all = messages(mistakes_in_plans, [](SweepWorld& world, const char* text) {
    return world.plan(world.read(text, "s.json")).has_value();
  });
  CHECK(all == test::golden("sweep/plans.txt", all));
}

TEST_CASE("a sweep file that is cut off anywhere is an error with a place") {
  const std::string whole = R"j({"name": "x", "programs": [{"program": "sum", "layout": {}}],
    "machines": ["umm-w32"], "axes": {"n": {"pow2": ["2^2", 64]}, "p": [32, "64"]},
    "zip": [{"l": [1, 2]}], "where": "n > 1", "seeds": [1, 5], "timing_only": true})j";
  SweepWorld world;
  REQUIRE(world.read(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SweepWorld cut;
    INFO(whole.substr(0, size));
    CHECK(!cut.read(whole.substr(0, size)));
    CHECK(cut.problems.find("sweeps/s.json:") == 0);
  }
}

TEST_CASE("deep nesting and long lists end in an error or a sweep, not in a crash") {
  for (const char* piece : {"[", "{\"axes\":", "{\"zip\":[", "{\"programs\":["}) {
    SweepWorld world;
    std::string deep;
    for (int k = 0; k < 100'000; ++k) deep += piece;
    CHECK(!world.read(deep));
  }
  SweepWorld world;
  std::string programs, axes;
  for (int k = 0; k < 20'000; ++k) programs += "\"sum\",";
  CHECK(!world.read("{\"programs\": [" + programs + "\"sum\"], \"machines\": [\"umm-w32\"]}"));
  for (int k = 0; k < 101; ++k) axes += fmt::format("{}\"x{}\": [1]", k > 0 ? "," : "", k);
  CHECK(!world.read("{\"programs\": [\"sum\"], \"machines\": [\"umm-w32\"], \"axes\": {" + axes +
                    "}}"));
  CHECK(world.problems.find("101 axes, at most 100") != std::string::npos);
}

TEST_CASE("a sweep file may be larger than a program, and many errors are cut short", "[release]") {
  const auto file_of = [](const std::string& value, int count) {
    std::string values = "1";
    for (int k = 0; k < count; ++k) values += "," + fmt::format(fmt::runtime(value), k + 2);
    return "{\"programs\": [\"contiguous\"], \"machines\": [\"umm-w32\"], \"axes\": {\"n\": [" +
           values + "]}, \"where\": \"n < 3\"}";
  };
  SweepWorld world;
  const auto plan = world.plan_file(file_of("{:250}", 20'000)); // 5 MiB
  INFO(world.problems.substr(0, 1000));
  REQUIRE(plan);
  CHECK(plan->size() == 2);
  for (const char* wrong : {"null, [{}]", "\"{}+\"", "\"x{}\""}) {
    SweepWorld other;
    CHECK(!other.plan_file(file_of(wrong, 2000)));
    CHECK(other.problems.size() < 100'000);
  }
}

} // namespace memlane::sweep
