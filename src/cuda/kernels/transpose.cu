// Optimised transpose of an n x n matrix, for comparison with programs/matrix/transpose.lane:
// padded tiles of 32 x 32 words, moved by 32 x 8 threads, each with four words in flight.
#include "harness.cuh"

constexpr int side = 32;
constexpr int rows_at_once = 8;

__global__ void transpose(const int* __restrict__ a, int* __restrict__ c, int n) {
  __shared__ int t[side][side + 1];
  const int tiles = n / side;
  const int column = int(threadIdx.x % side), row = int(threadIdx.x / side);
  const long long i0 = (long long)(blockIdx.x / tiles) * side,
                  j0 = (long long)(blockIdx.x % tiles) * side;
#pragma unroll
  for (int r = 0; r < side; r += rows_at_once)
    t[row + r][column] = a[(i0 + row + r) * n + j0 + column];
  __syncthreads();
#pragma unroll
  for (int r = 0; r < side; r += rows_at_once)
    c[(j0 + row + r) * n + i0 + column] = t[column][row + r];
}

struct Program {
  static constexpr const char* facts = MEMLANE_FACTS;
  static constexpr bool repeatable = true;
  int n = 256;
  harness::Memory<int> a, c;

  long long size() const { return (long long)n * n; }
  void sizes(harness::Options& options) {
    options.take("n", n);
    options.require(n >= side && n % side == 0, "n", "n % 32 == 0");
  }
  std::string parameters() const { return "{\"n\": " + std::to_string(n) + "}"; }
  void allocate() {
    a.allocate("a", {size()});
    c.allocate("c", {size()});
  }
  void fill() {
    for (long long i = 0; i < size(); ++i) a.fill(i, int(i));
  }
  void run() {
    harness::launch(transpose, (n / side) * (n / side), side * rows_at_once, 0, a.input(),
                    c.device(), n);
  }
  void verify() {
    for (long long i = 0; i < n; ++i)
      for (long long j = 0; j < n; ++j)
        harness::insist(c[j * n + i] == a.initial(i * n + j), "c is not the transpose of a");
  }
};

int main(int count, char** words) { return harness::run<Program>(count, words); }
