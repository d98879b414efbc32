// Runs side by side: the same bytes whatever the number of jobs, and nothing lost when they end
// early.
#include "shell.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace memlane::test {
namespace {

constexpr const char* fill =
    "param v: int = 1\nmemory a[8]: int\nkernel k() { forall i in 0..8 { a[i] = v } }\n"
    "main { launch k() }\nverify { assert a[0] == v }\n";

void check_same(const Playground& playground, const std::string& command, int status) {
  const Outcome one = playground.run(command + " --jobs 1");
  INFO(command << "\n" << one.err);
  CHECK(one.status == status);
  CHECK(one.out.size() + one.err.size() > 100);
  for (const char* jobs : {"2", "7"}) {
    const Outcome several = playground.run(command + " -j " + jobs);
    INFO(jobs << " jobs");
    CHECK(several.status == status);
    CHECK(several.out == one.out);
    CHECK(several.err == one.err);
  }
  CHECK(playground.run(command).out == one.out);
}

} // namespace

TEST_CASE("verify says the same, however many runs are side by side", "[release]") {
  const Playground playground;
  const std::string grid = " --model umm --points 10 --grid l=1,20";
  spit(playground.folder() + "/fill.lane", fill);
  check_same(playground, "memlane verify fill.lane --model umm --format json", 0);
  check_same(playground, "memlane verify sum contiguous --format json" + grid, 1); // not decided
  // Several seeds; values of the grid that are run nowhere; a result and claims that are wrong.
  check_same(playground, "memlane verify permutation_dmm --model dmm --points 4 --seeds 4", 1);
  check_same(playground, "memlane verify sum --grid n=64,2048,100" + grid, 1);
  spit(playground.folder() + "/wrong.lane",
       "param n: int = 64\nmemory a[n]: int = index\n"
       "kernel k() { forall i in 0..n { a[i] = a[i] + 1 / ((n + 1) % 3) } }\n"
       "main { launch k() }\nverify { assert a[0] == n % 2 }\n"
       "claim time == n \"for the test\"\nclaim time = O(l) \"for the test\"\n");
  check_same(playground, "memlane verify wrong.lane" + grid, 1);
  // A limit of each run, in the midst of the grid.
  check_same(playground, "memlane verify sum --max-time 300" + grid, 3);
  check_same(playground, "memlane verify sum nothing_so_named" + grid, 2);
}

TEST_CASE("compare says the same, however many runs are side by side", "[release]") {
  const Playground playground;
  const std::string machines = " -m umm-w32 -m dmm-w32 -m hmm-teaching";
  check_same(playground, "memlane compare prefix_sums prefix_simple sum_hmm" + machines, 2);
  // Other results; more memory than a run may take; a limit.
  spit(playground.folder() + "/fill.lane", fill);
  check_same(playground, "memlane compare fill.lane 'fill.lane -D v=2' --arrays a" + machines, 1);
  check_same(playground,
             "memlane compare 'sum -D n=2^12' 'sum -D n=2^18' 'sum -D n=2^13' --max-memory 600K" +
                 machines,
             3);
  const auto ended = [](const std::string& out, const char* how) {
    std::size_t runs = 0;
    for (std::size_t at = 0; (at = out.find(how, at)) != std::string::npos; ++at) ++runs;
    return runs;
  };
  const Outcome some = playground.run(
      "memlane compare 'sum -D n=2^12' 'sum -D n=2^18' --max-memory 600K" + machines);
  CHECK(ended(some.out, "passed") == 3);
  CHECK(ended(some.out, "stopped at the limit of --max-memory") == 3);
  check_same(playground, "memlane compare sum prefix_simple --max-steps 2000" + machines, 3);
  // Each array has 160 KB, and a run's result of it 320 KB more: no run would fit beside another,
  // and each waits for its turn.
  spit(playground.folder() + "/large.lane",
       "param v: int = 1\nmemory a[40000]: int\nkernel k() { forall i in 0..8 { a[i] = v } }\n"
       "main { launch k() threads=w }\nverify { assert a[0] == v }\n");
  const std::string turns =
      "memlane compare large.lane 'large.lane -D v=2' --arrays a --max-memory 700K";
  check_same(playground, turns + machines, 1);
  CHECK(ended(playground.run(turns + machines).out, "passed") == 6);
}

