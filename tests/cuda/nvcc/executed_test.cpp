// Every shipped program as CUDA C++, compiled by nvcc and run by `memlane cuda`: its arrays are the
// simulator's, and so are the requests and stages of each of its lines. Hidden, as only nvcc's
// tests in tests/CMakeLists.txt have a cost: the longest begin first.
#include "cuda/emitted.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace memlane::test {
namespace {

constexpr const char* unrolled =
    "nvcc unrolls the loop four times and runs the rounds that are left over first, so that "
    "threads with fewer rounds are behind the others of their warp";
constexpr const char* one_store =
    "both branches of the 'if' end with a store, and nvcc places one behind the 'if'";
constexpr const char* entered_twice =
    "nvcc's 'or' and 'and' jump to each branch of the 'if' from two places; lanes that come from "
    "different ones execute the branch one after the other";

const std::vector<OtherRequests> other_requests = {
    {"contiguous", "n=5000", "contiguous.lane:8", {157, 161}, unrolled},
    {"radix_sort", "n=3000 low=20 r=2", "radix_sort.lane:32", {846, 1124}, unrolled},
    {"scan_kogge_stone", "n=512", "scan_kogge_stone.lane:12", {402, 402}, one_store},
    {"scan_kogge_stone", "n=512", "scan_kogge_stone.lane:13", {20, 20}, one_store},
    {"merge_sort", "n=3000 r=2", "merge_sort.lane:30", {3314, 7239}, entered_twice},
    {"merge_sort", "n=3000 r=2", "merge_sort.lane:33", {3722, 7933}, entered_twice}};

const std::vector<WideLines> wide_lines = {
    {"cholesky", "", {"cholesky.lane:10", "cholesky.lane:11"}},
    {"sum_asynchronous", "number=long", {}},
    {"prefix_asynchronous", "number=long", {}},
    {"compact", "value=long", {}},
    {"map_reduce", "", {}},
    {"segmented_scan", "", {"segmented_scan.lane:20"}},
    {"io_optimal_sort",
     "",
     {"io_optimal_sort.lane:21", "io_optimal_sort.lane:55", "io_optimal_sort.lane:69",
      "io_optimal_sort.lane:71", "io_optimal_sort.lane:85", "io_optimal_sort.lane:87",
      "io_optimal_sort.lane:88"}},
    {"gpu_warpsort",
     "",
     {"io_optimal_sort.lane:55", "io_optimal_sort.lane:69", "io_optimal_sort.lane:85",
      "io_optimal_sort.lane:87", "io_optimal_sort.lane:88"}}};

// Groups that are compiled together; the fourth test has all others.
const std::vector<std::string> sums = {"sums", "reductions", "matrices", "transposes"};
const std::vector<std::string> scans = {"scans", "bulk", "summed area tables"};
const std::vector<std::string> sorts = {"sorts", "stable sorts", "permutations"};

std::vector<std::string> others() {
  std::vector<std::string> rest;
  for (const auto& [group, cases] : shipped_cases()) rest.push_back(group);
  for (const auto* groups : {&sums, &scans, &sorts})
    for (const std::string& group : *groups) std::erase(rest, group);
  return rest;
}

void check_groups(const std::vector<std::string>& groups, std::vector<EmittedCase> cases = {}) {
  for (const std::string& group : groups)
    for (const EmittedCase& emitted : cases_of_turn(group, 1)) cases.push_back(emitted);
  check_executed(Playground(), MEMLANE_NVCC, cases, other_requests, wide_lines);
}

std::vector<double> doubles_of(const std::string& path) {
  const std::string bytes = slurp(path);
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

/// The greatest difference between an array of the program on tensor cores and the simulator's.
double difference_by_wmma(const std::string& program, const std::string& options,
                          const std::string& array) {
  const Playground playground;
  INFO(program << " " << options);
  const Outcome run = playground.run(
      "mkdir tensor && memlane emit-cuda " + program + options + " --wmma -o tensor.cu && " +
      MEMLANE_NVCC +
      " -std=c++20 -fmad=false -Xcompiler -fwrapv -cudart shared -arch=sm_80 "
      "tensor.cu -o emitted && memlane cuda ./emitted --samples 0 --outputs tensor --seed 7 && "
      "memlane run " +
      program + options + " --seed 7 --output " + array + "=simulated.bin");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.out.find("\"verify\": \"passed\"") != std::string::npos);
  const std::vector<double> emitted = doubles_of(playground.folder() + "/tensor/" + array + ".bin"),
                            simulated = doubles_of(playground.folder() + "/simulated.bin");
  REQUIRE(!simulated.empty());
  REQUIRE(emitted.size() == simulated.size());
  double most = 0;
  for (std::size_t k = 0; k < emitted.size(); ++k)
    most = std::max(most, std::abs(emitted[k] - simulated[k]));
  return most;
}

} // namespace

TEST_CASE("emitted programs under 'memlane cuda': tensor cores", "[.nvcc]") {
  // Sums of whole numbers are exact.
  const std::string doubles = " -m hmm-tensor --type number=double";
  CHECK(difference_by_wmma("tensor_multiply", doubles, "c") == 0);
  CHECK(difference_by_wmma("tensor_multiply", doubles + " --set tensor.size=8 -D n=24", "c") == 0);
  CHECK(difference_by_wmma("tensor_multiply", doubles + " --set tensor.size=32", "c") == 0);
  // Twice two products of 16 terms each: factors are below 1 and 2, sums below 2^6, then factors
  // below 2^7 and sums below 2^12. The second pass multiplies differences of the first by up to 46.
  const double bound = 2 * 17 * 0x1p-52 * (46 * 0x1p6 + 0x1p12);
  CHECK(difference_by_wmma("tensor_dft", " -m hmm-tensor", "re") < bound);
}

TEST_CASE("emitted programs under 'memlane cuda': sums", "[.nvcc]") { check_groups(sums); }
TEST_CASE("emitted programs under 'memlane cuda': scans", "[.nvcc]") { check_groups(scans); }
TEST_CASE("emitted programs under 'memlane cuda': sorts", "[.nvcc]") { check_groups(sorts); }
TEST_CASE("emitted programs under 'memlane cuda': others", "[.nvcc]") {
  check_groups(others(), {{"tests/cuda/lane/lowest.lane", "-m hmm-h200-plain"},
                          {"tests/cuda/lane/parted.lane", "-m hmm-h200-plain"}});
}

} // namespace memlane::test
