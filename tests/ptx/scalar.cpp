#include "scalar.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace memlane::test {

using ptx::Opcode;
using ptx::Operation;
using ptx::Type;
using ptx::Word;

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;
__extension__ using Exact = __float128;

Wide value_of(std::uint64_t bits, int count, bool sign) {
  const UnsignedWide all = (UnsignedWide{1} << count) - 1;
  UnsignedWide value = bits & all;
  if (sign && (value >> (count - 1) & 1) != 0) value |= ~all;
  return static_cast<Wide>(value);
}
std::uint64_t bits_of_value(Wide value, int count) {
  const UnsignedWide all = (UnsignedWide{1} << count) - 1;
  return static_cast<std::uint64_t>(static_cast<UnsignedWide>(value) & all);
}

// --- formats of floating point

struct Format {
  int fraction = 0, exponent = 0;
  int bias() const { return (1 << (exponent - 1)) - 1; }
  int bits() const { return 1 + fraction + exponent; }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent) - 1) << fraction; }
  std::uint64_t nan() const {
    return bits() == 64 ? 0x7ff8000000000000 : (std::uint64_t{1} << (bits() - 1)) - 1;
  }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits() - 1); }
};
Format format_of(Type type) {
  switch (type) {
  case Type::f16:
  case Type::f16x2: return {10, 5};
  case Type::bf16:
  case Type::bf16x2: return {7, 8};
  case Type::f32: return {23, 8};
  default: return {52, 11};
  }
}

/// 2^exponent, of exponents from -1200 to 1200.
Exact power(int exponent) {
  static const std::vector<Exact> all = [] {
    std::vector<Exact> made(2401, 1);
    for (std::size_t k = 1; k <= 1200; ++k) {
      made[1200 + k] = made[1199 + k] * 2;
      made[1200 - k] = made[1201 - k] / 2;
    }
    return made;
  }();
  return all[static_cast<std::size_t>(exponent + 1200)];
}
bool is_nan(const Format& f, std::uint64_t bits) { return (bits & (f.sign() - 1)) > f.infinity(); }
/// Of a finite number or infinity, without its sign.
Exact size_of(const Format& f, std::uint64_t bits) {
  bits &= f.sign() - 1;
  if (bits == f.infinity()) return static_cast<Exact>(INFINITY);
  const auto e = static_cast<int>(bits >> f.fraction);
  const std::uint64_t digits = bits & ((std::uint64_t{1} << f.fraction) - 1);
  if (e == 0) return static_cast<Exact>(digits) * power(1 - f.bias() - f.fraction);
  return static_cast<Exact>(digits | std::uint64_t{1} << f.fraction) *
         power(e - f.bias() - f.fraction);
}
Exact number_of_bits(const Format& f, std::uint64_t bits) {
  if (is_nan(f, bits)) return static_cast<Exact>(NAN);
  return (bits & f.sign()) != 0 ? -size_of(f, bits) : size_of(f, bits);
}

enum class Mode { nearest, zero, down, up };
Mode mode_of(const Operation& op) {
  return op.words.has(Word::rz)   ? Mode::zero
         : op.words.has(Word::rm) ? Mode::down
         : op.words.has(Word::rp) ? Mode::up
                                  : Mode::nearest;
}

/// The bits of the number that an exact one is rounded to: found among all by halving.
std::uint64_t rounded(const Format& f, Exact value, Mode mode, bool negative_zero = false) {
  if (value != value) return f.nan();
  const bool negative = value < 0 || (value == 0 && negative_zero);
  const Exact size = value < 0 ? -value : value;
  const std::uint64_t sign = negative ? f.sign() : 0;
  std::uint64_t low = 0, high = f.infinity(); // size_of(low) <= size
  if (size == static_cast<Exact>(INFINITY)) return sign | f.infinity();
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (size_of(f, middle) <= size ? low : high) = middle;
  }
  const Exact below = size_of(f, low);
  if (below == size) return sign | low;
  const bool away = mode == Mode::down ? negative : mode == Mode::up && !negative;
  if (mode != Mode::nearest) return sign | (away ? low + 1 : low);
  // Beyond the largest number, the next one would have been where infinity is.
  const Exact step = below - (low > 0 ? size_of(f, low - 1) : 0);
  const bool regular = low + 1 < f.infinity();
  const Exact above = regular ? size_of(f, low + 1) : below + step;
  const Exact middle = (below + above) / 2;
  const bool up = size > middle || (size == middle && (low & 1) != 0);
  return sign | (up ? low + 1 : low);
}

// --- floating point

std::uint64_t flushed(const Operation& op, const Format& f, std::uint64_t bits) {
  if (!op.words.has(Word::ftz) || f.exponent != 8 || f.fraction != 23) return bits;
  return (bits & f.infinity()) == 0 ? bits & f.sign() : bits;
}
std::uint64_t finished(const Operation& op, const Format& f, std::uint64_t bits) {
  if (is_nan(f, bits)) return op.words.has(Word::sat) ? 0 : f.nan();
  bits = flushed(op, f, bits);
  const bool negative = (bits & f.sign()) != 0;
  if (op.words.has(Word::sat)) {
    if (negative) return 0;
    return number_of_bits(f, bits) > 1 ? rounded(f, 1, Mode::nearest) : bits;
  }
  if (op.words.has(Word::relu) && negative) return 0;
  return bits;
}

