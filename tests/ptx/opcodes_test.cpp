// Each opcode that computes, with all its types and words, against the scalar interpreter: edge
// values and random ones, whole warps and guarded lanes, on every instruction set of this
// processor.
#include "opcode_tests.hpp"
#include "program.hpp"
#include "scalar.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace memlane::test {

using ptx::Opcode;
using ptx::OpcodeRow;
using ptx::Type;

namespace {

/// An instruction and the bits of its operands: 1 of a predicate, 0: there is none.
struct Variant {
  std::string text; ///< opcode and words
  OperandBits bits;
  std::string table; ///< behind the sources, of lop3
};

std::string type_name(Type type) { return std::string(ptx::name_of(type)); }

std::vector<std::string> product(const std::vector<std::string>& a,
                                 const std::vector<std::string>& b) {
  std::vector<std::string> all;
  for (const std::string& x : a)
    for (const std::string& y : b) all.push_back(x + y);
  return all;
}
const std::vector<std::string> rounding{".rn", ".rz", ".rm", ".rp"};
const std::vector<std::string> ftz{"", ".ftz"}, sat{"", ".sat"};

/// The words of an opcode with a type, in front of it.
std::vector<std::string> words_of(Opcode opcode, Type type) {
  const bool real = ptx::is_float(type), f32 = type == Type::f32, f64 = type == Type::f64;
  const bool half = real && !f32 && !f64, f16 = type == Type::f16 || type == Type::f16x2;
  const bool wide = ptx::bits_of(type) == 64;
  switch (opcode) {
  case Opcode::add:
  case Opcode::sub:
    if (f32) return product(product(rounding, ftz), sat);
    if (f64) return rounding;
    if (half)
      return f16 ? std::vector<std::string>{"", ".rn", ".sat"} : std::vector<std::string>{".rn"};
    if (type == Type::s32) return {"", ".sat"};
    return {""};
  case Opcode::mul:
  case Opcode::mad:
    if (f32) return product(product(rounding, ftz), sat);
    if (f64) return rounding;
    if (half) return {""};
    if (type == Type::s32 && opcode == Opcode::mad) return {".lo", ".hi", ".wide", ".hi.sat"};
    return wide ? std::vector<std::string>{".lo", ".hi"}
                : std::vector<std::string>{".lo", ".hi", ".wide"};
  case Opcode::mul24:
  case Opcode::mad24:
  case Opcode::dp2a: return {".lo", ".hi"};
  case Opcode::div:
    if (f32) return product({".approx", ".full", ".rn", ".rz", ".rm", ".rp"}, ftz);
    return f64 ? rounding : std::vector<std::string>{""};
  case Opcode::rcp:
  case Opcode::sqrt: return f32 ? product({".approx", ".rn", ".rz", ".rm", ".rp"}, ftz) : rounding;
  case Opcode::rsqrt: return f32 ? product({".approx"}, ftz) : std::vector<std::string>{".approx"};
  case Opcode::sin:
  case Opcode::cos:
  case Opcode::lg2: return product({".approx"}, ftz);
  case Opcode::ex2: return f32 ? product({".approx"}, ftz) : std::vector<std::string>{".approx"};
  case Opcode::tanh: return {".approx"};
  case Opcode::fma:
    if (f32) return product(product(rounding, ftz), sat);
    if (f64) return rounding;
    return f16 ? std::vector<std::string>{".rn", ".rn.sat", ".rn.relu"}
               : std::vector<std::string>{".rn", ".rn.relu"};
  case Opcode::min:
  case Opcode::max:
    if (f32) return product(ftz, {"", ".NaN"});
    if (type == Type::s32 || type == Type::s16x2) return {"", ".relu"};
    return half ? std::vector<std::string>{"", ".NaN"} : std::vector<std::string>{""};
  case Opcode::vabsdiff2:
  case Opcode::vabsdiff4: return {"", ".sat", ".add"};
  case Opcode::abs:
  case Opcode::neg: return f32 ? ftz : std::vector<std::string>{""};
  case Opcode::testp:
    return {".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"};
  case Opcode::shf: return product({".l", ".r"}, {".clamp", ".wrap"});
  case Opcode::bfind: return {"", ".shiftamt"};
  case Opcode::bmsk:
  case Opcode::szext: return {".clamp", ".wrap"};
  case Opcode::set:
  case Opcode::setp: {
    std::vector<std::string> all{".eq", ".ne"};
    const char letter = ptx::kind_of(type);
    if (letter == 'u' || letter == 's' || real)
      for (const char* const word : {".lt", ".le", ".gt", ".ge"}) all.emplace_back(word);
    if (letter == 'u')
      for (const char* const word : {".lo", ".ls", ".hi", ".hs"}) all.emplace_back(word);
    if (real)
      for (const char* const word :
           {".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"})
        all.emplace_back(word);
    for (const char* const word : {".ne.and", ".eq.or", ".ne.xor"}) all.emplace_back(word);
    return f32 || f16 ? product(all, ftz) : all;
  }
  default: return {""};
  }
}

/// Bits of the operands, by the row's letters.
OperandBits operands_of(const OpcodeRow& row, Type type, Type other, const std::string& words) {
  const int bits = type == Type::pred ? 1 : ptx::bits_of(type);
  const int second = ptx::bits_of(other);
  OperandBits made{bits, 0, 0, 0, 0, 0};
  std::string letters(row.operands);
  for (const char letter : letters) {
    if (letter == 'a') made.a = bits;
    if (letter == 'b') made.b = bits;
    if (letter == 'c') made.c = bits;
    if (letter == 'e') made.e = bits;
  }
  switch (row.opcode) {
  case Opcode::mul:
  case Opcode::mad:
    if (words.find("wide") != words.npos) {
      made.d *= 2;
      made.c *= 2;
    }
    break;
  case Opcode::testp: made.d = 1; break;
  case Opcode::setp:
    made.d = made.q = 1;
    made.e = words.find(".and") != words.npos || words.find("or") != words.npos ? 1 : 0;
    break;
  case Opcode::set:
    made.a = made.b = second;
    made.e = words.find(".and") != words.npos || words.find("or") != words.npos ? 1 : 0;
    break;
  case Opcode::selp: made.e = 1; break;
  case Opcode::slct: made.c = second; break;
  case Opcode::lop3: made.q = made.e = words.find('.') != words.npos ? 1 : 0; break;
  case Opcode::shl:
  case Opcode::shr: made.b = 32; break;
  case Opcode::bfe: made.b = made.c = 32; break;
  case Opcode::bfi: made.c = made.e = 32; break;
  case Opcode::bfind:
  case Opcode::clz:
  case Opcode::popc: made.d = 32; break;
  case Opcode::cvt:
    made.a = second;
    made.b =
        ptx::is_float(type) && other == Type::f32 && ptx::name_of(type).ends_with("x2") ? 32 : 0;
    made.c = words.find(".rs") != words.npos ? 32 : 0;
    break;
  default: break;
  }
  return made;
}

std::vector<std::string> conversion_words(Type to, Type from) {
  const bool to_real = ptx::is_float(to), from_real = ptx::is_float(from);
  if (to == Type::ue8m0x2)
    return from == Type::f32 || from == Type::bf16x2 ? product({".rz", ".rp"}, {"", ".satfinite"})
                                                     : std::vector<std::string>{};
  if (from == Type::ue8m0x2)
    return to == Type::bf16x2 ? std::vector<std::string>{".rn"} : std::vector<std::string>{};
  if (ptx::is_small_pair(to)) {
    const bool of_pairs = from == Type::f16x2 && (to == Type::e4m3x2 || to == Type::e5m2x2);
    return from == Type::f32 || of_pairs ? product({".rn.satfinite"}, {"", ".relu"})
                                         : std::vector<std::string>{};
  }
  if (ptx::is_small_pair(from))
    return to == Type::f16x2 ? product({".rn"}, {"", ".relu"}) : std::vector<std::string>{};
  if (from == Type::f16x2 || from == Type::bf16x2) return {};
  if (to == Type::f16x2 || to == Type::bf16x2)
    return from == Type::f32 ? product({".rn", ".rz", ".rs"}, {"", ".relu", ".satfinite"})
                             : std::vector<std::string>{};
  if (to == Type::tf32)
    return from == Type::f32 ? std::vector<std::string>{".rna"} : std::vector<std::string>{};
  if (!to_real && !from_real) return {"", ".sat"};
  if (to_real && !from_real) return rounding;
  if (!to_real) {
    const std::vector<std::string> modes{".rni", ".rzi", ".rmi", ".rpi"};
    return from == Type::f32 ? product(modes, ftz) : modes;
  }
  if (to == from) {
    const std::vector<std::string> modes{".rni", ".rzi", ".rmi", ".rpi"};
    return to == Type::f32 ? product(product(modes, ftz), sat) : modes;
  }
  if (ptx::bits_of(to) > ptx::bits_of(from))
    return from == Type::f32 || to == Type::f32
               ? product(ftz, to == Type::f32 ? sat : std::vector<std::string>{""})
               : std::vector<std::string>{""};
  if (to == Type::f32) return product(rounding, ftz);
  return ptx::bits_of(to) == ptx::bits_of(from) ? std::vector<std::string>{} : rounding;
}

/// What follows the first type: the second one and a third one, where the row has them.
std::vector<std::string> suffixes_of(const OpcodeRow& row, Type other) {
  std::vector<std::string> all;
  for (const Type third : ptx::types_of(row, 2))
    all.push_back("." + type_name(other) + "." + type_name(third));
  if (all.empty()) all.push_back(other == Type::none ? "" : "." + type_name(other));
  return all;
}

/// lop3 with several tables, and prmt with its modes, which stand behind its type.
std::vector<Variant> with_own_forms(Variant made, Opcode opcode) {
  std::vector<Variant> all;
  if (opcode == Opcode::lop3) {
    for (const int table : {0x00, 0x80, 0xfe, 0x96, 0xca, 0x1d}) {
      made.table = std::to_string(table);
      all.push_back(made);
    }
  } else if (opcode == Opcode::prmt) {
    for (const char* const mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"}) {
      made.text = "prmt.b32" + std::string(mode);
      all.push_back(made);
    }
  } else {
    all.push_back(made);
  }
  return all;
}

std::vector<Variant> variants_of(const OpcodeRow& row) {
  std::vector<Variant> all;
  const auto types = ptx::types_of(row, 0), others = ptx::types_of(row, 1);
  for (const Type type : types) {
    const std::vector<Type> seconds = others.empty()
                                          ? std::vector<Type>{Type::none}
                                          : std::vector<Type>(others.begin(), others.end());
    for (const Type other : seconds) {
      std::vector<std::string> words =
          words_of(row.opcode, row.opcode == Opcode::set ? other : type);
      if (row.opcode == Opcode::cvt) words = conversion_words(type, other);
      if (row.opcode == Opcode::lop3) words = {"", ".or", ".and"};
      const auto pair = [](Type one) { return one == Type::f16x2 || one == Type::bf16x2; };
      if (row.opcode == Opcode::set &&
          (pair(other) ? !pair(type) && type != Type::u32 && type != Type::s32 : pair(type)))
        continue;
      for (const std::string& suffix : suffixes_of(row, other))
        for (const std::string& word : words) {
          Variant made;
          made.text = std::string(row.mnemonic) + word + "." + type_name(type) + suffix;
          made.bits = operands_of(row, type, other, word);
          const std::vector<Variant> further = with_own_forms(made, row.opcode);
          all.insert(all.end(), further.begin(), further.end());
        }
    }
  }
  return all;
}

/// A kernel that loads the sources from 4 words of 64 bits of each thread, executes the
/// instruction, and stores the results into 2. `odd`: only lanes with odd numbers execute it.
std::string kernel_of(const Variant& variant, const std::string& name, bool odd) {
  const OperandBits& bits = variant.bits;
  std::string text = ".visible .entry " + name +
                     "(.param .u64 in, .param .u64 out) {\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n"
                     ".reg .b32 %r<12>;\n.reg .b64 %l<12>;\nld.param.u64 %l8, [in];\n"
                     "ld.param.u64 %l9, [out];\nmov.u32 %r8, %tid.x;\nmov.u32 %r9, %ctaid.x;\n"
                     "mov.u32 %r10, %ntid.x;\nmad.lo.u32 %r9, %r9, %r10, %r8;\n"
                     "mad.wide.u32 %l8, %r9, 32, %l8;\nmad.wide.u32 %l9, %r9, 16, %l9;\n"
                     "and.b32 %r8, %r8, 1;\nsetp.ne.u32 %p7, %r8, 0;\n"
                     "mov.b16 %h4, 21845;\nmov.b32 %r4, 1431655765;\n"
                     "mov.b64 %l4, 6148914691236517205;\nsetp.ne.u32 %p4, 1, 0;\n"
                     "setp.ne.u32 %p5, 1, 1;\n";
  const auto reg = [](int width, int number) {
    return fmt::format("%{}{}",
                       width == 1                  ? 'p'
                       : width == 16 || width == 8 ? 'h'
                       : width == 32               ? 'r'
                                                   : 'l',
                       number);
  };
  std::string operands = reg(bits.d, 4);
  if (bits.q) operands += "|" + reg(1, 5);
  const int widths[4] = {bits.a, bits.b, bits.c, bits.e};
  for (int k = 0; k < 4; ++k) {
    if (widths[k] == 0) continue;
    if (k == 3 && !variant.table.empty()) operands += ", " + variant.table;
    const std::string own = reg(widths[k], k);
    if (widths[k] == 1)
      text += fmt::format("ld.global.b32 %r{}, [%l8+{}];\nsetp.ne.b32 {}, %r{}, 0;\n", k, 8 * k,
                          own, k);
    else
      text += fmt::format("ld.global.b{} {}, [%l8+{}];\n", std::max(16, widths[k]), own, 8 * k);
    operands += ", " + own;
  }
  if (!variant.table.empty() && widths[3] == 0) operands += ", " + variant.table;
  if (!odd) text += "bar.warp.sync -1;\n";
  text += fmt::format("{}{} {};\n", odd ? "@%p7 " : "", variant.text, operands);
  const std::string result = reg(bits.d, 4);
  if (bits.d == 1)
    text += fmt::format("selp.u32 %r6, 1, 0, {};\nst.global.b32 [%l9], %r6;\n", result);
  else
    text += fmt::format("st.global.b{} [%l9], {};\n", std::max(16, bits.d), result);
  text += "selp.u32 %r7, 1, 0, %p5;\nst.global.b32 [%l9+8], %r7;\nret;\n}\n";
  return text;
}

std::vector<std::uint64_t> edges_of(int bits, bool real) {
  if (bits == 1) return {0, 1};
  std::vector<std::uint64_t> all{0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, ~0ull, ~1ull, ~0ull - 30};
  for (int k = 4; k < bits; k += 5) all.push_back(std::uint64_t{1} << k);
  all.push_back(std::uint64_t{1} << (bits - 1));
  all.push_back((std::uint64_t{1} << (bits - 1)) - 1);
  all.push_back((std::uint64_t{1} << (bits - 1)) + 1);
  if (!real) return all;
  // Of f16, bf16, f32 and f64 alike: ones, infinities, NaNs, the least and largest numbers.
  const std::vector<std::uint64_t> infinities =
      bits == 16   ? std::vector<std::uint64_t>{0x7c00, 0x7f80}
      : bits == 32 ? std::vector<std::uint64_t>{0x7f800000, 0x7c007c00, 0x7f807f80}
                   : std::vector<std::uint64_t>{0x7ff0000000000000};
  for (const std::uint64_t infinity : infinities)
    for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << (bits - 1)})
      for (const std::uint64_t one :
           {infinity, infinity + 1, infinity - 1, infinity / 2, infinity / 2 + 3})
        all.push_back(one | sign);
  if (bits == 32)
    for (const float value :
         {1.0F, -1.0F, 0.5F, 1.5F, 2.5F, -2.5F, 3.14159F, 255.5F, 65504.0F, 1e-39F, 2147483648.0F,
          -2147483648.0F, 4294967040.0F, 0x1p-126F, 0x1p-149F})
      all.push_back(std::bit_cast<std::uint32_t>(value));
  if (bits == 64)
    for (const double value :
         {1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.14159, 1e300, 9223372036854775808.0,
          1.8446744073709552e19, 2147483647.5, -2147483648.5, 0x1p-1022, 1e-310})
      all.push_back(std::bit_cast<std::uint64_t>(value));
  if (bits == 16)
    for (const unsigned one :
         {0x3c00u, 0xbc00u, 0x3800u, 0x3e00u, 0x4100u, 0x7bffu, 0x0400u, 0x3f80u, 0xbf80u, 0x4020u})
      all.push_back(one);
  return all;
}

