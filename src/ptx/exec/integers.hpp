// Integer operations of PTX (PTX ISA 9.0, sections 9.7.1, 9.7.2 and 9.7.8). Included by
// vectors.cpp, which is compiled for several instruction sets.

template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// Twice as wide.
template <class T>
struct Wider;
template <>
struct Wider<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct Wider<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct Wider<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct Wider<std::int32_t> {
  using type = std::int64_t;
};
__extension__ template <>
struct Wider<std::uint64_t> {
  using type = unsigned __int128;
};
__extension__ template <>
struct Wider<std::int64_t> {
  using type = __int128;
};

/// Arithmetic wraps around.
template <class T>
T wrapped_mul(T a, T b) {
  using W = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Unsigned<T>>;
  return static_cast<T>(static_cast<W>(static_cast<Unsigned<T>>(a)) *
                        static_cast<W>(static_cast<Unsigned<T>>(b)));
}
template <class T>
T wrapped_add(T a, T b) {
  return static_cast<T>(
      static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b)));
}
template <class T>
T wrapped_sub(T a, T b) {
  return static_cast<T>(
      static_cast<Unsigned<T>>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b)));
}
template <class T>
T high_mul(T a, T b) {
  using W = typename Wider<T>::type;
  return static_cast<T>((static_cast<W>(a) * static_cast<W>(b)) >> (8 * sizeof(T)));
}