/// The host's f32 and f64 with a rounding mode: exact by IEEE 754.
template <class T, class F>
std::uint64_t on_host(Mode mode, F f) {
  std::fesetround(mode == Mode::zero   ? FE_TOWARDZERO
                  : mode == Mode::down ? FE_DOWNWARD
                  : mode == Mode::up   ? FE_UPWARD
                                       : FE_TONEAREST);
  volatile T result = f();
  std::fesetround(FE_TONEAREST);
  const T value = result;
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else
    return std::bit_cast<std::uint64_t>(value);
}
template <class T>
T host_number(std::uint64_t bits) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else
    return std::bit_cast<double>(bits);
}
template <class T>
std::uint64_t host_arithmetic(const Operation& op, std::uint64_t a_bits, std::uint64_t b_bits,
                              std::uint64_t c_bits) {
  volatile T a = host_number<T>(a_bits), b = host_number<T>(b_bits), c = host_number<T>(c_bits);
  const Mode mode = mode_of(op);
  switch (op.opcode) {
  case Opcode::add: return on_host<T>(mode, [&] { return a + b; });
  case Opcode::sub: return on_host<T>(mode, [&] { return a - b; });
  case Opcode::mul: return on_host<T>(mode, [&] { return a * b; });
  case Opcode::div: return on_host<T>(mode, [&] { return a / b; });
  case Opcode::rcp: return on_host<T>(mode, [&] { return T(1) / a; });
  case Opcode::sqrt: return on_host<T>(mode, [&] { return std::sqrt(static_cast<T>(a)); });
  default:
    return on_host<T>(
        mode, [&] { return std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)); });
  }
}
std::uint64_t half_arithmetic(const Operation& op, const Format& f, std::uint64_t a,
                              std::uint64_t b, std::uint64_t c) {
  const Exact x = number_of_bits(f, a), y = number_of_bits(f, b), z = number_of_bits(f, c);
  const auto negative = [&](std::uint64_t bits) { return (bits & f.sign()) != 0; };
  const bool product = negative(a) != negative(b);
  switch (op.opcode) {
  case Opcode::add: return rounded(f, x + y, Mode::nearest, negative(a) && negative(b));
  case Opcode::sub: return rounded(f, x - y, Mode::nearest, negative(a) && !negative(b));
  case Opcode::mul: return rounded(f, x * y, Mode::nearest, product);
  default: {
    // What is lost of a small addend only decides which side of a middle the sum is on.
    const Exact first = x * y, sum = first + z, part = sum - first;
    const Exact lost = (first - (sum - part)) + (z - part);
    const Exact least = (sum < 0 ? -sum : sum) * power(-100);
    const Exact near = lost > 0 ? sum + least : lost < 0 ? sum - least : sum;
    return rounded(f, near, Mode::nearest, product && negative(c));
  }
  }
}

/// The larger or smaller; a NaN loses, unless `.NaN`.
std::uint64_t extreme(const Operation& op, const Format& f, std::uint64_t a, std::uint64_t b) {
  const bool maximum = op.opcode == Opcode::max;
  const bool no_a = is_nan(f, a), no_b = is_nan(f, b);
  if ((no_a || no_b) && op.words.has(Word::NaN)) return f.nan();
  if (no_a && no_b) return f.nan();
  if (no_a) return b;
  if (no_b) return a;
  const Exact x = number_of_bits(f, a), y = number_of_bits(f, b);
  if (x == y) return ((a & f.sign()) != 0) == maximum ? b : a;
  return (x < y) == maximum ? b : a;
}

double approximate(const Operation& op, double a, double b) {
  switch (op.opcode) {
  case Opcode::div: return a / b;
  case Opcode::rcp: return 1 / a;
  case Opcode::sqrt: return std::sqrt(a);
  case Opcode::rsqrt: return 1 / std::sqrt(a);
  case Opcode::sin: return std::sin(a);
  case Opcode::cos: return std::cos(a);
  case Opcode::lg2: return std::log2(a);
  case Opcode::ex2: return std::exp2(a);
  default: return std::tanh(a);
  }
}
/// With the errors that PTX ISA 9.0 states.
ScalarOut approximation(const Operation& op, std::uint64_t a, std::uint64_t b) {
  const Format f = format_of(op.type);
  const auto number = [&](std::uint64_t bits) {
    return static_cast<double>(number_of_bits(f, flushed(op, f, bits)));
  };
  ScalarOut out;
  const double value = approximate(op, number(a), number(b));
  out.d =
      finished(op, f, rounded(f, static_cast<Exact>(value), Mode::nearest, std::signbit(value)));
  out.relative = f.fraction < 23 ? std::ldexp(1, -f.fraction) : std::ldexp(1, -21);
  if (op.opcode == Opcode::tanh && f.fraction == 23) out.relative = std::ldexp(1, -10);
  if (op.opcode == Opcode::sin || op.opcode == Opcode::cos) out.absolute = std::ldexp(1, -20);
  if (op.opcode == Opcode::lg2) out.absolute = std::ldexp(1, -22);
  return out;
}

