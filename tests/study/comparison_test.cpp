#include "support/catch.hpp"

#include "memlane/study/compare/comparison.hpp"

#include <nlohmann/json.hpp>

namespace memlane {
namespace {

using namespace sweep;

using Json = nlohmann::ordered_json;

ComparisonRow row(std::string machine, std::string program, std::int64_t time) {
  ComparisonRow out;
  out.machine = std::move(machine);
  out.program = std::move(program);
  out.counts.time = Cycles{time};
  UnitCounts unit;
  unit.requests = 10;
  unit.stages = 15;
  out.counts.global = {unit};
  out.counts.shared = {unit, unit};
  out.verify = Verdict::passed;
  out.results = SameResults::equal;
  out.largest = Limitation::global_latency;
  return out;
}

Comparison sample() {
  Comparison comparison;
  comparison.version = "1.2.3";
  comparison.arrays = {"a", "b"};
  comparison.remarks = {"not compared: c is c[3] in x and c[4] in y"};
  comparison.rows = {row("m1", "x", 20), row("m1", "y", 30), row("m2", "x", 0)};
  comparison.rows.push_back(row("m2", "y", 5));
  comparison.rows[3].ran = Ran::cannot_run;
  comparison.rows[3].reason = "no \"shared\", here";
  return comparison;
}

} // namespace

TEST_CASE("ratios are to the best of the same machine") {
  Comparison comparison = sample();
  CHECK(ratio_to_best(comparison, comparison.rows[0]) == 1.0);
  CHECK(ratio_to_best(comparison, comparison.rows[1]) == 1.5);
  CHECK(!ratio_to_best(comparison, comparison.rows[2])); // the best time is 0
  CHECK(!ratio_to_best(comparison, comparison.rows[3])); // not run
  comparison.rows[0].ran = Ran::stopped;                 // its time is no time to be better than
  CHECK(ratio_to_best(comparison, comparison.rows[1]) == 1.0);
}

TEST_CASE("a comparison as a table") {
  CHECK(render_comparison(sample(), Format::table) ==
        "machine  program  time  ratio  stages  conflicts  verify  results  largest bound\n"
        "m1       x          20  1.000      45         15  passed  equal    global latency\n"
        "m1       y          30  1.500      45         15  passed  equal    global latency\n"
        "m2       x           0             45         15  passed  equal    global latency\n"
        "m2       y                                                         global latency  "
        "cannot run: no \"shared\", here\n"
        "\nresults compared: a, b\nnot compared: c is c[3] in x and c[4] in y\n");
}

TEST_CASE("a comparison as CSV and JSON Lines has a line for every run") {
  const Comparison comparison = sample();
  const std::string csv = render_comparison(comparison, Format::csv);
  CHECK(csv.find("machine,program,sha256,parameters,layouts,fns,types,state,reason,time,"
                 "ratio,stages,conflicts,agpu_time,agpu_io,agpu_shared_words,agpu_global_words,"
                 "agpu_multiplicity,mmm_work,mmm_span,mmm_overhead,mmm_local_accesses,mmm_blocks,"
                 "mmm_path,mmm_antichain,mmm_block_cost,mmm_time,mmm_sequential_time,"
                 "mmm_unbounded_time,mmm_transfer_time,mmm_thread_time,mmm_theorem1,"
                 "mmm_corollary1,races_allowed,races,verify,results,largest,"
                 "not_compared\n"
                 "m1,x,,,,,,done,,20,1,45,15,0,0,0,,,,,,,,,,,,,,,,,,,,passed,"
                 "equal,global_latency,\n") == 0);
  CHECK(csv.find(",cannot_run,\"no \"\"shared\"\", here\",,,,,") != std::string::npos);
  const std::string lines = render_comparison(comparison, Format::jsonl);
  const Json first = Json::parse(lines.substr(0, lines.find('\n')));
  CHECK(first == comparison_json(comparison)["rows"][0]);
  CHECK(first["time"] == 20);
  CHECK(first["reason"].is_null());
  CHECK(comparison_json(comparison)["rows"][3]["time"].is_null());
  CHECK(first["not_compared"].is_null());
  CHECK(comparison_json(comparison)["arrays"].dump() == R"(["a","b"])");
}

TEST_CASE("a comparison without compared results says why in every format") {
  Comparison comparison = sample();
  comparison.not_compared = "only x on m1 came to its end";
  const std::string table = render_comparison(comparison, Format::table);
  CHECK(table.ends_with("\nresults not compared: only x on m1 came to its end\n"));
  CHECK(comparison_json(comparison)["rows"][0]["not_compared"] == comparison.not_compared);
  CHECK(render_comparison(comparison, Format::csv).find(comparison.not_compared + "\n") !=
        std::string::npos);
}

TEST_CASE("bytes that are not UTF-8 do not lose a comparison") {
  Comparison comparison = sample();
  comparison.rows[0].program = "bad\xff.lane";
  CHECK_NOTHROW(Json::parse(render_comparison(comparison, Format::json)));
  CHECK(render_comparison(comparison, Format::table).find("bad\\xff.lane") != std::string::npos);
}

} // namespace memlane
