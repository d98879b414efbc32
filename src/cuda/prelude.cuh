//@ includes
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

//@ DYNAMIC_SHARED bytes_of take
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

//@ below
// Tells the compiler that 0 <= number < end, so that it can remove iterations of loops.
__device__ inline int below(int end, int number) {
#ifdef __CUDA_ARCH__
  __builtin_assume(number >= 0 && number < end);
#endif
  (void)end;
  return number;
}

//@ copy_words
// Copies words between global and shared memory with all threads of the block.
template <class T>
__device__ void copy_words(volatile T* to, const volatile T* from, int words) {
  for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

//@ two_to
// 2^k modulo 2^64.
__host__ __device__ constexpr long long two_to(long long k) {
  return k < 64 ? (long long)(1ull << k) : 0;
}

//@ power
__host__ __device__ constexpr long long power(long long base, long long exponent) {
  unsigned long long result = 1, square = (unsigned long long)base;
  for (unsigned long long rest = (unsigned long long)exponent; rest != 0; rest >>= 1) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return (long long)result;
}

//@ floor_log2
__host__ __device__ constexpr int floor_log2(long long x) {
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) return x > 1 ? 63 - __clzll(x) : 0;
#endif
  int k = 0;
  while (x > 1) x >>= 1, ++k;
  return k;
}

//@ is_pow2
__host__ __device__ constexpr bool is_pow2(long long x) { return x > 0 && (x & (x - 1)) == 0; }

//@ quotient_of
// Division by -1 wraps around.
template <class T>
__host__ __device__ constexpr T quotient_of(T a, T b) {
  return b == -1 ? T(0 - (unsigned long long)a) : a / b;
}

//@ remainder_of
template <class T>
__host__ __device__ constexpr T remainder_of(T a, T b) {
  return b == -1 ? 0 : a % b;
}

//@ ceil_div
template <class T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
  if (b == -1) return T(0 - (unsigned long long)a);
  return a / b + T(a % b != 0 && (a % b < 0) == (b < 0));
}

