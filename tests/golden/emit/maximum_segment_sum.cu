// Maximum segment sum: a reduction of 4-tuples whose operator does not commute.  Koike 2015, sections 4.4.1 and 4.6.3.
//
// maximum_segment_sum, by: memlane emit-cuda maximum_segment_sum -m hmm-h200
// nvcc -O3 -std=c++20 -arch=native -fmad=false -Xcompiler -fwrapv FILE, then ./a.out --help
// First the kernels, then the harness, which is the same in every such file, then main, verify and memory.
// Arrays are volatile: each access of the program is one load or store, as the model counts them.

#include <cxxabi.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#ifdef MEMLANE_HOST // g++ -std=c++20 -fwrapv -DMEMLANE_HOST -x c++: runs on the CPU, for tests
#include <memlane/cuda/cuda_on_host.hpp>
#else
#include <cuda_runtime.h>
#endif

// 2^k modulo 2^64.
__host__ __device__ constexpr long long two_to(long long k) {
  return k < 64 ? (long long)(1ull << k) : 0;
}

__host__ __device__ constexpr int floor_log2(long long x) {
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) return x > 1 ? 63 - __clzll(x) : 0;
#endif
  int k = 0;
  while (x > 1) x >>= 1, ++k;
  return k;
}

__host__ __device__ constexpr bool is_pow2(long long x) { return x > 0 && (x & (x - 1)) == 0; }

template <class T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
  if (b == -1) return T(0 - (unsigned long long)a);
  return a / b + T(a % b != 0 && (a % b < 0) == (b < 0));
}

namespace program {

constexpr int b = 32;
constexpr int k = 132;                                          // multiprocessors of the machine this was emitted for
constexpr int w = 32;                                           // threads of a warp

using item = int;

struct value {
  int mss;
  int sum;
  int mts;
  int mis;
  __host__ __device__ bool operator==(const value& other) const {
    return mss == other.mss && sum == other.sum && mts == other.mts && mis == other.mis;
  }
};
// An array of them: one array a field.
struct value_words {
  volatile int* mss;
  volatile int* sum;
  volatile int* mts;
  volatile int* mis;
  __device__ value operator[](int i) const { return {mss[i], sum[i], mts[i], mis[i]}; }
  __device__ void put(int i, const value& whole) const {
    mss[i] = whole.mss;
    sum[i] = whole.sum;
    mts[i] = whole.mts;
    mis[i] = whole.mis;
  }
  __host__ __device__ value_words operator+(long long first) const {
    return {mss + first, sum + first, mts + first, mis + first};
  }
};

__host__ __device__ inline value lift(int x) { return value{max(x, 0), x, max(x, 0), max(x, 0)}; }
__host__ __device__ inline value combine(value y, value z) {
  return value{max(max(y.mss, z.mss), y.mts + z.mis), y.sum + z.sum, max(z.mts, y.mts + z.sum), max(y.mis, y.sum + z.mis)};
}

/// Algorithm 4.2: every core combines one column of the matrix with p = kb columns.
__global__ void __launch_bounds__(32) cascading(const volatile item* T, value_words W, int n) {
  const int block = blockIdx.x;
  const int lane = threadIdx.x % 32;
  const auto load = [&](int i) -> value { return i < n ? lift(T[i]) : value{0, 0, 0, 0}; };
  __shared__ volatile int x_mss[b];
  __shared__ volatile int x_sum[b];
  __shared__ volatile int x_mts[b];
  __shared__ volatile int x_mis[b];
  const value_words x{x_mss, x_sum, x_mts, x_mis};
  x.put(lane, value{0, 0, 0, 0});
  for (int i = 0; i < ceil_div(n, k * b); ++i) {
    x.put(lane, combine(x[lane], load((i * k + block) * b + lane)));
  }
  for (int h = b / 2; h >= 1; h /= 2) {
    __syncwarp();
    const bool enters1 = lane < h;
    const unsigned lanes1 = __ballot_sync(0xffffffffu, enters1);
    if (enters1) {
      const value value2 = combine(x[lane], x[lane + h]);
      __syncwarp(lanes1);
      x.put(lane, value2);
    }
  }
  __syncwarp();
  if (lane == 0) {
    W.put(block, x[0]);
  }
}

/// Algorithm 4.6: the cores of a multiprocessor are the nodes of a tree; a row of b words enters at each step.
__global__ void __launch_bounds__(32) pipeline(const volatile item* T, value_words W, int n) {
  const int block = blockIdx.x;
  const int lane = threadIdx.x % 32;
  const auto load = [&](int i) -> value { return i < n ? lift(T[i]) : value{0, 0, 0, 0}; };
  __shared__ volatile int y_mss[2 * b];
  __shared__ volatile int y_sum[2 * b];
  __shared__ volatile int y_mts[2 * b];
  __shared__ volatile int y_mis[2 * b];
  const value_words y{y_mss, y_sum, y_mts, y_mis};
  const int rows = ceil_div(ceil_div(n, b), k);
  const int i1 = lane < b / 2 ? 2 * lane : 2 * lane + 1;
  const int i2 = lane < b / 2 ? 2 * lane + 1 : 2 * lane;
  const int ir = lane >= b - 2 ? lane + b : lane % 2 != 0 ? lane + b - 1 : lane + b + 1;
  y.put(lane, value{0, 0, 0, 0});
  __syncwarp();
  y.put(b + lane, value{0, 0, 0, 0});
  for (int j = 0; j < rows; ++j) {
    __syncwarp();
    y.put(lane, load((block * rows + j) * b + lane));
    __syncwarp();
    const value value3 = combine(y[i1], y[i2]);
    __syncwarp();
    y.put(ir, value3);
  }
  for (int j = 1; j <= floor_log2(b); ++j) {
    __syncwarp();
    y.put(lane, value{0, 0, 0, 0});
    __syncwarp();
    const value value4 = combine(y[i1], y[i2]);
    __syncwarp();
    y.put(ir, value4);
  }
  __syncwarp();
  if (lane == 0) {
    W.put(block, y[2 * b - 1]);
  }
}

/// Algorithm 4.3: a block reduces 2b words of Q, in order, to one word of R.
__global__ void __launch_bounds__(32) tree(value_words Q, int size, value_words R, int groups) {
  const int block = blockIdx.x;
  const int lane = threadIdx.x % 32;
  __shared__ volatile int y_mss[2 * b];
  __shared__ volatile int y_sum[2 * b];
  __shared__ volatile int y_mts[2 * b];
  __shared__ volatile int y_mis[2 * b];
  const value_words y{y_mss, y_sum, y_mts, y_mis};
  const int at = 2 * b * block + lane;
  y.put(lane, at < size ? Q[at] : value{0, 0, 0, 0});
  __syncwarp();
  y.put(b + lane, at + b < size ? Q[at + b] : value{0, 0, 0, 0});
  for (int h = b; h >= 1; h /= 2) {
    __syncwarp();
    const bool enters5 = lane < h;
    const unsigned lanes5 = __ballot_sync(0xffffffffu, enters5);
    if (enters5) {
      const value value6 = combine(y[2 * lane], y[2 * lane + 1]);
      __syncwarp(lanes5);
      y.put(lane, value6);
    }
  }
  __syncwarp();
  if (lane == 0) {
    R.put(block, y[0]);
  }
}

} // namespace program

