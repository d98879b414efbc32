// Comparisons as programs read them: lines of two runs, inputs, what is refused.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace memlane::test {
namespace {

using CompareJson = nlohmann::ordered_json;

} // namespace

TEST_CASE("commands are compared as programs are, by line and by cause") {
  const Playground playground;
  const auto of_kernel = [](const std::string& kernel) {
    return " --command \"ptx " + std::string(MEMLANE_SOURCE_DIR) +
           "/programs/cuda/transpose.ptx --launch '" + kernel +
           "<<<({n}/32,{n}/32),(32,8)>>>(out: float[{n}*{n}], in: float[{n}*{n}] = 0.., {n})'\"";
  };
  const std::string two = "memlane compare" + of_kernel("tiled") + of_kernel("padded") + " -D n=64";
  const Outcome lines = playground.run(two + " --lines -m hmm-titan-plain --store c.db");
  INFO(lines.err << lines.out);
  REQUIRE(lines.status == 0);
  const auto says = [&](const std::string& part) {
    INFO(part);
    CHECK(lines.out.find(part) != std::string::npos);
  };
  says("hmm-titan-plain  transpose.ptx tiled   2331  1.171");
  says("hmm-titan-plain  transpose.ptx padded  1990  1.000");
  says("commands keep their results for themselves");
  // Equal lines of two kernels of one file are found by their texts.
  says("17  30");
  says("22  35");
  says("stages -3968, lost -3968");
  says("by cause, of the global memory");
  says("time                 2331  1990   -341");
  const nlohmann::json causes =
      nlohmann::json::parse(playground.run(two + " --lines -m hmm-titan-plain --format json").out)
          .at("causes");
  CHECK(causes.at("unit") == "global");
  const auto sum = [](const nlohmann::json& time) {
    std::int64_t all = 0;
    for (const auto& units : time) all += units.get<std::int64_t>();
    return all;
  };
  CHECK(sum(causes.at("a")) == 2331);
  CHECK(sum(causes.at("b")) == 1990);
  CHECK(causes.at("a").at("latency") > causes.at("b").at("latency"));
  // The rows of a store are those of sweeps.
  CHECK(playground.run("memlane results c.db --columns program,n,time --format csv").out ==
        "program,n,time\ntranspose.ptx padded,64,1990\ntranspose.ptx tiled,64,2331\n");
  const Outcome known =
      playground.run("memlane sweep" + of_kernel("tiled") + " -D n=64 --store c.db");
  CHECK(known.out.find("0 run, 1 known before") != std::string::npos);
  // One kernel on two machines is compared by the numbers of lines.
  const Outcome machines =
      playground.run("memlane compare" + of_kernel("naive") +
                     " -D n=64 -m hmm-titan-plain -m hmm-h200-plain --lines --format json");
  INFO(machines.err << machines.out);
  REQUIRE(machines.status == 0);
  const nlohmann::json json = nlohmann::json::parse(machines.out);
  REQUIRE(json["rows"].size() == 2);
  CHECK(json["rows"][0]["time"] == 5195);
  for (const auto& pair : json["lines"]["rows"]) CHECK(pair["a"]["line"] == pair["b"]["line"]);
  // A program of memlane's language may be beside them; what fails is said.
  CHECK(playground.run("memlane compare sum" + of_kernel("naive") + " -D n=64 -m hmm-titan-plain")
            .status == 0);
  const auto refused = [&](const std::string& words, int status, const std::string& why) {
    const Outcome outcome = playground.run("memlane compare" + words);
    INFO(words << '\n' << outcome.err << outcome.out);
    CHECK(outcome.status == status);
    CHECK((outcome.err + outcome.out).find(why) != std::string::npos);
  };
  refused(of_kernel("naive"), 2, "give one: -D n=1024");
  refused(of_kernel("lacking") + of_kernel("naive") + " -D n=64", 2, "lacking");
  refused(of_kernel("naive") + " -D n=64 --timing-only", 2, "runs of --command do not have it");
  refused(of_kernel("naive") + " -D n=64 -m umm-teaching", 2, "such as hmm-titan-plain");
  refused(of_kernel("naive") + " -D n=64 --max-time 100", 3, "stopped at the limit of --max-time");
  refused(" --command ''", 2, "neither 'cuda PROGRAM");
}

