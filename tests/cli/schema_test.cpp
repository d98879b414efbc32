// The shipped JSON Schemas hold for the results of every command, and say nothing that no result
// has.
#include "shell.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

/// A command whose standard output is held against a schema.
/// A figure whose last points are formulas.
constexpr const char* continued_figure = R"({
  "title": "Sums", "source": "A test", "measured": "It grows.",
  "sweeps": { "sums": { "programs": ["sum"], "machines": ["umm-w32"], "axes": { "n": [32, 64] },
    "continue": { "along": "n", "axes": { "n": [128] }, "counts": { "time": "time = O" } } } },
  "checks": [{ "finding": "It grows.", "query": "SELECT count(*) = 3 AS shown FROM sums", "says": "Yes." }]
})";

struct Printed {
  std::string schema;
  int status;
  std::string command;
};

const char* const copy = "param n: long = 64\nparam r: float = 0.5\nparam b: bool = true\n"
                         "fn next(x) { let y = x + 1  return y }\n"
                         "memory a[n]: int\nmemory x[n]: int\n"
                         "kernel k() { forall i in 0..n { a[i] = next(x[i]) } }\n"
                         "main { launch k() }\n";

/// Programs for what shipped ones do not show.
const std::map<std::string, std::string> programs = {
    {"copy", std::string(copy) + "verify { assert a[0] == 1 }\n"},
    {"wrong", std::string(copy) + "verify { assert a[0] == 2 }\n"},
    {"claims", std::string(copy) + "verify { assert a[0] == 1 }\n"
                                   "claim time == 1 \"a made-up one\"\n"
                                   "claim time == 1 on hmm \"a made-up one\"\n"
                                   "claim requests / (n - n) == 1 \"a made-up one\"\n"
                                   "claim time = O(1) \"a made-up one\"\n"
                                   "claim time ~ n^3 \"a made-up one\"\n"},
    {"nine", "memory a[8]: int = random(0, 9)\nmemory o[1]: int\n"
             "kernel k() { if thread == 0 { var m = 0 for i = 0 to 7 { m = max(m, a[i]) }\n"
             "  o[0] = if m == 9 then 8 else m } }\nmain { launch k() threads=32 }\n"
             "verify { for i = 0 to 7 { assert a[i] <= o[0] } }\n"},
    {"unchecked", std::string(copy) + "verify { }\n"},
    {"doubles", "memory a[4]: double = 1.0\nkernel k() { a[lane] = a[lane] * 2.0 }\n"
                "main { launch k() threads=4 }\nverify { assert a[3] == 2.0 }\n"},
    {"prints", "memory a[8]: int\nkernel k() { forall i in 0..8 { a[i] = i  print i } }\n"
               "main { launch k() }\nverify { assert a[3] == 3 }\n"},
    {"races", "races allowed \"a test\"\nmemory a[1]: int\n"
              "kernel k() { forall i in 0..64 { a[0] = i } }\nmain { launch k() }\n"
              "verify { assert a[0] >= 0 }\n"},
    {"late", "param n: int = 16\nmemory a[n]: int\nkernel k() { var i: long = 0  while n < 100 { i "
             "+= a[1] + 1 } }\n"
             "main { launch k() }\nverify { assert true }\nclaim time <= 2 * l \"for the test\"\n"},
    {"keeps", "shared s[b]: int\nmemory c[k*b]: int\nkernel set() { s[lane] = lane }\n"
              "kernel get() { c[block*b + lane] = s[lane] }\n"
              "main { launch set() blocks=k threads=b  launch get() blocks=k threads=b }\n"
              "verify { assert c[1] == 1 }\n"},
    {"allowed",
     "races allowed a \"a test\"\nmemory a[2]: int\nkernel k() { forall i in 0..64 { a[0] = 1 } }\n"
     "main { launch k() }\nverify { assert a[0] == 1 }\n"},
    {"late_block", "races allowed \"a test\"\nmemory a[2]: int\nkernel k() {\n"
                   "  if block == 0 { a[0] = 0  a[0] = 0  a[0] = 1 }\n  if block == 1 and a[0] == "
                   "1 { a[1] = 1 }\n}\n"
                   "main { launch k() blocks=2 }\nverify { }\n"},
    {"endless_map", "param n: int = 1\nmemory a[n], c[n]: int\nkernel k() { var i: long = 0  while "
                    "true { i += 1 } }\n"
                    "main { launch k() }\nverify { }\n"},
    {"endless",
     "memory a[1]: int\nkernel k() { forall i in 0..1 { var j: long = 0  while true { a[0] = "
     "1  j += 1 } } }\nmain { launch k() }\nverify { }\n"}};