bool is_approximate(const Operation& op) {
  switch (op.opcode) {
  case Opcode::rsqrt:
  case Opcode::sin:
  case Opcode::cos:
  case Opcode::lg2:
  case Opcode::ex2:
  case Opcode::tanh: return true;
  case Opcode::div:
  case Opcode::rcp:
  case Opcode::sqrt: return op.words.any(Word::approx, Word::full);
  default: return false;
  }
}

ScalarOut one_float(const Operation& op, const Format& f, std::uint64_t a, std::uint64_t b,
                    std::uint64_t c) {
  ScalarOut out;
  a = flushed(op, f, a);
  b = flushed(op, f, b);
  c = flushed(op, f, c);
  switch (op.opcode) {
  case Opcode::abs: out.d = a & ~f.sign(); break;
  case Opcode::neg: out.d = a ^ f.sign(); break;
  case Opcode::min:
  case Opcode::max: out.d = extreme(op, f, a, b); break;
  default:
    out.d = f.bits() == 16   ? half_arithmetic(op, f, a, b, c)
            : f.bits() == 32 ? host_arithmetic<float>(op, a, b, c)
                             : host_arithmetic<double>(op, a, b, c);
  }
  out.d = finished(op, f, out.d);
  return out;
}
ScalarOut float_result(const Operation& op, const ScalarIn& in) {
  const Format f = format_of(op.type);
  const bool two = op.type == Type::f16x2 || op.type == Type::bf16x2;
  ScalarOut out;
  for (int k = 0; k < (two ? 2 : 1); ++k) {
    const auto part = [&](std::uint64_t bits) { return two ? bits >> (16 * k) & 0xffff : bits; };
    const ScalarOut one = is_approximate(op) ? approximation(op, part(in.a), part(in.b))
                                             : one_float(op, f, part(in.a), part(in.b), part(in.c));
    out.d |= one.d << (16 * k);
    out.relative = one.relative;
    out.absolute = one.absolute;
  }
  return out;
}

// --- integers and bits

Wide divided(Wide a, Wide b, bool remainder) { return remainder ? a % b : a / b; }

ScalarOut carried(const Operation& op, const ScalarIn& in) {
  const int bits = ptx::bits_of(op.type);
  const auto number = [&](std::uint64_t value) { return value_of(value, bits, false); };
  ScalarOut out;
  out.carry = in.carry;
  const bool takes =
      op.opcode == Opcode::addc || op.opcode == Opcode::subc || op.opcode == Opcode::madc;
  const Wide carry = takes && in.carry ? 1 : 0;
  Wide all = 0;
  if (op.opcode == Opcode::add || op.opcode == Opcode::addc) {
    all = number(in.a) + number(in.b) + carry;
  } else if (op.opcode == Opcode::sub || op.opcode == Opcode::subc) {
    const Wide borrow = takes && !in.carry ? 1 : 0;
    all = number(in.a) - number(in.b) - borrow;
  } else {
    const bool sign = ptx::is_signed(op.type);
    const UnsignedWide product = static_cast<UnsignedWide>(value_of(in.a, bits, sign)) *
                                 static_cast<UnsignedWide>(value_of(in.b, bits, sign));
    const UnsignedWide part = op.words.has(Word::hi) ? product >> bits : product;
    all = number(static_cast<std::uint64_t>(part)) + number(in.c) + carry;
  }
  out.d = bits_of_value(all, bits);
  const bool subtracts = op.opcode == Opcode::sub || op.opcode == Opcode::subc;
  if (op.words.has(Word::cc)) out.carry = ((all >> bits & 1) != 0) != subtracts;
  return out;
}

ScalarOut integer_result(const Operation& op, const ScalarIn& in);

/// Both halves of words, each on its own.
ScalarOut halves_result(Operation op, const ScalarIn& in) {
  op.type = op.type == Type::s16x2 ? Type::s16 : Type::u16;
  ScalarOut out;
  for (const int at : {0, 16})
    out.d |= integer_result(op, {in.a >> at, in.b >> at, in.c >> at, in.e, in.carry}).d << at;
  return out;
}

ScalarOut integer_result(const Operation& op, const ScalarIn& in) {
  if (op.type == Type::s16x2 || op.type == Type::u16x2) return halves_result(op, in);
  const int bits = ptx::bits_of(op.type);
  const bool sign = ptx::is_signed(op.type);
  if (op.words.has(Word::cc) || op.opcode == Opcode::addc || op.opcode == Opcode::subc ||
      op.opcode == Opcode::madc)
    return carried(op, in);
  const Wide a = value_of(in.a, bits, sign), b = value_of(in.b, bits, sign),
             c = value_of(in.c, bits, sign);
  ScalarOut out;
  Wide value = 0;
  int result_bits = bits;
  const auto saturated = [&](Wide sum) {
    return op.words.has(Word::sat) ? std::clamp<Wide>(sum, INT32_MIN, INT32_MAX) : sum;
  };
  const auto product = [&]() -> Wide {
    if (op.words.has(Word::hi))
      return sign ? (a * b) >> bits
                  : static_cast<Wide>(
                        (static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)) >> bits);
    if (op.words.has(Word::wide)) result_bits = 2 * bits;
    return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
  };
  switch (op.opcode) {
  case Opcode::add: value = saturated(a + b); break;
  case Opcode::sub: value = saturated(a - b); break;
  case Opcode::mul: value = product(); break;
  case Opcode::mad: {
    const Wide first = product();
    const Wide last = value_of(in.c, result_bits, sign);
    if (op.words.has(Word::sat))
      value = saturated(value_of(bits_of_value(first, 32), 32, true) + last);
    else
      value = static_cast<Wide>(static_cast<UnsignedWide>(first) + static_cast<UnsignedWide>(last));
    break;
  }
  case Opcode::mul24:
  case Opcode::mad24: {
    const Wide x = value_of(in.a, 24, sign), y = value_of(in.b, 24, sign);
    value = op.words.has(Word::hi) ? (x * y) >> 16 : x * y;
    if (op.opcode == Opcode::mad24) value += c;
    break;
  }
  case Opcode::sad: value = c + (a < b ? b - a : a - b); break;
  case Opcode::div:
  case Opcode::rem:
    if (b == 0) {
      out.known = false;
      return out;
    }
    value = divided(a, b, op.opcode == Opcode::rem);
    break;
  case Opcode::abs: value = a < 0 ? -a : a; break;
  case Opcode::neg: value = -a; break;
  case Opcode::min: value = std::min(a, b); break;
  case Opcode::max: value = std::max(a, b); break;
  default: out.known = false;
  }
  if (op.words.has(Word::relu)) value = std::max<Wide>(value, 0);
  out.d = bits_of_value(value, result_bits);
  return out;
}

