// Operations of the bytes and halves of words, each on its own. Included inside of anonymous
// namespaces, so that code for one instruction set is not used by another.
#pragma once

/// Four products of bytes, or two of a half and a byte, and c.
template <class A, class B>
void dot_bytes(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  const bool two = s.op->opcode == Opcode::dp2a, high = s.op->words.has(Word::hi);
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    std::int64_t sum = 0;
    for (int k = 0; k < (two ? 2 : 4); ++k) {
      const std::int64_t x =
          two ? std::int64_t{std::is_signed_v<A>
                                 ? std::int64_t{static_cast<std::int16_t>(a[l] >> (16 * k))}
                                 : std::int64_t{static_cast<std::uint16_t>(a[l] >> (16 * k))}}
              : std::int64_t{static_cast<A>(a[l] >> (8 * k))};
      sum += x * static_cast<B>(b[l] >> (8 * (two && high ? k + 2 : k)));
    }
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum)) + c[l];
  });
}
/// The part number k of a word, of T's bits.
template <class T>
T part_of(std::uint32_t word, int k) {
  return static_cast<T>(word >> (static_cast<int>(8 * sizeof(T)) * k));
}
/// F of both halves of a word: no carry goes from one to the other.
template <class T, class F>
void binary_of_halves(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    const auto half = [=](int k) {
      return std::uint32_t{
          static_cast<std::uint16_t>(F::of(part_of<T>(a[l], k), part_of<T>(b[l], k)))};
    };
    return half(0) | half(1) << 16;
  });
}
/// vabsdiff4, and vabsdiff2 (section 9.7.17): the differences of the parts of two words.
template <class A, class B>
void differences_of_parts(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  constexpr int bits = 8 * sizeof(A);
  constexpr int all = (1 << bits) - 1;
  const bool adds = s.op->words.has(Word::add);
  const int most = !s.op->words.has(Word::sat) ? 2 * all : is_signed(s.op->type) ? all / 2 : all;
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    std::uint32_t parts = 0, sum = c[l];
    for (int k = 0; k < 32 / bits; ++k) {
      const int difference = std::abs(int{part_of<A>(a[l], k)} - int{part_of<B>(b[l], k)});
      const auto value = static_cast<std::uint32_t>(std::min(difference, most));
      parts |= (value & all) << (bits * k);
      sum += value;
    }
    return adds ? sum : parts;
  });
}