const std::vector<Printed> printed = {
    {"run", 0, "run sum -D n=64"},
    {"run", 0, "run transpose -m hmm-teaching -D n=16 --layout t=rows"},
    {"run", 0, "run scan_brent_kung_padded -m dmm-w32 -D n=64 --no-verify --seed 7"},
    {"run", 0, "run sum -D n=2^20 --timing-only"},
    {"run", 0, "run copy.lane --input x=x.txt --fn 'next(x) = x * 2' --no-verify"},
    {"run", 0, "run copy.lane -m hmm-titan-plain --engine reference"},
    {"run", 1, "run wrong.lane"},
    {"run", 0, "run copy.lane -m hmm-titan-plain --watch x[0..8] --watch a"},
    {"run", 1, "run claims.lane"},
    {"run", 0, "run unchecked.lane"},
    {"run", 0, "run prints.lane"},
    {"run", 0, "run races.lane"},
    {"run", 0, "run allowed.lane"},
    {"run", 3, "run endless.lane --max-time 5"},
    {"run", 3, "run endless.lane --max-steps 100"},
    {"run", 0, "run scan_brent_kung -m dmm-w32 -D n=256 --explain --try 'x=padded(1)'"},
    {"run", 0, "run copy.lane -m hmm-teaching --explain --try n=32 --try 'next(x) = 1 + x'"},
    {"run", 0, "run reduction_tree -m agpu-teaching -D n=64 --explain"},
    {"run", 3, "run endless.lane --max-time 5 --explain"},
    {"run", 0, "replay whole.jsonl"},
    {"run", 0, "replay - -m dmm-w32 < cut.jsonl"},
    {"run", 3, "replay whole.jsonl --max-time 3"},
    {"run", 0, "run permutation_hmm -m hmm-teaching"},
    {"run", 0, "run convolution -m hmm-teaching --set threads=4"},
    {"run", 0,
     "ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx --launch "
     "'naive<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096] = random, 64)'"},
    {"run", 0,
     "ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx --explain --launch "
     "'tiled<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096] = random, 64)' --launch "
     "'naive<<<(2,2),(32,8)>>>(in, out, 64)'"},
    {"run", 0,
     "ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx -m hmm-rtx3080 --launch "
     "'naive<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096] = random, 64)'"},
    {"run", 0,
     "run transpose -m hmm-rtx3080 -D n=64 --set requests_in_flight=2 --explain --try "
     "requests_in_flight=4"},
    {"run", 0,
     "ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx -m hmm-rtx3080 --set "
     "requests_in_flight=4 --explain --launch "
     "'tiled<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096] = random, 64)'"},
    {"run", 0,
     "ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx -m hmm-titan-plain --set "
     "multiprocessors=1 --sample-blocks 1 --launch "
     "'naive<<<(2,2),(32,8)>>>(out: float[4096], in: float[4096] = random, 64)'"},
    {"run", 0,
     "ptx " MEMLANE_SOURCE_DIR "/tests/ptx/kernels/price.ptx --launch "
     "'no_barrier<<<1, 64>>>(out: int[64])'"},
    {"compare", 0,
     "compare --command \"ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx --launch "
     "'tiled<<<1,(32,8)>>>(out: float[1024], in: float[1024], 32)'\" --command "
     "\"ptx " MEMLANE_SOURCE_DIR "/programs/cuda/transpose.ptx --launch "
     "'padded<<<1,(32,8)>>>(out: float[1024], in: float[1024], 32)'\" -m hmm-titan-plain --lines"},
    {"compare", 0, "compare prefix_simple prefix_sums -m dmm-w32 -m umm-w32 -D n=64"},
    {"compare", 0, "compare sum scan_kogge_stone -m hmm-teaching -D n=64 --timing-only"},
    {"compare", 1, "compare copy.lane wrong.lane --input x=x.txt"},
    {"compare", 0, "compare copy.lane 'copy.lane --fn \"next(x) = x + 1\"' --lines"},
    {"compare", 0, "compare races.lane -m umm-w32 -m dmm-w32"},
    {"compare", 3, "compare endless.lane copy.lane --max-steps 1000"},
    {"run", 0, "run division -m mmm-gpu -D n=40 -D m=9 -D s=2 --explain --try s=4"},
    {"run", 0, "run division -m mmm-teaching -D n=100 -D m=50 -D s=2"},
    {"compare", 0, "compare division -m mmm-gpu -m mmm-teaching -D n=100 -D m=50 -D s=2"},
    {"compare", 0, "compare division -m mmm-gpu -m mmm-teaching -D n=40 -D m=9 --lines"},
    {"tune", 0, "tune division -D s=1,2,4 -D n=40 -D m=9 -m mmm-gpu --naive s=2"},
    {"compare-models", 0, "compare sum --all-models -D n=64 --price graham_brent:p=8"},
    {"compare-models", 0, "compare sum --all-models -D n=64 --timing-only"},
    {"compare-models", 2, "compare transpose --all-models -m agpu-teaching -D n=16"},
    {"run", 0,
     "run prefix_hmm -m hmm-teaching -D n=64 --pram --price bsp:g=1,l=1/2,p=3 --price io"},
    {"verify", 0, "verify copy.lane --points 5 --model umm --fn 'next(x) = x + 1'"},
    {"verify", 1, "verify wrong.lane --points 20"},
    {"verify", 1, "verify claims.lane --points 20 --fn 'next(x) = x + 1'"},
    {"verify", 0, "verify congestion --model dmm --points 20 --seeds 8"},
    {"verify", 3, "verify unchecked.lane races.lane endless.lane --points 5 --max-time 1000"},
    {"verify", 3, "verify late.lane --model umm --grid n=90,200 --max-seconds 1"},
    {"gpu-compare", 0, "gpu compare measured.jsonl -m hmm-h200-plain"},
    {"gpu-fit", 0, "gpu fit measured.jsonl -m hmm-h200-plain --free unit,launch,L"},
    {"results", 0, "results gpu.db"},
    {"results", 0, "results gpu.db --columns all --limit 2"},
    {"results", 0, "results best gpu.db --by nanoseconds --per n"},
    {"results", 0, "results diff gpu.db gpu.db --by nanoseconds"},
    {"results", 1, "results diff gpu.db --by nanoseconds --left 'n = 1024' --right 'n = 4096'"},
    {"tune", 0, "tune scan -D n=2^12 -D alpha=1,2,4,64 -m agpu-k40c --confirm hmm-titan-plain"},
    {"tune", 0,
     "tune multiply -D n=32 -D m=4,8 --set resident_blocks=1,2 -m hmm-titan-plain --seeds 2"},
    {"tune", 0,
     "tune transpose --layout 't=rows,padded(1)' -D n=64 -m hmm-titan-plain --timing-only"},
    {"tune", 1, "tune wrong.lane -D n=2,4 -m umm-w32"},
    {"tune", 2, "tune strided -D s=1,2 -m umm-w32 --objective mmm_work"},
    {"tune", 3, "tune endless.lane --set latency=1,2 --max-steps 100"},
    {"worst", 0, "worst histogram --of shared_stages -D n=64 --runs 30"},
    {"worst", 0, "worst histogram --of time -D n=3 --vary a=0..1 --least"},
    {"worst", 1, "worst nine.lane --of time -m dmm-w32 --runs 200 -o x.csv"},
    {"worst-of-each", 1, "worst nine.lane --of time -m dmm-w32 -m umm-w32 --runs 200 --each"},
    {"worst-of-each", 1, "worst claims.lane --of requests --vary x --runs 20 --each"},
    {"worst-of-each", 0, "worst histogram --of shared_stages -D n=32,64 --each --runs 20"},
    {"worst", 1, "worst claims.lane --of requests --vary x --fn 'next(x) = x + 1' --runs 20"},
    {"relations", 0, "explain relations reduction --price pem:lambda=400,sigma=10 --seed 7"},
    {"relations", 0, "explain relations keeps.lane --set volatile=false"},
    {"relations", 0, "explain relations reduction -D n=2^20 --timing-only"},
    {"relations", 1, "explain relations late_block.lane"},
    {"relations", 1, "explain relations copy.lane --input x=x.txt --fn 'next(x) = x + 2'"},
    {"relations", 0, "explain relations maximum_segment_sum -D n=64"},
    {"bank", 0, "bank 'lane*32'"},
    {"bank", 0,
     "bank 't[lane, k]' -D k=3 --shape 32,33 --bytes 8 --active 'lane == 5' -m hmm-titan-plain"},
    {"bank", 0, "bank lane --active 'w == 0' -m dmm-w32 -m dmm-figure3 --bytes 16"},
    {"bank", 0, "bank 'a: t[lane, 0]' --with 'b*3: t[0, lane]' --shape 32,32 --best"},
    {"figures", 0, "figures --only 000-fig5-7"},
    {"figures", 0, "figures --quick --only 004-fig3"},
    {"figures", 0, "figures --only continued.json"},
    {"grade", 0, "grade tests/exercises/14_transpose.lane"},
    {"grade", 1, "grade 08_pooling"},
    {"grade", 1, "grade 02_zip --exercise zip"},
    {"grade", 2, "grade copy.lane --exercise 01_map"},
    {"grade", 3, "grade endless_map.lane --exercise 01_map"},
    {"timeline", 0, "timeline figure_access -m umm-figure3"},
    {"timeline", 0, "timeline transpose -m hmm-teaching -D n=16 --layout t=rows --window 20:60"},
    {"timeline", 0, "timeline sum -D n=64 --launch 0 --set instruction_cost=3"},
    {"timeline", 0, "timeline copy.lane --line 7 --requests 4"},
    {"timeline", 0, "timeline copy.lane -m hmm-teaching --set global.group=2"},
    {"timeline", 0, "timeline sum -m hmm-rtx3080 -D n=64"},
    {"timeline", 3, "timeline endless.lane --max-time 5"},
    {"config", 0, "run sum --print-config --set latency=30"},
    {"config", 0, "run sum -m hmm-titan-plain --print-config"},
};

