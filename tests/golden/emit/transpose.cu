// Transpose of an n x n matrix through a w x w tile.  The layout of the tile is the lesson:
// --layout t=rows (conflicts), padded(1), diagonal, random_shift (RAS), random_permute (RAP), swizzle, "swizzle(2, 0, 5)".
//
// transpose, by: memlane emit-cuda transpose -m hmm-h200-plain --layout t=random_shift
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

__host__ __device__ constexpr long long power(long long base, long long exponent) {
  unsigned long long result = 1, square = (unsigned long long)base;
  for (unsigned long long rest = (unsigned long long)exponent; rest != 0; rest >>= 1) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return (long long)result;
}

namespace program {

constexpr int p = 1024;                                         // threads of a block, where a launch does not say
constexpr int w = 32;                                           // threads of a warp

__global__ void __launch_bounds__(1024) transpose(const volatile int* a, volatile int* c, const int* t_offsets, int n) {
  const int thread = below(1024, threadIdx.x);
  constexpr int threads = 1024;
  const int block = blockIdx.x;
  const auto t_word = [&](int i, int j) -> int { return i * w + (j + t_offsets[i]) % w; };
  __shared__ volatile int t[w * w];
  const int i0 = block / (n / w) * w;
  const int j0 = block % (n / w) * w;
  for (int ij = thread; ij < w * w; ij += threads) {
    const int i = ij / w;
    const int j = ij % w;
    t[t_word(i, j)] = a[(i0 + i) * n + j0 + j];
  }
  __syncthreads();
  for (int ij = thread; ij < w * w; ij += threads) {
    const int i = ij / w;
    const int j = ij % w;
    c[(j0 + i) * n + i0 + j] = t[t_word(j, i)];
  }
}

} // namespace program

// (the harness)

namespace program {

using namespace harness;

struct Program {
  static constexpr const char* facts =
      R"json("program": "transpose", "sha256": "c5086c20c9bff816357a394a0cbfc4258b406e310071f415d6b4c97d849670d9", "variant": "emitted", "replaced": ["--layout t=random_shift"], "machine": {"model": "hmm", "width": 32, "multiprocessors": 132, "threads": 1024})json";
  static constexpr bool repeatable = true;

  int n{};                                                      // (n/w)^2 blocks, numbered by an int
  Memory<int> a;
  Memory<int> c;
  RowOffsets t_offsets;

  void sizes(Options& options) {
    n = 256;
    options.take("n", n);
    options.require(n % w == 0 && n <= int(46340u * unsigned(w)), "n", "n % w == 0 and n <= 46340*w");
  }
  std::string parameters() const { return "{" + member("n", n) + "}"; }
  void allocate() {
    a.allocate("a", {n, n});
    c.allocate("c", {n, n});
    t_offsets.set(random_shifts(layout_stream(2), {w, w}, w), w);
  }
  void fill() {
    for (int index = 0; index < a.elements(); ++index) {
      a.fill(index, index);
    }
  }

  void run() {
    launch(transpose, power(n / w, 2), min((long long)p, power(w, 2)), 0, a.input(), c.device(), t_offsets.device(), n);
  }
  void verify() {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        insist(c[j * n + i] == a.initial(i * n + j), "the assertion does not hold, transpose.lane:20");
      }
    }
  }
};

} // namespace program

int main(int count, char** words) {
  return harness::run<program::Program>(count, words);
}