std::uint64_t dot(const Operation& op, const ScalarIn& in) {
  const bool sign_a = op.type == Type::s32, sign_b = op.other == Type::s32;
  Wide sum = value_of(in.c, 32, true);
  const bool two = op.opcode == Opcode::dp2a;
  for (int k = 0; k < (two ? 2 : 4); ++k) {
    const int at = two && op.words.has(Word::hi) ? k + 2 : k;
    sum += (two ? value_of(in.a >> (16 * k), 16, sign_a) : value_of(in.a >> (8 * k), 8, sign_a)) *
           value_of(in.b >> (8 * at), 8, sign_b);
  }
  return bits_of_value(sum, 32);
}

std::uint64_t differences(const Operation& op, const ScalarIn& in) {
  const int bits = op.opcode == Opcode::vabsdiff4 ? 8 : 16;
  const Wide most = (Wide{1} << (ptx::is_signed(op.type) ? bits - 1 : bits)) - 1;
  Wide sum = static_cast<Wide>(in.c);
  std::uint64_t parts = 0;
  for (int at = 0; at < 32; at += bits) {
    Wide one = value_of(in.a >> at, bits, ptx::is_signed(op.other)) -
               value_of(in.b >> at, bits, ptx::is_signed(op.of_b));
    if (one < 0) one = -one;
    if (op.words.has(Word::sat)) one = std::min(one, most);
    sum += one;
    parts |= bits_of_value(one, bits) << at;
  }
  return op.words.has(Word::add) ? bits_of_value(sum, 32) : parts;
}

std::uint64_t permuted(const Operation& op, const ScalarIn& in) {
  const std::uint64_t bytes = (in.b & 0xffffffff) << 32 | (in.a & 0xffffffff);
  const auto byte = [&](std::uint64_t n) { return bytes >> (8 * (n & 7)) & 0xff; };
  const std::uint64_t n = in.c & 3;
  // The tables of section 9.7.9.7, from the highest byte to the lowest.
  static constexpr int forward[4][4] = {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}};
  static constexpr int backward[4][4] = {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}};
  static constexpr int left[4][4] = {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}};
  static constexpr int right[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}};
  std::uint64_t made = 0;
  for (int k = 0; k < 4; ++k) {
    std::uint64_t one = 0;
    if (op.words.has(Word::f4e))
      one = byte(static_cast<std::uint64_t>(forward[n][3 - k]));
    else if (op.words.has(Word::b4e))
      one = byte(static_cast<std::uint64_t>(backward[n][3 - k]));
    else if (op.words.has(Word::rc8))
      one = byte(n);
    else if (op.words.has(Word::ecl))
      one = byte(static_cast<std::uint64_t>(left[n][3 - k]));
    else if (op.words.has(Word::ecr))
      one = byte(static_cast<std::uint64_t>(right[n][3 - k]));
    else if (op.words.has(Word::rc16))
      one = byte(2 * (n & 1) + static_cast<std::uint64_t>(k & 1));
    else {
      const std::uint64_t choice = in.c >> (4 * k) & 15;
      one = byte(choice);
      if ((choice & 8) != 0) one = (one & 0x80) != 0 ? 0xff : 0;
    }
    made |= one << (8 * k);
  }
  return made;
}

std::uint64_t nth_bit(const ScalarIn& in) {
  const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(in.c));
  const auto base = static_cast<std::uint32_t>(in.b);
  if (base > 31) return 0xffffffff;
  if (offset == 0) return (in.a >> base & 1) != 0 ? base : 0xffffffff;
  int found = 0;
  for (int at = static_cast<int>(base); at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
    if ((in.a >> at & 1) == 0) continue;
    found += offset > 0 ? 1 : -1;
    if (found == offset) return static_cast<std::uint64_t>(at);
  }
  return 0xffffffff;
}

