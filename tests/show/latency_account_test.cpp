// A run's account of latency in every format.
#include "keys.hpp"
#include "support/catch.hpp"

#include "memlane/count/hiding.hpp"
#include "memlane/show/run_report.hpp"

namespace memlane {
namespace {

using namespace test;

/// MUL-HMM at (n, m, w, d, p, l, L) = (8, 4, 4, 2, 4, 2, 7), as tests/count derives it.
RunReport multiplication() {
  RunReport report;
  report.program = ProgramInfo{};
  report.program->path = "x.lane";
  report.machine.model = Model::hmm;
  report.machine.width = 4;
  report.machine.multiprocessors = 2;
  report.machine.threads = 4;
  report.machine.shared = UnitSpec{UnitKind::discrete, Cycles{2}, 1, std::nullopt};
  report.machine.global = UnitSpec{UnitKind::unified, Cycles{7}, 1, std::nullopt};
  UnitCounts global, shared;
  global.requests = global.stages = 80;
  global.congestion[1] = 80;
  global.resident_warps = 2;
  global.latency_bound = 280;
  global.exposed = 200;
  global.exposed_with_threads.fill(0);
  global.exposed_with_blocks.fill(200);
  shared.requests = shared.stages = 304;
  shared.congestion[1] = 304;
  shared.resident_warps = 1;
  shared.latency_bound = 608;
  shared.exposed = 304;
  shared.exposed_with_threads.fill(304);
  shared.exposed_with_blocks = global.exposed_with_threads;
  shared.exposed_with_blocks.fill(100);
  report.run.counts.time = Cycles{928};
  report.run.counts.global = {global};
  report.run.counts.shared = {shared, shared};
  return report;
}

std::string last_lines(const RunReport& report) {
  const std::string text = run_table(report, Sources{}, {});
  return text.substr(text.rfind("\nlatency ") + 1);
}

} // namespace

TEST_CASE("the last lines of a table are the account of latency") {
  CHECK(last_lines(multiplication()) ==
        "latency     global exposed for 200 time units (21.6 % of the time): to hide it,\n"
        "            28 threads must have a request at a time (w x latency); on average 8\n"
        "            have one; shared exposed for 304 time units (32.8 % of the time): to\n"
        "            hide it, 8 threads must have a request at a time (w x latency); on\n"
        "            average 4 have one\n"
        "bounds      global bandwidth 80, global latency 280, shared bandwidth 304,\n"
        "            shared latency 608 (the largest, 65.5 % of the time)\n"
        "to hide it  global: 8 threads per multiprocessor; shared: 2 resident blocks (at\n"
        "            most 100 time units remain exposed)\n");
}

TEST_CASE("where a unit idles, bounds that are too small hide nothing") {
  RunReport report = multiplication();
  report.machine.requests_in_flight = 4;
  UnitCounts& unit = report.run.counts.global[0];
  unit.exposed = 0;
  unit.exposed_with_threads = unit.exposed_with_blocks = {};
  unit.idle_latency = 46; // less than 5 % of 928
  CHECK(last_lines(report).find("global hidden: the stages") != std::string::npos);
  unit.idle_latency = 700;
  CHECK(last_lines(report).find("global: not told by these bounds: on this machine chains of") !=
        std::string::npos);
  CHECK(latency_hiding(report.machine, report.run.counts).global->hidden() == false);
  report.machine.requests_in_flight = 1; // there the chains are exact
  CHECK(last_lines(report).find("global: not told by these bounds: idle for 700 time units") !=
        std::string::npos);
  unit.exposed = 20;
  CHECK(last_lines(report).find("global exposed for 20 time units") != std::string::npos);
}

TEST_CASE("a machine of one memory has one condition and two bounds") {
  RunReport report = multiplication();
  report.machine.model = Model::umm;
  report.machine.multiprocessors = 1;
  report.machine.shared.reset();
  report.run.counts.shared.clear();
  report.machine.threads = 28;
  UnitCounts& unit = report.run.counts.global[0];
  unit.resident_warps = 7;
  unit.latency_bound = 80;
  unit.exposed = 0;
  CHECK(last_lines(report).find("to hide it  by these bounds nothing; more threads") !=
        std::string::npos);
  report.run.counts.time = Cycles{80};
  CHECK(last_lines(report) ==
        "latency     hidden: the stages take longer than any warp's requests\n"
        "bounds      bandwidth 80 (the largest, 100.0 % of the time), latency 80\n"
        "to hide it  nothing more is needed\n");
  unit.exposed = 20;
  unit.exposed_with_threads.fill(20);
  unit.exposed_with_blocks.fill(20);
  CHECK(last_lines(report).find("to hide it  no number of threads or resident blocks is known") !=
        std::string::npos);
  report.program.reset();
  report.trace = TraceInfo{"x.jsonl"};
  CHECK(last_lines(report).find("no number of resident blocks is known to hide 5 %") !=
        std::string::npos);
  unit = UnitCounts{};
  CHECK(last_lines(report) == "latency     nothing to hide: no memory was accessed\n"
                              "bounds      bandwidth 0, latency 0\n"
                              "to hide it  nothing more is needed\n");
}

TEST_CASE("what a request takes of the pipeline is in the condition") {
  RunReport report = multiplication();
  report.machine.requests_in_flight = 2;
  report.machine.global->group = 1;
  report.machine.launch_cost = Cycles{100};
  report.run.counts.shared[0].exposed_with_blocks.fill(304);
  report.run.counts.shared[1].exposed_with_blocks.fill(304);
  report.run.counts.global[0].exposed_with_threads.fill(200);
  const std::string text = last_lines(report);
  INFO(text);
  CHECK(text.find("4 threads must have 2 requests at a time (w x latency / 2 / 4") !=
        std::string::npos);
  CHECK(text.find("a request); on average") != std::string::npos);
  CHECK(text.find("known to hide 5 % of the\n            time, beside the cost of launches;") !=
        std::string::npos);
}

TEST_CASE("what no machine file can hold is not advised") {
  RunReport report = multiplication();
  report.machine.threads = std::int64_t{1} << 40;
  report.run.counts.shared[0].exposed_with_blocks.fill(304);
  report.run.counts.shared[1].exposed_with_blocks.fill(304);
  CHECK(last_lines(report).find("to hide it  no number of threads or resident blocks is known") !=
        std::string::npos);
}

TEST_CASE("the names of the account in JSON are those that were promised") {
  const RunReport report = multiplication();
  const Json account = run_json(report, Sources{})["latency_hiding"];
  CHECK(keys_of(account) ==
        Names{"global", "shared", "largest", "occupancy", "operations", "own_port"});
  CHECK(keys_of(account["global"]) == Names{"needed_threads", "room_threads", "resident_threads",
                                            "active_threads", "bandwidth", "latency", "exposed",
                                            "hidden", "advice", "atomics"});
  CHECK(keys_of(account["shared"]).back() == "multiprocessor");
  CHECK(account["global"]["needed_threads"] == 28);
  CHECK(account["global"]["advice"].dump() ==
        R"({"threads":{"value":8,"exposed":0},"resident_blocks":null})");
  CHECK(account["shared"]["advice"].dump() ==
        R"({"threads":null,"resident_blocks":{"value":2,"exposed":100}})");
  CHECK(account["shared"]["hidden"] == false);
  CHECK(account["largest"] == "shared_latency");
  CHECK(account["occupancy"].dump() == R"([{"resident_warps":1,"room_warps":1},)"
                                       R"({"resident_warps":1,"room_warps":1}])");
}

TEST_CASE("CSV ends with the account of latency, what a machine does not have is empty") {
  RunReport report = multiplication();
  const auto ends_with = [](const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  CHECK(ends_with(run_csv(report, Sources{}),
                  ",28,8,8,8,80,280,200,false,8,4,4,4,304,608,304,false,shared_latency\n"));
  report.machine.shared.reset();
  report.run.counts.shared.clear();
  CHECK(
      ends_with(run_csv(report, Sources{}), ",28,8,8,8,80,280,200,false,,,,,,,,,global_latency\n"));
  CHECK(run_csv(report, Sources{}).find(",latency_hiding_global_hidden,") != std::string::npos);
}

TEST_CASE("a run that did not end has no account of latency") {
  RunReport report = multiplication();
  report.run.stop = Stop::time;
  CHECK(run_json(report, Sources{})["latency_hiding"].is_null());
  CHECK(run_table(report, Sources{}, {}).find("to hide") == std::string::npos);
  CHECK(run_csv(report, Sources{}).find(",,,,,,,,,,,,,,,,\n") != std::string::npos);
}

} // namespace memlane
