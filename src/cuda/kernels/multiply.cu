// Optimised product of two n x n matrices, for comparison with programs/matrix/multiply.lane. A
// block computes 128 x 128 words of c, a thread 8 x 8 of them in registers, so that a word read
// from shared memory is used in eight products. Threads load the next words of a and b while they
// multiply the current ones.
#include "harness.cuh"

constexpr int side = 128; // the side of a block's part of c
constexpr int depth = 8;  // the length of a step along k
constexpr int own = 8;    // side of a thread's part of c
constexpr int threads_of_side = side / own;
constexpr int threads = threads_of_side * threads_of_side;
constexpr int words = side * depth / threads; // words of a, and of b, that a thread loads in a step

struct Tiles { // a by columns, b by rows; the padding avoids bank conflicts of stores to a
  int a[depth][side + 4], b[depth][side];
};

/// A thread's words of the next step, in registers.
struct Prefetched {
  int a[words], b[words];
  __device__ void load(const int* __restrict__ from_a, const int* __restrict__ from_b, int n,
                       int i0, int j0, int k0) {
#pragma unroll
    for (int x = 0; x < words; ++x) {
      const int at = x * threads + int(threadIdx.x);
      const int i = i0 + at / depth, k = k0 + at % depth;
      a[x] = i < n && k < n ? from_a[(long long)i * n + k] : 0;
      const int row = k0 + at / side, j = j0 + at % side;
      b[x] = row < n && j < n ? from_b[(long long)row * n + j] : 0;
    }
  }
  __device__ void store(Tiles& tiles) const {
#pragma unroll
    for (int x = 0; x < words; ++x) {
      const int at = x * threads + int(threadIdx.x);
      tiles.a[at % depth][at / depth] = a[x];
      tiles.b[at / side][at % side] = b[x];
    }
  }
};

__global__ void multiply(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ c,
                         int n) {
  __shared__ Tiles tiles;
  const int blocks_of_side = (n + side - 1) / side;
  const int i0 = int(blockIdx.x) / blocks_of_side * side,
            j0 = int(blockIdx.x) % blocks_of_side * side;
  const int row = int(threadIdx.x) / threads_of_side, column = int(threadIdx.x) % threads_of_side;
  int sums[own][own] = {};
  Prefetched next;
  next.load(a, b, n, i0, j0, 0);
  for (int k0 = 0; k0 < n; k0 += depth) {
    next.store(tiles);
    __syncthreads();
    if (k0 + depth < n) next.load(a, b, n, i0, j0, k0 + depth);
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      int x[own], y[own];
#pragma unroll
      for (int e = 0; e < own; ++e) x[e] = tiles.a[k][row * own + e];
#pragma unroll
      for (int e = 0; e < own; ++e)
        y[e] = tiles.b[k][e * threads_of_side + column]; // no bank conflicts
#pragma unroll
      for (int e = 0; e < own; ++e)
#pragma unroll
        for (int f = 0; f < own; ++f) sums[e][f] += x[e] * y[f];
    }
    __syncthreads();
  }
#pragma unroll
  for (int e = 0; e < own; ++e)
#pragma unroll
    for (int f = 0; f < own; ++f) {
      const int i = i0 + row * own + e, j = j0 + f * threads_of_side + column;
      if (i < n && j < n) c[(long long)i * n + j] = sums[e][f];
    }
}

struct Program {
  static constexpr const char* facts = MEMLANE_FACTS;
  static constexpr bool repeatable = true;
  int n = 64;
  harness::Memory<int> a, b, c;

  long long size() const { return (long long)n * n; }
  void sizes(harness::Options& options) {
    options.take("n", n);
    options.require(n >= 1, "n", "n >= 1");
  }
  std::string parameters() const { return "{\"n\": " + std::to_string(n) + "}"; }
  void allocate() {
    a.allocate("a", {size()});
    b.allocate("b", {size()});
    c.allocate("c", {size()});
  }
  void fill() {
    for (long long i = 0; i < size(); ++i) {
      a.fill(i, harness::random_element(0, 0, i, 0, 9));
      b.fill(i, harness::random_element(1, 0, i, 0, 9));
    }
  }
  void run() {
    const long long blocks_of_side = (n + side - 1) / side;
    harness::launch(multiply, blocks_of_side * blocks_of_side, threads, 0, a.input(), b.input(),
                    c.device(), n);
  }
  /// Freivalds (1979): c x = a (b x) for a random x of zeros and ones, three times.
  void verify() {
    for (std::uint64_t trial = 0; trial < 3; ++trial) {
      std::vector<unsigned> x(n), y(n);
      for (int j = 0; j < n; ++j)
        x[j] =
            unsigned(harness::random_integer(harness::host_stream(trial), std::uint64_t(j), 0, 1));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) y[i] += unsigned(b.initial((long long)i * n + j)) * x[j];
      for (int i = 0; i < n; ++i) {
        unsigned left = 0, right = 0;
        for (int j = 0; j < n; ++j) {
          left += unsigned(c.get((long long)i * n + j)) * x[j];
          right += unsigned(a.initial((long long)i * n + j)) * y[j];
        }
        harness::insist(left == right, "c x is not a (b x)");
      }
    }
  }
};

int main(int count, char** words) { return harness::run<Program>(count, words); }