class Values {
public:
  std::uint64_t next(int bits, bool real) {
    if (bits == 0) return 0;
    const std::vector<std::uint64_t> edges = edges_of(bits, real);
    const std::uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
    switch (random_() % 4) {
    case 0:
    case 1: return edges[random_() % edges.size()] & all;
    case 2: return random_() & all;
    default:
      // Numbers near 1, whose sums and products are neither lost nor infinite.
      if (real && bits == 32) return (random_() & 0x83ffffff) | 0x3c000000;
      if (real && bits == 64) return (random_() & 0x803fffffffffffff) | 0x3fc0000000000000;
      return random_() % 100 & all;
    }
  }
  std::mt19937_64 random_{7};
};

bool is_close(const ptx::Operation& op, const ScalarOut& wanted, std::uint64_t is) {
  if (wanted.relative == 0) return false;
  const int bits = ptx::bits_of(op.type);
  if (bits == 64) {
    const double a = std::bit_cast<double>(is), b = std::bit_cast<double>(wanted.d);
    return std::fabs(a - b) <= std::fabs(b) * wanted.relative;
  }
  if (bits == 32 && op.type == Type::f32) {
    const auto a = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(is)));
    const auto b = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(wanted.d)));
    return std::fabs(a - b) <=
           std::max(std::fabs(b) * wanted.relative, std::max(wanted.absolute, 0x1p-126));
  }
  // Of 16 bits: at most one unit in the last place.
  for (int k = 0; k < bits; k += 16) {
    const int a = static_cast<int>(is >> k & 0xffff), b = static_cast<int>(wanted.d >> k & 0xffff);
    if (std::abs(a - b) > 1) return false;
  }
  return true;
}

