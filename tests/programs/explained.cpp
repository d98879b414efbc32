// Follows what --explain suggests for shipped programs, with the command that it gives: the gain
// comes true.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/shipped_programs.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <sstream>

namespace memlane::test {
namespace {

using Json = nlohmann::json;

constexpr std::array explained_machines = {"hmm-teaching", "dmm-w32",
                                           "umm-w32 --set latency=100 --set threads=64",
                                           "agpu-teaching", "hmm-titan-plain"};

std::int64_t time_by_cause(const Json& unit) {
  std::int64_t time = 0;
  for (const auto& [cause, units] : unit["time"].items()) time += units.get<std::int64_t>();
  return time;
}

/// Follows every suggestion of a run; how many there were. -1: the machine cannot run it.
int follow(const Playground& playground, const std::string& run) {
  const Outcome outcome = playground.run(run + " --no-verify --explain --format json");
  if (outcome.status == 2) return -1;
  INFO(run << '\n' << outcome.err);
  REQUIRE(outcome.status == 0);
  const Json result = Json::parse(outcome.out);
  const std::int64_t time = result["counts"]["time"];
  const std::int64_t launches = result["counts"]["launches"]; // they cost what they cost
  const std::int64_t changeable = time - launches * result["machine"].value("launch_cost", 0);
  for (const Json& unit : result["explanation"]["units"]) CHECK(time_by_cause(unit) == time);
  int followed = 0;
  for (const Json& suggestion : result["explanation"]["advice"]["suggestions"]) {
    INFO(suggestion.dump());
    const std::string command = suggestion["command"];
    CHECK(command.rfind("memlane run ", 0) == 0);
    const Outcome tried = playground.run(command + " --format json");
    REQUIRE(tried.status == 0);
    const Json came = Json::parse(tried.out)["tries"][0];
    const double predicted = suggestion["predicted_gain"], gain = came["gain"];
    CHECK(predicted >= 0.05 * static_cast<double>(changeable));
    CHECK(std::abs(gain - predicted) <= 0.1 * predicted);
    if (const Json causes = came["causes"]; !causes.is_null())
      CHECK(suggestion["latency"] == Json::array({causes["a"]["latency"], causes["b"]["latency"]}));
    // Arrays may have a word for each thread of the machine.
    if (suggestion["kind"] != "machine") CHECK(came["same_problem"] == true);
    ++followed;
  }
  return followed;
}

} // namespace

TEST_CASE("what --explain suggests for shipped programs comes true", "[release]") {
  const Playground playground;
  int followed = 0;
  std::size_t turn = 0;
  for (const ShippedProgram& program : shipped_programs()) {
    // The sorts take longest: each on one machine. The others by turns, in `nightly` on two.
    std::size_t left = program.folder == "sort" || !every_case ? 1 : 2;
    for (std::size_t k = 0; k < explained_machines.size() && left > 0; ++k) {
      const char* machine = program.folder == "sort"
                                ? "dmm-w32"
                                : explained_machines[(turn + k) % explained_machines.size()];
      const int done = follow(playground, "memlane run " + program.name + " -m " + machine);
      if (done < 0) continue;
      followed += done;
      left -= 1;
    }
    turn += 1;
  }
  CHECK(followed >= (every_case ? 10 : 5));
}

TEST_CASE("what --explain suggests comes true for other sizes, layouts and machines", "[release]") {
  const Playground playground;
  int followed = 0;
  for (const char* run :
       {"transpose -m hmm-titan-plain --layout t=rows -D n=128",
        "transpose_direct -m dmm-w32 -D n=32", "sum -m umm-w32 --set threads=32 -D n=4096",
        "scan_brent_kung -m dmm-w32 -D n=256", "strided -m dmm-w32 -D s=16 -D n=512",
        "reduction_tree -m agpu-teaching -D n=256", "multiply -m hmm-teaching -D n=16",
        "scan_blocks -m hmm-teaching -D n=256",
        "sum -m hmm-rtx3080 -D n=4096 --set requests_in_flight=1",
        "multiply -m hmm-teaching -D n=16 --set requests_in_flight=2"}) {
    const int done = follow(playground, std::string("memlane run ") + run);
    INFO(run);
    CHECK(done > 0);
    followed += done;
  }
  CHECK(followed >= 8);
}

TEST_CASE("what --explain suggests for columns of short rows is a swizzle") {
  // Columns are words 8*i of 32 banks: 8 stages, 4 in the diagonal layout, 1 with padding, which
  // takes 32 words more.
  const Playground playground;
  spit(playground.folder() + "/columns.lane", "memory c[256]: int\n"
                                              "kernel k() {\n  shared t[32, 8]: int\n"
                                              "  forall i in 0..256 { t[i / 8, i % 8] = i }\n"
                                              "  forall i in 0..256 { c[i] = t[i % 32, i / 32] }\n"
                                              "}\nmain { launch k() }\n"
                                              "verify { assert c[33] == 9 }\n");
  const Outcome outcome =
      playground.run("memlane run columns.lane -m hmm-titan-plain --set global.latency=1 --explain "
                     "--format json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json result = Json::parse(outcome.out);
  int layouts = 0;
  for (const Json& suggestion : result["explanation"]["advice"]["suggestions"]) {
    INFO(suggestion.dump());
    if (suggestion["kind"] != "layout") continue;
    CHECK(suggestion["change"] == "layout t=swizzle(3, 0, 5)");
    CHECK(suggestion["extra_stages"][1] < suggestion["extra_stages"][0]);
    ++layouts;
  }
  CHECK(layouts == 1);
}

TEST_CASE("the line that costs most is of the bound that is tight", "[release]") {
  const Playground playground;
  const auto explain = [&](const std::string& lines, const std::string& options,
                           const std::string& x) {
    spit(playground.folder() + "/costly.lane",
         "param k: int = 64\nmemory a[256*k]: int = index\nmemory c[32*k]: double\n"
         "kernel work() {\n  var x = " +
             x + "\n  var y = 1.5\n" + lines +
             "  c[32*block + lane] = y + double(x)\n}\n"
             "main { launch work() blocks=k threads=32 }\nverify { }\n");
    const Outcome outcome =
        playground.run("memlane run costly.lane -m hmm-rtx3080 --set launch_cost=0 --explain "
                       "--format json" +
                       options);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return Json::parse(outcome.out);
  };
  // Line 8 asks for groups that line 7 has read: none of them enters.
  const auto reads = [](int rounds) {
    return "  for r = 0 to 7 { x = a[256*block + 32*r + lane] }\n  for r = 1 to " +
           std::to_string(rounds) + " { x = a[256*block + 8*lane] }\n";
  };
  struct Case {
    std::string lines, options, tight, by;
    int line;
    std::string x = "0";
  };
  const Case cases[] = {
      {reads(20), " --set global.ports=1 --set multiprocessors=64 -D k=640", "global_bandwidth",
       "stages", 7},
      {reads(200), " -D k=1000", "own_port", "port_stages", 8},
      {"  for r = 1 to 60 { x = x + 1 }\n  for r = 1 to 40 { y = y * double(x) }\n", " -D k=272",
       "operations", "operators", 8, "a[32*block + lane]"}};
  for (const Case& one : cases) {
    const Json run = explain(one.lines, one.options, one.x), explanation = run["explanation"];
    INFO(explanation.dump());
    CHECK(explanation["tight"] == one.tight);
    REQUIRE(explanation["costliest_line"].is_object());
    CHECK(explanation["costliest_line"]["by"] == one.by);
    CHECK(explanation["costliest_line"]["line"] == one.line);
    // Without it, the run saves more than without the other line.
    const std::size_t first = one.lines.find('\n') + 1;
    const std::string other = one.lines.substr(0, first), last = one.lines.substr(first);
    const auto time = [&](const std::string& lines) {
      return explain("\n" + lines, one.options, one.x)["counts"]["time"].get<std::int64_t>();
    };
    if (one.by == "operators" || one.by == "port_stages") CHECK(time(other) < time(last));
    if (one.by == "stages") {
      const Json& global = explanation["units"][0]["time"];
      CHECK(global["extra_stages"] == 0);
      CHECK(explanation["costliest_line"]["cost"] == 8 * 4 * 640);
    }
  }
}

TEST_CASE("a parameter is advised where verify passes and inputs stay as they are") {
  const Playground playground;
  const auto explained = [&](const std::string& tail, const std::string& options = "") {
    spit(playground.folder() + "/parts.lane",
         "param n: int = 4096\nparam t: int = 64\nparam k: int = 2\nmemory a[n]: int = index / k\n"
         "memory all[2]: int\n"
         "kernel sum() {\n  var x = 0\n"
         "  for i = thread to n - 1 step threads { x += a[i] }\n"
         "  if thread == 0 { all[0] = x  all[1] = 1 }\n}\n"
         "main { launch sum() threads=t }\n" +
             tail);
    const Outcome outcome =
        playground.run("memlane run parts.lane -m hmm-titan-plain --explain" + options);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    std::string on_one_line; // whatever lines the sentences have
    std::istringstream words(outcome.out);
    for (std::string word; words >> word;) on_one_line += word + " ";
    return on_one_line;
  };
  // The sum of thread 0 depends on the number of threads. Verify says whether that matters.
  const std::string verified = explained("verify { assert all[1] == 1 }\n");
  INFO(verified);
  CHECK(verified.find("t=128") != std::string::npos);
  CHECK(verified.find("times as fast") != std::string::npos);
  const std::string fails = explained("verify { assert t == 64 }\n");
  INFO(fails);
  CHECK(fails.find("t=128 would take") != std::string::npos);
  CHECK(fails.find("but verify fails") != std::string::npos);
  CHECK(fails.find("none with the same result saves 5 % of the time") != std::string::npos);
  const std::string without = explained("verify { assert all[1] == 1 }\n", " --no-verify");
  INFO(without);
  CHECK(without.find("but ends with other contents in all") != std::string::npos);
}

TEST_CASE("a change that is tried names the arrays whose sizes it changes") {
  const Playground playground;
  const std::string run = "memlane run multiplication -m mmm-gpu -D n=20 -D m=6 --try ";
  CHECK(playground.run(run + "s=4").out.find("The arrays c, high,") != std::string::npos);
  CHECK(playground.run(run + "n=30").out.find("Its input a has another") != std::string::npos);
  CHECK(playground.run(run + "t=8").out.find("Its input") == std::string::npos);
}

} // namespace memlane::test
