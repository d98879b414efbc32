// memlane tune: the best of its runs is the best of all runs, nothing runs twice, nothing is lost.
#include "shell.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace memlane::test {
namespace {

using nlohmann::json;

json tuned(const Playground& playground, const std::string& arguments, int status = 0) {
  const Outcome outcome = playground.run("memlane tune " + arguments + " --format json");
  INFO(arguments << "\n" << outcome.err);
  REQUIRE(outcome.status == status);
  return json::parse(outcome.out);
}

/// A count of a run: `/counts/time`.
double count_of(const Playground& playground, const std::string& command,
                const std::string& place) {
  const Outcome outcome = playground.run(command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return json::parse(outcome.out).at(json::json_pointer(place)).get<double>();
}

const char* const choosy =
    "param s: int = 1 where s != 3 and s < 9\nmemory a[64]: int\n"
    "kernel k() { for j = 1 to 8 / s { forall i in 0..64 { a[i] = 100 / (s - 5) } } }\n"
    "main { launch k() }\n"
    "verify { assert s != 8 }\n";

} // namespace

TEST_CASE("a command is tuned by the names in its words, and machines by their keys") {
  const Playground playground;
  const std::string transpose =
      "memlane tune --command \"ptx " + std::string(MEMLANE_SOURCE_DIR) +
      "/programs/cuda/transpose.ptx --launch '{k}<<<(2,2),(32,8)>>>(out: float[4096], in: "
      "float[4096] = 0.., 64)'\" ";
  const Outcome kernels = playground.run(transpose + "-D k=naive,tiled,padded --store k.db");
  INFO(kernels.err << kernels.out);
  CHECK(kernels.status == 0);
  CHECK(kernels.out.find("transpose.ptx on hmm-titan-plain: time in time units by k\n") == 0);
  CHECK(kernels.out.find("k=padded (time 1990); with the naive value k=naive it is 5195") !=
        std::string::npos);
  CHECK(playground.run("memlane results k.db --columns k,time --format csv").out ==
        "k,time\nnaive,5195\npadded,1990\ntiled,2331\n");
  const Outcome keys = playground.run(
      transpose +
      "-D k=tiled --set shared.latency=4,24 --objective stages --confirm hmm-h200-plain");
  INFO(keys.err << keys.out);
  CHECK(keys.status == 0);
  CHECK(keys.out.find("by shared.latency") != std::string::npos);
  // A value that cannot run is listed, and the others are compared.
  const Outcome lacking = playground.run(transpose + "-D k=naive,lacking,padded");
  INFO(lacking.err << lacking.out);
  CHECK(lacking.out.find("best:         k=padded") != std::string::npos);
  CHECK(lacking.out.find("lacking") != std::string::npos);
  const auto refused = [&](const std::string& line, const std::string& why) {
    const Outcome outcome = playground.run(line);
    INFO(line << '\n' << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(why) != std::string::npos);
  };
  refused(transpose + "-D k=naive", "{alpha} in the command is the value of -D alpha");
  refused(transpose + "-D k=naive,tiled sum", "one program or one command");
  refused(transpose + "-D j=1,2", "the command has no {j}");
}

TEST_CASE("the best value is the best of single runs, on every model and of every kind of value",
          "[release]") {
  struct Tuned {
    std::string arguments, place;
  };
  const std::vector<Tuned> all = {
      {"scan -D n=2^12 -D alpha=1..8 -m agpu-teaching --where 'alpha <= b'", "/counts/time"},
      {"scan -D n=2^12 -D alpha=1,2,4,8 -m hmm-titan-plain --objective io", "/counts/agpu/io"},
      {"strided -D n=256 -D s=1,2,3,4,32 -m dmm-w32", "/counts/time"},
      {"sum -D n=512 -D p=32,64,128,256 -m umm-w32", "/counts/time"},
      {"transpose -D n=64 --layout 't=rows,padded(1),diagonal' -m hmm-titan-plain", "/counts/time"},
      {"multiply -D n=32 -D m=4,8,16 --set resident_blocks=1,2 -m hmm-titan-plain", "/counts/time"},
      {"sum_hmm -D n=2^12 -D d=1,2,4,8 -m hmm-titan-plain", "/counts/time"}};
  const Playground playground;
  for (const Tuned& one : all) {
    INFO(one.arguments);
    const json rows = tuned(playground, one.arguments).at("rows");
    double least = INFINITY;
    for (const json& row : rows) {
      const double count = count_of(playground, row.at("command"), one.place);
      CHECK(row.at("value") == count);
      least = std::min(least, count);
    }
    int best = 0;
    for (const json& row : rows) {
      const bool is_best = row.at("worth") == "best" || row.at("worth") == "tie";
      CHECK(is_best == (row.at("value") == least));
      best += row.at("worth") == "best" ? 1 : 0;
    }
    CHECK(best == 1);
  }
}

TEST_CASE("values that cannot run are listed, wrong results are not chosen", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/choosy.lane", choosy);
  const Outcome text = playground.run("memlane tune choosy.lane -D s=1..8 -m umm-w32");
  INFO(text.out << text.err);
  CHECK(text.status == 1);
  CHECK(text.out.find("cannot run") != std::string::npos);
  CHECK(text.out.find("s=3: parameter s = 3 breaks its condition: s != 3 and s < 9") !=
        std::string::npos);
  CHECK(text.out.find("s=5: ") != std::string::npos);
  CHECK(text.out.find("s=8: its verify failed") != std::string::npos);
  const json rows = tuned(playground, "choosy.lane -D s=1..8 -m umm-w32", 1).at("rows");
  REQUIRE(rows.size() == 8);
  CHECK(rows.at(5).at("worth") == "best"); // as good as 7: 8/s is 1
  CHECK(rows.at(6).at("worth") == "tie");
  CHECK(rows.at(2).at("state") == "failed");
  CHECK(rows.at(7).at("state") == "check_failed");
  CHECK(rows.at(7).at("value").is_number());
  // A wrong result is nothing to compare with.
  const json wrong = tuned(playground, "choosy.lane -D s=1,8 -m umm-w32 --naive s=8", 1);
  CHECK(wrong.at("rows").at(0).at("ratio").is_null());
  // Without the wrong one there is nothing to complain about.
  CHECK(playground.run("memlane tune choosy.lane -D s=1..7 -m umm-w32").status == 0);
  const Outcome none = playground.run("memlane tune choosy.lane -D s=3,9 -m umm-w32");
  INFO(none.err);
  CHECK(none.status == 2);
  CHECK(none.err.find("no value can run: point choosy.lane on umm-w32, s=3") != std::string::npos);
}

TEST_CASE("a value whose claim fails is named and can be chosen") {
  const Playground playground;
  spit(playground.folder() + "/claimed.lane",
       "memory a[8]: int\nkernel f() { a[thread] = 1 }\nmain { launch f() threads=p }\n"
       "verify { assert a[0] == 1 }\nclaim time == 5 on umm \"own\"\n");
  const Outcome text = playground.run("memlane tune claimed.lane -D p=4,8 -m umm-figure3");
  INFO(text.out << text.err);
  CHECK(text.status == 1);
  CHECK(text.out.find("claim:        p=8: an exact claim fails\n") != std::string::npos);
  CHECK(text.out.find("best:         p=4 ") != std::string::npos);
  const json rows =
      tuned(playground, "claimed.lane -D p=4,8 -m dmm-figure3 --confirm umm-figure3", 1).at("rows");
  REQUIRE(rows.size() == 4);
  CHECK(rows.at(1).at("reason").is_null());
  CHECK(rows.at(3).at("state") == "done");
  CHECK(rows.at(3).at("reason") == "an exact claim fails");
}

TEST_CASE("tune keeps its runs in a store, and other commands read it", "[release]") {
  const Playground playground;
  const std::string command = "memlane tune sum -D n=64,128,256 -m umm-w32 --store t.db";
  const Outcome first = playground.run(command);
  INFO(first.err);
  REQUIRE(first.status == 0);
  const auto count = [&] {
    return playground.run("memlane results t.db --columns n,time --format csv").out;
  };
  const std::string rows = count();
  CHECK(lines_of(rows).size() == 4);
  const Outcome again = playground.run(command);
  CHECK(again.out == first.out);
  CHECK(count() == rows);
  // What is known is not run: a limit that would stop every run stops none.
  CHECK(playground.run(command + " --max-steps 1").status == 0);
  CHECK(playground.run("memlane sweep sum -D n=64,128,256,512 -m umm-w32 --store t.db")
            .out.find("1 run, 3 known before") != std::string::npos);
  CHECK(playground.run("memlane results best t.db").status == 0);
  CHECK(playground.run("ls").out.find("memlane-figures") == std::string::npos);
}

TEST_CASE("tune that is interrupted keeps what ended, and goes on", "[release]") {
  const Playground playground;
  const std::string command =
      fmt::format("memlane tune sum -D n=2^21 --set latency=1..{} -m umm-w32 -j 2", kManyLatencies);
  const Outcome stopped = playground.interrupt(command + " --store k.db");
  INFO(stopped.err);
  CHECK(stopped.status == 130);
  CHECK(stopped.err.find("the same command goes on, with the results in k.db") !=
        std::string::npos);
  const std::string count = "memlane results k.db --columns n --format csv | wc -l";
  const int kept = std::stoi(playground.run(count).out) - 1;
  CHECK(kept < kManyLatencies);
  const Outcome lost = playground.interrupt(command);
  CHECK(lost.status == 130);
  CHECK(lost.err.find("with --store FILE the next run would go on") != std::string::npos);
}

TEST_CASE("an interrupted tuning knows that its values are different problems", "[release]") {
  const Playground playground;
  const std::string tune = "memlane tune sum -m umm-w32 --store i.db ";
  REQUIRE(playground.run(tune + "-D n=64,128 --set latency=1").status == 0); // these can be chosen
  const Outcome stopped = playground.interrupt(
      tune + fmt::format("-D n=64,128,2^21 --set latency=1..{} -j 2", kManyLatencies));
  INFO(stopped.out << stopped.err);
  CHECK(stopped.status == 130);
  CHECK(stopped.out.find("each n is another problem") != std::string::npos);
  CHECK(stopped.out.find("n=64, latency=1 (time 18)") != std::string::npos);
}

TEST_CASE("all bounds of an MMM are by one theorem", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/eight.json",
       R"({"model": "mmm", "local_words": 512, "transfer": 37, "multiprocessors": 8})");
  const std::string values = "multiplication -D n=200 -D m=60 -D s=1..16:pow2 -m ";
  const json eight = tuned(playground, values + "eight.json").at("rows");
  for (const json& row : eight) { // K > P at small s, K <= P at s=16
    CHECK(row.at("objective") == "bound (Theorem 1)");
    CHECK(row.at("value") == count_of(playground, row.at("command"), "/counts/mmm/theorem1"));
    CHECK((row.at("worth") == "best") == (row.at("s") == 16));
  }
  const json free = tuned(playground, values + "mmm-gpu").at("rows");
  for (const json& row : free) CHECK(row.at("objective") == "bound (Corollary 1)");
  const Outcome text = playground.run("memlane tune " + values + "eight.json");
  INFO(text.out);
  CHECK(text.out.find(": bound (Theorem 1) by s\n") != std::string::npos);
  CHECK(text.out.find("(R by Theorem 1)") != std::string::npos);
}