std::uint64_t field(const Operation& op, const ScalarIn& in, int bits, bool sign) {
  const std::uint64_t at = in.b & 0xff, length = in.c & 0xff;
  const auto last = static_cast<std::uint64_t>(bits - 1);
  const std::uint64_t filled = sign && length > 0 ? in.a >> std::min(at + length - 1, last) & 1 : 0;
  std::uint64_t made = 0;
  for (std::uint64_t k = 0; k <= last; ++k)
    made |= (k < length && at + k <= last ? in.a >> (at + k) & 1 : filled) << k;
  (void)op;
  return made;
}

/// Operations on bits, and choices. `known`: whether it is one.
ScalarOut bits_result(const Operation& op, const ScalarIn& in) {
  const int bits = op.type == Type::pred ? 1 : ptx::bits_of(op.type);
  const bool sign = ptx::is_signed(op.type);
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto amount = static_cast<std::uint32_t>(in.b);
  ScalarOut out;
  switch (op.opcode) {
  case Opcode::and_: out.d = in.a & in.b; break;
  case Opcode::or_: out.d = in.a | in.b; break;
  case Opcode::xor_: out.d = in.a ^ in.b; break;
  case Opcode::not_: out.d = ~in.a & all; break;
  case Opcode::cnot: out.d = (in.a & all) == 0; break;
  case Opcode::mov: out.d = in.a; break;
  case Opcode::lop3:
    for (int k = 0; k < 32; ++k) {
      const std::uint64_t row = (in.a >> k & 1) * 4 + (in.b >> k & 1) * 2 + (in.c >> k & 1);
      out.d |= (static_cast<std::uint64_t>(op.n.value) >> row & 1) << k;
    }
    out.q = op.words.has(Word::or_) ? out.d != 0 || in.e != 0 : out.d != 0 && in.e != 0;
    break;
  case Opcode::shl:
    out.d = amount >= static_cast<std::uint32_t>(bits) ? 0 : in.a << amount & all;
    break;
  case Opcode::shr: {
    const Wide value = value_of(in.a, bits, sign);
    out.d = bits_of_value(value >> std::min<std::uint32_t>(amount, 64), bits);
    break;
  }
  case Opcode::shf: {
    const std::uint64_t both = (in.b & 0xffffffff) << 32 | (in.a & 0xffffffff);
    const auto wanted = static_cast<std::uint32_t>(in.c);
    const std::uint32_t n = op.words.has(Word::wrap) ? wanted % 32 : std::min(wanted, 32u);
    const UnsignedWide wide = both;
    out.d = op.words.has(Word::l) ? static_cast<std::uint64_t>(wide << n >> 32) & 0xffffffff
                                  : static_cast<std::uint64_t>(wide >> n) & 0xffffffff;
    break;
  }
  case Opcode::prmt: out.d = permuted(op, in); break;
  case Opcode::bfe: out.d = field(op, in, bits, sign); break;
  case Opcode::bfi: {
    const std::uint64_t at = in.c & 0xff, length = in.e & 0xff;
    out.d = in.b & all;
    for (std::uint64_t k = 0; k < length && at + k < static_cast<std::uint64_t>(bits); ++k) {
      out.d &= ~(std::uint64_t{1} << (at + k));
      out.d |= (in.a >> k & 1) << (at + k);
    }
    break;
  }
  case Opcode::bfind: {
    const std::uint64_t wanted = sign && (in.a >> (bits - 1) & 1) != 0 ? ~in.a & all : in.a & all;
    out.d = 0xffffffff;
    for (int k = 0; k < bits; ++k)
      if ((wanted >> k & 1) != 0)
        out.d = static_cast<std::uint64_t>(op.words.has(Word::shiftamt) ? bits - 1 - k : k);
    break;
  }
  case Opcode::brev:
    for (int k = 0; k < bits; ++k) out.d |= (in.a >> k & 1) << (bits - 1 - k);
    break;
  case Opcode::clz:
    for (int k = bits - 1; k >= 0 && (in.a >> k & 1) == 0; --k) ++out.d;
    break;
  case Opcode::popc:
    for (int k = 0; k < bits; ++k) out.d += in.a >> k & 1;
    break;
  case Opcode::bmsk: {
    std::uint64_t at = in.a & 0xffffffff, length = in.b & 0xffffffff;
    if (op.words.has(Word::wrap)) at %= 32, length %= 32;
    for (std::uint64_t k = 0; k < 32; ++k) out.d |= (k >= at && k - at < length ? 1ull : 0ull) << k;
    break;
  }
  case Opcode::szext: {
    std::uint64_t length = in.b & 0xffffffff;
    length = op.words.has(Word::wrap) ? length % 32 : std::min<std::uint64_t>(length, 32);
    out.d = length == 0 ? 0 : bits_of_value(value_of(in.a, static_cast<int>(length), sign), 32);
    break;
  }
  case Opcode::fns: out.d = nth_bit(in); break;
  case Opcode::dp4a:
  case Opcode::dp2a: out.d = dot(op, in); break;
  case Opcode::vabsdiff2:
  case Opcode::vabsdiff4: out.d = differences(op, in); break;
  case Opcode::selp: out.d = in.e != 0 ? in.a : in.b; break;
  case Opcode::slct:
    if (op.other == Type::f32) {
      const Format f = format_of(Type::f32);
      out.d = number_of_bits(f, flushed(op, f, in.c)) >= 0 ? in.a : in.b;
    } else {
      out.d = value_of(in.c, 32, true) >= 0 ? in.a : in.b;
    }
    break;
  case Opcode::copysign: {
    const Format f = format_of(op.type);
    out.d = (in.b & ~f.sign()) | (in.a & f.sign());
    break;
  }
  default: out.known = false;
  }
  return out;
}