struct Add {
  template <class T>
  static T of(T a, T b) {
    return wrapped_add(a, b);
  }
};
struct Sub {
  template <class T>
  static T of(T a, T b) {
    return wrapped_sub(a, b);
  }
};
struct MulLo {
  template <class T>
  static T of(T a, T b) {
    return wrapped_mul(a, b);
  }
};
struct MulHi {
  template <class T>
  static T of(T a, T b) {
    return high_mul(a, b);
  }
};
/// Division by zero has no defined result: all bits, as GPUs give for unsigned numbers.
struct Div {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return static_cast<T>(~Unsigned<T>{0});
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return wrapped_sub(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T>
  static T of(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
/// The result of F, or 0 if it is less.
template <class F>
struct Relu {
  template <class T>
  static T of(T a, T b) {
    return Max::of(F::of(a, b), T{0});
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct SatAdd {
  static std::int32_t of(std::int32_t a, std::int32_t b) {
    const std::int64_t sum = std::int64_t{a} + b;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
  }
};
struct SatSub {
  static std::int32_t of(std::int32_t a, std::int32_t b) {
    const std::int64_t sum = std::int64_t{a} - b;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
  }
};

struct Neg {
  template <class T>
  static T of(T a) {
    return wrapped_sub(T(0), a);
  }
};
struct Abs {
  template <class T>
  static T of(T a) {
    return a < 0 ? wrapped_sub(T(0), a) : a;
  }
};
struct Not {
  template <class T>
  static T of(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T of(T a) {
    return static_cast<T>(a == 0 ? 1 : 0);
  }
};
struct Same {
  template <class T>
  static T of(T a) {
    return a;
  }
};
struct Reverse {
  template <class T>
  static T of(T a) {
    T r = 0;
    for (std::size_t k = 0; k < 8 * sizeof(T); ++k) r = static_cast<T>((r << 1) | (a >> k & 1));
    return r;
  }
};

template <class T, class F>
void unary(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  for_lanes<T>(w, s.d, [=](int l) { return F::of(a[l]); });
}
template <class T, class F>
void binary(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  for_lanes<T>(w, s.d, [=](int l) { return F::of(a[l], b[l]); });
}
/// d = F(a, b) + c.
template <class T, class F>
void multiply_add(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const T* const c = source<T>(w, s.c);
  for_lanes<T>(w, s.d, [=](int l) { return wrapped_add(F::of(a[l], b[l]), c[l]); });
}
template <class T>
void multiply_wide(Warp& w, const Step& s) {
  using W = typename Wider<T>::type;
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  for_lanes<W>(w, s.d,
               [=](int l) { return static_cast<W>(static_cast<W>(a[l]) * static_cast<W>(b[l])); });
}
template <class T>
void multiply_add_wide(Warp& w, const Step& s) {
  using W = typename Wider<T>::type;
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const W* const c = source<W>(w, s.c);
  for_lanes<W>(w, s.d, [=](int l) {
    return wrapped_add(static_cast<W>(static_cast<W>(a[l]) * static_cast<W>(b[l])), c[l]);
  });
}
/// mad.hi.sat.s32.
inline void multiply_add_sat(Warp& w, const Step& s) {
  const auto* const a = source<std::int32_t>(w, s.a);
  const auto* const b = source<std::int32_t>(w, s.b);
  const auto* const c = source<std::int32_t>(w, s.c);
  for_lanes<std::int32_t>(w, s.d, [=](int l) { return SatAdd::of(high_mul(a[l], b[l]), c[l]); });
}
/// Products of the lower 24 bits: the lower or the upper 32 of 48.
template <class T>
void multiply_24(Warp& w, const Step& s) {
  using W = typename Wider<T>::type;
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const T* const c = s.c >= 0 ? source<T>(w, s.c) : nullptr;
  const int shift = s.op->words.has(Word::hi) ? 16 : 0;
  const auto part = [](T x) { return static_cast<W>(static_cast<T>(x << 8) >> 8); };
  for_lanes<T>(w, s.d, [=](int l) {
    const T product = static_cast<T>((part(a[l]) * part(b[l])) >> shift);
    return c ? wrapped_add(product, c[l]) : product;
  });
}
template <class T>
void sum_of_differences(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const T* const c = source<T>(w, s.c);
  for_lanes<T>(w, s.d, [=](int l) {
    return wrapped_add(c[l], a[l] < b[l] ? wrapped_sub(b[l], a[l]) : wrapped_sub(a[l], b[l]));
  });
}

// Extended precision: the carry flag of each lane.

/// d = a + b + carry; a - b - borrow as a + ~b + carry: the flag is that of the adder, set where a
/// subtraction borrows nothing. nvcc's division of 128 bits reads it so, by addc after subc.
template <class T, bool takes, bool subtracts>
void add_with_carry(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const bool gives = s.op->words.has(Word::cc);
  const std::uint32_t before = w.carry;
  std::uint32_t after = before;
  T* const d = destination<T>(w, s.d);
  for (int l = 0; l < warp_lanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    const T y = subtracts ? static_cast<T>(~b[l]) : b[l];
    const T in = static_cast<T>(takes ? (before >> l & 1) != 0 : subtracts);
    const T sum = static_cast<T>(a[l] + y);
    const T all = static_cast<T>(sum + in);
    const bool out = sum < a[l] || all < sum;
    const std::uint32_t bit = std::uint32_t{1} << l;
    if (gives) after = (after & ~bit) | (out ? bit : 0);
    d[l] = all;
  }
  w.carry = after;
}
/// d = half of a * b, + c + carry.
template <class T, bool takes, bool high>
void multiply_with_carry(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const T* const c = source<T>(w, s.c);
  using U = Unsigned<T>;
  const bool gives = s.op->words.has(Word::cc);
  std::uint32_t after = w.carry;
  T* const d = destination<T>(w, s.d);
  for (int l = 0; l < warp_lanes; ++l) {
    if ((w.mask >> l & 1) == 0) continue;
    const U product = static_cast<U>(high ? high_mul(a[l], b[l]) : wrapped_mul(a[l], b[l]));
    const U in = takes ? static_cast<U>(w.carry >> l & 1) : U{0};
    const U sum = static_cast<U>(product + static_cast<U>(c[l]));
    const U all = static_cast<U>(sum + in);
    const bool out = sum < product || all < sum;
    const std::uint32_t bit = std::uint32_t{1} << l;
    if (gives) after = (after & ~bit) | (out ? bit : 0);
    d[l] = static_cast<T>(all);
  }
  w.carry = after;
}

// Bits.

template <class T>
void count_ones(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  for_lanes<std::uint32_t>(w, s.d,
                           [=](int l) { return static_cast<std::uint32_t>(std::popcount(a[l])); });
}
template <class T>
void leading_zeros(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  for_lanes<std::uint32_t>(
      w, s.d, [=](int l) { return static_cast<std::uint32_t>(std::countl_zero(a[l])); });
}
/// The place of the highest bit that is not the sign; all ones: there is none.
template <class T>
void find_bit(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const bool shift = s.op->words.has(Word::shiftamt);
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    Unsigned<T> x = static_cast<Unsigned<T>>(a[l]);
    if constexpr (std::is_signed_v<T>)
      if (a[l] < 0) x = static_cast<Unsigned<T>>(~x);
    if (x == 0) return all_lanes;
    const int zeros = std::countl_zero(x);
    return static_cast<std::uint32_t>(shift ? zeros : static_cast<int>(8 * sizeof(T)) - 1 - zeros);
  });
}
/// Amounts of a type's bits and more give zeros, or signs.
template <class T>
void shift_left(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  for_lanes<T>(w, s.d,
               [=](int l) { return b[l] < 8 * sizeof(T) ? static_cast<T>(a[l] << b[l]) : T{0}; });
}
template <class T>
void shift_right(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  for_lanes<T>(w, s.d, [=](int l) {
    const std::uint32_t last = 8 * sizeof(T) - 1;
    if (b[l] <= last) return static_cast<T>(a[l] >> b[l]);
    return std::is_signed_v<T> ? static_cast<T>(a[l] >> last) : T{0};
  });
}
/// The upper word of (b:a) << c, or the lower of (b:a) >> c.
inline void funnel_shift(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  const bool left = s.op->words.has(Word::l), wraps = s.op->words.has(Word::wrap);
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    const std::uint32_t n = wraps ? c[l] & 31 : std::min<std::uint32_t>(c[l], 32);
    const std::uint64_t both = std::uint64_t{b[l]} << 32 | a[l];
    return left ? static_cast<std::uint32_t>(both << n >> 32)
                : static_cast<std::uint32_t>(both >> n);
  });
}
template <class T>
void extract_field(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  constexpr std::uint32_t bits = 8 * sizeof(T);
  for_lanes<T>(w, s.d, [=](int l) {
    const std::uint32_t at = b[l] & 0xff, length = c[l] & 0xff;
    const auto x = static_cast<Unsigned<T>>(a[l]);
    const std::uint32_t top = std::min(at + length, bits) - 1;
    const bool sign = std::is_signed_v<T> && length > 0 && (x >> std::min(top, bits - 1) & 1) != 0;
    const Unsigned<T> filled = sign ? static_cast<Unsigned<T>>(~Unsigned<T>{0}) : Unsigned<T>{0};
    if (length == 0) return T{0};
    if (at >= bits) return static_cast<T>(filled);
    const std::uint32_t have = std::min(length, bits - at);
    const auto ones =
        static_cast<Unsigned<T>>(have >= bits ? ~Unsigned<T>{0} : (Unsigned<T>{1} << have) - 1);
    return static_cast<T>(((x >> at) & ones) | (filled & ~ones));
  });
}
template <class T>
void insert_field(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  const auto* const e = source<std::uint32_t>(w, s.e);
  constexpr std::uint32_t bits = 8 * sizeof(T);
  for_lanes<T>(w, s.d, [=](int l) {
    const std::uint32_t at = c[l] & 0xff, length = e[l] & 0xff;
    if (at >= bits || length == 0) return b[l];
    const std::uint32_t have = std::min(length, bits - at);
    const auto ones = static_cast<T>((have >= bits ? ~T{0} : (T{1} << have) - 1) << at);
    return static_cast<T>((b[l] & ~ones) | ((a[l] << at) & ones));
  });
}
/// Any function of three bits: bit 4a + 2b + c of the table.
inline void logic3(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  const auto table = static_cast<std::uint32_t>(s.value);
  std::uint32_t term[8];
  for (int k = 0; k < 8; ++k) term[k] = (table >> k & 1) != 0 ? all_lanes : 0;
  for_lanes<std::uint32_t>(w, s.d, [&](int l) {
    const std::uint32_t x = a[l], y = b[l], z = c[l];
    const std::uint32_t low =
        (~y & ((~z & term[0]) | (z & term[1]))) | (y & ((~z & term[2]) | (z & term[3])));
    const std::uint32_t high =
        (~y & ((~z & term[4]) | (z & term[5]))) | (y & ((~z & term[6]) | (z & term[7])));
    return (~x & low) | (x & high);
  });
  if (s.q < 0) return;
  // lop3.or: whether d is not 0, or a predicate.
  const auto* const d = destination<std::uint32_t>(w, s.d);
  std::uint32_t bits = test_lanes([=](int l) { return d[l] != 0; });
  const std::uint32_t p =
      s.e_negated ? ~*source<std::uint32_t>(w, s.e) : *source<std::uint32_t>(w, s.e);
  bits = s.op->words.has(Word::and_) ? bits & p : bits | p;
  set_predicate(w, s.q, bits);
}
inline void permute_bytes(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::uint32_t>(w, s.c);
  const Words words = s.op->words;
  for_lanes<std::uint32_t>(w, s.d, [&](int l) {
    const std::uint64_t bytes = std::uint64_t{b[l]} << 32 | a[l];
    std::uint32_t value = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t n = c[l] & 3;
      std::uint32_t at = (c[l] >> (4 * k)) & 7;
      const bool sign = (c[l] >> (4 * k) & 8) != 0;
      bool fills = sign;
      if (words.has(Word::f4e)) at = n + k, fills = false;
      if (words.has(Word::b4e)) at = (n + 8 - k) & 7, fills = false;
      if (words.has(Word::rc8)) at = n, fills = false;
      if (words.has(Word::ecl)) at = std::max(k, n), fills = false;
      if (words.has(Word::ecr)) at = std::min(k, n), fills = false;
      if (words.has(Word::rc16)) at = 2 * (n & 1) + (k & 1), fills = false;
      std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * at)) & 0xff;
      if (fills) byte = (byte & 0x80) != 0 ? 0xff : 0;
      value |= byte << (8 * k);
    }
    return value;
  });
}
inline void make_mask(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const bool wraps = s.op->words.has(Word::wrap);
  for_lanes<std::uint32_t>(w, s.d, [=](int l) {
    const std::uint32_t at = wraps ? a[l] & 31 : a[l], length = wraps ? b[l] & 31 : b[l];
    if (at >= 32 || length == 0) return std::uint32_t{0};
    const std::uint32_t ones = length >= 32 ? all_lanes : (std::uint32_t{1} << length) - 1;
    return ones << at;
  });
}
template <class T>
void extend_sign(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const bool wraps = s.op->words.has(Word::wrap);
  for_lanes<T>(w, s.d, [=](int l) {
    const std::uint32_t length = wraps ? b[l] & 31 : std::min<std::uint32_t>(b[l], 32);
    if (length == 0) return T{0};
    return static_cast<T>(static_cast<T>(a[l] << (32 - length)) >> (32 - length));
  });
}
/// The place of the c-th one of a, counted from bit b to the left, or to the right if c < 0.
inline void find_nth(Warp& w, const Step& s) {
  const auto* const a = source<std::uint32_t>(w, s.a);
  const auto* const b = source<std::uint32_t>(w, s.b);
  const auto* const c = source<std::int32_t>(w, s.c);
  for_lanes<std::uint32_t>(w, s.d, [=](int l) -> std::uint32_t {
    const int step = c[l] < 0 ? -1 : 1;
    std::int64_t left = c[l] == 0 ? 1 : std::abs(std::int64_t{c[l]});
    if (c[l] == 0) return b[l] < 32 && (a[l] >> b[l] & 1) != 0 ? b[l] : all_lanes;
    for (std::int64_t at = b[l]; at >= 0 && at < 32; at += step)
      if ((a[l] >> at & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(at);
    return all_lanes;
  });
}