/// Of `--format jsonl`, and of traces.
const std::vector<Printed> lines = {
    {"run", 0, "run sum -D n=64"},
    {"compare-line", 0, "compare sum scan_kogge_stone -m umm-w32 -D n=64"},
    {"compare-line", 0, "compare division -m mmm-gpu -m mmm-teaching -D n=100 -D m=50 -D s=2"},
    {"compare-line", 0, "compare division -m mmm-gpu -m mmm-teaching -D n=40 -D m=9 --lines"},
    {"compare-line", 1,
     "compare sum copy.lane wrong.lane 'copy.lane --fn \"next(x) = x + 1\"' -m umm-w32 -D n=64"},
    {"compare-line", 0, "compare copy.lane races.lane --lines"},
    {"compare-line", 0, "compare races.lane -m umm-w32 -m dmm-w32"},
    {"compare-models-line", 0, "compare sum --all-models -D n=64"},
    {"verify-line", 1, "verify claims.lane --points 20"},
    {"verify-line", 0, "verify congestion --model dmm --points 20"},
    {"verify-line", 1, "verify claims.lane --points 5 --fn 'next(x) = x + 1'"},
    {"results-line", 0, "results gpu.db --columns all"},
    {"results-line", 0, "results best gpu.db --by nanoseconds"},
    {"tune-line", 0,
     "tune scan -D n=2^12 -D alpha=1,2,4,64 -m agpu-k40c --confirm hmm-titan-plain"},
    {"tune-line", 0, "tune transpose --layout 't=rows,padded(1)' -D n=64 -m hmm-titan-plain"},
    {"relations-line", 0, "explain relations keeps.lane --set volatile=false"},
    {"relations-line", 1, "explain relations late_block.lane --price pem:lambda=1,sigma=1"},
    {"bank-line", 0, "bank 'lane/2*4' --warp 1"},
    {"bank-line", 0, "bank lane --active 'lane % 3 == 0' -m dmm-figure3 -m hmm-titan-plain"},
    {"gpu-compare-line", 0, "gpu compare measured.jsonl -m hmm-h200-plain"},
    {"gpu-fit-line", 0, "gpu fit measured.jsonl -m hmm-h200-plain --free unit,launch"},
    {"trace-line", 0, "run prefix_hmm -m hmm-teaching -D n=64 --trace - -o r.txt"},
    {"trace-line", 0, "run copy.lane -m umm-w32 --trace - -o s.txt"},
    {"trace-line", 0,
     "run scan_brent_kung_padded -m umm-teaching -D n=16 --set requests_in_flight=2 --trace - -o "
     "t.txt"},
    {"trace-line", 0,
     "run doubles.lane -m hmm-figure1 --set 'operations=[{\"name\": \"fp64\", \"slots\": "
     "{\"double\": 16}}]' --trace - -o w.txt"},
    {"trace-line", 0,
     "ptx " MEMLANE_SOURCE_DIR "/tests/ptx/kernels/reduction.ptx --trace - -o y.txt --launch "
     "'reduce_last_warp<<<1, 256>>>(in: int[512] = random, out: int[1], 512)'"},
    {"trace-line", 0,
     "ptx " MEMLANE_SOURCE_DIR "/tests/ptx/kernels/atomics.ptx --registers 40 --trace - -o v.txt "
     "--launch 'doubles_of_shared<<<2, 32>>>(1)'"},
    {"trace-line", 0, "run bfs -m hmm-teaching -D n=20 --trace - -o q.txt"},
    {"trace-line", 0, "run product_tree -m hmm-teaching -D levels=1 -D t=8 --trace - -o u.txt"},
};

