// memlane worst: 'memlane run' with the file that it writes has the same count. The outcome does
// not depend on the number of threads. A stopped search goes on.
#include "shell.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>

namespace memlane::test {
namespace {

using nlohmann::json;

json worst_of(const Playground& playground, const std::string& arguments, int status = 0) {
  const Outcome outcome = playground.run("memlane worst " + arguments + " --format json");
  INFO(arguments << "\n" << outcome.err);
  REQUIRE(outcome.status == status);
  return json::parse(outcome.out);
}

/// Stages of shared memory in a run.
std::int64_t shared_stages(const Playground& playground, const std::string& run) {
  const Outcome outcome = playground.run("memlane run " + run + " --format json");
  INFO(run << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  std::int64_t sum = 0;
  const json result = json::parse(outcome.out);
  for (const json& unit : result.at("counts").at("units").at("shared"))
    sum += unit.at("stages").get<std::int64_t>();
  return sum;
}

} // namespace

TEST_CASE("a candidate's file is tried as it is or refused") {
  const Playground playground;
  spit(playground.folder() + "/turns.lane",
       "param n: int = 4\nmemory a[n]: int = random(0, 1)\nmemory c[n]: int\n"
       "kernel k() { forall i in 0..n { for j = 1 to a[i] { c[i] += 1 } } }\n"
       "main { launch k() threads=4 }\n"
       "verify { for i = 0 to n - 1 { assert c[i] == a[i] } }\n");
  spit(playground.folder() + "/nine.csv", "9,9,9,9\n");
  spit(playground.folder() + "/order.csv", "3,1,2,0\n");
  const std::string search = "memlane worst turns.lane --of requests -m umm-w32 --runs 20 ";
  for (const char* const vary : {"", "--vary a=0..5 ", "--vary a=permutation "}) {
    const Outcome refused = playground.run(search + vary + "--candidate nine.csv");
    INFO(vary << refused.err);
    CHECK(refused.status == 2);
    CHECK(refused.err.find("nine.csv has other values for a") != std::string::npos);
  }
  const Outcome tried = playground.run(search + "--vary a=0..9 --candidate nine.csv");
  INFO(tried.out << tried.err);
  CHECK(tried.status == 0);
  const Outcome run = playground.run("memlane run turns.lane -m umm-w32 --input a=nine.csv");
  CHECK(run.out.find("19 requests") != std::string::npos);
  CHECK(tried.out.find("19, by nine.csv") != std::string::npos);
  CHECK(playground.run(search + "--vary a=permutation --candidate order.csv").status == 0);
}

TEST_CASE("an input that refutes a claim or verify is told, wherever the search met it") {
  const Playground playground;
  // All elements alike write three words more, and a nine among them is lost.
  spit(playground.folder() + "/alike.lane",
       "param n: int = 64\nmemory a[n]: int = random(0, 31)\nmemory h[32]: int\n"
       "kernel k() {\n  shared s[32]: int\n  forall i in 0..32 { s[i] = 0 }\n  barrier\n"
       "  forall i in 0..n { atomic s[a[i]] += 1 }\n  barrier\n"
       "  if thread == 0 { for i = 0 to 31 { if s[i] == 64 { h[0] = 1 h[1] = 2 h[2] = 3 } } }\n}\n"
       "main { launch k() threads=32 }\nverify { assert h[0] <= 1 }\n"
       "claim global_writes == 0 on hmm \"never writes\"\n");
  const std::string search = "alike.lane --of shared_stages -m hmm-titan-plain --runs 40 ";
  const json found = worst_of(playground, search + "--least -o a.csv", 1);
  CHECK(found.at("refuted").empty()); // by the input with the least stages
  CHECK(found.at("refuting").at("input") == "equal");
  CHECK(found.at("refuting").at("what") ==
        json{"claim global_writes == 0 on hmm: 3 against 0, ratio undefined (never writes)"});
  const Outcome refuted =
      playground.run("memlane run alike.lane -m hmm-titan-plain --input a=a.refuting.csv");
  CHECK(refuted.status == 1);
  CHECK(playground.run("memlane run alike.lane -m hmm-titan-plain --input a=a.csv").status == 0);
  CHECK(playground.run(found.at("refuting").at("command")).status == 1);
  // Where the found input refutes, it is the one.
  CHECK(worst_of(playground, search, 1).at("refuting").is_null());

  spit(playground.folder() + "/greatest.lane",
       "param n: int = 8\nmemory a[n]: int = random(0, 9)\nmemory o[1]: int\n"
       "kernel k() { if thread == 0 { var m = 0 for i = 0 to n-1 { m = max(m, a[i]) }\n"
       "  o[0] = if m == 9 then 8 else m } }\nmain { launch k() threads=32 }\n"
       "verify { var m = 0 for i = 0 to n-1 { m = max(m, a[i]) } assert o[0] == m }\n");
  for (const char* const count : {"requests", "time"}) {
    const std::string wrong = fmt::format("greatest.lane --of {} -m dmm-w32 --runs 300 "
                                          "--store {}.db -o a.csv",
                                          count, count);
    const json lost = worst_of(playground, wrong, 1);
    CHECK(lost.at("refuting").at("what") == json{"verify: assert failed"});
    CHECK(playground.run("memlane run greatest.lane -m dmm-w32 --input a=a.refuting.csv").status ==
          1);
    const json again = worst_of(playground, wrong, 1); // all is in the store
    CHECK(again.at("runs_known") > 200);
    CHECK(again.at("refuting") == lost.at("refuting"));
  }
}

TEST_CASE("inputs without a value are no part of the greatest, and tell what they refute") {
  const Playground playground;
  const auto program = [&](const char* holds) {
    spit(playground.folder() + "/small.lane",
         std::string(
             "param n: int = 2\nmemory a[n]: int = random(0, 1)\nmemory o[1]: int\n"
             "kernel k() { if thread == 0 { for i = 0 to n - 1 { if a[i] == 1 { o[0] = 1 } } "
             "} }\nmain { launch k() threads=32 }\nverify { assert ") +
             holds + " }\n");
    return playground.run("memlane worst small.lane --of writes -m dmm-w32 -o a=a.csv");
  };
  const Outcome some = program("a[0] + a[1] < 2"); // the greatest is not among them
  CHECK(some.status == 1);
  CHECK(
      some.out.find("greatest:        1, the greatest of the 3 of 4 inputs that gave a value\n") !=
      std::string::npos);
  const Outcome none = program("n > 2");
  CHECK(none.status == 1);
  CHECK(none.out.empty());
  CHECK(none.err.find("--of: error: none of 4 runs on small.lane on dmm-w32 gave writes a value; "
                      "verify: assert failed, by trying every input, in run 1\n") == 0);
  const std::string again = "memlane run small.lane -m dmm-w32 --input a=a.refuting.csv";
  CHECK(none.err.find("  help: refute again: " + again + "\n") != std::string::npos);
  CHECK(playground.run(again).status == 1);
}

TEST_CASE(
    "an input for which the run ends with an error refutes, and so does a claim of one point") {
  const Playground playground;
  // The range's end is outside of the counters.
  spit(playground.folder() + "/beyond.lane",
       "param n: int = 16\nmemory a[n]: int = random(0, 1000)\nmemory c[1000]: int\n"
       "kernel k() { forall i in 0..n { atomic c[a[i]] += 1 } }\nmain { launch k() threads=32 }\n"
       "verify { assert true }\nclaim requests <= 2 on hmm \"of n = 16\"\n");
  const std::string search = "beyond.lane --of requests -m hmm-titan-plain ";
  const json found = worst_of(playground, search + "--runs 600 -o a.csv", 1);
  const std::string error = found.at("refuting").at("what").at(0);
  CHECK(error.starts_with("error: index 1000 is outside array c"));
  CHECK(playground.run("memlane run beyond.lane -m hmm-titan-plain --input a=a.refuting.csv")
            .status == 2);
  // Points that differ by n alone: n is a column, and the claim that fails has its point.
  const Outcome each = playground.run("memlane worst " + search + "-D n=16,64 --each --runs 20");
  CHECK(each.status == 1);
  CHECK(each.out.find("\n16 ") != std::string::npos);
  CHECK(each.out.find("n=64: requests <= 2 on hmm fails: 4 against 2") != std::string::npos);
  const Outcome csv =
      playground.run("memlane worst " + search + "-D n=16,64 --each --runs 20 --format csv");
  CHECK(csv.out.find(",runs,n\n") != std::string::npos);
}

TEST_CASE("points are searched together or one by one, and those that cannot run are named",
          "[release]") {
  const Playground playground;
  const std::string search =
      "merge_pairwise --of shared_stages -D each=5 -D team=32 --runs 40 -D n=";
  const json together = worst_of(playground, search + "160,170,320");
  CHECK(together.at("left_out").size() == 1);
  CHECK(together.at("left_out").at(0).get<std::string>().find("n=170: ") != std::string::npos);
  CHECK(together.at("point").get<std::string>().ends_with("n=320"));
  const json each = worst_of(playground, search + "160,170,320 --each");
  REQUIRE(each.size() == 2);
  for (const auto& [k, n] : {std::pair(0U, "160"), std::pair(1U, "320")}) {
    const json alone = worst_of(playground, search + n);
    for (const char* const same : {"point", "value", "input", "found_in_run", "runs"})
      CHECK(each.at(k).at(same) == alone.at(same));
    CHECK(playground.run(each.at(k).at("command")).status == 0);
  }
  CHECK(playground.run("memlane worst " + search + "160,320 --each -o a.csv").status == 2);
  const Outcome table = playground.run("memlane worst " + search + "160,170,320 --each");
  CHECK(table.out.find("left out:  1 point") != std::string::npos);
  CHECK(table.out.find("320  ") != std::string::npos);
}

TEST_CASE("a run with the file that a search wrote has the same count", "[release]") {
  const Playground playground;
  const std::string point = "-m hmm-titan-plain -D n=120 ";
  for (const char* ending : {"csv", "npy", "bin"}) {
    const json found =
        worst_of(playground, "histogram --of shared_stages " + point + "--runs 150 -o a." + ending);
    CHECK(found.at("value") == std::to_string(shared_stages(
                                   playground, "histogram " + point + "--input a=a." + ending)));
    const Outcome repeated = playground.run(found.at("command"));
    CHECK(repeated.status == 0);
  }
  // Without a file, the command writes one.
  const std::string small = "-D each=5 -D team=32 -D n=160 ";
  const json found =
      worst_of(playground, "merge_pairwise --of shared_stages " + small + "--runs 200");
  CHECK(found.at("input").get<std::string>().starts_with("local search from "));
  CHECK(playground.run(found.at("command")).status == 0);
  CHECK(found.at("value") ==
        std::to_string(shared_stages(playground, "merge_pairwise " + small + "--input a=a.csv")));
}

TEST_CASE("all inputs of a small program, and the search of some, find its known conflicts",
          "[release]") {
  const Playground playground;
  // Of six words in banks 0 and 2, four lanes read at most three in one bank, the other two two.
  spit(playground.folder() + "/six.lane",
       "memory a[6]: int = random(0, 5)\nmemory t[12], c[6]: int\n"
       "kernel k() { forall i in 0..6 { c[i] = t[2*a[i]] } }\n"
       "main { launch k() }\nverify { assert true }\n");
  const std::string search = "six.lane --of 'stages - 4' -m dmm-w32 --set width=4 --set threads=8 "
                             "--vary a=permutation --runs ";
  for (const char* runs : {"720", "200"}) {
    const json most = worst_of(playground, search + runs);
    CHECK(most.at("value") == "5");
    CHECK(most.at("every_input") == (most.at("runs") == 720));
    CHECK(worst_of(playground, search + runs + " --least").at("value") == "3");
  }
}

TEST_CASE("a search does not depend on the number of threads", "[release]") {
  const Playground playground;
  const std::string search = "worst radix_sort --of time -D n=32 --runs 120 --seed 3";
  const Outcome one = playground.run("memlane " + search + " -j 1 -o one.csv");
  const Outcome four = playground.run("memlane " + search + " -j 4 -o four.csv");
  CHECK(one.status == 0);
  CHECK(slurp(playground.folder() + "/one.csv") == slurp(playground.folder() + "/four.csv"));
  CHECK(one.out.substr(0, one.out.find("written")) == four.out.substr(0, four.out.find("written")));
  CHECK(
      playground.run("memlane worst radix_sort --of time -D n=32 --runs 120 --seed 4 -o other.csv")
          .status == 0);
  CHECK(slurp(playground.folder() + "/one.csv") != slurp(playground.folder() + "/other.csv"));
}

TEST_CASE("a search goes on in its store, and finds what it finds at once", "[release]") {
  const Playground playground;
  const std::string search = "merge_sort --of shared_stages -D n=64 ";
  const json whole = worst_of(playground, search + "--runs 200 -o whole.csv");
  CHECK(worst_of(playground, search + "--runs 90 --store w.db").at("runs_known") == 0);
  const json rest = worst_of(playground, search + "--runs 200 --store w.db -o rest.csv");
  CHECK(rest.at("runs_known") > 80);
  CHECK(rest.at("value") == whole.at("value"));
  CHECK(rest.at("found_in_run") == whole.at("found_in_run"));
  CHECK(slurp(playground.folder() + "/whole.csv") == slurp(playground.folder() + "/rest.csv"));
  // Another count is another search.
  CHECK(worst_of(playground, "merge_sort --of time -D n=64 --runs 20 --store w.db")
            .at("runs_known") == 0);
  CHECK(playground.run("memlane results w.db --limit 1 --format csv")
            .out.starts_with("worst_of,worst_value\nshared_stages,"));
  CHECK(playground.run("memlane results check w.db").status == 0);
}

TEST_CASE("inputs that a search tried stay out of tables of runs, and say what was searched") {
  const Playground playground;
  const std::string search =
      "memlane worst histogram --of shared_stages -D n=256 --runs 20 --store ";
  REQUIRE(playground.run(search + "w.db").status == 0);
  const Outcome alone = playground.run("memlane results w.db --limit 1");
  CHECK(alone.out.starts_with("worst_of       worst_value\nshared_stages"));
  CHECK(alone.err.empty());
  REQUIRE(playground.run("memlane sweep sum -D n=64,128 -m dmm-w32 --store s.db").status == 0);
  const std::string before = playground.run("memlane results s.db").out;
  REQUIRE(playground.run(search + "s.db").status == 0);
  const Outcome mixed = playground.run("memlane results s.db");
  CHECK(mixed.out == before);
  CHECK(mixed.err.find("inputs are left out that memlane worst tried") != std::string::npos);
  CHECK(playground.run("memlane results s.db --group-by program --columns 'count()' --format csv")
            .out == "program,count()\nsum,2\n");
  // A condition may name an input that is called so.
  CHECK(playground.run("memlane results s.db --where \"inputs IS NOT 'a=merge_worst'\"").out ==
        before);
  const Outcome asked =
      playground.run("memlane results s.db --where 'worst_of IS NOT NULL' --limit 1");
  CHECK(asked.out == alone.out);
  CHECK(asked.err.empty());
  CHECK(playground.run("memlane plot s.db -o s.svg").out == "s.svg: 2 points, 1 series, 1 panel\n");
  CHECK(playground.run("memlane results check s.db").status == 0);
}

TEST_CASE("a plot of tried inputs has the greatest value of each x") {
  const Playground playground;
  const auto out_of = [&](const std::string& command) {
    const Outcome done = playground.run("memlane " + command);
    INFO(command << '\n' << done.err);
    REQUIRE(done.status == 0);
    CHECK(done.err.empty());
    return done.out;
  };
  REQUIRE(playground
              .run("memlane worst merge_sort --of shared_stages -D n=64,128 --each --runs 20 "
                   "--store w.db")
              .status == 0);
  const auto value_of = [&](const std::string& aggregate, const std::string& size) {
    const std::string rows =
        out_of("results w.db --where 'n = " + size + "' --group-by n --columns '" + aggregate +
               "(worst_value) as v' --format csv");
    return rows.substr(rows.rfind(',') + 1, rows.size() - rows.rfind(',') - 2);
  };
  const std::string greatest = out_of("plot w.db --x n --y worst_value");
  CHECK(greatest.find("Each point is the greatest of the inputs that were tried.<") !=
        std::string::npos);
  CHECK(greatest.find("mean") == std::string::npos);
  const std::string least = out_of("plot w.db --x n --y 'min(worst_value)'");
  CHECK(least.find("Each point is the least of the inputs that were tried.<") != std::string::npos);
  for (const char* const size : {"64", "128"}) {
    CHECK(greatest.find(" worst_value " + value_of("max", size) + "<") != std::string::npos);
    CHECK(least.find(" min(worst_value) " + value_of("min", size) + "<") != std::string::npos);
  }
  const std::string both = out_of("plot w.db --x n --y 'max(worst_value/n) as top,worst_value/n'");
  CHECK(both.find("Each point of top is the greatest of") != std::string::npos);
  CHECK(out_of("plot w.db --x n --y worst_value -o w.svg") ==
        "w.svg: 2 points, 1 series, 1 panel\n");
  // All of them are drawn as points.
  const std::string all = out_of("plot w.db --x n --y worst_value --kind scatter -o w.svg");
  CHECK(std::stoi(all.substr(7)) > 2);
  CHECK(out_of("plot w.db --x n --y 'max(worst_value)' --kind scatter -o w.svg")
            .starts_with("w.svg: 2 points"));
}

TEST_CASE("a search that is stopped has the best so far", "[release]") {
  const Playground playground;
  const std::string search =
      "memlane worst merge_sort --of shared_stages -D n=512 --runs 100000000 --store s.db ";
  const Outcome stopped = playground.run(search + "--max-seconds 2 -o a.csv --format json");
  INFO(stopped.err);
  REQUIRE(stopped.status == 3);
  CHECK(stopped.err.find("stopped at the limit of --max-seconds; the same command goes on") !=
        std::string::npos);
  const json found = json::parse(stopped.out);
  CHECK(found.at("stopped") == "stopped at the limit of --max-seconds");
  CHECK(found.at("value") ==
        std::to_string(shared_stages(playground, "merge_sort -D n=512 --input a=a.csv")));
  const Outcome interrupted = playground.interrupt(search);
  INFO(interrupted.err);
  CHECK(interrupted.status == 130);
  CHECK(interrupted.out.find("interrupted, after ") != std::string::npos);
}

// Berney & Sitchinava 2020: of E < w/2 words a thread, E threads read one bank in each step; of
// more words, r = w - E, their input has (E² + E + 2Er - r² - r)/2 such reads of a warp.
TEST_CASE("the worst input of pairwise merge sort has the conflicts of its paper, CF-Merge none",
          "[release]") {
  const Playground playground;
  for (const int each : {3, 7, 15, 17, 23, 31}) {
    const int width = 32, rest = width - each, merges = 3,
              words = 8 * width * each; // passes of whole warps
    const std::string point =
        fmt::format("-m hmm-titan-plain -D each={} -D team={} -D n={} ", each, width, words);
    const auto stages = [&](const std::string& program, const std::string& input) {
      return shared_stages(playground, program + point + "--input a=" + input);
    };
    // Of sorted keys each request takes one stage, or two where a warp's words lie in two parts.
    const std::int64_t more =
        stages("merge_pairwise ", "merge_worst") - stages("merge_pairwise ", "ascending");
    const int warps = merges * words / (width * each);
    const int together =
        rest > each ? each * each : (each * each + each + 2 * each * rest - rest * rest - rest) / 2;
    CHECK(more >= warps * (together - 2 * (each + 1)));
    CHECK(stages("merge_conflict_free ", "merge_worst") ==
          stages("merge_conflict_free ", "ascending"));
  }
}

TEST_CASE("worst counts the runs that a limit stops, and its store does not keep them") {
  const Playground playground;
  spit(playground.folder() + "/pairs.lane",
       "memory a[3]: int = random(0, 3)\nmemory b[64]: int = 0\n"
       "kernel go() { forall i in 0..3 { for j = 1 to a[i] { b[i] += 1 } } }\n"
       "main { launch go() }\nverify { assert true }\n");
  const std::string search = "pairs.lane --of time -m dmm-teaching --runs 100 --store p.db ";
  const json limited = worst_of(playground, search + "--max-time 20", 3);
  CHECK(limited.at("every_input") == true);
  CHECK(limited.at("runs_limited") > 0);
  CHECK(limited.at("runs_limited") == limited.at("runs_failed"));
  const std::string text = limited.at("findings").dump();
  CHECK(text.find("stopped at the limit of --max-time: the greatest may be among them") !=
        std::string::npos);
  const json whole = worst_of(playground, search);
  CHECK(whole.at("runs_limited") == 0);
  CHECK(whole.at("runs_failed") == 0);
  CHECK(whole.at("runs_known") > 0);
  CHECK(std::stoi(whole.at("value").get<std::string>()) >
        std::stoi(limited.at("value").get<std::string>()));
  // All are known, also those that take longer.
  const json known = worst_of(playground, search + "--max-time 20");
  CHECK(known.at("value") == whole.at("value"));
  CHECK(known.at("runs_limited") == 0);
  CHECK(playground.run("memlane worst " + search + "--each --max-time 20").status == 0);
  // A claim that fails decides, whatever else was stopped.
  spit(playground.folder() + "/refuted.lane",
       slurp(playground.folder() + "/pairs.lane") + "claim time <= 14 \"me\"\n");
  worst_of(playground, "refuted.lane --of time -m dmm-teaching --runs 100 --max-time 20", 1);
  CHECK(playground
            .run("memlane worst pairs.lane --of time -m dmm-teaching --runs 100 --each "
                 "--max-time 20")
            .status == 3);
}

TEST_CASE("a search whose runs all stop at their own limit ends with status 3") {
  const Playground playground;
  spit(playground.folder() + "/copy.lane",
       "memory a[8]: int = random(0, 5)\nmemory c[8]: int\n"
       "kernel k() { forall i in 0..8 { c[i] = a[i] } }\n"
       "main { launch k() }\nverify { assert true }\nclaim time <= 2 \"a test\"\n");
  const std::string search = "memlane worst copy.lane --of time --runs 10 -m umm-teaching ";
  const Outcome stopped = playground.run(search + "--max-time 1");
  INFO(stopped.err);
  CHECK(stopped.status == 3);
  CHECK(stopped.out.empty());
  CHECK(stopped.err.find("gave time a value: stopped at the limit of --max-time") !=
        std::string::npos);
  CHECK(stopped.err.find("allow each run more") != std::string::npos);
  CHECK(stopped.err.find("has no such count") == std::string::npos);

  const Outcome empty = playground.run(search + "--vary a=");
  CHECK(empty.status == 2);
  CHECK(empty.err.find("is needed, not ''") != std::string::npos);

  // run and worst say the same of a claim that fails.
  const Outcome refuted =
      playground.run("memlane worst copy.lane --of requests --runs 10 -m umm-teaching");
  CHECK(refuted.status == 1);
  CHECK(refuted.out.find("time <= 2 fails: 11 against 2, ratio 5.5 (a test)") != std::string::npos);
  CHECK(playground.run("memlane run copy.lane -m umm-teaching")
            .out.find("FAILS: 11 against 2, ratio 5.5 [a test]") != std::string::npos);
}

} // namespace memlane::test