TEST_CASE("an edge proposes values that a machine, a program and --where allow", "[release]") {
  const Playground playground;
  const auto edge = [&](const std::string& arguments) {
    const Outcome outcome = playground.run("memlane tune " + arguments);
    INFO(arguments << "\n" << outcome.err);
    REQUIRE(outcome.status == 0);
    for (const std::string& line : lines_of(outcome.out))
      if (line.starts_with("edge")) return line.substr(line.find("the best"));
    return std::string();
  };
  // U = 1 is no transfer time.
  CHECK(edge("multiplication -D n=93 -D m=32 -D s=1 -D U=2,10 -m mmm-gpu") ==
        "the best is the least U that was tried");
  const std::string division = "division -D n=192 -D m=97 -D s=1..16:pow2 -m mmm-gpu";
  CHECK(edge(division).ends_with("-D s=1..16:pow2 -m mmm-gpu -D s=32"));
  CHECK(edge(division + " --where '7*s <= 200'") == "the best is the greatest s that was tried");
  // Of the next values of a range, some are allowed.
  CHECK(edge("division -D n=192 -D m=97 -D s=15..16 -m mmm-gpu --where '10*s <= 175'")
            .ends_with("-D s=17..18"));
  // The other axis is as at the best.
  spit(playground.folder() + "/both.lane",
       "param t: int = 1\nparam s: int = 1 where s < 8 or t < 2\nmemory a[64]: int\n"
       "kernel k() { for j = 1 to ceil_div(16, s) + ceil_div(16, t) { forall i in 0..64 { a[i] = "
       "1 } } }\nmain { launch k() }\nverify { assert a[0] == 1 }\n");
  CHECK(edge("both.lane -D s=1..4:pow2 -D t=1..4:pow2 -m umm-w32") ==
        "the best is the greatest s that was tried with t=4");
}

