// The sum of n numbers, by sums of pairs that lie half the rest apart.  Nakano 2014, section 4.
// The sum ends in a[0]; every access is contiguous, so the same program is optimal on the DMM and the UMM.
//
// sum, by: memlane emit-cuda sum
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

// Tells the compiler that 0 <= number < end, so that it can remove iterations of loops.
__device__ inline int below(int end, int number) {
#ifdef __CUDA_ARCH__
  __builtin_assume(number >= 0 && number < end);
#endif
  (void)end;
  return number;
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

namespace program {

constexpr int p = 1024;                                         // threads of a block, where a launch does not say

__global__ void __launch_bounds__(1024) sum(volatile int* a, int n) {
  const int thread = below(1024, threadIdx.x);
  constexpr int threads = 1024;
  for (int t = floor_log2(n) - 1; t >= 0; --t) {
    for (int i = thread; i < (1 << t); i += threads) {
      a[i] = a[i] + a[i + (1 << t)];
    }
    __syncthreads();
  }
}

} // namespace program

// (the harness)

namespace program {

using namespace harness;

struct Program {
  static constexpr const char* facts =
      R"json("program": "sum", "sha256": "fb95f873ff48236c84ee4ba4cbddfc84dba88dcc405302f36523bc1a751e8721", "variant": "emitted", "replaced": [], "machine": {"model": "umm", "width": 32, "multiprocessors": 1, "threads": 1024})json";
  static constexpr bool repeatable = true;

  long long n{};
  Memory<int> a;

  void sizes(Options& options) {
    n = 1024;
    options.take("n", n);
    options.require(is_pow2(n), "n", "is_pow2(n)");
  }
  std::string parameters() const { return "{" + member("n", n) + "}"; }
  void allocate() {
    a.allocate("a", {n});
  }
  void fill() {
    for (int index = 0; index < a.elements(); ++index) {
      a.fill(index, random_element<int>(0, 0, index, 0, 9));
    }
  }

  void run() {
    launch(sum, 1, p, 0, a.device(), n);
  }
  void verify() {
    int s = 0;
    for (long long i = 0; i < n; ++i) {
      s += a.initial(i);
    }
    insist(a[0] == s, "the assertion does not hold, sum.lane:12");
  }
};

} // namespace program

int main(int count, char** words) {
  return harness::run<program::Program>(count, words);
}