TEST_CASE("compare --lines has the lines of both runs as run has them") {
  const Playground playground;
  const std::string layouts = "memlane compare transpose 'transpose --layout t=rows' -m "
                              "hmm-teaching -D n=16 --arrays c --lines --format json";
  const Outcome outcome = playground.run(layouts);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const CompareJson lines = CompareJson::parse(outcome.out)["lines"];
  CHECK(lines["a"] == "transpose on hmm-teaching");
  CHECK(lines["b"] == "transpose --layout t=rows on hmm-teaching");
  const auto run = [&](const std::string& options) {
    return CompareJson::parse(playground
                                  .run("memlane run transpose -m hmm-teaching -D n=16 --format "
                                       "json " +
                                       options)
                                  .out)["counts"]["lines"];
  };
  const CompareJson a = run(""), b = run("--layout t=rows");
  REQUIRE(lines["rows"].size() == a.size());
  bool differs = false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const CompareJson& row = lines["rows"][k];
    for (const char* field : {"line", "requests", "stages", "worst", "lost"}) {
      CHECK(row["a"][field] == a[k][field]);
      CHECK(row["b"][field] == b[k][field]);
    }
    CHECK(row["difference"]["stages"] == b[k]["stages"].get<int>() - a[k]["stages"].get<int>());
    differs = differs || row["differs"].get<bool>();
  }
  CHECK(differs);
}

TEST_CASE("compare --lines takes two runs and no more") {
  const Playground playground;
  for (const char* words : {"sum", "sum prefix_sums -m dmm-w32 -m umm-w32", "sum sum sum"}) {
    const Outcome outcome = playground.run(std::string("memlane compare --lines ") + words);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--lines: error: the lines of two runs are compared") == 0);
  }
  const Outcome cannot = playground.run("memlane compare sum transpose -m umm-w32 --lines");
  CHECK(cannot.status == 2);
  CHECK(cannot.err.find("shared") != std::string::npos);
}

TEST_CASE("a comparison without compared results says why", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/bare.lane", "main { }\nverify { }\n");
  for (const auto& [words, why] : {
           std::pair("sum", "there is one run"),
           std::pair("sum prefix_sums --timing-only", "--timing-only: nothing was computed"),
           std::pair("sum bare.lane",
                     "no memory array is in all of them: sum has a; bare.lane has none"),
           std::pair("sum sum_hmm",
                     "a is a[1024] in sum on hmm-titan-plain and a[4096] in sum_hmm on "
                     "hmm-titan-plain"),
           std::pair("sum transpose -m umm-w32", "only sum on umm-w32 came to its end"),
           std::pair("sum prefix_simple --max-steps 1", "no run came to its end"),
       }) {
    const Outcome outcome = playground.run(std::string("memlane compare ") + words);
    INFO(words << "\n" << outcome.out << outcome.err);
    CHECK(outcome.out.find(std::string("\nresults not compared: ") + why) != std::string::npos);
  }
}

TEST_CASE("compare reads --input for the programs that have the array", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/a.csv", "1\n2\n3\n4\n5\n6\n7\n8\n");
  spit(playground.folder() + "/other.lane",
       "param n: int = 8\nmemory a[n]: int\nmemory b[n]: int\n"
       "kernel k() { forall i in 0..n { b[i] = a[i] } }\nmain { launch k() }\n"
       "verify { assert b[7] == 8 }\n");
  const std::string command = "memlane compare sum other.lane contiguous -D n=8 --input a=a.csv";
  const Outcome outcome = playground.run(command + " --arrays a --format json");
  INFO(outcome.out << outcome.err);
  const CompareJson rows = CompareJson::parse(outcome.out)["rows"];
  CHECK(rows[0]["verify"] == "passed");
  CHECK(rows[0]["inputs"] == CompareJson({{"a", "a.csv"}}));
  CHECK(rows[1]["verify"] == "passed"); // not without the file: a would hold zeros
  const Outcome run = playground.run("memlane run sum -D n=8 --input a=a.csv --output a=s.csv");
  CHECK(run.status == 0);
  CHECK(slurp(playground.folder() + "/s.csv").rfind("36\n", 0) == 0);

  const Outcome unknown = playground.run("memlane compare sum other.lane --input c=a.csv");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("--input: error: no program has a memory array 'c'") == 0);
  const Outcome twice = playground.run(command + " --input a=a.csv");
  CHECK(twice.status == 2);
  CHECK(twice.err.find("array a is given twice") != std::string::npos);
  const Outcome size = playground.run("memlane compare sum -D n=16 --input a=a.csv");
  CHECK(size.status == 2);
  const Outcome missing = playground.run("memlane compare sum --input a=none.csv");
  CHECK(missing.status == 2);
  CHECK(playground.run("memlane compare sum --timing-only --input a=a.csv").status == 2);
}

