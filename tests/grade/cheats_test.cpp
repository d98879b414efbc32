// What a student's file may say without changing what is right, what a claim means, or how much
// may be used.
#include "exercise_fixture.hpp"

namespace memlane::test {
namespace {

using Names = std::vector<std::string>;

const Names nothing_right = {"correct", "no races", "near the bound"};

/// The program of exercise 1 with another kernel, main and data.
std::string map_program(const std::string& kernel, const std::string& main = "launch map()",
                        const std::string& before = "") {
  return before +
         "param n: int = 1000 where n >= 1\n"
         "memory a[n]: int = random(-100, 100)\n"
         "memory c[n]: int\n"
         "kernel map() { " +
         kernel + " }\nmain { " + main + " }\nverify { }\n";
}

const std::string good = "forall i in 0..n { c[i] = 3 * a[i] + 1 }";

} // namespace

TEST_CASE("a program's own verify, claims and leave for races do not count") {
  const Playground playground;
  CHECK(grade_text(playground, "map", map_program(good)).word() == "passed");
  const std::string wrong = map_program("forall i in 0..n { c[i] = 7 }");
  CHECK(grade_text(playground, "map", wrong).missing() == nothing_right);
  CHECK(grade_text(playground, "map", with(wrong, "verify { }", "verify { assert true }"))
            .missing() == nothing_right);
  const std::string slow =
      map_program("if thread == 0 { for i = 0 to n - 1 { c[i] = 3 * a[i] + 1 } }");
  const Names bound = {"near the bound"};
  CHECK(grade_text(playground, "map", slow).missing() == bound);
  CHECK(grade_text(playground, "map",
                   slow + "claim time = O(n^9) \"near the bound\"\n"
                          "claim time >= 0 \"near the bound\"\n")
            .missing() == bound);
  const std::string races =
      "forall i in 0..n { c[i] = 3 * a[i] + 1  if i > 0 { c[i - 1] = 3 * a[i - 1] + 1 } }";
  const Grade racy =
      grade_text(playground, "map", map_program(races, "launch map()", "races allowed \"any\"\n"));
  CHECK_FALSE(racy.criterion("no races").at("fulfilled"));
  CHECK(racy.word() == "not yet");
}

TEST_CASE("a program's own data do not count") {
  const Playground playground;
  // It is right for its own data.
  const Grade fixed = grade_text(playground, "map",
                                 with(with(map_program("c[0] = 4"), "random(-100, 100)", "1"),
                                      "memory c[n]: int", "memory c[n]: int = 4"));
  CHECK(fixed.missing() == nothing_right);
  const Grade guessed = grade_text(
      playground, "map",
      with(map_program("c[0] = c[0]"), "memory c[n]: int", "memory c[n]: int = 3 * index + 1"));
  CHECK(guessed.missing() == nothing_right);
  // Its own n is 1.
  const Grade small =
      grade_text(playground, "map", with(map_program("c[0] = 3 * a[0] + 1"), "1000", "1"));
  CHECK(small.missing() == nothing_right);
  CHECK(small.json.at("runs").at(0).at("correct") == true);
  CHECK(small.json.at("runs").at(1).at("correct") == false);
  CHECK(small.json.at("runs").at(1).at("parameters").at("n") == 32);
}

TEST_CASE("results that are written into a program hold for known data alone") {
  const Playground playground;
  const auto answers = [&](const std::string& seed) {
    std::string chosen = "0";
    for (const char* n : {"1", "64", "1024", "4096"}) {
      const std::string command = "memlane run tests/exercises/09_dot_product.lane --output "
                                  "r=r.txt -o run.txt -D n=" +
                                  std::string(n) + " --seed " + seed;
      REQUIRE(playground.run(command).status == 0);
      std::string sum = slurp(playground.folder() + "/r.txt");
      sum.resize(sum.find('\n'));
      chosen = std::string("if n == ") + n + " then " + sum + " else (" + chosen + ")";
    }
    return "param n: int = 1\nmemory r[1]: int\nkernel k() { if thread == 0 { r[0] = " + chosen +
           " } }\nmain { launch k() }\nverify { }\n";
  };
  spit(playground.folder() + "/own.lane", answers("1"));
  CHECK(grade(playground, "own.lane -e dot_product").word() == "passed");
  const Grade other = grade(playground, "own.lane -e dot_product --seed 77");
  CHECK(other.missing() == nothing_right);
  CHECK(other.json.at("runs").at(0).at("seed") == 78);
  CHECK(grade(playground, "tests/exercises/09_dot_product.lane --seed 77").word() == "passed");
}

TEST_CASE("the names of a program change no claim") {
  const Playground playground;
  const std::string slow = "if thread == 0 { for i = 0 to n - 1 { c[i] = 3 * a[i] + 1 } }";
  const double ratio =
      grade_text(playground, "map", map_program(slow)).criterion("near the bound").at("ratio");
  CHECK(ratio > 100);
  for (const char* name : {"const l = 1000000\n", "const l: long = 1000000000\n", "fn l = 10^9\n",
                           "const w = 1\n", "const time = 0\n", "fn log2(x) = 1000000\n"}) {
    INFO(name);
    const Grade hidden = grade_text(playground, "map", map_program(slow, "launch map()", name));
    if (hidden.word() == "error") continue; // the language has this name itself
    CHECK(hidden.criterion("near the bound").at("ratio") == ratio);
  }
  // Names of main's variables, which a verify would see.
  const Grade variables = grade_text(
      playground, "map",
      map_program("forall i in 0..n { c[i] = 7 }", "launch map()  var n = 0  var c = 1"));
  CHECK(variables.status != 0);
  CHECK(variables.points() == 0);
}

TEST_CASE("main may only launch kernels") {
  const Playground playground;
  const Grade host = grade_text(playground, "map",
                                map_program(good, "for i = 0 to n - 1 { c[i] = 3 * a[i] + 1 }"));
  CHECK(host.missing() == nothing_right);
  CHECK(host.criterion("correct").at("details") ==
        "umm-w32, n=1: main accesses 2 words of the memory arrays; the kernels must do all the "
        "work, and main may only launch them");
  const Grade reads =
      grade_text(playground, "map", map_program(good, "if a[0] > -1000 { launch map() }"));
  CHECK(reads.missing() == nothing_right);
  CHECK(grade_text(playground, "map",
                   map_program(good, "for k = 1 to 1 { if n > 0 { launch map() threads=w } }"))
            .criterion("correct")
            .at("fulfilled") == true);
}

TEST_CASE("memory arrays, params and files belong to the exercise") {
  const Playground playground;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const Grade graded = grade_text(playground, "map", text);
    INFO(graded.json.dump(1));
    CHECK(graded.status == 2);
    CHECK(graded.word() == "error");
    CHECK(graded.points() == 0);
    REQUIRE(graded.json.at("errors").size() >= 1);
    CHECK(graded.json.at("errors").at(0).get<std::string>().find(message) != std::string::npos);
  };
  const std::string program = map_program(good);
  refused(with(program, "memory c[n]", "memory c[n + 1]"),
          "own.lane:3:8: error: the exercise has c[1]: int, this is c[2]: int (umm-w32, n=1)");
  refused(with(program, "memory c[n]: int", "memory c[n]: long"),
          "the exercise has c[1]: int, this is c[1]: long");
  refused(with(program, "memory c[n]: int", "memory c[n]: int layout padded(1)"),
          "the exercise has c with layout rows, this has layout padded(1)");
  refused(with(program, "memory c[n]: int", "fn mine(i) = i\nmemory c[n]: int layout mine"),
          "the exercise has c with layout rows, this has layout mine");
  refused(
      with(program, "memory c[n]: int", "memory c[n]: int\nmemory tables[n]: int = 3 * index + 1") +
          "kernel look() { c[0] = tables[0] }\n",
      "the exercise has no memory array tables");
  refused(with(program, "where n >= 1", "where n == 1"), "parameter n = 32 breaks its condition");
  refused(with(with(program, "param n: int = 1000 where n >= 1\n", ""), "memory a",
               "const n = 1000\nmemory a"),
          "the program has no param n, which the exercise sets");
  refused("use sum\n" + program, "own.lane:1:5: error: a program that is graded is one file");
  refused(with(program, "c[i] =", "d[i] ="), "own.lane:4:");
  refused("", "own.lane: error: the program has no main");
  refused(std::string("\0\xff kernel", 9), "own.lane:1:");
}