constexpr std::size_t threads = 256;

/// What a kernel of the instruction should store: two words for each thread, and whether it is so.
struct Expected {
  std::vector<ScalarOut> all;
  const ptx::Operation* op = nullptr;
};

Expected expected_of(const Variant& variant, const ptx::Operation& op,
                     const std::vector<std::uint64_t>& in) {
  Expected made{{}, &op};
  for (std::size_t t = 0; t < threads; ++t) {
    ScalarOut wanted =
        scalar_result(op, {in[4 * t], in[4 * t + 1], in[4 * t + 2], in[4 * t + 3], false});
    // cvt to a narrow integer fills the register.
    if (op.opcode == Opcode::cvt && variant.bits.d == 8)
      wanted.d =
          (wanted.d & 0xff) | (ptx::is_signed(op.type) && (wanted.d & 0x80) != 0 ? 0xff00u : 0u);
    made.all.push_back(wanted);
  }
  return made;
}

void check_results(const Variant& variant, const Expected& expected, std::string_view set, bool odd,
                   const std::vector<std::uint64_t>& in, const std::vector<std::uint64_t>& out) {
  const OperandBits& bits = variant.bits;
  const int stored = bits.d == 1 ? 1 : std::max(16, bits.d);
  const std::uint64_t all = stored == 64 ? ~0ull : (1ull << stored) - 1;
  for (std::size_t t = 0; t < threads; ++t) {
    ScalarOut wanted = expected.all[t];
    if (!wanted.known) continue;
    if (odd && t % 2 == 0) {
      wanted = {};
      wanted.d = 0x5555555555555555 & all;
    }
    const std::uint64_t is = out[2 * t];
    const bool same_q = bits.q == 0 || (out[2 * t + 1] != 0) == wanted.q;
    if ((is == wanted.d || is_close(*expected.op, wanted, is)) && same_q) continue;
    FAIL(fmt::format("{} on {}, thread {}: a {:#x} b {:#x} c {:#x} e {:#x}: {:#x} {}, not {:#x} {}",
                     variant.text, set, t, in[4 * t], in[4 * t + 1], in[4 * t + 2], in[4 * t + 3],
                     is, out[2 * t + 1], wanted.d, wanted.q));
  }
}

