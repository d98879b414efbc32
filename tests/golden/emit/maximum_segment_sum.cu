// Maximum segment sum: a reduction of 4-tuples whose operator does not commute.  Koike 2015, sections 4.4.1 and 4.6.3.
//
// maximum_segment_sum, by: memlane emit-cuda maximum_segment_sum -m hmm-h200-plain
// nvcc -O3 -std=c++20 -arch=native -fmad=false -Xcompiler -fwrapv FILE, then ./a.out --help
// Without a GPU: -cudart shared -lineinfo in place of -arch=native, then memlane cuda ./a.out --samples 0
// First the kernels, then the harness, which is the same in every such file, then main, verify and memory.
// Arrays are volatile: each access of the program is one load or store, as the model counts them.

#include <cxxabi.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
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
#include <string_view>
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

using item = int;

struct value {
  int mss;
  int sum;
  int mts;
  int mis;
  __host__ __device__ bool operator==(const value& record) const {
    return mss == record.mss && sum == record.sum && mts == record.mts && mis == record.mis;
  }
};
// An array of them: one array a field.
struct value_words {
  volatile int* mss;
  volatile int* sum;
  volatile int* mts;
  volatile int* mis;
  __device__ value operator[](int index) const { return {mss[index], sum[index], mts[index], mis[index]}; }
  __device__ void put(int index, const value& record) const {
    mss[index] = record.mss;
    sum[index] = record.sum;
    mts[index] = record.mts;
    mis[index] = record.mis;
  }
  __host__ __device__ value_words operator+(long long index) const {
    return {mss + index, sum + index, mts + index, mis + index};
  }
};

__host__ __device__ inline value lift(int x) { return value{max(x, 0), x, max(x, 0), max(x, 0)}; }
__host__ __device__ inline int left_word(int c) { return c < b / 2 ? 2 * c : 2 * c + 1; }
__host__ __device__ inline int right_word(int c) { return c < b / 2 ? 2 * c + 1 : 2 * c; }
__host__ __device__ inline value combine(value y, value z) {
  return value{max(max(y.mss, z.mss), y.mts + z.mis), y.sum + z.sum, max(z.mts, y.mts + z.sum), max(y.mis, y.sum + z.mis)};
}
__host__ __device__ inline int result_word(int c) {
  return c >= b - 2 ? c + b : c % 2 != 0 ? c + b - 1 : c + b + 1;
}

/// Algorithm 4.6: each block has consecutive rows of b words; one enters the pipeline at each step.
__global__ void __launch_bounds__(32) local(const volatile item* T, value_words W, int n, int rows) {
  const int block = blockIdx.x;
  const int lane = threadIdx.x % 32;
  const auto load = [&](long long i) -> value { return i < n ? lift(T[i]) : value{0, 0, 0, 0}; };
  __shared__ volatile int y_mss[2 * b];
  __shared__ volatile int y_sum[2 * b];
  __shared__ volatile int y_mts[2 * b];
  __shared__ volatile int y_mis[2 * b];
  const value_words y{y_mss, y_sum, y_mts, y_mis};
  y.put(lane, value{0, 0, 0, 0});
  __syncwarp();
  y.put(b + lane, value{0, 0, 0, 0});
  for (int j = 0; j < rows; ++j) {
    __syncwarp();
    y.put(lane, load(((long long)block * rows + j) * b + lane));
    __syncwarp();
    const value value1 = combine(y[left_word(lane)], y[right_word(lane)]);
    __syncwarp();
    y.put(result_word(lane), value1);
  }
  for (int j = 1; j <= floor_log2(b); ++j) {
    __syncwarp();
    y.put(lane, value{0, 0, 0, 0});
    __syncwarp();
    const value value2 = combine(y[left_word(lane)], y[right_word(lane)]);
    __syncwarp();
    y.put(result_word(lane), value2);
  }
  __syncwarp();
  if (lane == 0) {
    W.put(block, y[2 * b - 1]);
  }
}

/// The words of x, combined into x[0].
__device__ void fold(value_words x, int size, bool commutative) {
  const int lane = threadIdx.x % 32;
  for (int h = size / 2; h >= 1; h /= 2) {
    __syncwarp();
    const bool enters3 = lane < h;
    const unsigned lanes3 = __ballot_sync(0xffffffffu, enters3);
    if (enters3) {
      if (commutative) {
        const value value4 = combine(x[lane], x[lane + h]);
        __syncwarp(lanes3);
        x.put(lane, value4);
      } else {
        const value value5 = combine(x[2 * lane], x[2 * lane + 1]);
        __syncwarp(lanes3);
        x.put(lane, value5);
      }
    }
  }
}