TEST_CASE("run says the same, however many threads execute its blocks", "[release]") {
  const Playground playground;
  check_same(playground,
             "memlane run multiply -D n=192 -m hmm-titan-plain --no-verify --format json", 0);
  check_same(playground, "memlane run sum_hmm -D n=2^16 -m hmm-titan-plain --format json", 0);
  check_same(playground, "memlane run multiply -D n=192 -m hmm-titan-plain --max-steps 300000", 3);
  check_same(playground, "memlane run multiply -D n=192 -m hmm-titan-plain --max-time 3000", 3);
  // Two blocks that meet, a fault in one of the last blocks, one that never ends but begins too
  // late.
  const auto kernel = [&](const std::string& body) {
    spit(playground.folder() + "/blocks.lane",
         "memory a[64, 1024]: int = 1\nkernel k() {\n" + body +
             "\n}\nmain { launch k() blocks=64 }\nverify { assert a[0, 0] == 2 }\n");
  };
  const std::string run = "memlane run blocks.lane -m hmm-titan-plain --max-seconds 60";
  kernel("forall i in 0..1024 { a[block, i] = a[block, i] + 1 }");
  check_same(playground, run, 0);
  kernel("forall i in 0..1024 { a[block / 63 * 31 + block % 63, i] = 2 }");
  check_same(playground, run, 2);
  kernel("for t = 0 to 99 { forall i in 0..1024 { a[block, i] = a[(block + 1) % 64, i] + 1 } }");
  check_same(playground, run, 2);
  kernel("forall i in 0..1024 { a[block, i] = a[block, i] + 1 / (block - 60) }");
  check_same(playground, run, 2);
  kernel("var x: int = 0\nwhile block == 20 { x = 1 }\n"
         "forall i in 0..1024 { a[block, i] = x + 2 }");
  check_same(playground, run + " --max-time 300", 3);
  // Slow to execute, and needed while the one that never ends is the next.
  kernel("var x: int = 0\nif block == 1 and warp == 0 { for t = 1 to 20000 { x = x + t % 7 } }\n"
         "while block == 2 { x = 1 }\n"
         "for t = 1 to 50 { forall i in 0..1024 { a[block, i] = x } }");
  check_same(playground, run + " --set multiprocessors=2 --max-time 2000", 3);
}

TEST_CASE("Ctrl-C ends all runs that are side by side, and keeps those that are done") {
  const Playground playground;
  spit(playground.folder() + "/endless.lane",
       "memory a[8]: int\nkernel k() {\n  var i: long = 0\n  while a[0] == 0 { i += a[1] + 1 }\n}\n"
       "main { launch k() }\nverify { assert true }\n");
  spit(playground.folder() + "/fill.lane", fill);
  const std::string stop = " & pid=$!; sleep 1; kill -TERM $pid; wait $pid";
  for (const std::string jobs : {"1", "2"}) {
    const Outcome compared = playground.run(
        "memlane compare sum endless.lane sum endless.lane --format csv -j " + jobs + stop);
    INFO(jobs << " jobs\n" << compared.out << compared.err);
    CHECK(compared.status == 130);
    const std::vector<std::string> rows = lines_of(compared.out);
    REQUIRE(rows.size() == 5);
    CHECK(rows[1].find("passed") != std::string::npos);
    CHECK(rows[2].find("interrupted") != std::string::npos);
    CHECK((rows[3].find("passed") != std::string::npos) == (jobs == "2"));
    CHECK(rows[4].find("interrupted") != std::string::npos);
    CHECK(compared.err.find(jobs == "2" ? "interrupted after 2 of 4 runs\n"
                                        : "interrupted after 1 of 4 runs\n") != std::string::npos);
  }
  const Outcome verified =
      playground.run("memlane verify fill.lane endless.lane sum --model umm -j 3" + stop);
  INFO(verified.out << verified.err);
  CHECK(verified.status == 130);
  CHECK(verified.out.find("fill.lane: ") != std::string::npos);
  CHECK(verified.out.find("sum.lane: ") == std::string::npos);
  CHECK(verified.err == "interrupted in endless.lane after 0 runs\n");
}

TEST_CASE("Ctrl-C shows what verify has of the program under way, marked as partial", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/late.lane",
       "param n: int = 16\nmemory a[n]: int\n"
       "kernel k() { var i: long = 0  while n < 100 { i += a[1] + 1 } }\n"
       "main { launch k() }\nverify { assert true }\n"
       "claim time <= 2 * l \"for the test\"\n"
       "claim time = O(l) \"for the test\"\n");
  const std::string stop = " & pid=$!; sleep 1; kill -TERM $pid; wait $pid";
  const std::string verify = "memlane verify late.lane --model umm --grid n=90,200 -j 2 --format ";
  const Outcome table = playground.run(verify + "table" + stop);
  INFO(table.out << table.err);
  CHECK(table.status == 130);
  CHECK(table.out.find("on umm, stopped before the end: every result right so far\n") !=
        std::string::npos);
  CHECK(table.out.find("  not decided       time <= 2 * l\n") != std::string::npos);
  CHECK(table.out.find("stopped before the end: only a part of the grid was run\n") !=
        std::string::npos);
  CHECK(table.err.find("interrupted in late.lane after ") == 0);
  const Outcome json = playground.run(verify + "json" + stop);
  CHECK(json.out.find("\"stop\": \"interrupted\"") != std::string::npos);
  CHECK(json.out.find("\"passed\": true") == std::string::npos);
}

TEST_CASE("a number of jobs that is none is refused") {
  const Playground playground;
  for (const char* bad : {"0", "-1", "two", "1.5", "99999"}) {
    const Outcome outcome = playground.run(std::string("memlane verify sum --jobs ") + bad);
    INFO(bad);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--jobs: error: ") != std::string::npos);
  }
}

} // namespace memlane::test
