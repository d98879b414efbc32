// The work-efficient scan with one spare word after every w words, so that word i lies at i + i/w.
// GPU Gems 3, chapter 39, "avoiding bank conflicts".  --layout x=rows takes the padding away again.
//
// scan_brent_kung_padded, by: memlane emit-cuda scan_brent_kung_padded -m dmm-w32
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

// Shared memory whose size the launch gives.
#ifdef MEMLANE_HOST
#define DYNAMIC_SHARED(name) [[maybe_unused]] unsigned char* name = memlane_host::dynamic_shared()
#else
#define DYNAMIC_SHARED(name)                                                                       \
  extern __shared__ __align__(128) unsigned char dynamic_shared[];                                 \
  [[maybe_unused]] unsigned char* name = dynamic_shared
#endif
template <class T>
__host__ __device__ long long bytes_of(long long words) {
  return (words * (long long)sizeof(T) + 127) / 128 * 128;
}
template <class T>
__device__ T* take(unsigned char*& memory, long long words) {
  T* const array = (T*)memory;
  memory += bytes_of<T>(words);
  return array;
}

// Tells the compiler that 0 <= number < end, so that it can remove iterations of loops.
__device__ inline int below(int end, int number) {
#ifdef __CUDA_ARCH__
  __builtin_assume(number >= 0 && number < end);
#endif
  (void)end;
  return number;
}

// Copies words between global and shared memory with all threads of the block.
template <class T>
__device__ void copy_words(volatile T* to, const volatile T* from, int words) {
  for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

__host__ __device__ constexpr bool is_pow2(long long x) { return x > 0 && (x & (x - 1)) == 0; }

namespace program {

constexpr int p = 1024;                                         // threads of a block, where a launch does not say
constexpr int w = 32;                                           // threads of a warp

__host__ __device__ inline int x_word(int i) { return i + i / w; }
__host__ __device__ inline int add(int y, int z) { return y + z; }

__global__ void __launch_bounds__(1024) reduction(int* global_x, int words_x, int n, long long* cycles) {
  const int thread = below(1024, threadIdx.x);
  constexpr int threads = 1024;
  DYNAMIC_SHARED(memory);
  volatile int* const x = take<int>(memory, words_x);
  copy_words<int>(x, global_x, words_x);
  __syncthreads();
  const long long start = clock64();
  for (int stride = 1; stride <= n / 2; stride *= 2) {
    for (int i = thread; i < n / 2; i += threads) {
      const long long index = (long long)(i + 1) * stride * 2 - 1;
      if (index < n) {
        x[x_word(index)] = add(x[x_word(index)], x[x_word(index - stride)]);
      }
    }
    __syncthreads();
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles += clock64() - start;
  copy_words<int>(global_x, x, words_x);
}

__global__ void __launch_bounds__(1024) reverse(int* global_x, int words_x, int n, long long* cycles) {
  const int thread = below(1024, threadIdx.x);
  constexpr int threads = 1024;
  DYNAMIC_SHARED(memory);
  volatile int* const x = take<int>(memory, words_x);
  copy_words<int>(x, global_x, words_x);
  __syncthreads();
  const long long start = clock64();
  for (int stride = n / 4; stride >= 1; stride /= 2) {
    for (int i = thread; i < n / 2; i += threads) {
      const long long index = (long long)(i + 1) * stride * 2 - 1;
      if (index + stride < n) {
        x[x_word(index + stride)] = add(x[x_word(index + stride)], x[x_word(index)]);
      }
    }
    __syncthreads();
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles += clock64() - start;
  copy_words<int>(global_x, x, words_x);
}

} // namespace program

// (the harness)

namespace program {

using namespace harness;

struct Program {
  static constexpr const char* facts =
      R"json("program": "scan_brent_kung_padded", "sha256": "d13d4afeb84bbe233ae1f722f5a3a629397d58c088e4461564f8d16ae30aae7e", "variant": "emitted", "replaced": [], "machine": {"model": "dmm", "width": 32, "multiprocessors": 1, "threads": 1024})json";
  static constexpr bool repeatable = true;

  int n{};
  Memory<int> x;

  void sizes(Options& options) {
    n = 1024;
    options.take("n", n);
    options.require(is_pow2(n) && n >= 2, "n", "is_pow2(n) and n >= 2");
  }
  std::string parameters() const { return "{" + member("n", n) + "}"; }
  void allocate() {
    x.allocate("x", {n}, [&](int number) { return x_word(number); });
  }
  void fill() {
    for (int index = 0; index < x.elements(); ++index) {
      x.fill(index, random_element<int>(0, 0, index, 0, 9));
    }
  }

  void run() {
    launch(reduction, 1, p, bytes_of<int>(x.words()), x.device(), x.words(), n, cycles());
    launch(reverse, 1, p, bytes_of<int>(x.words()), x.device(), x.words(), n, cycles());
  }
  void verify() {
    int s = 0;
    for (int i = 0; i < n; ++i) {
      s += x.initial(x_word(i));
      insist(x[x_word(i)] == s, "the assertion does not hold, scan_brent_kung.lane:29");
    }
  }
};

} // namespace program

int main(int count, char** words) {
  return harness::run<program::Program>(count, words);
}