// --- comparisons and conversions

bool holds(const Operation& op, Type type, std::uint64_t a, std::uint64_t b) {
  const auto any = [&](auto... words) { return op.words.any(words...); };
  bool less = false, equal = false, greater = false;
  if (ptx::is_float(type)) {
    const Format f = format_of(type);
    const auto value = [&](std::uint64_t bits) {
      if (op.words.has(Word::ftz) && f.fraction == 10 && (bits & f.infinity()) == 0)
        bits &= f.sign();
      return number_of_bits(f, flushed(op, f, bits));
    };
    less = value(a) < value(b);
    equal = value(a) == value(b);
    greater = value(a) > value(b);
  } else {
    const bool sign = ptx::is_signed(type) && !any(Word::lo, Word::ls, Word::hi, Word::hs);
    const Wide x = value_of(a, ptx::bits_of(type), sign), y = value_of(b, ptx::bits_of(type), sign);
    less = x < y;
    equal = x == y;
    greater = x > y;
  }
  const bool unordered = !less && !equal && !greater;
  if (any(Word::eq)) return equal;
  if (any(Word::ne)) return less || greater;
  if (any(Word::lt, Word::lo)) return less;
  if (any(Word::le, Word::ls)) return less || equal;
  if (any(Word::gt, Word::hi)) return greater;
  if (any(Word::ge, Word::hs)) return greater || equal;
  if (any(Word::equ)) return equal || unordered;
  if (any(Word::neu)) return !equal;
  if (any(Word::ltu)) return less || unordered;
  if (any(Word::leu)) return !greater;
  if (any(Word::gtu)) return greater || unordered;
  if (any(Word::geu)) return !less;
  return any(Word::num) ? !unordered : unordered;
}
bool with_predicate(const Operation& op, bool value, std::uint64_t e) {
  if (op.words.has(Word::and_)) return value && e != 0;
  if (op.words.has(Word::or_)) return value || e != 0;
  return op.words.has(Word::xor_) ? value != (e != 0) : value;
}
ScalarOut comparison_result(const Operation& op, const ScalarIn& in) {
  const bool sets = op.opcode == Opcode::set;
  const Type type = sets ? op.other : op.type;
  const bool two = type == Type::f16x2 || type == Type::bf16x2;
  const bool first = holds(op, type, two ? in.a & 0xffff : in.a, two ? in.b & 0xffff : in.b);
  const bool second = two ? holds(op, type, in.a >> 16, in.b >> 16) : !first;
  ScalarOut out;
  if (!sets) {
    out.d = with_predicate(op, first, in.e);
    out.q = with_predicate(op, second, in.e);
    return out;
  }
  const bool low = with_predicate(op, first, in.e),
             high = two ? with_predicate(op, second, in.e) : low;
  if (op.type == Type::f32) {
    out.d = low ? 0x3f800000 : 0;
    return out;
  }
  const std::uint64_t one = !ptx::is_float(op.type)             ? 0xffff
                            : format_of(op.type).fraction == 10 ? 0x3c00
                                                                : 0x3f80;
  out.d = (low ? one : 0) | (ptx::bits_of(op.type) == 32 && high ? one << 16 : 0);
  return out;
}

bool has_property(const Operation& op, std::uint64_t a) {
  const Format f = format_of(op.type);
  const std::uint64_t size = a & (f.sign() - 1);
  const bool normal = size >= std::uint64_t{1} << f.fraction && size < f.infinity();
  if (op.words.has(Word::finite)) return size < f.infinity();
  if (op.words.has(Word::infinite)) return size == f.infinity();
  if (op.words.has(Word::number)) return size <= f.infinity();
  if (op.words.has(Word::notanumber)) return size > f.infinity();
  if (op.words.has(Word::normal)) return normal;
  return size != 0 && !normal && size < f.infinity();
}

Exact integral(const Operation& op, Exact value) {
  const auto any = [&](auto... words) { return op.words.any(words...); };
  const Exact limit = power(70);
  if (!(value > -limit && value < limit)) return value;
  auto whole = static_cast<Wide>(value); // towards zero
  const Exact rest = value - static_cast<Exact>(whole);
  if (rest == 0) return value;
  if (any(Word::rzi, Word::rz)) return static_cast<Exact>(whole);
  if (any(Word::rmi, Word::rm)) return static_cast<Exact>(rest < 0 ? whole - 1 : whole);
  if (any(Word::rpi, Word::rp)) return static_cast<Exact>(rest > 0 ? whole + 1 : whole);
  const Exact size = rest < 0 ? -rest : rest;
  if (size > 0.5 || (size == 0.5 && (whole & 1) != 0)) whole += rest < 0 ? -1 : 1;
  return static_cast<Exact>(whole);
}
std::uint64_t limited(Exact value, int bits, bool sign) {
  if (value != value) return 0;
  const Exact least = sign ? -power(bits - 1) : 0, beyond = power(sign ? bits - 1 : bits);
  if (value <= least) return bits_of_value(static_cast<Wide>(least), bits);
  if (value >= beyond) return bits_of_value(static_cast<Wide>(beyond - 1), bits);
  return bits_of_value(static_cast<Wide>(value), bits);
}