/// A level of the tree: groups of 2b of the `size` values in W[from..], a value each.
__global__ void __launch_bounds__(32) level(value_words W, long long from, long long size, bool commutative, int next) {
  const int block = blockIdx.x;
  const int blocks = gridDim.x;
  const int lane = threadIdx.x % 32;
  __shared__ volatile int y_mss[2 * b];
  __shared__ volatile int y_sum[2 * b];
  __shared__ volatile int y_mts[2 * b];
  __shared__ volatile int y_mis[2 * b];
  const value_words y{y_mss, y_sum, y_mts, y_mis};
  for (long long g = block; g < ceil_div(size, (long long)(2 * b)); g += blocks) {
    const long long at = 2 * b * g + lane;
    __syncwarp();
    y.put(lane, at < size ? W[from + at] : value{0, 0, 0, 0});
    __syncwarp();
    y.put(b + lane, at + b < size ? W[from + at + b] : value{0, 0, 0, 0});
    fold(y, 2 * b, commutative);
    __syncwarp();
    if (lane == 0) {
      W.put(next - from + g, y[0]);
    }
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
  void allocate(const std::string& array_name, std::initializer_list<long long> sizes, auto... placement) {
    mss.allocate(array_name + ".mss", sizes, placement...);
    sum.allocate(array_name + ".sum", sizes, placement...);
    mts.allocate(array_name + ".mts", sizes, placement...);
    mis.allocate(array_name + ".mis", sizes, placement...);
  }
  value operator[](long long index) { return {mss[index], sum[index], mts[index], mis[index]}; }
  value initial(long long index) const { return {mss.initial(index), sum.initial(index), mts.initial(index), mis.initial(index)}; }
  void put(long long index, const value& record) {
    mss[index] = record.mss;
    sum[index] = record.sum;
    mts[index] = record.mts;
    mis[index] = record.mis;
  }
  value_words device() { return {mss.device(), sum.device(), mts.device(), mis.device()}; }
  int words() const { return mss.words(); }
};

struct Program {
  static constexpr const char* facts =
      R"json("program": "maximum_segment_sum", "sha256": "179c4aeef564eadfbdfe928c9f66b4f7b5fa01b150f7217e856d4ed5d8386a66", "variant": "emitted", "replaced": [], "machine": {"model": "hmm", "width": 32, "multiprocessors": 132, "threads": 1024})json";
  static constexpr bool repeatable = true;

  long long n{};                                                // b is halved down to 1
  int r{};                                                      // blocks of a multiprocessor: Koike 2015, Theorem 3.9
  bool commutative{};                                           // the tree is Algorithm 4.1, else 4.3
  long long parts{};                                            // values that `local` leaves
  long long rows{};                                             // of b words, for each block
  long long next{};                                             // the tree's levels alternate between W[0..] and W[next..]
  Memory<item> T;
  value_memory W;
  long long at{};

  void sizes(Options& options) {
    n = two_to(14);
    options.take("n", n);
    r = 1;
    options.take("r", r);
    commutative = false;
    options.take("commutative", commutative);
    parts = k * r;
    rows = ceil_div(ceil_div(n, (long long)b), (long long)(k * r));
    next = b * ceil_div(parts, (long long)b);
    options.require(n >= 1 && is_pow2(b), "n", "n >= 1 and is_pow2(b)");
    options.require(1 <= r && r <= two_to(30) / (k * b), "r", "1 <= r <= 2^30/(k*b)");
  }
  std::string parameters() const { return "{" + member("n", n) + ", " + member("r", r) + ", " + member("commutative", commutative) + "}"; }
  void allocate() {
    T.allocate("T", {n});
    W.allocate("W", {next + ceil_div(parts, (long long)(2 * b))});
  }
  void fill() {
    for (int index = 0; index < T.elements(); ++index) {
      T.fill(index, random_element<int>(0, 0, index, -9, 9));
    }
  }

  void run() {
    launch(local, k * r, b, 0, T.input(), W.device(), n, rows);
    at = 0;                                                     // the values left are in W[at..]
    long long size = parts;
    while (size > 1) {
      launch(level, k * r, b, 0, W.device(), at, size, commutative, next);
      at = next - at;
      size = ceil_div(size, (long long)(2 * b));
    }
  }
  void verify() {
    int best = 0;
    int tail = 0;
    for (long long i = 0; i < n; ++i) {
      tail = max(tail + T.initial(i), 0);
      best = max(best, tail);
    }
    insist(W.mss[at] == best, "the assertion does not hold, maximum_segment_sum.lane:18");
  }
};

} // namespace program

int main(int count, char** words) {
  return harness::run<program::Program>(count, words);
}