TEST_CASE("values beyond the best that failed do not hide those behind them", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/divides.lane",
       "param m: int = 4 where 48 % m == 0\nmemory a[48]: int\nkernel k() {\n"
       "  for j = 1 to 48/m { forall i in 0..m { a[i] = 1 } }\n}\n"
       "main { launch k() }\nverify { assert a[0] == 1 }\n");
  const auto edge = [&](const std::string& values) {
    const Outcome outcome = playground.run("memlane tune divides.lane -m umm-w32 -D m=" + values);
    INFO(outcome.out << outcome.err);
    for (const std::string& line : lines_of(outcome.out))
      if (line.starts_with("edge")) return line.substr(line.find("the best"));
    return std::string();
  };
  const std::string chosen = "the best is the greatest m that was tried and can be chosen";
  const auto proposed = [&](const std::string& tried, const std::string& more) {
    return chosen + "; if launches fit there, a better one may lie beyond: memlane tune " +
           "divides.lane -m umm-w32 -D m=" + tried + " -D m=" + more;
  };
  CHECK(edge("10..20") == proposed("10..20", "21..31"));
  CHECK(edge("13..47") == proposed("13..47", "48..82"));
  CHECK(edge("20..60") == chosen); // nothing above 48 divides it
}

TEST_CASE("values with inputs of different sizes are different problems", "[release]") {
  const Playground playground;
  const Outcome sizes = playground.run("memlane tune sum -D n=64,128 -m umm-w32");
  INFO(sizes.out);
  CHECK(sizes.out.find("each n is another problem, with another size of a: ") != std::string::npos);
  CHECK(sizes.out.find("edge") == std::string::npos);
  const auto problems = [&](const std::string& arguments) {
    std::string texts;
    const json findings = tuned(playground, arguments).at("findings");
    for (const json& finding : findings)
      if (finding.at("about") == "problems") texts += finding.at("text").get<std::string>() + "\n";
    return texts;
  };
  CHECK(problems("sum -D n=64,128 -m umm-w32 --timing-only").starts_with("each n is another"));
  const std::string both = problems("sum -D p=32,64 -D n=64,128 --seeds 2 -m umm-w32");
  CHECK(lines_of(both).size() == 1);
  CHECK(both.starts_with("each n is another"));
  CHECK(problems("sum -D p=32,64 -m umm-w32") == "");
  // An array of results that grows is no other problem.
  CHECK(problems("division -D n=40 -D m=9 -D s=1,2,4 -m mmm-gpu") == "");
}