/// In the bits of the result's type; a wider register is for the caller.
/// Two numbers of 8 bits or fewer, from or to wider ones: the nearest of all that there are, by
/// a list of them.
struct Small {
  int fraction, exponent;
  unsigned largest, nan; ///< the largest number, and what NaN becomes
  bool has_infinity, has_nan;
  int width = 8; ///< bits of each in a pair
};
std::optional<Small> small_of(Type type) {
  switch (type) {
  case Type::e4m3x2: return Small{3, 4, 0x7e, 0x7f, false, true};
  case Type::e5m2x2: return Small{2, 5, 0x7b, 0x7f, true, true};
  case Type::e2m3x2: return Small{3, 2, 0x1f, 0x1f, false, false};
  case Type::e3m2x2: return Small{2, 3, 0x1f, 0x1f, false, false};
  case Type::e2m1x2: return Small{1, 2, 0x07, 0x07, false, false, 4};
  default: return std::nullopt;
  }
}
double small_number(const Small& f, unsigned bits) {
  const unsigned sign = 1u << (f.fraction + f.exponent), size = bits & (sign - 1);
  double value = 0;
  if (size > f.largest) {
    value = f.has_infinity && size == f.largest + 1 ? HUGE_VAL : std::nan("");
  } else {
    const int e = static_cast<int>(size >> f.fraction), bias = (1 << (f.exponent - 1)) - 1;
    const double part = size % (1u << f.fraction) * std::ldexp(1, -f.fraction);
    value = e == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, e - bias);
  }
  return (bits & sign) != 0 ? -value : value;
}
unsigned small_bits(const Small& f, double value) {
  if (value != value) return f.nan;
  const double size = std::fabs(value);
  unsigned best = f.largest;
  // From above: of two numbers as near, the even one stays.
  for (unsigned one = f.largest; size < small_number(f, f.largest) && one-- > 0;) {
    const double there = std::fabs(small_number(f, one) - size),
                 before = std::fabs(small_number(f, best) - size);
    if (there < before || (there == before && one % 2 == 0)) best = one;
  }
  return best | (std::signbit(value) ? 1u << (f.fraction + f.exponent) : 0);
}
std::optional<std::uint64_t> small_conversion(const Operation& op, const ScalarIn& in) {
  const auto positive = [&](double value) {
    return op.words.has(Word::relu) && value <= 0 ? 0.0 : value;
  };
  if (const auto from = small_of(op.other)) {
    const auto half = [&](std::uint64_t bits) {
      const auto own = static_cast<unsigned>(bits % (1u << from->width));
      const double value = positive(small_number(*from, own));
      return std::uint64_t{value != value ? std::uint16_t{0x7fff} : half_of(value)};
    };
    return half(in.a >> from->width) << 16 | half(in.a);
  }
  const auto to = small_of(op.type);
  if (!to) return std::nullopt;
  const auto wide = [](std::uint64_t bits) {
    return static_cast<double>(number_of_bits(format_of(Type::f32), bits & 0xffffffff));
  };
  const auto signed_zero = [](double value, bool negative) { return negative ? -value : value; };
  const auto number = [&](std::uint64_t bits, bool half) {
    const double value = half ? number_of_half(static_cast<std::uint16_t>(bits)) : wide(bits);
    const bool negative = (bits >> (half ? 15 : 31) & 1) != 0;
    return positive(value == 0 ? signed_zero(0.0, negative) : value);
  };
  const bool pair = op.other == Type::f16x2;
  const double high = pair ? number(in.a >> 16 & 0xffff, true) : number(in.a, false);
  const double low = pair ? number(in.a & 0xffff, true) : number(in.b, false);
  return std::uint64_t{small_bits(*to, high)} << to->width | small_bits(*to, low);
}

/// A power of two, 2^-127 and more: the nearest one that is not larger, or not smaller.
std::uint64_t scale_bits(const Operation& op, Exact value) {
  if (value != value) return 255;
  const Exact size = value < 0 ? -value : value;
  std::uint64_t k = 0;
  if (op.words.has(Word::rp))
    while (k < 255 && power(static_cast<int>(k) - 127) < size) ++k;
  else
    while (k < 255 && power(static_cast<int>(k) - 126) <= size) ++k;
  return k == 255 && op.words.has(Word::satfinite) ? 254 : k;
}
std::optional<std::uint64_t> scale_conversion(const Operation& op, const ScalarIn& in) {
  const Format brain = format_of(Type::bf16);
  if (op.other == Type::ue8m0x2) {
    const auto half = [&](std::uint64_t k) {
      return k == 255 ? brain.nan() : rounded(brain, power(static_cast<int>(k) - 127), Mode::zero);
    };
    return half(in.a >> 8 & 0xff) << 16 | half(in.a & 0xff);
  }
  if (op.type != Type::ue8m0x2) return std::nullopt;
  if (op.other == Type::bf16x2)
    return scale_bits(op, number_of_bits(brain, in.a >> 16 & 0xffff)) << 8 |
           scale_bits(op, number_of_bits(brain, in.a & 0xffff));
  const Format single = format_of(Type::f32);
  return scale_bits(op, number_of_bits(single, in.a)) << 8 |
         scale_bits(op, number_of_bits(single, in.b));
}

