#include "keys.hpp"
#include "support/catch.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/show/count_groups.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

namespace memlane {
namespace {

using namespace test;

/// A result as the sum on the figure machine might give it, with numbers that are easy to tell
/// apart.
RunReport sample(Sources& sources) {
  sources.add("programs/x.lane", "kernel k() {\n\tforall i in 0..n { a[i] = 1 }\n}\n");
  RunReport report;
  report.version = "1.2.3";
  report.program = ProgramInfo{};
  report.program->path = "programs/x.lane";
  report.program->sha256 = "00ff";
  report.program->parameters = {
      {"n", ir::Scalar::int64, ir::Value::of(std::int64_t{9007199254740993}), true},
      {"c", ir::Scalar::float64, ir::Value::of(0.1), true},
      {"on", ir::Scalar::boolean, ir::Value::of(true), true}};
  report.machine.name = "test, \"quoted\"";
  report.machine.global = UnitSpec{UnitKind::unified, Cycles{5}, 1, std::nullopt};
  report.machine_path = "configs/machines/x.json";
  report.host = {"Linux", "x86_64", "gcc 12.2"};
  Counts& counts = report.run.counts;
  counts.time = Cycles{std::numeric_limits<std::int64_t>::max()};
  counts.launches = 1;
  UnitCounts unit;
  unit.requests = 3;
  unit.stages = 5;
  unit.reads = 1;
  unit.writes = 2;
  unit.busy = 5;
  unit.congestion = {{1, 2}, {3, 1}};
  counts.global = {unit};
  counts.lines[{0, 2}] = {3, 5, 3};
  report.run.verify = Verdict::passed;
  ClaimOutcome claim;
  claim.text = "time == n";
  claim.source = "somewhere";
  claim.verdict = ClaimVerdict::fails;
  claim.left = {"127/2", 63.5};
  claim.right = {"61", 61};
  claim.ratio = 63.5 / 61;
  report.claims = {claim};
  return report;
}

} // namespace

TEST_CASE("the names of a JSON result are those that were promised") {
  Sources sources;
  const Json json = run_json(sample(sources), sources);
  CHECK(keys_of(json) == Names{"tool", "program", "machine", "seed", "host", "engine", "stop",
                               "counts", "verify", "claims", "latency_hiding"});
  CHECK(keys_of(json["tool"]) == Names{"name", "version", "semantics"});
  CHECK(keys_of(json["program"]) == Names{"path", "sha256", "parameters"});
  CHECK(keys_of(json["counts"]) ==
        Names{"time", "launches", "barriers", "instructions", "shared_words", "global_words",
              "host_words", "steps", "races", "agpu", "mmm", "units", "lines", "kernels", "fns"});
  CHECK(keys_of(json["counts"]["agpu"]) ==
        Names{"time", "io", "shared_words", "global_words", "multiplicity"});
  CHECK(keys_of(json["counts"]["units"]) == Names{"global"});
  REQUIRE(json["counts"]["units"]["global"].is_array());
  CHECK(keys_of(json["counts"]["units"]["global"][0]) ==
        Names{"requests", "stages", "conflicts", "reads", "writes", "concurrent_writes", "busy",
              "idle_latency", "idle_barrier", "idle_drain", "idle_empty", "resident_warps",
              "congestion"});
  CHECK(keys_of(json["counts"]["lines"][0]) ==
        Names{"file", "line", "requests", "stages", "worst", "lost", "agpu", "mmm", "mean"});
  CHECK(keys_of(json["counts"]["lines"][0]["agpu"]) == Names{"time", "io", "operators"});
  CHECK(keys_of(json["claims"][0]) ==
        Names{"text", "source", "kind", "verdict", "left", "right", "ratio"});
  CHECK(json["tool"]["semantics"] == 6);
}

TEST_CASE("numbers lose no digits") {
  Sources sources;
  const RunReport report = sample(sources);
  const std::string text = render_run(report, sources, Format::jsonl, {});
  CHECK(text.find("\"time\":9223372036854775807,") != std::string::npos);
  CHECK(text.find("\"n\":9007199254740993,") != std::string::npos);
  CHECK(text.find("\"c\":0.1,") != std::string::npos);
  CHECK(text.find("\"on\":true") != std::string::npos);
  CHECK(text.find(R"({"text":"127/2","value":63.5})") != std::string::npos);
  CHECK(render_run(report, sources, Format::csv, {}).find(",9223372036854775807,") !=
        std::string::npos);
}

TEST_CASE("jsonl is one line with the same content as json") {
  Sources sources;
  const RunReport report = sample(sources);
  const std::string line = render_run(report, sources, Format::jsonl, {});
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(Json::parse(line) == Json::parse(render_run(report, sources, Format::json, {})));
}

TEST_CASE("bytes that are not UTF-8 do not lose a result") {
  Sources sources;
  RunReport report = sample(sources);
  report.program->path = "bad\xff.lane";
  CHECK_NOTHROW(Json::parse(render_run(report, sources, Format::json, {})));
  const std::string table = run_table(report, sources, {});
  CHECK(table.find("bad\\xff.lane") != std::string::npos);
}

TEST_CASE("what is not finite is null, and no run has a NaN") {
  Sources sources;
  RunReport report = sample(sources);
  report.claims[0].ratio = std::numeric_limits<double>::quiet_NaN();
  CHECK(run_json(report, sources)["claims"][0]["ratio"].is_null());
  report.claims[0].left = {};
  CHECK(run_json(report, sources)["claims"][0]["left"].is_null());
}

TEST_CASE("a CSV row has a cell for every heading, on every model") {
  Sources sources;
  RunReport report = sample(sources);
  const auto heading = [](const std::string& csv) { return csv.substr(0, csv.find('\n')); };
  const std::string umm = run_csv(report, Sources{});
  const std::string names = heading(umm);
  std::set<std::string> seen;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    CHECK(seen.insert(names.substr(at, end - at)).second);
    at = end + 1;
  }
  // The one quoted cell has a comma of its own.
  const std::string row = umm.substr(umm.find('\n') + 1);
  CHECK(std::count(row.begin(), row.end(), ',') == std::count(names.begin(), names.end(), ',') + 1);
  CHECK(row.find("\"test, \"\"quoted\"\"\"") != std::string::npos);
  report.machine.model = Model::dmm;
  report.machine.shared = report.machine.global;
  report.machine.global.reset();
  CHECK(heading(run_csv(report, Sources{})) == names);
}