TEST_CASE("conditions that leave no line of values do not hide different problems") {
  const Playground playground;
  const auto problems = [&](const std::string& arguments) {
    std::string texts;
    const json findings = tuned(playground, arguments).at("findings");
    for (const json& finding : findings)
      if (finding.at("about") == "problems")
        texts += finding.at("text").get<std::string>().substr(0, 27) + "\n";
    return texts;
  };
  const std::string sum = "sum -D n=64,128,256 -D p=32,64,128 -m umm-w32 --where ";
  const std::string each_n = "each n is another problem, \n",
                    each_p = "each p is another problem, \n";
  CHECK(problems(sum + "'p == n/2'") == each_n + each_p);
  CHECK(problems(sum + "'p <= n/2'") == each_n); // at n = 256 all p are of one problem
  CHECK(problems(sum + "'p >= n/2'") == each_n);
  // A size that comes back to the first one.
  spit(playground.folder() + "/middle.lane",
       "param k: int = 1\nmemory a[if k == 2 then 64 else 32]: int = 1\n"
       "kernel go() { forall i in 0..32 { a[i] += 1 } }\nmain { launch go() }\n"
       "verify { assert true }\n");
  CHECK(problems("middle.lane -D k=1..3 -m dmm-w32") == "each k is another problem, \n");
}

TEST_CASE("a confirming machine's caption lacks --set, and a naive value is an expression") {
  const Playground playground;
  const Outcome both = playground.run("memlane tune strided -D n=64 -D s=1,2,4 -m umm-w32 "
                                      "--set latency=50 -D p=32 --confirm dmm-w32");
  INFO(both.out << both.err);
  CHECK(both.out.find("strided on umm-w32, n=64, p=32, latency=50: ") != std::string::npos);
  CHECK(both.out.find("strided on dmm-w32, n=64, p=32: ") != std::string::npos);
  for (const char* const values : {"n=64..256:pow2 --naive n=2^7", "n=2^6,2^7,2^8 --naive n=128"}) {
    const Outcome naive = playground.run(fmt::format("memlane tune sum -m umm-w32 -D {}", values));
    INFO(naive.out << naive.err);
    CHECK(naive.status == 0);
    CHECK(naive.out.find("with the naive value n=") != std::string::npos);
    CHECK(naive.out.find("; with the naive value n=64") == std::string::npos);
  }
  CHECK(playground.run("memlane tune sum -D n=64,128 --naive n=2^5").status == 2);
}

