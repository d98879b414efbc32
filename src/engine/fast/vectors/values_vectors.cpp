// Arithmetic on vectors: loops over all lanes up to the last active warp, which the compiler
// vectorises. Inactive lanes compute too: these operations have a result for every operand.
#include "values.hpp"
#include "wide_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace memlane::fast {

using ir::ArithmeticOpcode;
using ir::ComparisonOpcode;
using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

namespace {

/// One side of an operation: a vector, or one word for all lanes.
template <class T>
struct Side {
  const T* words = nullptr;
  T word{};
};

template <class T>
Side<T> side(Values& values, const Register& r, int which, const Shape& part) {
  if (r.form == Form::uniform) return {nullptr, to_word<T>(r.value)};
  return {values.words<T>(r, which, part), T{}};
}

template <class R, class T, class F>
[[gnu::always_inline]] inline void zip_lanes(const Side<T>& a, const Side<T>& b, int lanes, R* to,
                                             F f) {
  if (!b.words) {
    const T y = b.word;
    for (int i = 0; i < lanes; ++i) to[i] = f(a.words[i], y);
  } else if (!a.words) {
    const T x = a.word;
    for (int i = 0; i < lanes; ++i) to[i] = f(x, b.words[i]);
  } else {
    for (int i = 0; i < lanes; ++i) to[i] = f(a.words[i], b.words[i]);
  }
}

#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
/// The same loops: the compiler makes them of wider instructions, which give the same results.
template <class R, class T, class F>
[[gnu::target("avx2")]] void zip_with_avx2(const Side<T>& a, const Side<T>& b, int lanes, R* to,
                                           F f) {
  zip_lanes(a, b, lanes, to, f);
}
#endif

/// to[i] = f(a[i], b[i]); at least one side is a vector.
template <class R, class T, class F>
void zip(const Side<T>& a, const Side<T>& b, int lanes, R* to, F f) {
#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
  if (__builtin_cpu_supports("avx2")) return zip_with_avx2(a, b, lanes, to, f);
#endif
  zip_lanes(a, b, lanes, to, f);
}

/// to[i] = f(a[i]).
template <class R, class T, class F>
bool map(const T* a, int lanes, R* to, F f) {
  for (int i = 0; i < lanes; ++i) to[i] = f(a[i]);
  return true;
}

template <class T>
bool compare(Opcode op, const Side<T>& a, const Side<T>& b, int lanes, std::uint8_t* to) {
  switch (static_cast<ComparisonOpcode>(op)) {
  case ComparisonOpcode::eq:
    zip(a, b, lanes, to, [](T x, T y) -> std::uint8_t { return x == y; });
    break;
  case ComparisonOpcode::ne:
    zip(a, b, lanes, to, [](T x, T y) -> std::uint8_t { return x != y; });
    break;
  case ComparisonOpcode::lt:
    zip(a, b, lanes, to, [](T x, T y) -> std::uint8_t { return x < y; });
    break;
  case ComparisonOpcode::le:
    zip(a, b, lanes, to, [](T x, T y) -> std::uint8_t { return x <= y; });
    break;
  case ComparisonOpcode::is_pow2:
  case ComparisonOpcode::logical_not: return false;
  }
  return true;
}

bool takes_two(Opcode op) { return ir::operands(op) == "dab"; }

} // namespace

