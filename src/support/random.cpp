#include "memlane/support/random.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <span>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace memlane {
namespace {

using Block = std::array<std::uint32_t, 4>;

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

/// Philox4x32-10 of Salmon et al. 2011, section 3.3: ten rounds of two wide multiplications, with
/// the Weyl constants added to the key between them.
Block philox(Block x, std::uint64_t seed) {
  std::uint32_t key0 = low(seed);
  std::uint32_t key1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * x[2];
    x = {high(b) ^ x[1] ^ key0, low(b), high(a) ^ x[3] ^ key1, low(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return x;
}

Block block_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  return philox({low(counter), high(counter), low(stream), high(stream)}, seed);
}

void plain_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                std::span<std::uint64_t> bits) {
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = random_bits(seed, stream, first + i);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] inline __m256i all(std::uint64_t x) {
  return _mm256_set1_epi64x(static_cast<std::int64_t>(x));
}

/// The same, four at a time in words of 64 bits: of x0 to x3 only the lower halves count, which is
/// all that the multiplication reads.
[[gnu::target("avx2")]] void avx2_bits(std::uint64_t seed, std::uint64_t stream,
                                       std::uint64_t first, std::span<std::uint64_t> bits) {
  std::size_t i = 0;
  for (; i + 4 <= bits.size(); i += 4) {
    const __m256i counters = _mm256_add_epi64(all(first + i), _mm256_set_epi64x(3, 2, 1, 0));
    __m256i x0 = counters, x1 = _mm256_srli_epi64(counters, 32);
    __m256i x2 = all(low(stream)), x3 = all(high(stream));
    std::uint32_t key0 = low(seed), key1 = high(seed);
    for (int round = 0; round < 10; ++round) {
      const __m256i a = _mm256_mul_epu32(all(0xD2511F53), x0);
      const __m256i b = _mm256_mul_epu32(all(0xCD9E8D57), x2);
      x0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), x1), all(key0));
      x2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), x3), all(key1));
      x1 = b;
      x3 = a;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    const __m256i low_half = _mm256_and_si256(x0, all(UINT32_MAX));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(&bits[i]),
                        _mm256_or_si256(_mm256_slli_epi64(x1, 32), low_half));
  }
  plain_bits(seed, stream, first + i, bits.subspan(i));
}
#endif

/// random_bits of the counters first, first + 1, …
void many_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
               std::span<std::uint64_t> bits) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return avx2_bits(seed, stream, first, bits);
#endif
  plain_bits(seed, stream, first, bits);
}

} // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  const Block block = block_at(seed, stream, counter);
  return join(block[0], block[1]);
}

std::int64_t random_integer(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter,
                            std::int64_t lo, std::int64_t hi) {
  assert(lo <= hi);
  const std::uint64_t base = static_cast<std::uint64_t>(lo);
  const std::uint64_t size = static_cast<std::uint64_t>(hi) - base + 1; // 0 stands for 2^64
  // Rejects the 2^64 mod size lowest numbers, which would bias the result.
  const std::uint64_t unfair = size == 0 ? 0 : (0 - size) % size;
  Block block = block_at(seed, stream, counter);
  for (;;) {
    for (const std::uint64_t bits : {join(block[0], block[1]), join(block[2], block[3])})
      if (bits >= unfair) return static_cast<std::int64_t>(base + (size == 0 ? bits : bits % size));
    // Both halves rejected: continues from the block, without using another counter.
    block = philox(block, seed);
  }
}

void random_integers(std::uint64_t seed, std::uint64_t stream, std::uint64_t first,
                     std::int64_t count, std::int64_t lo, std::int64_t hi, std::int64_t* numbers) {
  assert(lo <= hi);
  const std::uint64_t base = static_cast<std::uint64_t>(lo);
  const std::uint64_t size = static_cast<std::uint64_t>(hi) - base + 1;
  const std::uint64_t unfair = size == 0 ? 0 : (0 - size) % size;
  // A multiplication gives the quotient by `size`, at most two too small.
  const std::uint64_t inverse = size == 0 ? 0 : UINT64_MAX / size;
  __extension__ using Wide = unsigned __int128;
  std::array<std::uint64_t, 256> part;
  constexpr auto room = static_cast<std::int64_t>(part.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t counter = first + static_cast<std::uint64_t>(i);
    if (i % room == 0)
      many_bits(seed, stream, counter,
                std::span(part).first(static_cast<std::size_t>(std::min(room, count - i))));
    const std::uint64_t bits = part[static_cast<std::size_t>(i % room)];
    if (bits < unfair) { // rare: the other half is next
      numbers[i] = random_integer(seed, stream, counter, lo, hi);
      continue;
    }
    const auto quotient = static_cast<std::uint64_t>((Wide{bits} * inverse) >> 64);
    std::uint64_t rest = bits - quotient * size;
    while (size != 0 && rest >= size) rest -= size;
    numbers[i] = static_cast<std::int64_t>(base + rest);
  }
}

double random_real(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter, double lo,
                   double hi) {
  const double unit = static_cast<double>(random_bits(seed, stream, counter) >> 11) * 0x1p-53;
  const double extent = hi - lo;
  const double value = std::isfinite(extent) ? lo + unit * extent : lo * (1 - unit) + hi * unit;
  // Rounding may reach hi, which is excluded.
  return value < hi || hi <= lo ? value : std::nextafter(hi, lo);
}

} // namespace memlane