void print_into(const Playground& playground, const Printed& one, const std::string& format) {
  const fs::path folder = fs::path(playground.folder()) / "results" / one.schema;
  fs::create_directories(folder);
  const auto count = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  const bool trace = one.schema == "trace-line";
  // Redirections stay last.
  const std::size_t from = std::min(one.command.find(" < "), one.command.size());
  const Outcome outcome =
      playground.run("memlane " + one.command.substr(0, from) +
                     (trace ? "" : " --format " + format) + one.command.substr(from));
  INFO(one.command << "\n" << outcome.err);
  CHECK(outcome.status == one.status);
  CHECK(outcome.out != "");
  spit((folder / (std::to_string(count) + "." + format)).string(), outcome.out);
}

/// What the validator says of everything in `results`.
Outcome validated(const Playground& playground) {
  write_schemas(playground);
  return playground.run("'" MEMLANE_PYTHON "' tests/cli/validate.py schemas results");
}

} // namespace

TEST_CASE("the shipped schemas are those that explain schema prints", "[release]") {
  const Playground playground;
  for (const char* const name : {"machine", "sweep", "figure", "exercise", "lesson", "prices"}) {
    const std::string path = fmt::format("{}/configs/{}.schema.json", MEMLANE_SOURCE_DIR, name);
    const Outcome schema = playground.run(fmt::format("memlane explain schema {}", name));
    if (std::getenv("MEMLANE_UPDATE_GOLDEN")) spit(path, schema.out);
    INFO(name);
    CHECK(slurp(path) == schema.out);
  }
}

