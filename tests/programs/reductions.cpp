// The reductions of Koike 2015: their counts, their operators, and the figure of the pipeline.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace memlane::test {
namespace {

constexpr std::array algorithms = {"reduction", "reduction_cascading", "reduction_tree",
                                   "reduction_matrix"};

/// Runs a program on an HMM of four multiprocessors and width 32.
nlohmann::json counts_of(const Playground& playground, const std::string& program) {
  const Outcome outcome = playground.run("memlane run " + program +
                                         " -m hmm-titan --set multiprocessors=4 --format json");
  INFO(program << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)["counts"];
}

std::int64_t steps_of(const nlohmann::json& counts) { return counts["fns"]["combine"]["steps"]; }
std::int64_t io_of(const nlohmann::json& counts) { return counts["units"]["global"][0]["stages"]; }

/// Small and ragged sizes on small machines.
const std::string shapes =
    " --model hmm --points 250 --grid n=1,2,5,31,64,100,257 --grid w=1,2,4,32"
    " --grid d=1,3,4 --grid r=1,2,3,4 --grid l=1 --grid L=2 --grid p=32";

void check_shapes(const Playground& playground, const std::string& program) {
  const Outcome outcome = playground.run("memlane verify " + program + shapes);
  INFO(program << "\n" << outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("every result right") != std::string::npos);
}

} // namespace

TEST_CASE("the reductions of 2^14 words have the dissertation's counts at b = 32 and k = 4") {
  const Playground playground;
  for (const char* program : {"reduction", "reduction_cascading", "reduction_matrix"}) {
    const nlohmann::json counts = counts_of(playground, std::string(program) + " -D n=2^14");
    INFO(program);
    CHECK(io_of(counts) == 518);
    CHECK(steps_of(counts) == 139);
  }
  for (const char* commutative : {"true", "false"}) {
    const nlohmann::json counts = counts_of(playground, "reduction_tree -D n=2^14 -D commutative=" +
                                                            std::string(commutative));
    CHECK(io_of(counts) == 782);
    CHECK(steps_of(counts) == 396);
  }
  CHECK(io_of(counts_of(playground, "reduction_tree -D n=2^20")) == 49934); // printed: 49935
}

TEST_CASE("sums, maxima and products of matrices are right on machines of many shapes") {
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

TEST_CASE("cascading and the tree of Algorithm 4.1 need an operator that commutes") {
  const Playground playground;
  spit(playground.folder() + "/product.lane", "use map_reduce\nuse reduction_cascading\n");
  spit(playground.folder() + "/tree.lane", "use map_reduce\nuse reduction_tree\n");
  for (const char* run : {"product.lane", "tree.lane -D commutative=true"}) {
    const Outcome outcome = playground.run("memlane run " + std::string(run) + " -m hmm-titan");
    INFO(run);
    CHECK(outcome.status == 1);
    CHECK(outcome.err.find("assert failed") != std::string::npos);
  }
  CHECK(playground.run("memlane run tree.lane -m hmm-titan").status == 0);
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
