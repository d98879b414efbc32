// Compiled once for each instruction set: MEMLANE_PTX_SET is the namespace.
#include "memory.hpp"
#include "vectors.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace memlane::ptx::MEMLANE_PTX_SET {

namespace {

// In this order: later ones use earlier ones.
// clang-format off
#include "integers.hpp"
#include "parts.hpp"
#include "halves.hpp"
#include "floats.hpp"
#include "conversions.hpp"
#include "convert_rows.hpp"
#include "moves.hpp"
#include "accesses.hpp"
// clang-format on

// f.template operator()<T>() with the C++ type of an integer type.

/// Integers of 16 bits and more.
template <class F>
Handler with_wide_integer(Type type, F f) {
  switch (type) {
  case Type::u16:
  case Type::b16: return f.template operator()<std::uint16_t>();
  case Type::s16: return f.template operator()<std::int16_t>();
  case Type::u32:
  case Type::b32: return f.template operator()<std::uint32_t>();
  case Type::s32: return f.template operator()<std::int32_t>();
  case Type::u64:
  case Type::b64: return f.template operator()<std::uint64_t>();
  case Type::s64: return f.template operator()<std::int64_t>();
  default: return nullptr;
  }
}
template <class F>
Handler with_integer(Type type, F f) {
  if (type == Type::u8) return f.template operator()<std::uint8_t>();
  if (type == Type::s8) return f.template operator()<std::int8_t>();
  return with_wide_integer(type, f);
}
/// Without a sign.
template <class F>
Handler with_word(int bits, F f) {
  if (bits == 16) return f.template operator()<std::uint16_t>();
  return bits == 32 ? f.template operator()<std::uint32_t>()
                    : f.template operator()<std::uint64_t>();
}

/// Whether an operation of floats needs no more than its value.
bool is_plain(const Operation& op) {
  return !op.words.any(Word::ftz, Word::sat, Word::rz, Word::rm, Word::rp);
}

template <class F>
Handler float_binary_of(const Operation& op) {
  if (op.type == Type::f64)
    return is_plain(op) ? float_binary<double, F, true> : float_binary<double, F, false>;
  return is_plain(op) ? float_binary<float, F, true> : float_binary<float, F, false>;
}
template <class F>
Handler float_unary_of(const Operation& op) {
  if (op.type == Type::f64)
    return is_plain(op) ? float_unary<double, F, true> : float_unary<double, F, false>;
  return is_plain(op) ? float_unary<float, F, true> : float_unary<float, F, false>;
}
/// Null: the type is none of 16 bits.
template <class F>
Handler with_halves(Type type, F f) {
  switch (type) {
  case Type::f16: return f.template operator()<Half, std::uint16_t>();
  case Type::f16x2: return f.template operator()<Half, std::uint32_t>();
  case Type::bf16: return f.template operator()<Brain, std::uint16_t>();
  case Type::bf16x2: return f.template operator()<Brain, std::uint32_t>();
  default: return nullptr;
  }
}

bool is_half_type(Type type) { return is_float(type) && type != Type::f32 && type != Type::f64; }

Handler float_arithmetic(const Operation& op) {
  if (is_half_type(op.type))
    return with_halves(op.type, []<class Format, class Word16>() -> Handler {
      return half_operation<Format, Word16>;
    });
  const bool propagates = op.words.has(Word::NaN);
  switch (op.opcode) {
  case Opcode::add: return float_binary_of<FAdd>(op);
  case Opcode::sub: return float_binary_of<FSub>(op);
  case Opcode::mul: return float_binary_of<FMul>(op);
  case Opcode::div: return float_binary_of<FDiv>(op);
  case Opcode::min:
    return propagates ? float_binary_of<FExtreme<false, true>>(op)
                      : float_binary_of<FExtreme<false, false>>(op);
  case Opcode::max:
    return propagates ? float_binary_of<FExtreme<true, true>>(op)
                      : float_binary_of<FExtreme<true, false>>(op);
  case Opcode::mad:
  case Opcode::fma:
    if (op.type == Type::f64)
      return is_plain(op) ? float_fma<double, true> : float_fma<double, false>;
    return is_plain(op) ? float_fma<float, true> : float_fma<float, false>;
  case Opcode::abs: return float_unary_of<FAbs>(op);
  case Opcode::neg: return float_unary_of<FNeg>(op);
  case Opcode::rcp: return float_unary_of<FRcp>(op);
  case Opcode::sqrt: return float_unary_of<FSqrt>(op);
  case Opcode::rsqrt: return float_unary_of<FRsqrt>(op);
  case Opcode::sin: return float_unary_of<FSin>(op);
  case Opcode::cos: return float_unary_of<FCos>(op);
  case Opcode::lg2: return float_unary_of<FLg2>(op);
  case Opcode::ex2: return float_unary_of<FEx2>(op);
  case Opcode::tanh: return float_unary_of<FTanh>(op);
  default: return nullptr;
  }
}

template <bool high>
Handler multiply_carry(const Operation& op, bool takes) {
  return with_wide_integer(op.type, [&]<class T>() -> Handler {
    if constexpr (sizeof(T) < 4)
      return nullptr;
    else
      return takes ? multiply_with_carry<T, true, high> : multiply_with_carry<T, false, high>;
  });
}

/// Add, Min or Max of an integer type or of pairs of halves.
template <class F>
Handler sum_or_extreme(const Operation& op) {
  const bool relu = op.words.has(Word::relu);
  if (op.type == Type::s16x2)
    return relu ? binary_of_halves<std::int16_t, Relu<F>> : binary_of_halves<std::int16_t, F>;
  if (relu) return op.type == Type::s32 ? binary<std::int32_t, Relu<F>> : nullptr;
  if (op.type == Type::u16x2) return binary_of_halves<std::uint16_t, F>;
  return with_wide_integer(op.type, []<class T>() -> Handler { return binary<T, F>; });
}

Handler integer_arithmetic(const Operation& op) {
  const bool high = op.words.has(Word::hi), carries = op.words.has(Word::cc);
  const auto any = [&](auto f) { return with_wide_integer(op.type, f); };
  // Carries are of the bits, whatever the sign.
  const auto of_carry = [&](auto f) { return with_word(bits_of(op.type), f); };
  switch (op.opcode) {
  case Opcode::add:
    if (op.words.has(Word::sat))
      return op.type == Type::s32 ? binary<std::int32_t, SatAdd> : nullptr;
    if (carries)
      return of_carry([]<class T>() -> Handler { return add_with_carry<T, false, false>; });
    return sum_or_extreme<Add>(op);
  case Opcode::sub:
    if (op.words.has(Word::sat))
      return op.type == Type::s32 ? binary<std::int32_t, SatSub> : nullptr;
    if (carries)
      return of_carry([]<class T>() -> Handler { return add_with_carry<T, false, true>; });
    return any([]<class T>() -> Handler { return binary<T, Sub>; });
  case Opcode::addc:
    return of_carry([]<class T>() -> Handler { return add_with_carry<T, true, false>; });
  case Opcode::subc:
    return of_carry([]<class T>() -> Handler { return add_with_carry<T, true, true>; });
  case Opcode::mul:
    if (op.words.has(Word::wide))
      return any([]<class T>() -> Handler {
        if constexpr (sizeof(T) < 8)
          return multiply_wide<T>;
        else
          return nullptr;
      });
    if (high) return any([]<class T>() -> Handler { return binary<T, MulHi>; });
    return any([]<class T>() -> Handler { return binary<T, MulLo>; });
  case Opcode::mad:
    if (op.words.has(Word::wide))
      return any([]<class T>() -> Handler {
        if constexpr (sizeof(T) < 8)
          return multiply_add_wide<T>;
        else
          return nullptr;
      });
    if (carries) return high ? multiply_carry<true>(op, false) : multiply_carry<false>(op, false);
    if (op.words.has(Word::sat)) return multiply_add_sat;
    if (high) return any([]<class T>() -> Handler { return multiply_add<T, MulHi>; });
    return any([]<class T>() -> Handler { return multiply_add<T, MulLo>; });
  case Opcode::madc: return high ? multiply_carry<true>(op, true) : multiply_carry<false>(op, true);
  case Opcode::mul24:
  case Opcode::mad24:
    return op.type == Type::s32 ? multiply_24<std::int32_t> : multiply_24<std::uint32_t>;
  case Opcode::sad: return any([]<class T>() -> Handler { return sum_of_differences<T>; });
  case Opcode::div: return any([]<class T>() -> Handler { return binary<T, Div>; });
  case Opcode::rem: return any([]<class T>() -> Handler { return binary<T, Rem>; });
  case Opcode::min: return sum_or_extreme<Min>(op);
  case Opcode::max: return sum_or_extreme<Max>(op);
  case Opcode::abs: return any([]<class T>() -> Handler { return unary<T, Abs>; });
  case Opcode::neg: return any([]<class T>() -> Handler { return unary<T, Neg>; });
  default: return nullptr;
  }
}

/// The types with a sign and without one that a part may have.
template <class Int, class Natural>
Handler differences(const Operation& op) {
  if (op.of_b == Type::none) return nullptr;
  const bool a = is_signed(op.other), b = is_signed(op.of_b);
  if (a) return b ? differences_of_parts<Int, Int> : differences_of_parts<Int, Natural>;
  return b ? differences_of_parts<Natural, Int> : differences_of_parts<Natural, Natural>;
}

Handler bits(const Operation& op) {
  const auto word = [&](auto f) { return with_word(bits_of(op.type), f); };
  const auto typed = [&](auto f) { return with_wide_integer(op.type, f); };
  if (op.type == Type::pred) {
    switch (op.opcode) {
    case Opcode::and_: return predicate_operation<And>;
    case Opcode::or_: return predicate_operation<Or>;
    case Opcode::xor_: return predicate_operation<Xor>;
    case Opcode::not_: return predicate_operation<Inverse>;
    case Opcode::mov: return predicate_operation<First>;
    default: return nullptr;
    }
  }
  switch (op.opcode) {
  case Opcode::and_: return word([]<class T>() -> Handler { return binary<T, And>; });
  case Opcode::or_: return word([]<class T>() -> Handler { return binary<T, Or>; });
  case Opcode::xor_: return word([]<class T>() -> Handler { return binary<T, Xor>; });
  case Opcode::not_: return word([]<class T>() -> Handler { return unary<T, Not>; });
  case Opcode::cnot: return word([]<class T>() -> Handler { return unary<T, Cnot>; });
  case Opcode::brev: return word([]<class T>() -> Handler { return unary<T, Reverse>; });
  case Opcode::popc: return word([]<class T>() -> Handler { return count_ones<T>; });
  case Opcode::clz: return word([]<class T>() -> Handler { return leading_zeros<T>; });
  case Opcode::bfind: return typed([]<class T>() -> Handler { return find_bit<T>; });
  case Opcode::shl: return word([]<class T>() -> Handler { return shift_left<T>; });
  case Opcode::shr: return typed([]<class T>() -> Handler { return shift_right<T>; });
  case Opcode::bfe: return typed([]<class T>() -> Handler { return extract_field<T>; });
  case Opcode::bfi: return word([]<class T>() -> Handler { return insert_field<T>; });
  case Opcode::shf: return funnel_shift;
  case Opcode::lop3: return logic3;
  case Opcode::prmt: return permute_bytes;
  case Opcode::bmsk: return make_mask;
  case Opcode::fns: return find_nth;
  case Opcode::szext:
    return op.type == Type::s32 ? extend_sign<std::int32_t> : extend_sign<std::uint32_t>;
  case Opcode::dp4a:
  case Opcode::dp2a: {
    const bool a = op.type == Type::s32, b = op.other == Type::s32;
    if (a) return b ? dot_bytes<std::int8_t, std::int8_t> : dot_bytes<std::int8_t, std::uint8_t>;
    return b ? dot_bytes<std::uint8_t, std::int8_t> : dot_bytes<std::uint8_t, std::uint8_t>;
  }
  case Opcode::vabsdiff2: return differences<std::int16_t, std::uint16_t>(op);
  case Opcode::vabsdiff4: return differences<std::int8_t, std::uint8_t>(op);
  default: return nullptr;
  }
}

/// `set` and `setp`: the type of the numbers that are compared.
template <class F>
Handler with_compared(const Operation& op, Type type, F f) {
  // lo, ls, hi and hs compare without signs.
  const bool without = op.words.any(Word::lo, Word::ls, Word::hi, Word::hs);
  if (type == Type::f32) return f.template operator()<float>();
  if (type == Type::f64) return f.template operator()<double>();
  return without ? with_word(bits_of(type), f) : with_wide_integer(type, f);
}

/// Pairs of halves are set to pairs, or to words of 32 bits.
bool may_be_set(const Operation& op) {
  const auto is_pair = [](Type type) { return type == Type::f16x2 || type == Type::bf16x2; };
  if (is_pair(op.other)) return is_pair(op.type) || op.type == Type::u32 || op.type == Type::s32;
  return !is_pair(op.type);
}

Handler choices(const Operation& op) {
  switch (op.opcode) {
  case Opcode::setp:
    if (is_half_type(op.type))
      return with_halves(op.type, []<class Format, class Word16>() -> Handler {
        return set_predicates_of_halves<Format, Word16>;
      });
    return with_compared(op, op.type, []<class T>() -> Handler { return set_predicates<T>; });
  case Opcode::set:
    if (!may_be_set(op)) return nullptr;
    if (is_half_type(op.other))
      return with_halves(op.other, []<class Format, class Word16>() -> Handler {
        return set_number_of_halves<Format, Word16>;
      });
    return with_compared(op, op.other, []<class T>() -> Handler { return set_number<T>; });
  case Opcode::selp:
    return with_word(bits_of(op.type), []<class T>() -> Handler { return select<T>; });
  case Opcode::slct:
    return with_word(bits_of(op.type), [&]<class T>() -> Handler {
      return op.other == Type::f32 ? select_by_sign<T, float> : select_by_sign<T, std::int32_t>;
    });
  case Opcode::copysign: return op.type == Type::f64 ? copy_sign<double> : copy_sign<float>;
  case Opcode::testp: return op.type == Type::f64 ? test_property<double> : test_property<float>;
  default: return nullptr;
  }
}

template <class F>
Handler with_any(Type type, F f) {
  switch (type) {
  case Type::f16: return f.template operator()<F16>();
  case Type::bf16: return f.template operator()<BF16>();
  case Type::f32: return f.template operator()<float>();
  case Type::f64: return f.template operator()<double>();
  default: return with_integer(type, f);
  }
}

/// Null: the type is none of two numbers of 8 bits or fewer with signs.
template <class F>
Handler with_small(Type type, F f) {
  switch (type) {
  case Type::e4m3x2: return f.template operator()<E4M3>();
  case Type::e5m2x2: return f.template operator()<E5M2>();
  case Type::e2m3x2: return f.template operator()<E2M3>();
  case Type::e3m2x2: return f.template operator()<E3M2>();
  case Type::e2m1x2: return f.template operator()<E2M1>();
  default: return nullptr;
  }
}
/// From or to two powers of two; null: neither.
Handler scale_conversion(const Operation& op) {
  const bool two = op.b.kind != OperandKind::none;
  if (op.words.any(Word::ftz, Word::sat, Word::relu)) return nullptr;
  if (op.type == Type::bf16x2 && op.other == Type::ue8m0x2)
    return !two && op.words.has(Word::rn) && !op.words.has(Word::satfinite)
               ? convert_from_small<UE8M0, Brain>
               : nullptr;
  if (op.type != Type::ue8m0x2 || !op.words.any(Word::rz, Word::rp)) return nullptr;
  if (op.other == Type::bf16x2) return two ? nullptr : convert_to_small<UE8M0, Brain>;
  return two && op.other == Type::f32 ? convert_to_small<UE8M0, float> : nullptr;
}
/// From or to two numbers of 8 bits or fewer; null: neither.
Handler small_conversion(const Operation& op) {
  const bool two = op.b.kind != OperandKind::none, rounds = op.words.has(Word::rn);
  if (op.type == Type::ue8m0x2 || op.other == Type::ue8m0x2) return scale_conversion(op);
  if (!rounds || op.words.any(Word::ftz, Word::sat)) return nullptr;
  if (op.type == Type::f16x2 && !two && !op.words.has(Word::satfinite))
    return with_small(op.other,
                      []<class Format>() -> Handler { return convert_from_small<Format, Half>; });
  // PTX has those of 6 and 4 bits from f32 only.
  const bool of_pairs = op.other == Type::f16x2;
  if (!op.words.has(Word::satfinite) || two == of_pairs || (!of_pairs && op.other != Type::f32) ||
      (of_pairs && op.type != Type::e4m3x2 && op.type != Type::e5m2x2))
    return nullptr;
  return with_small(op.type, [=]<class Format>() -> Handler {
    return of_pairs ? convert_to_small<Format, Half> : convert_to_small<Format, float>;
  });
}

Handler conversion(const Operation& op) {
  const bool random = op.words.has(Word::rs);
  if (random != (op.c.kind != OperandKind::none) ||
      (random && op.type != Type::f16x2 && op.type != Type::bf16x2))
    return nullptr;
  if (const Handler small = small_conversion(op)) return small;
  if (op.type == Type::f16x2 || op.type == Type::bf16x2) {
    if (op.other != Type::f32 || op.b.kind == OperandKind::none) return nullptr;
    return op.type == Type::f16x2 ? convert_two<Half> : convert_two<Brain>;
  }
  const bool rounds_away = op.words.has(Word::rna);
  if (op.type == Type::tf32)
    return op.other == Type::f32 && rounds_away && op.b.kind == OperandKind::none ? convert_tf32
                                                                                  : nullptr;
  if (op.b.kind != OperandKind::none || rounds_away || op.words.has(Word::satfinite))
    return nullptr;
  return with_any(op.type, [&]<class To>() -> Handler {
    return with_any(op.other, [&]<class From>() -> Handler { return convert_lanes<To, From>; });
  });
}

Handler moves(const Operation& op) {
  const int all = bits_of(op.type);
  if (op.a.kind == OperandKind::vector) {
    const int part = all / op.a.count;
    if (all == 64)
      return part == 32   ? pack<std::uint64_t, std::uint32_t>
             : part == 16 ? pack<std::uint64_t, std::uint16_t>
                          : nullptr;
    if (part == 8) // registers of 8 bits have rows of 16
      return all == 32   ? pack<std::uint32_t, std::uint16_t, 8>
             : all == 16 ? pack<std::uint16_t, std::uint16_t, 8>
                         : nullptr;
    return all == 32 && part == 16 ? pack<std::uint32_t, std::uint16_t> : nullptr;
  }
  if (op.d.kind == OperandKind::vector) {
    const int part = all / op.d.count;
    if (all == 64)
      return part == 32   ? unpack<std::uint64_t, std::uint32_t>
             : part == 16 ? unpack<std::uint64_t, std::uint16_t>
                          : nullptr;
    if (part == 8)
      return all == 32   ? unpack<std::uint32_t, std::uint16_t, 8>
             : all == 16 ? unpack<std::uint16_t, std::uint16_t, 8>
                         : nullptr;
    return all == 32 && part == 16 ? unpack<std::uint32_t, std::uint16_t> : nullptr;
  }
  return with_word(all, []<class T>() -> Handler { return move<T>; });
}

Handler of_lanes(const Operation& op) {
  switch (op.opcode) {
  case Opcode::shfl: return shuffle;
  case Opcode::vote: return vote;
  case Opcode::activemask: return active_mask;
  case Opcode::elect: return elect;
  case Opcode::match: return op.type == Type::b64 ? match<std::uint64_t> : match<std::uint32_t>;
  case Opcode::redux: return op.type == Type::s32 ? reduce<std::int32_t> : reduce<std::uint32_t>;
  default: return nullptr;
  }
}

} // namespace

Handler choose(const Operation& op, RegisterBits) {
  if (op.opcode == Opcode::cvt) return conversion(op);
  if (op.opcode == Opcode::mov && op.type != Type::pred) return moves(op);
  for (const auto part : {of_lanes, choices, bits})
    if (const Handler found = part(op)) return found;
  return is_float(op.type) ? float_arithmetic(op) : integer_arithmetic(op);
}

Handler choose_access(const Operation& op, int address_bits, int value_bits) {
  if (op.opcode == Opcode::st)
    return address_bits == 32 ? access_of<true, std::uint32_t>(op, value_bits)
                              : access_of<true, std::uint64_t>(op, value_bits);
  return address_bits == 32 ? access_of<false, std::uint32_t>(op, value_bits)
                            : access_of<false, std::uint64_t>(op, value_bits);
}

#include "neighbours_source.hpp"

} // namespace memlane::ptx::MEMLANE_PTX_SET
