// The sorts of Koike 2015 and the stable ones: figures, sizes, equal keys, stability.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace memlane::test {
namespace {

constexpr std::array sorts = {"bitonic_sort",    "heap_merge", "gpu_warpsort",
                              "io_optimal_sort", "radix_sort", "merge_sort"};

nlohmann::json counts_of_sort(const Playground& playground, const std::string& words) {
  const std::string run = "memlane run " + words + " --format json";
  const Outcome outcome = playground.run(run);
  INFO(run << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)["counts"];
}

} // namespace

TEST_CASE("Figure 6.1: the bitonic network of 8 keys has 24 comparators in 6 stages") {
  const Playground playground;
  const nlohmann::json network =
      counts_of_sort(playground, "bitonic_sort -m agpu-teaching --set width=8 -D n=8");
  CHECK(network["fns"]["exchange"]["calls"] == 2 * 24); // both ends compute a comparator
  CHECK(network["fns"]["exchange"]["steps"] == 6);
}

TEST_CASE("Figure 6.5: 8 sequences are merged with 6 accesses of each word by twos, 2 by eight",
          "[release]") {
  const Playground playground;
  const std::string run = "heap_merge -m agpu-teaching -D n=4096 -D sequences=8 -D ways=";
  for (const auto& [ways, accesses] : {std::pair{2, 6}, {4, 4}, {8, 2}}) {
    const nlohmann::json counts = counts_of_sort(playground, run + std::to_string(ways));
    CHECK(counts["agpu"]["io"] == accesses * 4096 / 4);
    CHECK(counts["agpu"]["shared_words"] == 2 * 4 * (ways - 1));
  }
}

TEST_CASE("bitonic sort has the dissertation's I/O: (2n/b)(1 + Q(Q + 3)/2), Q = lg(n/M)",
          "[release]") {
  const Playground playground;
  const std::string run = "bitonic_sort -m agpu-teaching --set width=32 --set multiprocessors=4"
                          " --set shared.capacity=1024 -D tile=1024 -D n=";
  CHECK(counts_of_sort(playground, run + "2^10")["agpu"]["io"] == 2 * 32);
  const nlohmann::json counts = counts_of_sort(playground, run + "2^14");
  CHECK(counts["agpu"]["io"] == 2 * 512 * (1 + 4 * 7 / 2));
  CHECK(counts["agpu"]["multiplicity"] == "1");
}

TEST_CASE("sorts are right at small and ragged sizes on machines of many shapes", "[release]") {
  const Playground playground;
  for (const std::string program : sorts) {
    const Outcome outcome = playground.run(
        "memlane verify " + program +
        " --model hmm --model agpu --points 40 --grid n=1,2,5,31,64,100,257 --grid w=1,2,4,32"
        " --grid d=1,3,4 --grid r=1,2,3 --grid l=1 --grid L=2 --grid p=32 --grid M=12288");
    INFO(program << "\n" << outcome.out << outcome.err);
    CHECK(outcome.out.find("every result right") != std::string::npos);
    // Few sizes show no trend, so O and Omega may fail; exact claims must hold.
    for (const std::string& line : lines_of(outcome.out))
      CHECK((line.rfind("  fails", 0) != 0 || line.find(" = O") != std::string::npos));
  }
}

TEST_CASE("radix sort by digits: exact counts of an MMM at ragged sizes, and its local memory",
          "[release]") {
  const Playground playground;
  const Outcome counts = playground.run(
      "memlane verify radix_sort_tiles --model mmm --points 120 --grid n=1,7,63,100,300,777"
      " --grid t=1,3,16,33 --grid s=1,3,4,7 --grid bits=1,8,13 --grid Z=1024 --grid U=4 --grid "
      "P=3");
  INFO(counts.out << counts.err);
  CHECK(counts.out.find("every result right") != std::string::npos);
  CHECK(counts.out.find("\n  holds             mmm_overhead == ") != std::string::npos);
  CHECK(counts.out.find("\n  fails") == std::string::npos);
  // The block that sorts has 9t + 2^s + 1 words, the one that copies 4t + 2·2^s + 1.
  const std::string run = "memlane run radix_sort_tiles -m mmm-gpu -D t=16";
  const Outcome sorting = playground.run(run + " -D s=4 --set local_words=160");
  CHECK(sorting.status == 2);
  CHECK(sorting.err.find("sort_tile has 161 shared words") != std::string::npos);
  CHECK(sorting.err.find("161 > 160") != std::string::npos);
  CHECK(playground.run(run + " -D s=4 --set local_words=161").status == 0);
  const Outcome copying = playground.run(run + " -D s=7 --set local_words=320");
  CHECK(copying.status == 2);
  CHECK(copying.err.find("scatter has 321 shared words") != std::string::npos);
  CHECK(copying.err.find("321 > 320") != std::string::npos);
}

TEST_CASE("equal keys are cut as evenly as different ones: they are ordered by their places",
          "[release]") {
  const Playground playground;
  const std::string run = "io_optimal_sort -m agpu-teaching -D n=2^14";
  const nlohmann::json different = counts_of_sort(playground, run);
  const nlohmann::json equal =
      counts_of_sort(playground, run + " --fn 'before(x, y) = x/1000 < y/1000'"); // all keys
  const auto time = [](const nlohmann::json& counts) {
    return counts["kernels"]["row_pass"]["agpu"]["time"].get<double>();
  };
  CHECK(time(equal) <= 1.5 * time(different));
}

TEST_CASE("stable sorts keep equal keys in order, and verify sees a sort that does not",
          "[release]") {
  const Playground playground;
  const std::string tens = " -m hmm-teaching --fn 'before(x, y) = x/10 < y/10'";
  CHECK(playground.run("memlane run merge_sort" + tens).status == 0);
  CHECK(playground.run("memlane run radix_sort -m hmm-teaching -D low=20").status == 0);
  spit(playground.folder() + "/unstable.lane",
       "use bitonic_sort\nverify { check_sorted(a, 0, true) }\n");
  CHECK(playground.run("memlane run bitonic_sort" + tens).status == 0);
  const Outcome unstable = playground.run("memlane run unstable.lane" + tens);
  CHECK(unstable.status == 1);
  CHECK(unstable.err.find("not stable") != std::string::npos);
}

} // namespace memlane::test
