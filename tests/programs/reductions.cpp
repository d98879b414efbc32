// The reductions of Koike 2015: their counts, their operators, and the figure of the pipeline.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <vector>

namespace memlane::test {
namespace {

constexpr std::array algorithms = {"reduction", "reduction_cascading", "reduction_tree",
                                   "reduction_matrix"};

/// Koike's counts of 2^14 items, or of other parameters, at b = 32 and k = 4.
nlohmann::json counts_of(const Playground& playground, const std::string& program) {
  const std::string run = "memlane run " + program +
                          " -m agpu-teaching --set width=32 --set multiprocessors=4"
                          " --set shared.capacity=12288 --format json";
  const Outcome outcome = playground.run(run);
  INFO(run << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)["counts"];
}

struct Expected {
  const char* run;
  int io, steps, time;
};

/// Small and ragged sizes on small machines.
const std::string shapes =
    " --model hmm --model agpu --points 80 --grid n=1,2,5,31,64,100,257 --grid w=1,2,4,32"
    " --grid d=1,3,4 --grid r=1,2,3,4 --grid l=1 --grid L=2 --grid p=32 --grid M=12288";

void check_shapes(const Playground& playground, const std::string& program) {
  const Outcome outcome = playground.run("memlane verify " + program + shapes);
  INFO(program << "\n" << outcome.out << outcome.err);
  CHECK(outcome.out.find("every result right") != std::string::npos);
  CHECK(outcome.out.find("\n  fails") == std::string::npos);
}

} // namespace

TEST_CASE("the reductions of 2^14 words have the dissertation's counts at b = 32 and k = 4",
          "[release]") {
  const Playground playground;
  for (const Expected& expected : std::vector<Expected>{
           {"reduction", 518, 139, 269 + 11},
           {"reduction_cascading", 518, 139, 263 + 11},
           {"reduction_matrix", 518, 139, 263 + 11},
           {"reduction_matrix --layout d=rows", 518, 139, 128 + 128 * 32 + 7 + 11},
           {"reduction_tree", 782, 396, (64 + 1 + 1) * 11},
           {"reduction_tree -D commutative=true", 782, 396, (64 + 1 + 1) * 9},
           {"reduction_tree -D n=2^20", 49934, 24972, 45782}, // printed: I/O 49935
           {"maximum_segment_sum -D r=2", 512 + 4 * 8 + 4 * 2, 144, 416 + 23}}) {
    const nlohmann::json counts = counts_of(playground, expected.run);
    INFO(expected.run);
    CHECK(counts["agpu"]["io"] == expected.io);
    CHECK(counts["fns"]["combine"]["steps"] == expected.steps);
    CHECK(counts["agpu"]["time"] == expected.time);
  }
}

TEST_CASE("sums, maxima and products of matrices are right on machines of many shapes",
          "[release]") {
  const Playground playground;
  for (const std::string program : algorithms) {
    check_shapes(playground, program);
    check_shapes(playground,
                 program + " --fn 'combine(x, y) = max(x, y)' --fn 'identity = lowest(value)'");
    if (program == "reduction_cascading") continue;
    spit(playground.folder() + "/product.lane", "use map_reduce\nuse " + program + "\n");
    check_shapes(playground, "product.lane");
  }
}

TEST_CASE("cascading and the tree of Algorithm 4.1 need an operator that commutes", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/product.lane", "use map_reduce\nuse reduction_cascading\n");
  spit(playground.folder() + "/tree.lane", "use map_reduce\nuse reduction_tree\n");
  for (const char* run : {"product.lane", "tree.lane -D commutative=true"}) {
    const Outcome outcome =
        playground.run("memlane run " + std::string(run) + " -m hmm-titan-plain");
    INFO(run);
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find("assert failed") != std::string::npos);
  }
  CHECK(playground.run("memlane run tree.lane -m hmm-titan-plain").status == 0);
}

TEST_CASE("the dissertation's segment has the maximum sum 6, by the pipeline and by the tree") {
  const Playground playground;
  for (const char* program : {"maximum_segment_sum", "maximum_segment_sum_tree"}) {
    spit(playground.folder() + "/segment.lane",
         "use " + std::string(program) +
             "\nparam n: long = 7 where n == 7\n"
             "memory T[n]: item = [3, -1, -4, 1, 5, -9, 2]\n"
             "verify { assert W[at] == value(6, -3, 2, 4) }\n");
    const Outcome outcome = playground.run("memlane run segment.lane -m hmm-teaching");
    INFO(program << "\n" << outcome.err);
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("reductions of many words have the dissertation's order on the K20c, and why",
          "[release]") {
  const Playground playground;
  // 64 warps a multiprocessor, but room for the tiles of 11: fewer hide less latency.
  const auto counts_of_run = [&](const std::string& program) {
    const Outcome outcome = playground.run("memlane run " + program +
                                           " -m hmm-k20c -D n=13*2^16 -D r=64 --format json");
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["counts"];
  };
  const nlohmann::json cascading = counts_of_run("reduction_cascading"),
                       pipeline = counts_of_run("reduction"),
                       tree = counts_of_run("reduction_tree"),
                       matrix = counts_of_run("reduction_matrix");
  CHECK(cascading["time"] < pipeline["time"]);
  CHECK(pipeline["time"] < tree["time"]);
  CHECK(tree["time"] < matrix["time"]);
  CHECK(tree["agpu"]["time"] > 2 * pipeline["agpu"]["time"].get<std::int64_t>());
  CHECK(matrix["agpu"]["io"] == pipeline["agpu"]["io"]);
  CHECK(matrix["agpu"]["multiplicity"] == "128/11");
}

TEST_CASE("figure_pipeline prints the rows of Figure 4.10") {
  const Playground playground;
  const Outcome outcome = playground.run("memlane run figure_pipeline -m hmm-teaching");
  CHECK(outcome.status == 0);
  const std::string rows = "time 1 rows 1 1 1 1\ntime 2 rows 1 1 0 0\n"
                           "time 3 rows 2 2 2 2\ntime 4 rows 2 2 1 0\n"
                           "time 5 rows 3 3 3 3\ntime 6 rows 3 3 2 1\n"
                           "time 7 rows 4 4 4 4\ntime 8 rows 4 4 3 2\n";
  INFO(outcome.err);
  CHECK(outcome.err.find(rows) == 0);
}

} // namespace memlane::test
