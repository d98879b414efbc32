// Floating point of PTX (PTX ISA 9.0, sections 9.7.3 to 9.7.5). Included by vectors.cpp.
//
// Bit-exact: add, sub, mul, fma, div, rcp, sqrt with a rounding mode; comparisons; min, max. The
// `.approx` forms are computed more exactly than GPUs do, so they are within the stated errors, but
// not the same bits: div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh.

template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using type = std::uint32_t;
  static constexpr type quiet = 0x7fffffff;
};
template <>
struct FloatBits<double> {
  using type = std::uint64_t;
  static constexpr type quiet = 0x7ff8000000000000;
};
template <class T>
using BitsOf = typename FloatBits<T>::type;

/// The NaN that GPUs give.
template <class T>
T canonical(T value) {
  return value == value ? value : __builtin_bit_cast(T, FloatBits<T>::quiet);
}
/// A subnormal number as a zero of its sign.
inline float flushed(float value) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
  return (bits & 0x7f800000) == 0 ? __builtin_bit_cast(float, bits & 0x80000000) : value;
}
inline double flushed(double value) { return value; } // .ftz is of f32
inline float saturated(float value) { return value > 0 ? (value < 1 ? value : 1.0F) : 0.0F; }
inline double saturated(double value) { return value > 0 ? (value < 1 ? value : 1.0) : 0.0; }

struct FAdd {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
};
struct FSub {
  template <class T>
  static T of(T a, T b) {
    return a - b;
  }
};
struct FMul {
  template <class T>
  static T of(T a, T b) {
    return a * b;
  }
};
struct FDiv {
  template <class T>
  static T of(T a, T b) {
    return a / b;
  }
};
/// A NaN loses against a number, and -0 is smaller than +0.
template <bool maximum, bool propagates>
struct FExtreme {
  template <class T>
  static T of(T a, T b) {
    if (a != a || b != b) {
      if (propagates || (a != a && b != b)) return __builtin_bit_cast(T, FloatBits<T>::quiet);
      return a != a ? b : a;
    }
    if (a == b) return maximum == std::signbit(a) ? b : a;
    return (a < b) == maximum ? b : a;
  }
};
struct FAbs {
  template <class T>
  static T of(T a) {
    return __builtin_bit_cast(T, __builtin_bit_cast(BitsOf<T>, a) & (~BitsOf<T>{0} >> 1));
  }
};
struct FNeg {
  template <class T>
  static T of(T a) {
    return __builtin_bit_cast(T, __builtin_bit_cast(BitsOf<T>, a) ^ ~(~BitsOf<T>{0} >> 1));
  }
};
struct FRcp {
  template <class T>
  static T of(T a) {
    return T(1) / a;
  }
};
struct FSqrt {
  template <class T>
  static T of(T a) {
    return std::sqrt(a);
  }
};
struct FRsqrt {
  template <class T>
  static T of(T a) {
    return T(1) / std::sqrt(a);
  }
};
struct FSin {
  template <class T>
  static T of(T a) {
    return std::sin(a);
  }
};
struct FCos {
  template <class T>
  static T of(T a) {
    return std::cos(a);
  }
};
struct FLg2 {
  template <class T>
  static T of(T a) {
    return std::log2(a);
  }
};
struct FEx2 {
  template <class T>
  static T of(T a) {
    return std::exp2(a);
  }
};
struct FTanh {
  template <class T>
  static T of(T a) {
    return std::tanh(a);
  }
};