template <class T>
bool Values::compute_integers(const Instruction& in, const Mask& mask) {
  using U = std::make_unsigned_t<T>;
  const Register &ra = (*this)[in.a], &rb = (*this)[in.b];
  if (!takes_two(in.op) && in.op != Opcode::neg && in.op != Opcode::bit_not) return false;
  if (!fits(ra, in.type, mask) || !fits(rb, in.type, mask)) return false;
  const Shape part = sets_.part(mask);
  const int lanes = part.lanes();
  if (ir::is_relation(in.op))
    return compare(in.op, side<T>(*this, ra, 0, part), side<T>(*this, rb, 1, part), lanes,
                   make_vector<std::uint8_t>(out_, shape_));
  const auto a = side<T>(*this, ra, 0, part), b = side<T>(*this, rb, 1, part);
  const auto each = [&](auto f) {
    zip(a, b, lanes, make_vector<T>(out_, shape_), f);
    return true;
  };
  const auto wrapped = [](U bits) { return static_cast<T>(bits); };
  switch (static_cast<ArithmeticOpcode>(in.op)) {
  case ArithmeticOpcode::add:
    return each([&](T x, T y) { return wrapped(static_cast<U>(x) + static_cast<U>(y)); });
  case ArithmeticOpcode::sub:
    return each([&](T x, T y) { return wrapped(static_cast<U>(x) - static_cast<U>(y)); });
  case ArithmeticOpcode::mul:
    return each([&](T x, T y) { return wrapped(static_cast<U>(x) * static_cast<U>(y)); });
  case ArithmeticOpcode::bit_and: return each([](T x, T y) { return x & y; });
  case ArithmeticOpcode::bit_or: return each([](T x, T y) { return x | y; });
  case ArithmeticOpcode::bit_xor: return each([](T x, T y) { return x ^ y; });
  case ArithmeticOpcode::min: return each([](T x, T y) { return y < x ? y : x; });
  case ArithmeticOpcode::max: return each([](T x, T y) { return x < y ? y : x; });
  case ArithmeticOpcode::neg:
    return a.words && map(a.words, lanes, make_vector<T>(out_, shape_),
                          [&](T x) { return wrapped(U{0} - static_cast<U>(x)); });
  case ArithmeticOpcode::bit_not:
    return a.words && map(a.words, lanes, make_vector<T>(out_, shape_), [](T x) { return ~x; });
  case ArithmeticOpcode::shl:
    if (b.words || b.word < 0 || b.word >= static_cast<T>(8 * sizeof(T))) return false;
    return each([&](T x, T y) { return wrapped(static_cast<U>(static_cast<U>(x) << y)); });
  case ArithmeticOpcode::shr:
    if (b.words || b.word < 0 || b.word >= static_cast<T>(8 * sizeof(T))) return false;
    return each([](T x, T y) { return static_cast<T>(x >> y); });
  case ArithmeticOpcode::div:
    if (b.words || b.word == 0 || b.word == -1) return false;
    return each([](T x, T y) { return static_cast<T>(x / y); });
  case ArithmeticOpcode::rem:
    if (b.words || b.word == 0 || b.word == -1) return false;
    return each([](T x, T y) { return static_cast<T>(x % y); });
  case ArithmeticOpcode::mod:
    if (b.words || b.word < 1) return false;
    return each([](T x, T y) {
      const T rest = static_cast<T>(x % y);
      return static_cast<T>(rest < 0 ? rest + y : rest);
    });
  // clang-format off
  case ArithmeticOpcode::pow: case ArithmeticOpcode::abs: case ArithmeticOpcode::log2:
  case ArithmeticOpcode::ceil_div: case ArithmeticOpcode::mulmod: case ArithmeticOpcode::invmod:
  case ArithmeticOpcode::iterations: case ArithmeticOpcode::sqrt: case ArithmeticOpcode::sin:
  case ArithmeticOpcode::cos: case ArithmeticOpcode::exp:
    return false; // clang-format on
  }
  return false;
}

template bool Values::compute_integers<std::int32_t>(const Instruction&, const Mask&);
template bool Values::compute_integers<std::int64_t>(const Instruction&, const Mask&);

// float: an operation on doubles, rounded, is the operation on floats for + - * / and the root,
// since a double has more than twice a float's digits (ir/arithmetic.cpp).
template <class T>
bool Values::compute_reals(const Instruction& in, const Mask& mask) {
  const Register &ra = (*this)[in.a], &rb = (*this)[in.b];
  const Shape part = sets_.part(mask);
  const int lanes = part.lanes();
  if (in.op == Opcode::neg || in.op == Opcode::sqrt) {
    const T* a = words<T>(ra, 0, part);
    T* to = make_vector<T>(out_, shape_);
    return in.op == Opcode::neg ? map(a, lanes, to, [](T x) { return -x; })
                                : map(a, lanes, to, [](T x) { return std::sqrt(x); });
  }
  if (!takes_two(in.op)) return false;
  const auto a = side<T>(*this, ra, 0, part), b = side<T>(*this, rb, 1, part);
  if (ir::is_relation(in.op))
    return compare(in.op, a, b, lanes, make_vector<std::uint8_t>(out_, shape_));
  const auto each = [&](auto f) {
    zip(a, b, lanes, make_vector<T>(out_, shape_), f);
    return true;
  };
  switch (static_cast<ArithmeticOpcode>(in.op)) {
  case ArithmeticOpcode::add: return each([](T x, T y) { return x + y; });
  case ArithmeticOpcode::sub: return each([](T x, T y) { return x - y; });
  case ArithmeticOpcode::mul: return each([](T x, T y) { return x * y; });
  case ArithmeticOpcode::div: {
    if (!b.words) return b.word != 0 && each([](T x, T y) { return x / y; });
    const std::uint8_t* active = sets_.lanes(mask);
    for (int i = 0; i < lanes; ++i)
      if (active[i] && b.words[i] == 0) return false;
    T* to = make_vector<T>(out_, shape_);
    for (int i = 0; i < lanes; ++i) // what is not active may be 0
      to[i] = active[i] ? (a.words ? a.words[i] : a.word) / b.words[i] : T{};
    return true;
  }
  // clang-format off
  case ArithmeticOpcode::neg: case ArithmeticOpcode::sqrt: case ArithmeticOpcode::rem:
  case ArithmeticOpcode::mod: case ArithmeticOpcode::pow: case ArithmeticOpcode::bit_not:
  case ArithmeticOpcode::bit_and: case ArithmeticOpcode::bit_or: case ArithmeticOpcode::bit_xor:
  case ArithmeticOpcode::shl: case ArithmeticOpcode::shr: case ArithmeticOpcode::min:
  case ArithmeticOpcode::max: case ArithmeticOpcode::abs: case ArithmeticOpcode::log2:
  case ArithmeticOpcode::ceil_div: case ArithmeticOpcode::mulmod: case ArithmeticOpcode::invmod:
  case ArithmeticOpcode::iterations: case ArithmeticOpcode::sin: case ArithmeticOpcode::cos:
  case ArithmeticOpcode::exp:
    return false; // clang-format on
  }
  return false;
}