TEST_CASE("values of --set before what varies leave the points of other machines in their places") {
  const Playground playground;
  const std::string run = "transpose -D n=256 --layout 't=padded(1)' ";
  const json rows = tuned(playground, run + "--set shared.latency=10 --set threads=64,256,1024 "
                                            "-m hmm-titan-plain --confirm hmm-h200-plain")
                        .at("rows");
  std::size_t confirmed = 0;
  for (const json& row : rows) {
    if (row.at("machine") != "hmm-h200-plain") continue;
    INFO(row.dump());
    const Outcome alone =
        playground.run("memlane run " + run +
                       "-m hmm-h200-plain --format json --set threads=" + row.at("threads").dump());
    CHECK(row.at("time") == json::parse(alone.out).at("counts").at("time"));
    ++confirmed;
  }
  CHECK(confirmed == 3);
}

TEST_CASE("an error of a replaced layout names the program") {
  const Playground playground;
  const Outcome outcome = playground.run("memlane tune prefix_sums --layout 'a=rows,padded(1)'");
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("note: the program is prefix_sums") != std::string::npos);
  CHECK(outcome.err.find("the sweep") == std::string::npos);
}

TEST_CASE("a limit stops a value, not the tuning") {
  const Playground playground;
  const Outcome outcome =
      playground.run("memlane tune sum -D n=64,4096 -m umm-w32 --max-steps 10000");
  INFO(outcome.out);
  CHECK(outcome.status == 3);
  CHECK(outcome.out.find("stopped") != std::string::npos);
  CHECK(outcome.out.find("n=4096: --max-steps 10000") != std::string::npos);
}

TEST_CASE("tables are written beside each other, and plot draws the curve from the store",
          "[release]") {
  const Playground playground;
  const std::string command = "memlane tune scan -D n=2^12 -D alpha=1,2,4,8 -m agpu-k40c --confirm "
                              "hmm-titan-plain --store t.db -o ";
  const Outcome outcome = playground.run(command + "t.csv -o t.tex -o t.md");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.empty());
  CHECK(lines_of(slurp(playground.folder() + "/t.csv")).size() == 9);
  CHECK(slurp(playground.folder() + "/t.tex").find("tabular") != std::string::npos);
  CHECK(slurp(playground.folder() + "/t.md").find("| alpha") != std::string::npos);
  const Outcome chart = playground.run(command + "t.svg");
  CHECK(chart.status == 2);
  CHECK(chart.err.find("'memlane plot FILE -o t.svg' draws them") != std::string::npos);
  CHECK(playground.run("memlane plot t.db -o t.svg").status == 0);
  CHECK(slurp(playground.folder() + "/t.svg").find("alpha") != std::string::npos);
}

TEST_CASE("a word of a result is no objective", "[release]") {
  const Playground playground;
  for (const char* word : {"verify", "stop", "reason", "command", "seed"}) {
    const Outcome outcome =
        playground.run(fmt::format("memlane tune sum -D p=32,64 --objective {}", word));
    INFO(outcome.out);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(fmt::format("'{}' is no count of a run", word)) != std::string::npos);
  }
  const Outcome most = playground.run(
      "memlane tune scan -m agpu-teaching -D alpha=1,2 -D n=1024 --objective agpu_multiplicity");
  INFO(most.err);
  CHECK(most.status == 2);
  CHECK(most.err.find("the least agpu_multiplicity is no aim") != std::string::npos);
  CHECK(most.err.find("objectives on model agpu: time, io") != std::string::npos);
}

TEST_CASE("the command that an edge suggests runs, and so does the one that repeats the best",
          "[release]") {
  const Playground playground;
  const Outcome outcome =
      playground.run("memlane tune sum -D n=64 -D p=4..16:pow2 -m umm-teaching");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  int commands = 0;
  for (const std::string& line : lines_of(outcome.out)) {
    const std::size_t at = line.find("memlane ");
    if (at == std::string::npos) continue;
    ++commands;
    CHECK(playground.run(line.substr(at)).status == 0);
  }
  CHECK(commands == 2);
}

} // namespace memlane::test