/// Away from zero if the part below the last place and `chance`, parts of 1, are 1 together.
std::uint64_t rounded_by_chance(const Format& f, Exact value, Exact chance, bool negative) {
  const std::uint64_t low = rounded(f, value, Mode::zero, negative), size = low & (f.sign() - 1);
  if (value != value || size >= f.infinity()) return low;
  const Exact below = size_of(f, size), whole = value < 0 ? -value : value;
  // Beyond the largest number, the next one would have been where infinity is.
  const Exact place =
      size + 1 < f.infinity() ? size_of(f, size + 1) - below : below - size_of(f, size - 1);
  return (whole - below) / place + chance >= 1 ? low + 1 : low;
}

ScalarOut conversion_result(const Operation& op, const ScalarIn& in) {
  ScalarOut out;
  for (const auto convert : {scale_conversion, small_conversion})
    if (const auto small = convert(op, in)) {
      out.d = *small;
      return out;
    }
  if (op.type == Type::f16x2 || op.type == Type::bf16x2) {
    const Format to = format_of(op.type), from = format_of(Type::f32);
    const int places = to.exponent == 5 ? 13 : 16;
    const auto half = [&](std::uint64_t bits, std::uint64_t random) {
      const Exact value = number_of_bits(from, bits);
      const bool negative = (bits & from.sign()) != 0;
      const Exact chance = static_cast<Exact>(random & ((1u << places) - 1)) * power(-places);
      const std::uint64_t made =
          finished(op, to,
                   op.words.has(Word::rs) ? rounded_by_chance(to, value, chance, negative)
                                          : rounded(to, value, mode_of(op), negative));
      const bool largest =
          op.words.has(Word::satfinite) && (made & (to.sign() - 1)) == to.infinity();
      return made - (largest ? 1 : 0);
    };
    out.d = half(in.a, in.c >> 16) << 16 | half(in.b, in.c);
    return out;
  }
  if (op.type == Type::tf32) { // a tie goes away from zero
    const Format to{10, 8};
    const Exact value = number_of_bits(format_of(Type::f32), in.a),
                size = value < 0 ? -value : value;
    const std::uint64_t below = rounded(to, size, Mode::zero), above = rounded(to, size, Mode::up);
    const Exact under = number_of_bits(to, below);
    // Beyond the largest number, the next one would have been where infinity is.
    const Exact over = above == to.infinity() && below > 0
                           ? under + (under - number_of_bits(to, below - 1))
                           : number_of_bits(to, above);
    const bool up = size - under >= over - size;
    out.d = (up ? above : below) << 13 | (in.a & 0x80000000);
    if (value != value) out.d = 0x7fffffff;
    return out;
  }
  const int to_bits = ptx::bits_of(op.type), from_bits = ptx::bits_of(op.other);
  const bool to_sign = ptx::is_signed(op.type), from_sign = ptx::is_signed(op.other);
  const bool integral_word = op.words.any(Word::rni, Word::rzi, Word::rmi, Word::rpi);
  if (!ptx::is_float(op.other)) {
    const Wide value = value_of(in.a, from_bits, from_sign);
    if (ptx::is_float(op.type)) {
      const Format to = format_of(op.type);
      out.d = finished(op, to, rounded(to, static_cast<Exact>(value), mode_of(op)));
    } else {
      const Wide least = to_sign ? -(Wide{1} << (to_bits - 1)) : 0;
      const Wide most = (Wide{1} << (to_sign ? to_bits - 1 : to_bits)) - 1;
      out.d =
          bits_of_value(op.words.has(Word::sat) ? std::clamp(value, least, most) : value, to_bits);
    }
    return out;
  }
  const Format from = format_of(op.other);
  const std::uint64_t a = flushed(op, from, in.a);
  const Exact value = number_of_bits(from, a);
  if (!ptx::is_float(op.type)) {
    out.d = limited(integral(op, value), to_bits, to_sign);
    return out;
  }
  const Format to = format_of(op.type);
  const Exact number = integral_word ? integral(op, value) : value;
  out.d = finished(
      op, to,
      rounded(to, number, integral_word ? Mode::nearest : mode_of(op), (a & from.sign()) != 0));
  return out;
}

} // namespace

std::uint16_t half_of(double number) {
  return static_cast<std::uint16_t>(rounded(format_of(Type::f16), static_cast<Exact>(number),
                                            Mode::nearest, std::signbit(number)));
}
double number_of_half(std::uint16_t bits) {
  return static_cast<double>(number_of_bits(format_of(Type::f16), bits));
}

ScalarOut scalar_result(const Operation& op, const ScalarIn& in) {
  if (op.opcode == Opcode::cvt) return conversion_result(op, in);
  if (op.opcode == Opcode::setp || op.opcode == Opcode::set) return comparison_result(op, in);
  if (op.opcode == Opcode::testp) {
    ScalarOut out;
    out.d = has_property(op, in.a);
    return out;
  }
  if (const ScalarOut out = bits_result(op, in); out.known) return out;
  return ptx::is_float(op.type) ? float_result(op, in) : integer_result(op, in);
}

} // namespace memlane::test