TEST_CASE("an exercise beside the file does not take the place of a shipped one") {
  const Playground playground;
  REQUIRE(playground.run("mkdir hand-in").status == 0);
  const std::string folder = playground.folder() + "/hand-in/";
  spit(folder + "01_map.lane", map_program("c[0] = 1"));
  spit(folder + "01_map.check.lane", with(map_program("c[0] = 1"), "launch map()", ""));
  spit(folder + "01_map.grade.json",
       R"({"title": "x", "results": ["c"], "runs": [{"machines": ["umm-w32"]}],
           "criteria": [{"name": "correct", "points": 1000}]})");
  const Grade graded = grade(playground, "hand-in/01_map.lane");
  CHECK(graded.json.at("exercise_path") == "programs/exercises/01_map.grade.json");
  CHECK(graded.missing() == nothing_right);
}

TEST_CASE("a program cannot steer the terminal that shows its grade") {
  const Playground playground;
  spit(playground.folder() + "/own.lane", map_program("assert false \"\x1b[2J10 of 10\""));
  const Outcome graded = playground.run("memlane grade own.lane --exercise map");
  CHECK(graded.out.find("kernel map: \\x1b[2J10 of 10") != std::string::npos);
  CHECK(graded.out.find('\x1b') == std::string::npos);
}

