// Prefix sums of n numbers with the library CUB, for comparison with programs/scan/prefix_hmm.lane.
#include "harness.cuh"

#include <cub/cub.cuh>

struct Program {
  static constexpr const char* facts = MEMLANE_FACTS;
  static constexpr bool repeatable = true;
  int n = 4096;
  std::size_t bytes = 0;
  harness::Memory<int> a, sums;
  harness::Memory<unsigned char> work;

  void sizes(harness::Options& options) {
    options.take("n", n);
    options.require(n >= 1, "n", "n >= 1");
  }
  std::string parameters() const { return "{\"n\": " + std::to_string(n) + "}"; }
  void allocate() {
    a.allocate("a", {n});
    sums.allocate("sums", {n});
    CHECK(cub::DeviceScan::InclusiveSum(nullptr, bytes, (const int*)nullptr, (int*)nullptr, n));
    work.allocate("work", {(long long)std::max<std::size_t>(bytes, 1)});
  }
  void fill() {
    for (int i = 0; i < n; ++i) a.fill(i, harness::random_element(0, 0, i, 0, 9));
  }
  void run() {
    harness::perform([this, from = a.input(), to = sums.device(), memory = work.device()] {
      std::size_t size = bytes;
      CHECK(cub::DeviceScan::InclusiveSum(memory, size, from, to, n));
    });
  }
  void verify() {
    unsigned s = 0;
    for (int i = 0; i < n; ++i) {
      s += unsigned(a.initial(i));
      harness::insist(sums[i] == int(s), "a word of sums is not the sum of the numbers up to it");
    }
  }
};

int main(int count, char** words) { return harness::run<Program>(count, words); }
