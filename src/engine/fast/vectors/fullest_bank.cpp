#include "fullest_bank.hpp"

#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized" // GCC 12 complains of its own header
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <array>

namespace memlane::fast {

namespace {

/// Plane k has bit k of the bank of each lane.
using Planes = std::array<std::uint32_t, 5>;

/// The lanes of a bank: those whose planes have its bits.
std::uint32_t lanes_of(std::uint32_t bank, const Planes& planes) {
  std::uint32_t lanes = ~std::uint32_t{0};
  for (std::size_t k = 0; k < planes.size(); ++k) lanes &= planes[k] ^ ((bank >> k & 1) - 1);
  return lanes;
}

#define MEMLANE_AVX512 [[gnu::target("avx512f,avx512bw,avx512vpopcntdq")]]
#define MEMLANE_AVX2 [[gnu::target("avx2")]]

/// How many bits are set, above a number.
MEMLANE_AVX512 inline __m512i key_of(__m512i lanes, __m512i number) {
  return _mm512_or_si512(_mm512_slli_epi32(_mm512_popcnt_epi32(lanes), 8), number);
}

MEMLANE_AVX512 FullestBank with_avx512(std::uint32_t base, const std::int32_t* words) {
  const __m512i first = _mm512_set1_epi32(static_cast<int>(base));
  const __m512i low = _mm512_add_epi32(_mm512_loadu_si512(words), first);
  const __m512i high = _mm512_add_epi32(_mm512_loadu_si512(words + 16), first);
  const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  Planes planes;
  __m512i lanes = _mm512_set1_epi32(-1);
  __m512i halves[2];
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const __m512i bit = _mm512_set1_epi32(1 << k);
    planes[k] = static_cast<std::uint32_t>(_mm512_test_epi32_mask(low, bit)) |
                static_cast<std::uint32_t>(_mm512_test_epi32_mask(high, bit)) << 16;
    const __m512i plane = _mm512_set1_epi32(static_cast<int>(planes[k]));
    if (k == 4) {
      halves[0] = _mm512_andnot_si512(plane, lanes);
      halves[1] = _mm512_and_si512(plane, lanes);
      break;
    }
    const __mmask16 set = _mm512_test_epi32_mask(number, bit);
    const __m512i turned =
        _mm512_mask_xor_epi32(plane, static_cast<__mmask16>(~set), plane, _mm512_set1_epi32(-1));
    lanes = _mm512_and_si512(lanes, turned);
  }
  const __m512i number_of_half = _mm512_or_si512(number, _mm512_set1_epi32(16));
  const __m512i most =
      _mm512_max_epi32(key_of(halves[0], number), key_of(halves[1], number_of_half));
  const auto key = static_cast<std::uint32_t>(_mm512_reduce_max_epi32(most));
  return {static_cast<int>(key >> 8), lanes_of(key & 0xff, planes)};
}

/// Bits that are set in each of 8 numbers.
MEMLANE_AVX2 inline __m256i count_bits(__m256i of) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i bytes = _mm256_add_epi8(
      _mm256_shuffle_epi8(table, _mm256_and_si256(of, nibble)),
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(of, 4), nibble)));
  return _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
}

MEMLANE_AVX2 FullestBank with_avx2(std::uint32_t base, const std::int32_t* words) {
  const __m256i first = _mm256_set1_epi32(static_cast<int>(base));
  Planes planes{};
  for (int part = 0; part < 4; ++part) {
    __m256i bank = _mm256_add_epi32(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 * part)), first);
    bank = _mm256_slli_epi32(bank, 27); // bit 4 is the sign now
    for (std::size_t k = planes.size(); k-- > 0; bank = _mm256_slli_epi32(bank, 1))
      planes[k] |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(bank)))
                   << (8 * part);
  }
  const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  __m256i most = _mm256_setzero_si256();
  for (int part = 0; part < 4; ++part) {
    const __m256i number = _mm256_or_si256(numbers, _mm256_set1_epi32(8 * part));
    __m256i lanes = _mm256_set1_epi32(-1);
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const __m256i bit = _mm256_set1_epi32(1 << k);
      const __m256i clear =
          _mm256_cmpeq_epi32(_mm256_and_si256(number, bit), _mm256_setzero_si256());
      lanes = _mm256_and_si256(
          lanes, _mm256_xor_si256(_mm256_set1_epi32(static_cast<int>(planes[k])), clear));
    }
    most = _mm256_max_epi32(most, _mm256_or_si256(_mm256_slli_epi32(count_bits(lanes), 8), number));
  }
  __m128i key = _mm_max_epi32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
  key = _mm_max_epi32(key, _mm_shuffle_epi32(key, 0x4e));
  key = _mm_max_epi32(key, _mm_shuffle_epi32(key, 0xb1));
  const auto fullest = static_cast<std::uint32_t>(_mm_cvtsi128_si32(key));
  return {static_cast<int>(fullest >> 8), lanes_of(fullest & 0xff, planes)};
}

#undef MEMLANE_AVX512
#undef MEMLANE_AVX2

} // namespace

std::vector<FullestOf32> all_fullest_of_32() {
  std::vector<FullestOf32> all;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vpopcntdq"))
    all.push_back(with_avx512);
  if (__builtin_cpu_supports("avx2")) all.push_back(with_avx2);
  return all;
}

} // namespace memlane::fast

#else

namespace memlane::fast {

std::vector<FullestOf32> all_fullest_of_32() { return {}; }

} // namespace memlane::fast

#endif
