// The latency-hiding verdict in every format.
#include "keys.hpp"
#include "support/catch.hpp"

#include "memlane/report/run_report.hpp"

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
  global.resident_warps = 2;
  global.latency_bound = 280;
  shared.requests = shared.stages = 304;
  shared.resident_warps = 1;
  shared.latency_bound = 608;
  report.run.counts.time = Cycles{928};
  report.run.counts.global = {global};
  report.run.counts.shared = {shared, shared};
  return report;
}

std::string last_lines(const RunReport& report) {
  const std::string text = run_table(report, Sources{}, {});
  std::size_t at = text.size() - 1;
  for (int line = 0; line < 3; ++line) at = text.rfind('\n', at - 1);
  return text.substr(at + 1);
}

} // namespace

TEST_CASE("the last three lines of a table are the verdict") {
  RunReport report = multiplication();
  CHECK(last_lines(report) ==
        "latency  global not hidden: wL = 28 > 8 resident threads, dp = 8; "
        "shared not hidden: wl = 8 > 4 resident threads, p = 4\n"
        "bounds   global bandwidth 80, global latency 280, shared bandwidth 304, "
        "shared latency 608 (the largest, 65.5 % of the time)\n"
        "to hide  global: threads 16 or multiprocessors 7 or resident_blocks 4, filled by the "
        "launches; "
        "shared: threads 8 or resident_blocks 2, filled by the launches\n");
  report.machine.shared->capacity = 100;
  report.run.counts.shared_words = 48;
  CHECK(last_lines(report).find(
            "global: threads 16 or multiprocessors 7, filled by the launches (no resident_blocks: "
            "shared.capacity 100 holds 2 of 48 words each); "
            "shared: threads 8 or resident_blocks 2, filled by the launches\n") !=
        std::string::npos);
}

TEST_CASE("a machine with room whose launches are too small is told from one without") {
  RunReport report = multiplication();
  report.machine.resident_blocks = 4;
  CHECK(last_lines(report) ==
        "latency  global not hidden: wL = 28 > 8 resident threads, dp x resident_blocks = 32; "
        "shared not hidden: wl = 8 > 4 resident threads, p x resident_blocks = 16\n"
        "bounds   global bandwidth 80, global latency 280, shared bandwidth 304, "
        "shared latency 608 (the largest, 65.5 % of the time)\n"
        "to hide  global: more or larger blocks, 28 resident threads of the 32 possible; "
        "shared: more or larger blocks, 8 resident threads of the 16 possible\n");
  report.machine.shared->capacity = 100;
  report.run.counts.shared_words = 48;
  CHECK(last_lines(report).find("of the 16 possible (shared.capacity 100 holds 2 of 48 words "
                                "each)\n") != std::string::npos);
}

TEST_CASE("a machine of one memory has one condition and two bounds") {
  RunReport report = multiplication();
  report.machine.model = Model::umm;
  report.machine.multiprocessors = 1;
  report.machine.shared.reset();
  report.run.counts.shared.clear();
  report.machine.threads = 28;
  report.run.counts.global[0].resident_warps = 7;
  report.run.counts.global[0].latency_bound = 80;
  CHECK(
      last_lines(report) ==
      "latency  hidden: wl = 28 <= 28 resident threads, p = 28\n"
      "bounds   bandwidth 80 (the largest, 8.6 % of the time), latency 80\n"
      "to hide  nothing more: threads are enough, but for most of the time too few had requests\n");
  report.run.counts.global[0] = UnitCounts{};
  CHECK(last_lines(report) == "latency  nothing to hide: no memory was accessed\n"
                              "bounds   bandwidth 0, latency 0\n"
                              "to hide  nothing more: the conditions hold\n");
}

TEST_CASE("no machine file can hold what an enormous latency needs") {
  RunReport report = multiplication();
  report.machine.global->latency = Cycles{1000000000};
  report.machine.global->ports = 1024;
  CHECK(last_lines(report).find("global: no allowed value of threads, multiprocessors or "
                                "resident_blocks") != std::string::npos);
}

TEST_CASE("the names of a verdict in JSON are those that were promised") {
  const RunReport report = multiplication();
  const Json verdict = run_json(report, Sources{})["verdict"];
  CHECK(keys_of(verdict) == Names{"global", "shared", "largest", "occupancy"});
  CHECK(keys_of(verdict["global"]) == Names{"needed_threads", "room_threads", "resident_threads",
                                            "bandwidth", "latency", "machine_hides", "hidden",
                                            "enough"});
  CHECK(keys_of(verdict["shared"]).back() == "multiprocessor");
  CHECK(keys_of(verdict["global"]["enough"]) ==
        Names{"threads", "multiprocessors", "resident_blocks"});
  CHECK(verdict["global"]["needed_threads"] == 28);
  CHECK(verdict["global"]["enough"]["multiprocessors"] == 7);
  CHECK(verdict["shared"]["enough"]["multiprocessors"].is_null());
  CHECK(verdict["shared"]["hidden"] == false);
  CHECK(verdict["largest"] == "shared_latency");
  CHECK(verdict["occupancy"].dump() == R"([{"resident_warps":1,"room_warps":1},)"
                                       R"({"resident_warps":1,"room_warps":1}])");
}

TEST_CASE("CSV ends with the verdict; what a machine does not have is empty") {
  RunReport report = multiplication();
  const auto ends_with = [](const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  CHECK(ends_with(run_csv(report), ",28,8,8,80,280,false,8,4,4,304,608,false,shared_latency\n"));
  report.machine.shared.reset();
  report.run.counts.shared.clear();
  CHECK(ends_with(run_csv(report), ",28,8,8,80,280,false,,,,,,,global_latency\n"));
  CHECK(run_csv(report).find(",verdict_global_hidden,") != std::string::npos);
}

TEST_CASE("a run that did not end has no verdict") {
  RunReport report = multiplication();
  report.run.stop = Stop::time;
  CHECK(run_json(report, Sources{})["verdict"].is_null());
  CHECK(run_table(report, Sources{}, {}).find("to hide") == std::string::npos);
  CHECK(run_csv(report).find(",,,,,,,,,,,,\n") != std::string::npos);
}

} // namespace memlane
