// What a launch may write to, known before it runs, and what the search for races makes of it.
#include "price/written_memory.hpp"
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

namespace memlane::test {

namespace {

struct Matrix {
  std::int64_t rows;
  int* words;
};

/// The names of the memory that the launch may write to.
template <class... T>
std::string written(const LoadedKernels& kernels, const std::string& name, T... values) {
  const ptx::WrittenPlaces places(kernels.module, kernels.kernel(name));
  const auto ranges = places.of(kernels.image, kernels.params(name, values...), kernels.device);
  if (!ranges) return "any";
  std::string names;
  for (const auto& [begin, end] : *ranges) {
    const ptx::DeviceMemory::Range* const range = kernels.device.find(begin);
    REQUIRE(range);
    CHECK(range->end == end);
    names += (names.empty() ? "" : " ") + range->name;
  }
  return names;
}

} // namespace

TEST_CASE("the memory that a launch may write to is known by its addresses' origins") {
  LoadedKernels kernels("written.ptx");
  // One memory, so that their order is known.
  int* const in = kernels.array<int>(64, "in");
  int* const out = kernels.array<int>(64, "out");
  int* const odd = kernels.array<int>(64, "odd");
  const auto either = [](bool first, const std::string& a, const std::string& b) {
    return first ? a + ' ' + b : b + ' ' + a;
  };
  CHECK(written(kernels, "to_parameter", in, out, std::int64_t{1}) == "out");
  // A number that is the address of something is taken for one.
  CHECK(written(kernels, "to_parameter", in, out, reinterpret_cast<std::int64_t>(odd)) ==
        either(out < odd, "out", "odd"));
  CHECK(written(kernels, "to_structure", in, Matrix{2, out}) == "out");
  CHECK(written(kernels, "to_either", out, odd, in) == either(out < odd, "out", "odd"));
  CHECK(written(kernels, "to_variable", in) == "counts");
  CHECK(written(kernels, "to_shared", in, out) == "out");
  CHECK(written(kernels, "to_nothing", in) == "");
  CHECK(written(kernels, "to_tile", out) == "out");
  CHECK(written(kernels, "to_read", out, in) == "any");
  CHECK(written(kernels, "by_function", in, out) == "any");
  CHECK(written(kernels, "to_number", in) == "any");
  CHECK(written(kernels, "to_halves", in) == "any");
  // An address outside of all memory says nothing.
  CHECK(written(kernels, "to_parameter", in, in - 100000, std::int64_t{1}) == "any");
}

TEST_CASE("a launch that leaves the memory that it may write to may have missed races") {
  const MachineSpec machine = hmm(2, 32, 1, 1);
  PricedRun run("written.ptx", machine);
  int* const in = run.kernels.array<int>(64, "in");
  int* const out = run.kernels.array<int>(64, "out");
  const auto shape = grid_of({2, 1, 1}, {32, 1, 1});
  REQUIRE(run.launch("to_parameter", shape, in, out, std::int64_t{1}));
  CHECK(run.pricing.race_search() == "all");
  CHECK(run.pricing.result().races.races == 32); // both blocks write the same words
  const auto distance = static_cast<std::int64_t>(in - out);
  // Thread 1 writes into `in`, which is read.
  REQUIRE(run.launch("to_parameter", grid_of({1, 1, 1}, {2, 1, 1}), in, out, distance));
  CHECK(run.pricing.race_search() == "part");
}

} // namespace memlane::test