/// The rounding mode of what follows; `plain`: the one to nearest.
template <bool plain>
class Rounding {
public:
  explicit Rounding(const Step& s) {
    if constexpr (!plain) {
      const Words& words = s.op->words;
      mode_ = words.has(Word::rz)   ? FE_TOWARDZERO
              : words.has(Word::rm) ? FE_DOWNWARD
              : words.has(Word::rp) ? FE_UPWARD
                                    : FE_TONEAREST;
      if (mode_ != FE_TONEAREST) std::fesetround(mode_);
    }
  }
  ~Rounding() {
    if constexpr (!plain)
      if (mode_ != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

private:
  int mode_ = FE_TONEAREST;
};

/// What `.ftz` and `.sat` do around an operation.
template <class T, bool plain>
struct Around {
  bool ftz = false, sat = false;
  explicit Around(const Step& s) {
    if constexpr (!plain) {
      ftz = s.op->words.has(Word::ftz);
      sat = s.op->words.has(Word::sat);
    }
  }
  T in(T value) const { return !plain && ftz ? flushed(value) : value; }
  T out(T value) const {
    value = canonical(value);
    if (!plain && ftz) value = flushed(value);
    return !plain && sat ? saturated(value) : value;
  }
};

template <class T, class F, bool plain>
void float_unary(Warp& w, const Step& s) {
  const Rounding<plain> rounding(s);
  const Around<T, plain> around(s);
  const T* const a = source<T>(w, s.a);
  for_lanes<T>(w, s.d, [=](int l) { return around.out(F::of(around.in(a[l]))); });
}
template <class T, class F, bool plain>
void float_binary(Warp& w, const Step& s) {
  const Rounding<plain> rounding(s);
  const Around<T, plain> around(s);
  const T* const a = source<T>(w, s.a);
  const T* const b = source<T>(w, s.b);
  for_lanes<T>(w, s.d, [=](int l) { return around.out(F::of(around.in(a[l]), around.in(b[l]))); });
}
/// GCC uses no vectors for std::fma where the rounding mode may change.
inline void fma_row(const float* a, const float* b, const float* c, float* d) {
#if defined(__AVX512F__)
  for (int l = 0; l < warp_lanes; l += 16)
    _mm512_storeu_ps(d + l, _mm512_fmadd_ps(_mm512_loadu_ps(a + l), _mm512_loadu_ps(b + l),
                                            _mm512_loadu_ps(c + l)));
#elif defined(__FMA__)
  for (int l = 0; l < warp_lanes; l += 8)
    _mm256_storeu_ps(d + l, _mm256_fmadd_ps(_mm256_loadu_ps(a + l), _mm256_loadu_ps(b + l),
                                            _mm256_loadu_ps(c + l)));
#else
  for (int l = 0; l < warp_lanes; ++l) d[l] = std::fma(a[l], b[l], c[l]);
#endif
}
inline void fma_row(const double* a, const double* b, const double* c, double* d) {
#if defined(__AVX512F__)
  for (int l = 0; l < warp_lanes; l += 8)
    _mm512_storeu_pd(d + l, _mm512_fmadd_pd(_mm512_loadu_pd(a + l), _mm512_loadu_pd(b + l),
                                            _mm512_loadu_pd(c + l)));
#elif defined(__FMA__)
  for (int l = 0; l < warp_lanes; l += 4)
    _mm256_storeu_pd(d + l, _mm256_fmadd_pd(_mm256_loadu_pd(a + l), _mm256_loadu_pd(b + l),
                                            _mm256_loadu_pd(c + l)));
#else
  for (int l = 0; l < warp_lanes; ++l) d[l] = std::fma(a[l], b[l], c[l]);
#endif
}

/// Rounded once.
template <class T, bool plain>
void float_fma(Warp& w, const Step& s) {
  if constexpr (plain) {
    T sums[warp_lanes];
    fma_row(source<T>(w, s.a), source<T>(w, s.b), source<T>(w, s.c), sums);
    for_lanes<T>(w, s.d, [&](int l) { return canonical(sums[l]); });
  } else {
    const Rounding<plain> rounding(s);
    const Around<T, plain> around(s);
    const T* const a = source<T>(w, s.a);
    const T* const b = source<T>(w, s.b);
    const T* const c = source<T>(w, s.c);
    for_lanes<T>(w, s.d, [=](int l) {
      return around.out(std::fma(around.in(a[l]), around.in(b[l]), around.in(c[l])));
    });
  }
}
template <class T>
void copy_sign(Warp& w, const Step& s) {
  using B = BitsOf<T>;
  const B* const a = source<B>(w, s.a);
  const B* const b = source<B>(w, s.b);
  constexpr B sign = ~(~B{0} >> 1);
  for_lanes<B>(w, s.d, [=](int l) { return (a[l] & sign) | (b[l] & ~sign); });
}
template <class T>
void test_property(Warp& w, const Step& s) {
  const T* const a = source<T>(w, s.a);
  const Words words = s.op->words;
  set_predicate(w, s.d, test_lanes([&](int l) {
                  const int kind = std::fpclassify(a[l]);
                  if (words.has(Word::finite)) return kind != FP_INFINITE && kind != FP_NAN;
                  if (words.has(Word::infinite)) return kind == FP_INFINITE;
                  if (words.has(Word::number)) return kind != FP_NAN;
                  if (words.has(Word::notanumber)) return kind == FP_NAN;
                  if (words.has(Word::normal)) return kind == FP_NORMAL;
                  return kind == FP_SUBNORMAL;
                }));
}

/// One or two numbers of 16 bits in each lane.
template <class Format, class Word16, class F>
void half_lanes(Warp& w, const Step& s, F f) {
  const auto* const a = source<Word16>(w, s.a);
  const auto* const b = s.b >= 0 ? source<Word16>(w, s.b) : a;
  const auto* const c = s.c >= 0 ? source<Word16>(w, s.c) : a;
  const bool sat = s.op->words.has(Word::sat), relu = s.op->words.has(Word::relu);
  for_lanes<Word16>(w, s.d, [&](int l) {
    Word16 all = 0;
    for (std::size_t k = 0; k < sizeof(Word16) / 2; ++k) {
      const auto part = [&](Word16 word) { return static_cast<std::uint16_t>(word >> (16 * k)); };
      double value = f(static_cast<double>(Format::to(part(a[l]))),
                       static_cast<double>(Format::to(part(b[l]))),
                       static_cast<double>(Format::to(part(c[l]))));
      if (sat) value = saturated(value);
      if (relu && !(value > 0) && value == value) value = 0;
      all = static_cast<Word16>(all | static_cast<Word16>(Format::of(value)) << (16 * k));
    }
    return all;
  });
}
template <class Format, class Word16>
void half_operation(Warp& w, const Step& s) {
  switch (s.op->opcode) {
  case Opcode::add:
    return half_lanes<Format, Word16>(w, s,
                                      [](double a, double b, double) { return odd_fma(a, 1, b); });
  case Opcode::sub:
    return half_lanes<Format, Word16>(w, s,
                                      [](double a, double b, double) { return odd_fma(a, 1, -b); });
  case Opcode::mul:
    return half_lanes<Format, Word16>(w, s, [](double a, double b, double) { return a * b; });
  case Opcode::fma:
    return half_lanes<Format, Word16>(
        w, s, [](double a, double b, double c) { return odd_fma(a, b, c); });
  case Opcode::neg:
    return half_lanes<Format, Word16>(w, s, [](double a, double, double) { return -a; });
  case Opcode::abs:
    return half_lanes<Format, Word16>(w, s, [](double a, double, double) { return std::fabs(a); });
  case Opcode::ex2:
    return half_lanes<Format, Word16>(w, s, [](double a, double, double) { return std::exp2(a); });
  case Opcode::tanh:
    return half_lanes<Format, Word16>(w, s, [](double a, double, double) { return std::tanh(a); });
  case Opcode::min:
    if (s.op->words.has(Word::NaN))
      return half_lanes<Format, Word16>(
          w, s, [](double a, double b, double) { return FExtreme<false, true>::of(a, b); });
    return half_lanes<Format, Word16>(
        w, s, [](double a, double b, double) { return FExtreme<false, false>::of(a, b); });
  default:
    if (s.op->words.has(Word::NaN))
      return half_lanes<Format, Word16>(
          w, s, [](double a, double b, double) { return FExtreme<true, true>::of(a, b); });
    return half_lanes<Format, Word16>(
        w, s, [](double a, double b, double) { return FExtreme<true, false>::of(a, b); });
  }
}