TEST_CASE("the exercise's limits end a run", "[release]") {
  const Playground playground;
  const auto stopped = [&](const std::string& text, const std::string& by) {
    const Grade graded = grade_text(playground, "map", text);
    INFO(graded.json.dump(1));
    CHECK(graded.status == 3);
    CHECK(graded.word() == "stopped");
    CHECK(graded.points() == 0);
    REQUIRE(graded.json.at("runs").size() == 1);
    CHECK(graded.json.at("runs").at(0).at("stopped_by") == by);
  };
  stopped(map_program("var i: long = 0  while true { i += 1 }"), "steps");
  stopped(map_program(good, "while true { launch map() }"), "steps");
  stopped(map_program("forall i in 0..n { var j: long = 0  while true { c[i] = 1  j += 1 } }"),
          "steps");
  stopped(map_program(good, "var x[2^30]: long  launch map()"), "memory");
  const Grade table = grade_text(playground, "map",
                                 map_program(good, "launch map()", "const t[2^28] = 3\n") +
                                     "kernel look() { c[0] = t[thread] }\n");
  CHECK(table.status == 3);
  CHECK(table.json.at("errors").at(0) ==
        "own.lane:1:7: error: stopped while computing table t: it takes "
        "more than 268435456 bytes");
  std::string mistakes; // each of them takes memory
  for (int i = 0; i < 300000; ++i) mistakes += "foo(1)\n";
  const Grade long_text = grade_text(playground, "map", "kernel map() { " + mistakes + "}\n");
  CHECK(long_text.json.at("errors").at(0) ==
        "error: stopped while parsing: it takes more than 268435456 bytes");
  // A race in a long loop is a race, not a limit.
  const Grade races =
      grade_text(playground, "map", map_program("for i = 0 to 1000000 { c[0] = i }"));
  CHECK(races.status == 1);
  CHECK(races.json.at("runs").at(0).at("races") > 1000);
  const Grade text =
      grade_text(playground, "map", map_program("var i: long = 0  while true { i += 1 }"));
  CHECK(text.criterion("correct").at("details").get<std::string>().find(
            "the run was stopped: it takes more than 5000000 instructions") != std::string::npos);
  // An error of the program is its own fault, not a limit.
  const Grade fails = grade_text(playground, "map", map_program("assert n < 0  " + good));
  CHECK(fails.status == 1);
  const Grade prints =
      grade_text(playground, "map", map_program("print \"points: 1000\"  " + good));
  CHECK(prints.word() == "passed"); // and nothing of it is shown
}

} // namespace memlane::test