// (the harness)

namespace program {

using namespace harness;

struct value_memory {
  Memory<int> mss;
  Memory<int> sum;
  Memory<int> mts;
  Memory<int> mis;
  template <class... More>
  void allocate(const std::string& its_name, std::initializer_list<long long> extents, More... more) {
    mss.allocate(its_name + ".mss", extents, more...);
    sum.allocate(its_name + ".sum", extents, more...);
    mts.allocate(its_name + ".mts", extents, more...);
    mis.allocate(its_name + ".mis", extents, more...);
  }
  value operator[](long long i) { return {mss[i], sum[i], mts[i], mis[i]}; }
  value initial(long long i) const { return {mss.initial(i), sum.initial(i), mts.initial(i), mis.initial(i)}; }
  void put(long long i, const value& whole) {
    mss[i] = whole.mss;
    sum[i] = whole.sum;
    mts[i] = whole.mts;
    mis[i] = whole.mis;
  }
  value_words device() { return {mss.device(), sum.device(), mts.device(), mis.device()}; }
  int words() const { return mss.words(); }
};

struct Program {
  static constexpr const char* facts =
      R"json("program": "maximum_segment_sum", "sha256": "8c82091466606887153ed950e9498236716ec2e3e4513120869f95aa757aec0d", "variant": "emitted", "replaced": [], "machine": {"model": "hmm", "width": 32, "multiprocessors": 132, "threads": 1024})json";
  static constexpr bool repeatable = true;

  int n{};                                                      // b is halved down to 1
  bool commutative{};
  Memory<item> T;
  value_memory W;                                               // one value a multiprocessor; two rows for the tree
  int src{};

  void sizes(Options& options) {
    n = 100000;
    options.take("n", n);
    commutative = false;
    options.take("commutative", commutative);
    options.require(1 <= n && n <= two_to(30) && is_pow2(w), "n", "1 <= n <= 2^30 and is_pow2(w)");
  }
  std::string parameters() const { return "{" + member("n", n) + ", " + member("commutative", commutative) + "}"; }
  void allocate() {
    T.allocate("T", {n});
    W.allocate("W", {2, k});
  }
  void fill() {
    for (int index = 0; index < T.elements(); ++index) {
      T.fill(index, random_element<int>(0, 0, index, -9, 9));
    }
  }

  void run() {
    if (commutative) {
      launch(cascading, k, b, 0, T.input(), W.device(), n);
    } else {
      launch(pipeline, k, b, 0, T.input(), W.device(), n);
    }
    int left = k;                                               // values still to reduce, in W[src, 0..left]
    src = 0;
    while (left > 1) {
      const int groups = ceil_div(left, 2 * b);
      launch(tree, groups, b, 0, W.device() + src * k, left, W.device() + (1 - src) * k, groups);
      left = groups;
      src = 1 - src;
    }
  }
  void verify() {
    int best = 0;
    int tail = 0;
    for (int i = 0; i < n; ++i) {
      tail = max(tail + T.initial(i), 0);
      best = max(best, tail);
    }
    insist(W.mss[src * k] == best, "the assertion does not hold, maximum_segment_sum.lane:17");
  }
};

} // namespace program

int main(int count, char** words) {
  return harness::run<program::Program>(count, words);
}