void compare(const OpcodeRow& row) {
  const std::vector<Variant> variants = variants_of(row);
  REQUIRE_FALSE(variants.empty());
  std::string text = ".version 9.0\n.target sm_100\n.address_size 64\n";
  for (std::size_t k = 0; k < variants.size(); ++k)
    for (const bool odd : {false, true})
      text += kernel_of(variants[k], fmt::format("k{}{}", k, odd ? "_odd" : ""), odd);
  std::vector<std::uint64_t> in(4 * threads), out(2 * threads);
  std::vector<Program> programs;
  for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
    programs.emplace_back(fmt::format("{}.ptx", row.mnemonic), text, set);
    programs.back().give(in), programs.back().give(out);
  }
  Values values;
  for (std::size_t k = 0; k < variants.size(); ++k) {
    const OperandBits& bits = variants[k].bits;
    const ptx::Function& function = programs[0].module->functions[2 * k];
    const auto at = std::find_if(function.code.begin(), function.code.end(),
                                 [](const auto& op) { return op.opcode == Opcode::bar; });
    REQUIRE(at != function.code.end());
    const ptx::Operation& op = at[1];
    const bool real = ptx::is_float(op.type) || ptx::is_float(op.other);
    for (std::size_t t = 0; t < threads; ++t) {
      in[4 * t] = values.next(bits.a, real);
      in[4 * t + 1] = values.next(bits.b, real);
      in[4 * t + 2] = values.next(bits.c, real);
      in[4 * t + 3] = values.next(bits.e, false);
    }
    const Expected expected = expected_of(variants[k], op, in);
    for (std::size_t p = 0; p < programs.size(); ++p)
      for (const bool odd : {false, true}) {
        std::fill(out.begin(), out.end(), 0);
        const Launched launched =
            programs[p].launch(fmt::format("k{}{}", k, odd ? "_odd" : ""), {4, 1, 1},
                               {static_cast<std::int64_t>(threads / 4), 1, 1}, in, out);
        INFO(launched.fault);
        REQUIRE(launched.result.faults.empty());
        check_results(variants[k], expected, ptx::instruction_sets()[p].name, odd, in, out);
      }
  }
}

} // namespace

