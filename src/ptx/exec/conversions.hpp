// Comparisons, choices, moves and conversions of PTX (PTX ISA 9.0, sections 9.7.6, 9.7.7, 9.7.9).
// Included by vectors.cpp.

/// Which of equal, less and unordered pairs a comparison holds for.
struct Comparison {
  bool less = false, equal = false, greater = false, unordered = false;
};
inline Comparison comparison_of(const Words& words) {
  const auto any = [&](auto... list) { return words.any(list...); };
  Comparison c;
  c.less = any(Word::lt, Word::le, Word::ne, Word::lo, Word::ls, Word::ltu, Word::leu, Word::neu,
               Word::num);
  c.equal = any(Word::eq, Word::le, Word::ge, Word::ls, Word::hs, Word::equ, Word::leu, Word::geu,
                Word::num);
  c.greater = any(Word::gt, Word::ge, Word::ne, Word::hi, Word::hs, Word::gtu, Word::geu, Word::neu,
                  Word::num);
  c.unordered = any(Word::equ, Word::neu, Word::ltu, Word::leu, Word::gtu, Word::geu, Word::nan);
  return c;
}

/// The lanes for which a comparison of two numbers holds.
template <class A, class B>
std::uint32_t compared_values(const Step& s, A a, B b) {
  const Comparison c = comparison_of(s.op->words);
  const std::uint32_t less = test_lanes([=](int l) { return a(l) < b(l); });
  const std::uint32_t equal = test_lanes([=](int l) { return a(l) == b(l); });
  std::uint32_t greater = ~(less | equal);
  if constexpr (std::is_floating_point_v<std::decay_t<decltype(a(0))>>)
    greater = test_lanes([=](int l) { return a(l) > b(l); });
  return (c.less ? less : 0) | (c.equal ? equal : 0) | (c.greater ? greater : 0) |
         (c.unordered ? ~(less | equal | greater) : 0);
}
template <class T>
std::uint32_t compared(const Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  if constexpr (std::is_same_v<T, float>)
    if (s.op->words.has(Word::ftz))
      return compared_values(
          s, [=](int l) { return flushed(a[l]); }, [=](int l) { return flushed(b[l]); });
  return compared_values(
      s, [=](int l) { return a[l]; }, [=](int l) { return b[l]; });
}
/// Of numbers of 16 bits, those in bits `shift` and more.
template <class Format, class Word16>
std::uint32_t compared_halves(const Warp& w, const Step& s, int shift) {
  const auto* const a = source<Word16>(w, s.a);
  const auto* const b = source<Word16>(w, s.b);
  const bool ftz = s.op->words.has(Word::ftz);
  const auto value = [=](Word16 word) {
    auto bits = static_cast<std::uint16_t>(word >> shift);
    if (ftz && (bits & 0x7c00) == 0) bits &= 0x8000; // of f16 only
    return Format::to(bits);
  };
  return compared_values(
      s, [=](int l) { return value(a[l]); }, [=](int l) { return value(b[l]); });
}
/// With the boolean operation and the predicate that may follow.
inline std::uint32_t combined(Warp& w, const Step& s, std::uint32_t bits) {
  if (s.e < 0) return bits;
  const std::uint32_t p =
      s.e_negated ? ~*source<std::uint32_t>(w, s.e) : *source<std::uint32_t>(w, s.e);
  if (s.op->words.has(Word::and_)) return bits & p;
  if (s.op->words.has(Word::or_)) return bits | p;
  return bits ^ p;
}
template <class T>
void set_predicates(Warp& w, const Step& s) {
  const std::uint32_t bits = compared<T>(w, s);
  const std::uint32_t first = combined(w, s, bits), second = combined(w, s, ~bits);
  if (s.d >= 0) set_predicate(w, s.d, first);
  if (s.q >= 0) set_predicate(w, s.q, second);
}
/// Of two halves the first decides d, the second q.
template <class Format, class Word16>
void set_predicates_of_halves(Warp& w, const Step& s) {
  const std::uint32_t bits = compared_halves<Format, Word16>(w, s, 0);
  const std::uint32_t others =
      sizeof(Word16) == 4 ? compared_halves<Format, Word16>(w, s, 16 * (sizeof(Word16) / 4))
                          : ~bits;
  const std::uint32_t first = combined(w, s, bits), second = combined(w, s, others);
  if (s.d >= 0) set_predicate(w, s.d, first);
  if (s.q >= 0) set_predicate(w, s.q, second);
}