#ifdef MEMLANE_PYTHON
TEST_CASE("results of every command are what their schemas say", "[release]") {
  const Playground playground;
  for (const auto& [name, text] : programs) spit(playground.folder() + "/" + name + ".lane", text);
  spit(playground.folder() + "/continued.json", continued_figure);
  std::string x;
  for (int i = 0; i < 64; ++i) x += std::to_string(i) + "\n";
  spit(playground.folder() + "/x.txt", x);
  REQUIRE(playground.run("memlane results import gpu.db tests/measure/synthetic.jsonl").status ==
          0);
  REQUIRE(playground.run("memlane run sum -D n=64 --trace whole.jsonl").status == 0);
  REQUIRE(playground.run("head -n 4 whole.jsonl > cut.jsonl").status == 0);
  // Points that were not measured, or cannot be priced, besides those that are made up.
  REQUIRE(
      playground
          .run("cp tests/measure/synthetic.jsonl measured.jsonl && chmod u+w measured.jsonl && { "
               "sed 's/\"emitted\"/\"hand-written\"/' tests/measure/synthetic.jsonl;"
               "sed '1s/\"sum\"/\"gone\"/; 1q' tests/measure/synthetic.jsonl;"
               "echo '{\"memlane_measurement\": 1, \"program\": \"sum\", \"variant\": \"cub\", "
               "\"parameters\": {\"n\": 8}, \"skipped\": \"a test\"}'; } >> measured.jsonl")
          .status == 0);
  for (const Printed& one : printed) print_into(playground, one, "json");
  for (const Printed& one : lines) print_into(playground, one, "jsonl");
  fs::create_directories(playground.folder() + "/results/measured-line");
  REQUIRE(playground
              .run("cat measured.jsonl tests/measure/executable.jsonl "
                   "> results/measured-line/0.jsonl")
              .status == 0);
#ifdef MEMLANE_LAUNCHES
  // An executable whose kernels are in the wrong order.
  REQUIRE(playground
              .run("cp " MEMLANE_LAUNCHES " launches && memlane gpu measure -o launches.jsonl "
                   "./launches tests/ptx/fat/scale_zstd.fatbin ways && "
                   "sed -i '/dynamic_sum/s/[0-9]*\\.0/9.0/g' launches.jsonl")
              .status == 0);
  print_into(playground, {"gpu-compare", 0, "gpu compare launches.jsonl -m hmm-titan-plain"},
             "json");
#endif
  // What memlane cuda wrote of programs/cuda/transposes.cu and tests/cudart/failing.cu, which need
  // nvcc.
  REQUIRE(playground.run("cp tests/golden/cli/cuda_result.jsonl results/run/").status == 0);
  const Outcome outcome = validated(playground);
  INFO(outcome.err);
  CHECK(outcome.out == "\n");
  CHECK(outcome.status == 0);
}

