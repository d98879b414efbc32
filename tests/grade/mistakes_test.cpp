// Exercises of teachers, mistakes in them, and mistakes in the command line.
#include "documents/markdown.hpp"
#include "exercise_fixture.hpp"

#include "memlane/grade/exercise.hpp"

namespace memlane::test {
namespace {

constexpr const char* check = "param n: int = 8 where n >= 1\n"
                              "memory a[n]: double = index / 4.0\n"
                              "memory c[n]: double\n"
                              "memory spare[n]: double\n"
                              "main { for i = 0 to n - 1 { c[i] = a[i] / 3 } }\n"
                              "verify { }\n"
                              "claim time <= 3*l on umm \"quick\"\n";
constexpr const char* exercise = R"({
  "title": "thirds",
  "results": ["c"],
  "tolerance": 1e-9,
  "runs": [{ "machines": [{ "machine": "umm-w32", "set": { "latency": 5 } }], "axes": { "n": [8] } }],
  "criteria": [{ "name": "correct", "points": 3 }, { "name": "quick", "points": 2 }]
})";

/// A folder `mine` with the exercise `thirds`.
void write_exercise(const Playground& playground, const std::string& json,
                    const std::string& program) {
  std::filesystem::create_directories(playground.folder() + "/mine");
  spit(playground.folder() + "/mine/thirds.grade.json", json);
  spit(playground.folder() + "/mine/thirds.check.lane", program);
}

std::string thirds(const std::string& value) {
  return "param n: int = 8\nmemory a[n], c[n], spare[n]: double\n"
         "kernel k() { forall i in 0..n { c[i] = " +
         value + " } }\nmain { launch k() }\nverify { }\n";
}

} // namespace

TEST_CASE("a teacher's exercise is a folder away, with a tolerance for reals") {
  const Playground playground;
  write_exercise(playground, exercise, check);
  spit(playground.folder() + "/hand-in.lane", thirds("a[i] * (1.0 / 3)"));
  for (const char* name : {"mine/thirds", "./mine/thirds", "mine/thirds.grade.json",
                           "mine/thirds.lane", "mine/thirds.check.lane"}) {
    const Grade graded = grade(playground, std::string("hand-in.lane --exercise ") + name);
    CHECK(graded.status == 0);
    CHECK(graded.points() == 5);
    // Both of these are judged in every exercise.
    CHECK(graded.criterion("no races").at("most_points") == 0);
    CHECK(graded.json.at("runs").at(0).at("label") == "umm-w32 latency=5, n=8");
  }
  spit(playground.folder() + "/mine/thirds.lane", thirds("a[i] * 0.3333"));
  const Grade wrong = grade(playground, "mine/thirds.lane"); // beside its exercise
  CHECK(wrong.status == 1);
  CHECK(wrong.criterion("correct").at("details") ==
        "umm-w32 latency=5, n=8: c[1] is 0.083325, expected 0.08333333333333333 (7 of 8 elements "
        "wrong)");
  // The exercise's arrays may be used for intermediate results.
  spit(playground.folder() + "/mine/thirds.lane",
       thirds("a[i] / 3  spare[i] = 1.0  spare[i] = 2.0"));
  const Grade slow = grade(playground, "mine/thirds.lane");
  CHECK(slow.criterion("correct").at("fulfilled") == true);
  CHECK(slow.criterion("quick").at("details") == "umm-w32 latency=5, n=8: 20 against 15");
}

TEST_CASE("an exercise may claim what a PRAM counts") {
  const Playground playground;
  std::string program = check;
  program.replace(program.find("time <= 3*l"), std::string("time <= 3*l").size(),
                  "pram_work <= 2*n");
  write_exercise(playground, exercise, program);
  spit(playground.folder() + "/own.lane", thirds("a[i] / 3"));
  CHECK(grade(playground, "own.lane --exercise mine/thirds").points() == 5);
  spit(playground.folder() + "/own.lane", thirds("a[i] / 3  spare[i] = 1.0"));
  const Grade more = grade(playground, "own.lane --exercise mine/thirds");
  CHECK(more.criterion("quick").at("details") == "umm-w32 latency=5, n=8: 24 against 16");
}