//@ mod
// The remainder with the sign of b.
template <class T>
__host__ __device__ constexpr T mod(T a, T b) {
  const T remainder = b == -1 ? 0 : a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

//@ real_mod
// The remainder is exact; the sum with b rounds once.
__host__ __device__ inline float real_mod(float a, float b) {
  const float remainder = fmodf(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
__host__ __device__ inline double real_mod(double a, double b) {
  const double remainder = fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

//@ mulmod
__host__ __device__ inline long long mulmod(long long a, long long b, long long m) {
  const __int128 remainder = (__int128)a * b % m;
  return (long long)(remainder < 0 ? remainder + m : remainder);
}

//@ invmod
// The inverse of a modulo m, by Euclid's algorithm.
__host__ __device__ inline long long invmod(long long a, long long m) {
  __int128 low = m, high = ((__int128)a % m + m) % m, low_factor = 0, high_factor = 1;
  while (high != 0) {
    const __int128 quotient = low / high, rest = low - quotient * high;
    const __int128 rest_factor = low_factor - quotient * high_factor;
    low = high, low_factor = high_factor, high = rest, high_factor = rest_factor;
  }
  return (long long)((low_factor % m + m) % m);
}

//@ magnitude
// Of integers. The least one stays as it is; with abs and -x that is not sure.
template <class T>
__host__ __device__ constexpr T magnitude(T x) {
  return x < 0 ? T(0 - (unsigned long long)x) : x;
}

//@ least atomic_min warp_min
// Of real numbers: ignores a NaN, and -0 is below 0.
template <class T>
__host__ __device__ T least(T a, T b) {
  return a != a ? b : a == b ? (1 / a < 0 ? a : b) : b < a ? b : a;
}

//@ warp_min
__host__ __device__ inline int least(int a, int b) { return b < a ? b : a; }
__host__ __device__ inline long long least(long long a, long long b) { return b < a ? b : a; }

//@ greatest atomic_max warp_max
// Of real numbers: ignores a NaN, and -0 is below 0.
template <class T>
__host__ __device__ T greatest(T a, T b) {
  return a != a ? b : a == b ? (1 / a < 0 ? b : a) : a < b ? b : a;
}

//@ warp_max
__host__ __device__ inline int greatest(int a, int b) { return a < b ? b : a; }
__host__ __device__ inline long long greatest(long long a, long long b) { return a < b ? b : a; }

//@ atomic_cas atomic_exchange atomic_min atomic_max atomic_and atomic_or atomic_xor
// The word that CUDA's atomics have of the size of T.
template <class T>
struct AtomicWord {
  using type = unsigned long long;
};
template <>
struct AtomicWord<int> {
  using type = int;
};
template <>
struct AtomicWord<float> {
  using type = int;
};
template <class To, class From>
__device__ To same_bits(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
// Compares bits.
template <class T>
__device__ T atomic_cas(volatile T* at, T expected, T value) {
  using Word = typename AtomicWord<T>::type;
  return same_bits<T>(atomicCAS((Word*)at, same_bits<Word>(expected), same_bits<Word>(value)));
}

//@ atomic_exchange
template <class T>
__device__ T atomic_exchange(volatile T* at, T value) {
  using Word = typename AtomicWord<T>::type;
  return same_bits<T>(atomicExch((Word*)at, same_bits<Word>(value)));
}

//@ multiply_tiles
#include <mma.h>

// c += a * b for tiles of s x s doubles, by tensor cores. Entry e of a lane is element 32 * e +
// lane. A step rounds its product and its sum once, the simulator rounds both: an element differs
// from the simulator's by at most (s + 1) * 2^-52 times the sum of |c| and all |a * b|, if nothing
// underflows. Sums of whole numbers below 2^53 are equal.
template <int s, int warps, class T>
__device__ void multiply_tiles(T* c, const T* a, const T* b) {
  using namespace nvcuda::wmma;
  __shared__ T tiles[warps][s * s]; // fragments are loaded from memory
  T* const tile = tiles[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  fragment<accumulator, 8, 8, 4, T> sums[s / 8][s / 8];
  fragment<matrix_a, 8, 8, 4, T, row_major> left[s / 8][s / 4];
  fragment<matrix_b, 8, 8, 4, T, row_major> right[s / 4][s / 8];
  const auto put = [&](const T* entries) {
    __syncwarp();
    for (int e = 0; e < s * s / 32; ++e) tile[32 * e + lane] = entries[e];
    __syncwarp();
  };
  put(c);
  for (int i = 0; i < s / 8; ++i)
    for (int j = 0; j < s / 8; ++j)
      load_matrix_sync(sums[i][j], tile + 8 * i * s + 8 * j, s, mem_row_major);
  put(a);
  for (int i = 0; i < s / 8; ++i)
    for (int k = 0; k < s / 4; ++k) load_matrix_sync(left[i][k], tile + 8 * i * s + 4 * k, s);
  put(b);
  for (int k = 0; k < s / 4; ++k)
    for (int j = 0; j < s / 8; ++j) load_matrix_sync(right[k][j], tile + 4 * k * s + 8 * j, s);
  __syncwarp();
  for (int i = 0; i < s / 8; ++i)
    for (int j = 0; j < s / 8; ++j) {
      for (int k = 0; k < s / 4; ++k) mma_sync(sums[i][j], left[i][k], right[k][j], sums[i][j]);
      store_matrix_sync(tile + 8 * i * s + 8 * j, sums[i][j], s, mem_row_major);
    }
  __syncwarp();
  for (int e = 0; e < s * s / 32; ++e) c[e] = tile[32 * e + lane];
}

//@ atomic_add atomic_sub
template <class T>
__device__ T atomic_add(volatile T* at, T value) {
  return atomicAdd((T*)at, value);
}
__device__ inline long long atomic_add(volatile long long* at, long long value) {
  return (long long)atomicAdd((unsigned long long*)at, (unsigned long long)value);
}

//@ atomic_sub
__device__ inline int atomic_sub(volatile int* at, int value) {
  return atomic_add(at, (int)(0 - (unsigned)value));
}
__device__ inline long long atomic_sub(volatile long long* at, long long value) {
  return atomic_add(at, (long long)(0 - (unsigned long long)value));
}
template <class T>
__device__ T atomic_sub(volatile T* at, T value) {
  return atomic_add(at, -value);
}

//@ atomic_min atomic_max
// CUDA has none of real numbers.
#define MEMLANE_ATOMIC_REALS(name, choose, T)                                                      \
  __device__ inline T name(volatile T* at, T value) {                                              \
    T before = *at;                                                                                \
    for (;;) {                                                                                     \
      const T found = atomic_cas(at, before, choose(before, value));                               \
      if (same_bits<AtomicWord<T>::type>(found) == same_bits<AtomicWord<T>::type>(before))         \
        return found;                                                                              \
      before = found;                                                                              \
    }                                                                                              \
  }

//@ atomic_min
template <class T>
__device__ T atomic_min(volatile T* at, T value) {
  return atomicMin((T*)at, value);
}
MEMLANE_ATOMIC_REALS(atomic_min, least, float)
MEMLANE_ATOMIC_REALS(atomic_min, least, double)

//@ atomic_max
template <class T>
__device__ T atomic_max(volatile T* at, T value) {
  return atomicMax((T*)at, value);
}
MEMLANE_ATOMIC_REALS(atomic_max, greatest, float)
MEMLANE_ATOMIC_REALS(atomic_max, greatest, double)

//@ atomic_and
template <class T>
__device__ T atomic_and(volatile T* at, T value) {
  using Word = typename AtomicWord<T>::type;
  return (T)atomicAnd((Word*)at, (Word)value);
}

//@ atomic_or
template <class T>
__device__ T atomic_or(volatile T* at, T value) {
  using Word = typename AtomicWord<T>::type;
  return (T)atomicOr((Word*)at, (Word)value);
}

//@ atomic_xor
template <class T>
__device__ T atomic_xor(volatile T* at, T value) {
  using Word = typename AtomicWord<T>::type;
  return (T)atomicXor((Word*)at, (Word)value);
}

//@ warp_shuffle warp_shuffle_xor warp_shuffle_up warp_shuffle_down warp_sum warp_min warp_max
// Values of other lanes of the warp. `lanes`: those that are here together.
__device__ inline int lane_of_warp() { return (int)threadIdx.x % 32; }
template <class T>
__device__ T warp_shuffle(unsigned lanes, T x, long long from) {
  return __shfl_sync(lanes, x, (int)from);
}

//@ warp_shuffle_xor
template <class T>
__device__ T warp_shuffle_xor(unsigned lanes, T x, long long k) {
  return warp_shuffle(lanes, x, lane_of_warp() ^ k);
}

//@ warp_shuffle_up warp_shuffle_down
// Without such a lane it is the own one.
template <class T>
__device__ T warp_shuffle_near(unsigned lanes, T x, long long from) {
  return warp_shuffle(lanes, x, from < 0 || from > 31 ? lane_of_warp() : from);
}

//@ warp_shuffle_up
template <class T>
__device__ T warp_shuffle_up(unsigned lanes, T x, long long k) {
  return warp_shuffle_near(lanes, x, lane_of_warp() - k);
}

//@ warp_shuffle_down
template <class T>
__device__ T warp_shuffle_down(unsigned lanes, T x, long long k) {
  return warp_shuffle_near(lanes, x, lane_of_warp() + k);
}

//@ warp_ballot
__device__ inline long long warp_ballot(unsigned lanes, bool c) {
  return (long long)__ballot_sync(lanes, c);
}

//@ warp_any
__device__ inline bool warp_any(unsigned lanes, bool c) { return __ballot_sync(lanes, c) != 0; }

//@ warp_all
__device__ inline bool warp_all(unsigned lanes, bool c) { return __ballot_sync(lanes, !c) == 0; }

//@ warp_match
template <class T>
__device__ long long warp_match(unsigned lanes, T x) {
  return (long long)__match_any_sync(lanes, x);
}

//@ warp_sum warp_min warp_max
// In rising order, as sums of real numbers depend on it.
template <class T, class Combine>
__device__ T warp_combine(unsigned lanes, T x, Combine combine) {
  unsigned rest = __ballot_sync(lanes, true); // a block may lack lanes of its last warp
  T all = warp_shuffle(lanes, x, __ffs((int)rest) - 1);
  while ((rest &= rest - 1) != 0) all = combine(all, warp_shuffle(lanes, x, __ffs((int)rest) - 1));
  return all;
}

//@ warp_sum
template <class T>
__device__ T warp_sum(unsigned lanes, T x) {
  return warp_combine(lanes, x, [](T a, T b) { return a + b; });
}

//@ warp_min
template <class T>
__device__ T warp_min(unsigned lanes, T x) {
  return warp_combine(lanes, x, [](T a, T b) { return least(a, b); });
}

//@ warp_max
template <class T>
__device__ T warp_max(unsigned lanes, T x) {
  return warp_combine(lanes, x, [](T a, T b) { return greatest(a, b); });
}