TEST_CASE("a schema refuses members that it does not know, and misses those that are gone",
          "[release]") {
  const Playground playground;
  const auto whole =
      nlohmann::ordered_json::parse(playground.run("memlane run sum -D n=64 --format json").out);
  fs::create_directories(playground.folder() + "/results/run");
  const auto keep = [&](const std::string& file, const nlohmann::ordered_json& result) {
    spit(playground.folder() + "/results/run/" + file + ".json", result.dump());
  };
  keep("whole", whole);
  std::vector<std::string> complaints;
  const std::vector<std::pair<const char*, const char*>> places = {
      {"", "tool"},
      {"/machine", "model"},
      {"/counts", "time"},
      {"/counts/units/global/0", "busy"},
      {"/claims/0", "verdict"}};
  for (const auto& [place, member] : places) {
    const nlohmann::ordered_json::json_pointer at(place);
    const std::string number = std::to_string(complaints.size());
    auto more = whole;
    more[at]["colour"] = 3;
    keep("more" + number, more);
    complaints.push_back("more" + number + ".json:1: ");
    auto less = whole;
    less[at].erase(member);
    keep("less" + number, less);
    complaints.push_back("less" + number + ".json:1: ");
  }
  const std::string text = validated(playground).out;
  CHECK(text.find("whole.json") == std::string::npos);
  for (const std::string& complaint : complaints) {
    INFO(complaint);
    CHECK(text.find(complaint) != std::string::npos);
  }
}
#endif

} // namespace memlane::test