TEST_CASE("CSV rows of two layouts, fns or types differ in their cells") {
  Sources sources;
  RunReport report = sample(sources);
  report.program->replaced = {{"--layout", "t=rows"},
                              {"--layout", "x=padded(1)"},
                              {"--fn", "f(x) = max(x, 0)"},
                              {"--type", "value=float"}};
  const std::string csv = run_csv(report, Sources{});
  CHECK(csv.find(",parameters,layouts,fns,types,") != std::string::npos);
  CHECK(csv.find(",t=rows;x=padded(1),\"f(x) = max(x, 0)\",value=float,") != std::string::npos);
}

TEST_CASE("many classes of stages share buckets in a table and not in JSON") {
  Sources sources;
  RunReport report = sample(sources);
  UnitCounts& unit = report.run.counts.global.front();
  unit.congestion.clear();
  for (std::int64_t stages = 1; stages <= 16; ++stages) unit.congestion[stages] = 10;
  CHECK(run_table(report, sources, {}).find("      16        10") != std::string::npos);
  unit.congestion[17] = 1;
  unit.congestion[30] = 2;
  unit.congestion[128] = 5;
  unit.requests = 168;
  const std::string table = run_table(report, sources, {});
  CHECK(table.find("     stages  requests\n"
                   "          1        10   6.0 %\n"
                   "          2        10   6.0 %\n"
                   "     3 to 4        20  11.9 %\n"
                   "     5 to 8        40  23.8 %\n"
                   "    9 to 16        80  47.6 %\n"
                   "   17 to 32         3   1.8 %\n"
                   "  65 to 128         5   3.0 %\n") != std::string::npos);
  CHECK(run_json(report, sources)["counts"]["units"]["global"][0]["congestion"].size() == 19);
}

TEST_CASE("a table shows where the time went, each line's cost and both sides of a claim") {
  Sources sources;
  RunReport report = sample(sources);
  report.run.counts.time = Cycles{10};
  const std::string table = run_table(report, sources, {});
  CHECK(table.find("time 10 time units") != std::string::npos);
  CHECK(table.find("busy") != std::string::npos);
  CHECK(table.find("50.0 %") != std::string::npos);
  CHECK(table.find("   2  forall i in 0..n { a[i] = 1 }         3       5      3     2  1.67") !=
        std::string::npos);
  CHECK(table.find("FAILS: 127/2 against 61, ratio 1.041 [somewhere]") != std::string::npos);
  CHECK(table.find('\x1b') == std::string::npos);
  CHECK(run_table(report, sources, {true}).find("\x1b[1;31mFAILS") != std::string::npos);
}

