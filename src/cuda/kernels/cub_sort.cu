// A permutation with the library CUB, by sorting the words by their targets, for comparison with
// programs/permutation/permutation.lane.
#include "harness.cuh"

#include <cub/cub.cuh>

#include <numeric>

struct Program {
  static constexpr const char* facts = MEMLANE_FACTS;
  static constexpr bool repeatable = true;
  int n = 1024;
  std::size_t bytes = 0;
  harness::Memory<int> a, P, c, sorted;
  harness::Memory<unsigned char> work;

  void sizes(harness::Options& options) {
    options.take("n", n);
    options.require(n >= 1, "n", "n >= 1");
  }
  std::string parameters() const {
    return "{\"n\": " + std::to_string(n) + ", \"which\": 4}"; // a random permutation
  }
  void allocate() {
    for (harness::Memory<int>* array : {&a, &P, &c, &sorted})
      array->allocate(array == &a ? "a" : array == &P ? "P" : array == &c ? "c" : "sorted", {n});
    const int* in = nullptr;
    int* out = nullptr;
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, out, in, out, n));
    work.allocate("work", {(long long)std::max<std::size_t>(bytes, 1)});
  }
  void fill() {
    std::vector<int> target(n);
    std::iota(target.begin(), target.end(), 0);
    for (int i = n - 1; i > 0; --i) std::swap(target[i], target[harness::random_draw(0, 0, i)]);
    for (int i = 0; i < n; ++i) {
      P.fill(i, target[i]);
      a.fill(i, harness::random_element(0, 0, i, 0, 999));
    }
  }
  void run() {
    harness::perform([this, targets = P.input(), in_order = sorted.device(), from = a.input(),
                      to = c.device(), memory = work.device()] {
      std::size_t size = bytes;
      CHECK(cub::DeviceRadixSort::SortPairs(memory, size, targets, in_order, from, to, n));
    });
  }
  void verify() {
    for (int i = 0; i < n; ++i)
      harness::insist(c[P[i]] == a.initial(i), "a word is not at its target");
  }
};

int main(int count, char** words) { return harness::run<Program>(count, words); }