TEST_CASE("mistakes in exercises are found, each with its place") {
  const Playground playground;
  spit(playground.folder() + "/own.lane", thirds("a[i] / 3"));
  const auto refused = [&](const std::string& json, const std::string& program,
                           const std::string& message) {
    write_exercise(playground, json, program);
    const Outcome outcome =
        playground.run("memlane grade own.lane --exercise mine/thirds --format json");
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty()); // it is no grade
    CHECK(outcome.err.find(message) != std::string::npos);
  };
  const std::string json = exercise, program = check;
  refused(with(json, "\"title\"", "\"titel\""), program,
          "thirds.grade.json:2:3: error: titel: unknown key");
  refused(with(json, "\"title\"", "\"titel\""), program, "title: is missing");
  refused(with(json, "\"points\": 2", "\"points\": -2"), program,
          "criteria[1].points: must be an integer from 0 to 2^63 - 1, is -2");
  refused(with(json, "1e-9", "\"small\""), program, "tolerance: must be a number");
  refused(with(json, "[\"c\"]", "[]"), program, "results: must be a list of strings");
  refused(with(json, "[\"c\"]", "[\"d\"]"), program, "thirds.check.lane has no memory array d");
  refused(with(json, "\"quick\"", "\"quik\""), program, "no claim has this text");
  refused(with(json, "\"quick\"", "\"quik\""), program,
          "thirds.check.lane:7:1: error: no criterion of mine/thirds.grade.json has the name");
  refused(with(json, "\"quick\"", "\"correct\""), program, "\"correct\" is given twice");
  refused(with(json, "\"quick\",", "\"quick\", \"factor\": 2,"), program, "needs no \"factor\"");
  refused(json, with(program, "time <= 3*l", "time = O(l)"), "a \"factor\" is missing");
  refused(json, with(program, "time <= 3*l", "time ~ l"),
          "a criterion is a claim with ==, <=, >= or O");
  refused(json, with(program, "on umm", "on dmm"),
          "its claims apply to none of the exercise's runs");
  refused(json, with(program, "time <= 3*l", "time / (l - l) <= 1"), "this cannot be evaluated");
  refused(json, with(program, "a[i] / 3", "a[i + 1] / 3"),
          "the check program of an exercise fails");
  refused(json, with(program, "verify { }", "verify { assert c[0] == 1 }"),
          "the check program of an exercise fails");
  refused(json, "memory c[8]", "thirds.check.lane:1:12");
  refused(with(json, "umm-w32", "umm-w31"), program, "umm-w31");
  refused(with(json, "\"n\": [8]", "\"m\": [8]"), program,
          "axis m: no program has a parameter of this name");
  refused(with(json, "\"machines\"", "\"programs\": [\"sum\"], \"machines\""), program,
          "runs[0].programs: unknown key");
  refused("[]", program, "must be an object, is a list");
  refused("", program, "thirds.grade.json:1:1");
  write_exercise(playground, json, program);
  std::filesystem::remove(playground.folder() + "/mine/thirds.check.lane");
  const Outcome gone = playground.run("memlane grade own.lane --exercise mine/thirds");
  CHECK(gone.status == 2);
  CHECK(gone.err.find("mine/thirds.check.lane") != std::string::npos);
}

TEST_CASE("the keys of exercise files are those of the language's page") {
  std::vector<std::string> listed, keys;
  for (const Table& table : tables_of(slurp(MEMLANE_SOURCE_DIR "/programs/README.md"))) {
    if (table.front().front() != "exercise file") continue;
    for (std::size_t row = 1; row < table.size(); ++row)
      listed.push_back(table[row][0] + " " + without_quotes(table[row][1]));
  }
  for (const FileKey& key : grade::exercise_keys())
    keys.push_back(std::string(key.object) + " " + std::string(key.name));
  CHECK(listed == keys);
}

} // namespace memlane::test