TEST_CASE("a run is shown in lines of 80 columns without tables, unless details are asked for") {
  Sources sources;
  RunReport report = sample(sources);
  report.details = report.each_claim = false;
  report.claims.front().text = "time == " + std::string(30, '(') + " n * w + l" + " + n";
  for (int k = 0; k < 30; ++k) report.claims.front().text += " + n";
  const std::string text = run_table(report, sources, {});
  CHECK(text.find("idle_latency") == std::string::npos);
  CHECK(text.find("by source line") == std::string::npos);
  CHECK(text.find("5 stages, 2 of") != std::string::npos);
  CHECK(text.find("claims 0 of 1 hold\n  time == ") != std::string::npos);
  CHECK(text.find("more: --details") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 80);
  report.details = true;
  CHECK(run_table(report, sources, {}).find("by source line") != std::string::npos);
  CHECK(run_table(report, sources, {}).find("more: --details") == std::string::npos);
}

TEST_CASE("a table that is too wide gives up columns of its widest text") {
  TextTable table({Align::right, Align::left, Align::right});
  table.add({"1", "a text of thirty columns or so", "5"});
  table.add({"20", "short", "77"});
  CHECK(table.text(2, 30) == "   1  a text of thirty co…   5\n"
                             "  20  short                 77\n");
  CHECK(table.text(2, 40) == table.text(2));
  CHECK(table.text(0, 3).find("a text of thirt…") != std::string::npos);
}

TEST_CASE("a ratio near 1 has as many digits as tell it from 1, in tables and papers") {
  Sources sources;
  RunReport report = sample(sources);
  ClaimOutcome& claim = report.claims.at(0);
  const auto shown = [&](double left, double right) {
    claim.left = {fmt::format("{:.17g}", left), left};
    claim.right = {fmt::format("{:.17g}", right), right};
    claim.ratio = left / right;
    const std::string table = run_table(report, sources, {}), before = ", ratio ";
    const std::size_t at = table.find(before) + before.size();
    const std::string ratio = table.substr(at, table.find_first_of(" \n", at) - at);
    CHECK(render_run(report, sources, Format::markdown, {}).find(" " + ratio + " |") !=
          std::string::npos);
    return ratio;
  };
  CHECK(shown(4194679, 4194350) == "1.0001");
  CHECK(shown(4194350, 4194679) == "0.9999");
  CHECK(shown(9999999, 10000000) == "0.9999999");
  CHECK(shown(9007199254740992, 9007199254740991) == "1.0000000000000002");
  CHECK(shown(5, 5) == "1");
  CHECK(shown(4, 3) == "1.333");
}

TEST_CASE("the parts of a unit's time are fields of the unit") {
  for (const auto& part : time_fields()) {
    const bool found = std::any_of(unit_fields().begin(), unit_fields().end(),
                                   [&](const auto& field) { return field.name == part.name; });
    CHECK(found);
  }
  CHECK(time_fields().size() == 5);
  CHECK(counts_text(count_groups(), 0).find("idle_barrier") != std::string::npos);
}

TEST_CASE("a failed claim or verify is a failed check, a ratio is not") {
  Sources sources;
  RunReport report = sample(sources);
  CHECK(any_check_failed(report));
  report.claims[0].verdict = ClaimVerdict::ratio_only;
  CHECK(!any_check_failed(report));
  report.run.verify = Verdict::failed;
  CHECK(any_check_failed(report));
}

TEST_CASE("formats have names and endings") {
  CHECK(format_named("csv") == Format::csv);
  CHECK(!format_named("CSV"));
  CHECK(!format_named(""));
  CHECK(format_of_path("a.json") == Format::json);
  CHECK(format_of_path("a.jsonl") == Format::jsonl);
  CHECK(format_of_path("json") == Format::table);
  CHECK(format_of_path("a.md") == Format::markdown);
  CHECK(format_of_path("a.tex") == Format::latex);
  for (const std::string& name : format_names()) CHECK(name_of(*format_named(name)) == name);
  CHECK(name_of(Format::table) == "table");
}

} // namespace memlane