/// What `set` gives if the comparison holds: all ones or 1.0.
inline std::uint32_t yes_of(const Operation& op) {
  switch (op.type) {
  case Type::f32: return 0x3f800000;
  case Type::f16: return 0x3c00;
  case Type::bf16: return 0x3f80;
  case Type::f16x2: return 0x3c003c00;
  case Type::bf16x2: return 0x3f803f80;
  default: return all_lanes;
  }
}
inline void write_set(Warp& w, const Step& s, std::uint32_t low, std::uint32_t high) {
  const std::uint32_t yes = yes_of(*s.op), low_yes = yes & 0xffff, high_yes = yes & 0xffff0000;
  if (bits_of(s.op->type) == 16)
    return for_lanes<std::uint16_t>(
        w, s.d, [=](int l) { return static_cast<std::uint16_t>((low >> l & 1) != 0 ? yes : 0); });
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    return ((low >> l & 1) != 0 ? low_yes : 0) | ((high >> l & 1) != 0 ? high_yes : 0);
  });
}
template <class T>
void set_number(Warp& w, const Step& s) {
  const std::uint32_t bits = combined(w, s, compared<T>(w, s));
  write_set(w, s, bits, bits);
}
template <class Format, class Word16>
void set_number_of_halves(Warp& w, const Step& s) {
  const std::uint32_t low = combined(w, s, compared_halves<Format, Word16>(w, s, 0));
  if (sizeof(Word16) == 2) return write_set(w, s, low, low);
  write_set(w, s, low,
            combined(w, s, compared_halves<Format, Word16>(w, s, 16 * (sizeof(Word16) / 4))));
}

template <class T>
void select(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const std::uint32_t p =
      s.e_negated ? ~*source<std::uint32_t>(w, s.e) : *source<std::uint32_t>(w, s.e);
  for_lanes<T>(w, s.d, [=](int l) { return (p >> l & 1) != 0 ? a[l] : b[l]; });
}
template <class T, class C>
void select_by_sign(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const C* const c = source<C>(w, s.c);
  bool ftz = false;
  if constexpr (std::is_same_v<C, float>) ftz = s.op->words.has(Word::ftz);
  for_lanes<T>(w, s.d, [=](int l) {
    if constexpr (std::is_same_v<C, float>) return (ftz ? flushed(c[l]) : c[l]) >= 0 ? a[l] : b[l];
    return c[l] >= 0 ? a[l] : b[l];
  });
}

// Predicates are 32 bits of a warp.
template <class F>
void predicate_operation(Warp& w, const Step& s) {
  const std::uint32_t a = *source<std::uint32_t>(w, s.a);
  const std::uint32_t b = s.b >= 0 ? *source<std::uint32_t>(w, s.b) : 0;
  set_predicate(w, s.d, F::of(s.op->a.negated ? ~a : a, s.op->b.negated ? ~b : b));
}
struct First {
  template <class T>
  static T of(T a, T) {
    return a;
  }
};
struct Inverse {
  template <class T>
  static T of(T a, T) {
    return static_cast<T>(~a);
  }
};

// Conversions of a number; rows of them are in convert_rows.hpp.

/// Numbers outside of To's range become its nearest; NaN 0.
template <class To>
To limited(double value) {
  if (value != value) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<To>::min());
  // 2^63 and 2^64 are exact doubles, their predecessors are not.
  constexpr double beyond =
      2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<To>::digits - 1));
  if (value <= low) return std::numeric_limits<To>::min();
  if (value >= beyond) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}
inline double to_integral(double value, const Words& words) {
  if (words.any(Word::rzi, Word::rz)) return std::trunc(value);
  if (words.any(Word::rmi, Word::rm)) return std::floor(value);
  if (words.any(Word::rpi, Word::rp)) return std::ceil(value);
  return std::nearbyint(value);
}
/// A float of 24 digits, rounded as the words say, from any number with 64 bits.
template <class From>
float rounded_float(From value, const Words& words) {
  const float nearest = static_cast<float>(value);
  if (!words.any(Word::rz, Word::rm, Word::rp)) return nearest;
  if (value != value) return nearest;
  // Whether the nearest one is above or below.
  using Wide = long double;
  const Wide exact = static_cast<Wide>(value), there = static_cast<Wide>(nearest);
  const bool down = words.has(Word::rm) || (words.has(Word::rz) && exact > 0);
  const bool up = words.has(Word::rp) || (words.has(Word::rz) && exact < 0);
  if (down && there > exact) return std::nextafter(nearest, -INFINITY);
  if (up && there < exact) return std::nextafter(nearest, INFINITY);
  return nearest;
}
template <class From>
double rounded_double(From value, const Words& words) {
  const double nearest = static_cast<double>(value);
  if (!words.any(Word::rz, Word::rm, Word::rp)) return nearest;
  const auto exact = static_cast<long double>(value), there = static_cast<long double>(nearest);
  const bool down = words.has(Word::rm) || (words.has(Word::rz) && exact > 0);
  const bool up = words.has(Word::rp) || (words.has(Word::rz) && exact < 0);
  if (down && there > exact) return std::nextafter(nearest, -INFINITY);
  if (up && there < exact) return std::nextafter(nearest, INFINITY);
  return nearest;
}

