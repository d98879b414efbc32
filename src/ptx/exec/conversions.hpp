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
inline bool compares_floats_flushed(const Step& s) { return s.op->words.has(Word::ftz); }

/// The lanes for which a comparison of a and b holds.
template <class T>
std::uint32_t compared(const Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const Comparison c = comparison_of(s.op->words);
  std::uint32_t less = 0, equal = 0, greater = 0;
  if constexpr (std::is_same_v<T, float>) {
    if (s.op->words.has(Word::ftz)) {
      less = test_lanes([=](int l) { return flushed(a[l]) < flushed(b[l]); });
      equal = test_lanes([=](int l) { return flushed(a[l]) == flushed(b[l]); });
      greater = test_lanes([=](int l) { return flushed(a[l]) > flushed(b[l]); });
    }
  }
  if (!(std::is_same_v<T, float> && s.op->words.has(Word::ftz))) {
    less = test_lanes([=](int l) { return a[l] < b[l]; });
    equal = test_lanes([=](int l) { return a[l] == b[l]; });
    if constexpr (std::is_floating_point_v<T>)
      greater = test_lanes([=](int l) { return a[l] > b[l]; });
    else
      greater = ~(less | equal);
  }
  return (c.less ? less : 0) | (c.equal ? equal : 0) | (c.greater ? greater : 0) |
         (c.unordered ? ~(less | equal | greater) : 0);
}
/// With the boolean operation and the predicate that may follow.
inline std::uint32_t combined(Warp& w, const Step& s, std::uint32_t bits) {
  if (s.e < 0) return bits;
  const std::uint32_t p = s.e_negated ? ~predicate(w, s.e) : predicate(w, s.e);
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
/// All ones or 1.0, else zeros.
template <class T, class D>
void set_number(Warp& w, const Step& s, D yes) {
  const std::uint32_t bits = combined(w, s, compared<T>(w, s));
  for_lanes<D>(w, s.d, [=](int l) { return (bits >> l & 1) != 0 ? yes : D{}; });
}
template <class T>
void set_number(Warp& w, const Step& s) {
  if (s.op->type == Type::f32) return set_number<T, float>(w, s, 1.0F);
  if (bits_of(s.op->type) == 16)
    return set_number<T, std::uint16_t>(w, s,
                                        s.op->type == Type::u16   ? std::uint16_t{0xffff}
                                        : s.op->type == Type::f16 ? std::uint16_t{0x3c00}
                                                                  : std::uint16_t{0x3f80});
  set_number<T, std::uint32_t>(w, s, all_lanes);
}

template <class T>
void select(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const std::uint32_t p = s.e_negated ? ~predicate(w, s.e) : predicate(w, s.e);
  for_lanes<T>(w, s.d, [=](int l) { return (p >> l & 1) != 0 ? a[l] : b[l]; });
}
template <class T, class C>
void select_by_sign(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const C* const c = source<C>(w, s.c);
  for_lanes<T>(w, s.d, [=](int l) { return c[l] >= 0 ? a[l] : b[l]; });
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

// Conversions: a value in a register of width S, of which type From is read; the result of type To
// in a register of width D.

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

template <class From>
auto loaded(Stored<From> bits) {
  if constexpr (is_half<From>)
    return From::Format::to(bits);
  else
    return bits;
}

template <class To, class From>
Stored<To> converted(Stored<From> bits, const Words& words) {
  const auto value = loaded<From>(bits);
  using Value = std::decay_t<decltype(value)>;
  if constexpr (is_half<To>) {
    double number = static_cast<double>(value);
    if constexpr (is_half<From>)
      if (words.any(Word::rni, Word::rzi, Word::rmi, Word::rpi))
        number = to_integral(number, words);
    if (words.has(Word::sat)) number = saturated(number);
    if (words.has(Word::relu) && !(number > 0) && number == number) number = 0;
    return To::Format::of(number);
  } else if constexpr (std::is_floating_point_v<To>) {
    To number{};
    if constexpr (std::is_floating_point_v<Value>) {
      Value from = value;
      if (words.has(Word::ftz)) from = flushed(from);
      if constexpr (std::is_same_v<To, Value>)
        number = words.any(Word::rni, Word::rzi, Word::rmi, Word::rpi)
                     ? static_cast<To>(to_integral(from, words))
                     : from;
      else if constexpr (std::is_same_v<To, float>)
        number = rounded_float(from, words);
      else
        number = static_cast<To>(from);
      if (words.has(Word::ftz)) number = flushed(number);
      number = canonical(number);
    } else if constexpr (std::is_same_v<To, float>) {
      number = rounded_float(value, words);
    } else {
      number = rounded_double(value, words);
    }
    return words.has(Word::sat) ? saturated(number) : number;
  } else if constexpr (std::is_floating_point_v<Value>) {
    double number = static_cast<double>(value);
    if (words.has(Word::ftz) && std::is_same_v<Value, float>)
      number = flushed(static_cast<float>(value));
    return limited<To>(to_integral(number, words));
  } else {
    if (words.has(Word::sat)) {
      if constexpr (std::is_signed_v<Value> && !std::is_signed_v<To>) {
        if (value < 0) return 0;
      }
      if (std::cmp_less(value, std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
      if (std::cmp_greater(value, std::numeric_limits<To>::max()))
        return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  }
}

/// The row of a register of `bits` bits as numbers: its lower bits.
template <class T, class F>
void with_row(const Warp& w, Place place, int bits, F f) {
  if constexpr (std::is_floating_point_v<T>)
    return f([row = source<T>(w, place)](int l) { return row[l]; });
  if (bits == 16)
    return f([row = source<std::uint16_t>(w, place)](int l) { return static_cast<T>(row[l]); });
  if (bits == 32)
    return f([row = source<std::uint32_t>(w, place)](int l) { return static_cast<T>(row[l]); });
  f([row = source<std::uint64_t>(w, place)](int l) { return static_cast<T>(row[l]); });
}