bool computes(const OpcodeRow& row) {
  switch (row.opcode) {
  case Opcode::mma:
  case Opcode::wmma:
  case Opcode::cvta:
  case Opcode::isspacep:
  case Opcode::alloca:
  case Opcode::stacksave:
  case Opcode::stackrestore:
  case Opcode::txq:
  case Opcode::suq:
  case Opcode::prefetch:
  case Opcode::prefetchu:
  case Opcode::discard:
  case Opcode::brkpt:
  case Opcode::nanosleep:
  case Opcode::pmevent:
  case Opcode::griddepcontrol: return false;
  default: break;
  }
  const std::vector<Opcode>& others = opcodes_with_carries();
  return row.effects == ptx::Effects::none &&
         std::find(others.begin(), others.end(), row.opcode) == others.end();
}
const std::vector<Opcode>& opcodes_with_carries() {
  static const std::vector<Opcode> all{Opcode::addc, Opcode::subc, Opcode::madc};
  return all;
}

TEST_CASE("sums and products with carries") {
  // d0, d1 = a + b, a - b and a * b + c of 64 bits by words of 32.
  Program program(
      "carries.ptx",
      ".version 9.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .b32 %r<30>;\n.reg .b64 %l<9>;\n"
      "ld.param.u64 %l0, [in];\nld.param.u64 %l1, [out];\nmov.u32 %r0, %tid.x;\n"
      "mad.wide.u32 %l0, %r0, 24, %l0;\nmad.wide.u32 %l1, %r0, 24, %l1;\n"
      "ld.global.v2.u32 {%r1, %r2}, [%l0];\n"
      "ld.global.v2.u32 {%r3, %r4}, [%l0+8];\nld.global.v2.u32 {%r5, %r6}, [%l0+16];\n"
      "add.cc.u32 %r7, %r1, %r3;\naddc.u32 %r8, %r2, %r4;\n"
      "st.global.v2.u32 [%l1], {%r7, %r8};\n"
      "sub.cc.u32 %r7, %r1, %r3;\nsubc.u32 %r8, %r2, %r4;\n"
      "st.global.v2.u32 [%l1+8], {%r7, %r8};\n"
      "mad.lo.cc.u32 %r7, %r1, %r3, %r5;\nmadc.hi.u32 %r8, %r1, %r3, %r6;\n"
      "mad.lo.u32 %r8, %r1, %r4, %r8;\nmad.lo.u32 %r8, %r2, %r3, %r8;\n"
      "st.global.v2.u32 [%l1+16], {%r7, %r8};\nret;\n}\n");
  std::vector<std::uint64_t> in(3 * 64), out(in.size()), wanted(in.size());
  Values values;
  for (std::size_t t = 0; t < 64; ++t) {
    for (std::size_t k = 0; k < 3; ++k) in[3 * t + k] = values.next(64, false);
    wanted[3 * t] = in[3 * t] + in[3 * t + 1];
    wanted[3 * t + 1] = in[3 * t] - in[3 * t + 1];
    wanted[3 * t + 2] = in[3 * t] * in[3 * t + 1] + in[3 * t + 2];
  }
  program.give(in), program.give(out);
  CHECK(program.launch("k", {1, 1, 1}, {64, 1, 1}, in, out).fault.empty());
  CHECK(out == wanted);
}

TEST_CASE("a subtraction that borrows clears the carry flag, which an addition reads") {
  Program program("carry.ptx", ".version 8.0\n.target sm_75\n.address_size 64\n"
                               ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n"
                               ".reg .b64 %l<3>;\nld.param.u64 %l0, [out];\nmov.u32 %r0, %tid.x;\n"
                               "mad.wide.u32 %l1, %r0, 4, %l0;\nsub.cc.u32 %r1, %r0, 3;\n"
                               "addc.u32 %r2, 0, 0;\nst.global.u32 [%l1], %r2;\nret;\n}\n");
  std::vector<std::uint32_t> out(5, 9);
  program.give(out);
  CHECK(program.launch("k", {1, 1, 1}, {5, 1, 1}, out).fault.empty());
  CHECK(out == std::vector<std::uint32_t>{0, 0, 0, 1, 1});
}

TEST_CASE("each opcode that computes agrees with the scalar interpreter") {
  std::size_t rows = 0;
  for (const OpcodeRow& row : ptx::opcode_rows()) {
    if (!computes(row)) continue;
    ++rows;
    DYNAMIC_SECTION(row.mnemonic) { compare(row); }
  }
  CHECK(rows > 50);
}

} // namespace memlane::test