inline Toward toward_of(const Words& words) {
  return words.has(Word::rz)   ? Toward::zero
         : words.has(Word::rm) ? Toward::down
         : words.has(Word::rp) ? Toward::up
                               : Toward::nearest;
}
/// The integer as a double, with an odd last bit if it is not exact: so that it rounds to fewer
/// digits as the integer does.
template <class T>
double odd_double(T value) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(value);
  } else {
    const bool negative = value < 0;
    std::uint64_t size = static_cast<std::uint64_t>(value);
    if (negative) size = 0 - size;
    const int drop = std::max(0, 64 - std::countl_zero(size) - 53);
    const std::uint64_t rest = size & ((std::uint64_t{1} << drop) - 1);
    size = (size >> drop << drop) | (rest != 0 ? std::uint64_t{1} << drop : 0);
    const auto made = static_cast<double>(size);
    return negative ? -made : made;
  }
}

/// Tags of the types of 16 bits, which are no types of C++.
struct F16 {
  using Format = Half;
};
struct BF16 {
  using Format = Brain;
};
template <class T>
inline constexpr bool is_half = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <class T>
using Stored = std::conditional_t<is_half<T>, std::uint16_t, T>;

/// cvt.rna.tf32.f32: ten digits behind the point, a tie away from zero.
void convert_tf32(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    constexpr std::uint32_t infinity = 0x7f800000, half = 0x1000, rest = 0x1fff;
    const std::uint32_t size = a[l] & 0x7fffffff;
    if (size > infinity) return std::uint32_t{0x7fffffff};
    return size == infinity ? a[l] : (a[l] + half) & ~rest;
  });
}

/// cvt.f16x2.f32 and cvt.bf16x2.f32: a is the upper half. With .rs each half of c has as many
/// random bits as f32 has places below those of the format.
template <class Format>
void convert_two(Warp& w, const Step& s) {
  const float* const a = source<float>(w, s.a);
  const float* const b = source<float>(w, s.b);
  const bool random = s.op->words.has(Word::rs);
  const std::uint32_t* const c = random ? source<std::uint32_t>(w, s.c) : nullptr;
  const Words words = s.op->words;
  const auto half = [&](float value, int l, int shift) {
    auto number = static_cast<double>(value);
    if (words.has(Word::sat)) number = saturated(number);
    if (words.has(Word::relu) && !(number > 0) && number == number) number = 0;
    constexpr int places = std::is_same_v<Format, Half> ? 13 : 16;
    Narrowing rounding{toward_of(words)};
    if (random) rounding = {Toward::random, std::uint64_t{c[l] >> shift} << (64 - places)};
    std::uint32_t bits = Format::of(number, rounding);
    // Infinity and what overflows become the largest number.
    constexpr std::uint32_t infinity = std::is_same_v<Format, Half> ? 0x7c00 : 0x7f80;
    if (words.has(Word::satfinite) && (bits & 0x7fff) == infinity) --bits;
    return bits;
  };
  for_lanes<std::uint32_t>(w, s.d,
                           [&](int l) { return half(a[l], l, 16) << 16 | half(b[l], l, 0); });
}

/// cvt to two numbers of 8 bits or fewer: of f32 in a and b, or of a pair of halves in a; the first
/// is the upper one. `Halves`: the format of these, or float.
template <class Format, class Halves>
void convert_to_small(Warp& w, const Step& s) {
  const Words words = s.op->words;
  const auto small = [=](float value) -> std::uint32_t {
    if constexpr (std::is_same_v<Format, UE8M0>)
      return Format::of(value, words.has(Word::rp), words.has(Word::satfinite));
    else
      return Format::of(static_cast<double>(words.has(Word::relu) && value <= 0 ? 0.0F : value));
  };
  const auto write = [&](auto high, auto low) {
    for_lanes<std::uint16_t>(w, s.d, [=](int l) {
      return static_cast<std::uint16_t>(small(high(l)) << Format::width | small(low(l)));
    });
  };
  if constexpr (!std::is_same_v<Halves, float>) {
    const auto* const a = source<std::uint32_t>(w, s.a);
    write([=](int l) { return Halves::to(static_cast<std::uint16_t>(a[l] >> 16)); },
          [=](int l) { return Halves::to(static_cast<std::uint16_t>(a[l])); });
  } else {
    const float* const a = source<float>(w, s.a);
    const float* const b = source<float>(w, s.b);
    write([=](int l) { return a[l]; }, [=](int l) { return b[l]; });
  }
}
/// cvt.f16x2 or cvt.bf16x2 of two such numbers.
template <class Format, class Halves>
void convert_from_small(Warp& w, const Step& s) {
  const auto* const a = source<std::uint16_t>(w, s.a);
  const bool relu = s.op->words.has(Word::relu);
  const auto half = [=](std::uint32_t bits) {
    const float value = Format::to(bits & ((1u << Format::width) - 1));
    return std::uint32_t{Halves::of(static_cast<double>(relu && value <= 0 ? 0.0F : value))};
  };
  for_lanes<std::uint32_t>(
      w, s.d, [=](int l) { return half(std::uint32_t{a[l]} >> Format::width) << 16 | half(a[l]); });
}