template bool Values::compute_reals<float>(const Instruction&, const Mask&);
template bool Values::compute_reals<double>(const Instruction&, const Mask&);

bool Values::compute_booleans(const Instruction& in, const Mask& mask) {
  using T = std::uint8_t;
  const Register &ra = (*this)[in.a], &rb = (*this)[in.b];
  const auto is_boolean = [](const Register& r) {
    return r.form == Form::uniform || (r.form == Form::vector && r.type == Scalar::boolean);
  };
  if (!is_boolean(ra) || !is_boolean(rb)) return false;
  const Shape part = sets_.part(mask);
  const int lanes = part.lanes();
  if (in.op == Opcode::logical_not || in.op == Opcode::bit_not) {
    const T* a = words<T>(ra, 0, part);
    return map(a, lanes, make_vector<T>(out_, shape_), [](T x) -> T { return x ^ 1; });
  }
  const auto a = side<T>(*this, ra, 0, part), b = side<T>(*this, rb, 1, part);
  const auto each = [&](auto f) {
    zip(a, b, lanes, make_vector<T>(out_, shape_), f);
    return true;
  };
  if (in.op == Opcode::bit_and) return each([](T x, T y) -> T { return x & y; });
  if (in.op == Opcode::bit_or) return each([](T x, T y) -> T { return x | y; });
  if (in.op == Opcode::eq) return each([](T x, T y) -> T { return (x ^ y) ^ 1; });
  if (in.op == Opcode::bit_xor || in.op == Opcode::ne)
    return each([](T x, T y) -> T { return x ^ y; });
  return false;
}

bool Values::convert(const Instruction& in, const Mask& mask) {
  const auto from = static_cast<Scalar>(in.immediate);
  const Register& a = (*this)[in.a];
  const bool to_wider = in.type == from || (in.type == Scalar::int64 && from == Scalar::int32) ||
                        (in.type == Scalar::float64 && from == Scalar::float32) ||
                        (in.type == Scalar::int32 && from == Scalar::int64) ||
                        (in.type == Scalar::float32 && from == Scalar::float64);
  const Shape part = sets_.part(mask);
  const int lanes = part.lanes();
  if (to_wider) { // or narrower: cut, or rounded
    if (from == Scalar::float32 || from == Scalar::float64)
      if (a.form != Form::vector || a.type != from) return false;
    with_type(in.type, [&](auto word) {
      using T = decltype(word);
      expand(a, part, make_vector<T>(out_, shape_));
    });
    return true;
  }
  if (!ir::is_integer(from) || !ir::is_real(in.type)) return false;
  const auto* wide = words<std::int64_t>(a, 0, part);
  with_type(in.type, [&](auto word) {
    using T = decltype(word);
    T* to = make_vector<T>(out_, shape_);
    for (int i = 0; i < lanes; ++i) to[i] = static_cast<T>(wide[i]);
  });
  return true;
}

bool Values::select(const Instruction& in, const Mask& mask) {
  const Register &condition = (*this)[in.a], &yes = (*this)[in.b], &no = (*this)[in.c];
  if (condition.form == Form::uniform) {
    copy_register(condition.value.truth() ? yes : no, shape_, out_, mask.end);
    return true;
  }
  if (condition.type != Scalar::boolean) return false;
  if (!fits(yes, in.type, mask) || !fits(no, in.type, mask)) return false;
  const auto* holds = condition.words<std::uint8_t>();
  const Shape part = sets_.part(mask);
  const int lanes = part.lanes();
  with_type(in.type, [&](auto word) {
    using T = decltype(word);
    const T *a = words<T>(yes, 0, part), *b = words<T>(no, 1, part);
    T* to = make_vector<T>(out_, shape_);
    each_wide(lanes, [=](int i) { to[i] = holds[i] ? a[i] : b[i]; });
  });
  return true;
}

} // namespace memlane::fast
