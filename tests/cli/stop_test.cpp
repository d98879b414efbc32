// Commands end at --max-seconds and at Ctrl-C outside of runs, too: each of these would take far
// longer.
#include "shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include <climits>
#include <string>
#include <string_view>

namespace memlane::test {
namespace {

/// A program with a fn that takes some tenths of a second, and `rest`.
std::string slow_program(const std::string& rest, int rounds = 400'000) {
  return "param n: int = 64\nparam m: int = 1\nfn slow(k) {\n  var s = 0\n  for i = 0 to " +
         std::to_string(rounds) +
         " { s = (s + i * k) % 7 }\n  return s\n}\nmemory a[n]: int\n"
         "kernel k() { forall i in 0..n { a[i] = i } }\nmain { launch k() }\n"
         "verify { assert a[0] == 0 }\n" +
         rest;
}

/// A line for each number from 1 to 99, which is in place of each #.
std::string each_numbered(const std::string& line) {
  std::string all;
  for (int k = 1; k < 100; ++k) {
    std::string one = line;
    for (std::size_t at; (at = one.find('#')) != std::string::npos;)
      one.replace(at, 1, std::to_string(k));
    all += one + "\n";
  }
  return all;
}

void write_programs(const Playground& playground) {
  const std::string folder = playground.folder() + "/";
  spit(folder + "plain.lane", slow_program(""));
  spit(folder + "consts.lane", slow_program(each_numbered("const c#: int = slow(#)"), 4'000'000));
  spit(folder + "claims.lane", slow_program(each_numbered("claim time >= slow(#)/9 \"test\"")));
  spit(folder + "where.lane", slow_program("param q: int = 16 where slow(q) >= 0\n", 4'000'000));
  spit(
      folder + "student.lane",
      "param n: int = 1000 where n >= 1\nmemory a[n]: int = random(-100, 100)\nmemory c[n]: int\n"
      "kernel map() { forall i in 0..n { c[i] = 3 * a[i] + 1 } }\nmain { launch map() }\n"
      "verify { assert true }\n"
      "fn slow(k) {\n  var s = 0\n  for i = 0 to 4000000 { s = (s + i * k) % 7 }\n  return s\n}\n" +
          each_numbered("const c#: int = slow(#)"));
}

struct Row {
  const char* command;
  const char* says; ///< on stderr or stdout
};

void check_end(const Outcome& outcome, const Row& row, int status) {
  INFO(row.command << "\n" << outcome.out << outcome.err);
  CHECK(outcome.status == status);
  CHECK((outcome.err + outcome.out).find(row.says) != std::string::npos);
  const std::size_t at = outcome.err.find("polls: ");
  REQUIRE(at != std::string::npos);
  CHECK(std::stol(outcome.err.substr(at + 7)) > 10);
}

constexpr const char* evaluating = "nothing yet: stopped while evaluating an expression";

} // namespace

TEST_CASE("commands end at --max-seconds while they plan, enumerate and evaluate", "[release]") {
  const Playground playground;
  write_programs(playground);
  const Row rows[] = {
      {"verify strided --grid s=1..1000 --grid n=1..1000", "--max-seconds in programs/access/str"},
      {"verify where.lane", "--max-seconds in where.lane after 0 runs"},
      {"verify claims.lane", "--max-seconds in claims.lane after"},
      {"run consts.lane", evaluating},
      {"run claims.lane", "reached: the end of the run; its claims are not all evaluated"},
      {"check consts.lane", evaluating},
      {"compare plain.lane consts.lane", "cannot run: stopped while evaluating an expression"},
      {"timeline consts.lane", evaluating},
      {"explain relations consts.lane", evaluating},
      {"sweep consts.lane -D m=1..2", "2 points stopped at a limit"},
  };
  for (const Row& row : rows)
    check_end(
        playground.run(std::string("MEMLANE_POLLS=1 memlane ") + row.command + " --max-seconds 1"),
        row, 3);
}

TEST_CASE("commands end at Ctrl-C while they plan, enumerate and evaluate", "[release]") {
  const Playground playground;
  write_programs(playground);
  const Row rows[] = {
      {"sweep plain.lane -D m=1..1000 --where 'slow(m) >= 0' --dry-run", "stopped while eval"},
      {"sweep where.lane -D q=1..1000", "stopped while evaluating an expression"},
      {"sweep consts.lane -D m=1..100 --shard 1/2", "interrupted"},
      {"tune plain.lane -D m=1..1000 --where 'slow(m) >= 0'", "stopped while evaluating"},
      {"tune where.lane -D q=1..1000", "stopped while evaluating an expression"},
      {"grade student.lane --exercise map", "stopped: 0 of 10 points"},
      {"verify strided --grid s=1..1000 --grid n=1..1000", "interrupted in programs/access/str"},
  };
  for (const Row& row : rows)
    check_end(playground.interrupt(std::string("env MEMLANE_POLLS=1 memlane ") + row.command), row,
              130);
}

TEST_CASE("the exit status is 130 at whichever question Ctrl-C is noticed", "[release]") {
  const Playground playground;
  for (const char* command :
       {"run prefix_sums", "check prefix_sums", "verify prefix_sums -j 1 --grid n=64,128",
        "compare sum prefix_sums -D n=64 -j 1", "explain relations sum", "timeline sum -D n=64",
        "sweep sum -D n=64,128 -m dmm-w32 -m umm-w32 --set latency=1,7 -j 1 --store a.db",
        "tune prefix_sums -D n=64,128 -j 1"}) {
    const bool may_lack_advice = std::string_view(command).starts_with("tune");
    for (long question = 1, polls = LONG_MAX; question < polls; question += 1 + question / 8) {
      const Outcome outcome = playground.run("rm -f a.db*; MEMLANE_POLLS=1 MEMLANE_INTERRUPT_AT=" +
                                             std::to_string(question) + " memlane " + command);
      INFO(command << ", question " << question << "\n" << outcome.out << outcome.err);
      const std::size_t at = outcome.err.find("polls: ");
      REQUIRE(at != std::string::npos);
      polls = std::stol(outcome.err.substr(at + 7)); // one more than questions
      if (question >= polls || (outcome.status == 0 && may_lack_advice)) break;
      REQUIRE(outcome.status == 130);
    }
  }
}

TEST_CASE("a run of an endless loop says how far it came, whenever it is stopped", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/endless.lane",
       "memory a[4]: int\nkernel first() { for i = 0 to 1000 { a[lane] = i } }\n"
       "kernel second() { var i = 0 while true { i += 1 } }\n"
       "main { launch first() threads=4 launch second() threads=4 }\nverify { }\n");
  for (const int question : {64, 1024, 2048, 4096, 16384}) {
    if (question > 4096 && !every_case) continue; // it takes as long as the others together
    const Outcome outcome =
        playground.run("MEMLANE_POLLS=1 MEMLANE_INTERRUPT_AT=" + std::to_string(question) +
                       " memlane run endless.lane -m dmm-w32");
    INFO(question << "\n" << outcome.err);
    CHECK(outcome.status == 130);
    CHECK(outcome.err.find("in launch 2 of the run, kernel second") != std::string::npos);
  }
}

} // namespace memlane::test