TEST_CASE("compare refuses a parameter that is given twice") {
  const Playground playground;
  const Outcome twice = playground.run("memlane compare sum -D n=8 -D n=1024");
  CHECK(twice.status == 2);
  CHECK(twice.err.find("-D: error: parameter n is given twice") == 0);
  // A program's own value is another matter.
  const Outcome own = playground.run("memlane compare sum 'sum -D n=64' -D n=8 --format csv");
  CHECK(own.status == 0);
  CHECK(own.out.find(",n=64,") != std::string::npos);
  CHECK(own.out.find(",n=8,") != std::string::npos);
}

TEST_CASE("compare names an exact claim that fails and ends with status 1") {
  const Playground playground;
  spit(playground.folder() + "/claimed.lane",
       "memory a[4]: int\nkernel f() { a[thread] = 1 }\nmain { launch f() threads=4 }\n"
       "verify { assert a[0] == 1 }\nclaim time == 3 on umm \"own\"\n");
  const auto compared = [&](const std::string& words, int status) {
    const Outcome outcome = playground.run("memlane compare claimed.lane " + words);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == status);
    return outcome.out + outcome.err;
  };
  const std::string why = "claim time == 3 on umm fails";
  CHECK(compared("-m dmm-figure3", 0).find("claim time") == std::string::npos);
  CHECK(compared("-m dmm-figure3 -m umm-figure3", 1).find(why) != std::string::npos);
  const CompareJson json =
      CompareJson::parse(compared("-m dmm-figure3 -m umm-figure3 --format json", 1));
  CHECK(json["rows"][0]["reason"].is_null());
  CHECK(json["rows"][1]["reason"] == why);
  CHECK(compared("--all-models", 1).find(why + " on umm-w32\n") != std::string::npos);
}

TEST_CASE("compare --timing-only fails where a row cannot be timed") {
  const Playground playground;
  spit(playground.folder() + "/data.lane",
       "memory a[8]: int\nkernel k() { while a[0] > 0 { a[0] = a[0] - 1 } }\n"
       "main { launch k() threads=1 }\nverify { assert true }\n");
  const Outcome outcome = playground.run("memlane compare sum data.lane --timing-only");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.find("cannot run") != std::string::npos);
  CHECK(playground.run("memlane compare sum prefix_sums --timing-only").status == 0);
}

TEST_CASE("results are tables for papers", "[release]") {
  const Playground playground;
  const Outcome outcome = playground.run(
      "memlane compare transpose 'transpose --layout t=rows' -m hmm-teaching -D n=16 --arrays c "
      "--lines -o c.tex -o c.md");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const std::string tex = slurp(playground.folder() + "/c.tex");
  CHECK(tex.find("\\begin{tabular}{llrrrrlll}") != std::string::npos);
  CHECK(tex.find("transpose -{}-layout t=rows & ") != std::string::npos);
  CHECK(slurp(playground.folder() + "/c.md").find("| machine ") != std::string::npos);
  CHECK(playground.run("memlane run sum -D n=64 --format latex")
            .out.find("\\caption{Claims: programs/reduction/sum.lane, n=64}") != std::string::npos);
  CHECK(playground.run("memlane verify figure_access --format markdown")
            .out.find("| `time == 2 + 1 + l - 1 when w == 4 and p >= 8 on dmm` ") !=
        std::string::npos);
}

TEST_CASE("compare ends with status 2 where a machine cannot run a program") {
  const Playground playground;
  const Outcome outcome = playground.run("memlane compare transpose sum -m umm-teaching");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.find("cannot run: array t is shared") != std::string::npos);
  CHECK(outcome.out.find("passed") != std::string::npos); // the other row is there
  // Of the models that compare --all-models chooses itself, some may not fit.
  CHECK(playground.run("memlane compare transpose --all-models").status == 0);
}

} // namespace memlane::test
