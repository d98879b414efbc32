// Whether operands fit their instruction: what the executor relies on (PTX ISA 9.0, section 9).
#include "exec/vectors.hpp"
#include "parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace memlane::ptx {

namespace {

/// Bits of an operand; 0: it has none, -1: a predicate, -2: anything that fits.
struct Expected {
  int d = 0, a = 0, b = 0, c = 0, e = 0;
};

/// What each opcode expects of its operands, if it is not the type of the instruction.
Expected expected_of(const Operation& op) {
  const int bits = op.type == Type::pred ? -1 : bits_of(op.type);
  const int other = bits_of(op.other);
  Expected same{bits, bits, bits, bits, 32};
  switch (op.opcode) {
  case Opcode::mul:
  case Opcode::mad:
    if (op.words.has(Word::wide)) return {2 * bits, bits, bits, 2 * bits, 0};
    return same;
  case Opcode::testp: return {-1, bits, 0, 0, 0};
  case Opcode::setp: return {-1, bits, bits, 0, -1};
  case Opcode::set: return {bits, other, other, 0, -1};
  case Opcode::selp: return {bits, bits, bits, 0, -1};
  case Opcode::slct: return {bits, bits, bits, other, 0};
  case Opcode::lop3: return {bits, bits, bits, bits, -1};
  case Opcode::shl:
  case Opcode::shr: return {bits, bits, 32, 0, 0};
  case Opcode::bfe: return {bits, bits, 32, 32, 0};
  case Opcode::bfi: return {bits, bits, bits, 32, 32};
  case Opcode::bfind:
  case Opcode::clz:
  case Opcode::popc: return {32, bits, 0, 0, 0};
  case Opcode::szext:
  case Opcode::bmsk: return {bits, 32, 32, 0, 0};
  case Opcode::cvt: return {bits, other, other, 32, 0};
  case Opcode::isspacep: return {-1, 64, 0, 0, 0};
  case Opcode::shfl: return {bits, bits, 32, 32, 32};
  case Opcode::vote: return {bits, 32, 0, 0, -1};
  case Opcode::match: return {32, bits, 32, 0, 0};
  case Opcode::redux: return {bits, bits, 32, 0, 0};
  case Opcode::elect: return {32, 32, 0, 0, 0};
  case Opcode::bar:
  case Opcode::barrier: return {bits, 32, 32, 0, -1};
  case Opcode::brx:
  case Opcode::nanosleep: return {0, 32, 0, 0, 0};
  case Opcode::stacksave: return {bits, 0, 0, 0, 0};
  case Opcode::stackrestore: return {0, bits, 0, 0, 0};
  case Opcode::cp: return {0, 32, 0, 64, 32};
  case Opcode::ld:
  case Opcode::ldu: return {bits, 0, 0, 64, 0};
  case Opcode::ldmatrix: return {32, 0, 0, 0, 0};
  case Opcode::st: return {0, bits, 0, 64, 0};
  case Opcode::mbarrier:
    if (op.words.any(Word::test_wait, Word::try_wait))
      return {-1, op.words.has(Word::parity) ? 32 : 64, 32, 0, 0};
    if (op.words.has(Word::pending_count)) return {32, 64, 0, 0, 0};
    return {64, 32, 0, 0, 0};
  case Opcode::atom:
    if (op.words.has(Word::cas)) return {bits, bits, bits, 64, 0};
    return {bits, bits, 64, 64, 0};
  case Opcode::red: return {0, bits, 0, 64, 0};
  default: return same;
  }
}

/// Bytes: of what alloca allocates.
constexpr std::int64_t most_alignment = 128;

/// How many of the words an instruction has.
template <class... W>
int count_of(const Operation& op, W... words) {
  return (0 + ... + (op.words.has(words) ? 1 : 0));
}
bool has_comparison(const Operation& op) {
  return count_of(op, Word::eq, Word::ne, Word::lt, Word::le, Word::gt, Word::ge, Word::lo,
                  Word::ls, Word::hi, Word::hs, Word::equ, Word::neu, Word::ltu, Word::leu,
                  Word::gtu, Word::geu, Word::num, Word::nan) == 1;
}

/// What is missing or too much in an instruction's words; empty: nothing.
std::string_view wrong_words(const Operation& op) {
  const bool is_integer = kind_of(op.type) == 'u' || kind_of(op.type) == 's';
  if (count_of(op, Word::rn, Word::rz, Word::rm, Word::rp, Word::rs) > 1 ||
      count_of(op, Word::rni, Word::rzi, Word::rmi, Word::rpi) > 1)
    return "has one rounding mode";
  switch (op.opcode) {
  case Opcode::mul:
  case Opcode::mad:
    if (is_integer && count_of(op, Word::lo, Word::hi, Word::wide) != 1)
      return "of integers needs one of .lo, .hi and .wide";
    return {};
  case Opcode::setp:
  case Opcode::set:
    if (!has_comparison(op)) return "needs one comparison such as .lt";
    if ((op.e.kind != OperandKind::none) != (count_of(op, Word::and_, Word::or_, Word::xor_) == 1))
      return "needs .and, .or or .xor with a predicate, and only with one";
    return {};
  case Opcode::testp:
    return count_of(op, Word::finite, Word::infinite, Word::number, Word::notanumber, Word::normal,
                    Word::subnormal) == 1
               ? ""
               : "needs one property such as .finite";
  case Opcode::atom:
  case Opcode::red: {
    if (count_of(op, Word::add, Word::min, Word::max, Word::inc, Word::dec, Word::exch, Word::cas,
                 Word::and_, Word::or_, Word::xor_) != 1)
      return "needs one operation such as .add";
    const bool sum = op.words.has(Word::add), order = op.words.any(Word::min, Word::max),
               wraps = op.words.any(Word::inc, Word::dec);
    if (is_float(op.type) && !sum) return "of floating point has .add only";
    if (kind_of(op.type) == 'b' && (sum || order || wraps)) return "has no such operation on bits";
    if (is_integer && !(sum || order || wraps)) return "has this operation on bits only: .b32";
    if (wraps && op.type != Type::u32) return "has .inc and .dec of .u32 only";
    if (op.type == Type::b16 && !op.words.has(Word::cas)) return "of 16 bits has .cas only";
    if (op.words.has(Word::cas) && op.b.kind == OperandKind::none)
      return "with .cas has a new value";
    return {};
  }
  case Opcode::shfl:
    return count_of(op, Word::up, Word::down, Word::bfly, Word::idx) == 1 ? "" : "needs one mode";
  case Opcode::vote:
    if ((op.type == Type::pred) == op.words.has(Word::ballot)) return "has another type";
    return count_of(op, Word::all, Word::any, Word::uni, Word::ballot) == 1 ? "" : "needs one mode";
  case Opcode::match: return count_of(op, Word::all, Word::any) == 1 ? "" : "needs .all or .any";
  case Opcode::redux: {
    const bool of_bits = op.words.any(Word::and_, Word::or_, Word::xor_);
    if (count_of(op, Word::add, Word::min, Word::max, Word::and_, Word::or_, Word::xor_) != 1)
      return "needs one operation";
    return of_bits == (op.type == Type::b32) ? "" : "has no such operation on this type";
  }
  case Opcode::bar:
  case Opcode::barrier:
    if (!op.words.has(Word::red)) return {};
    if (count_of(op, Word::popc, Word::and_, Word::or_) != 1) return "needs .popc, .and or .or";
    return op.words.has(Word::popc) == (op.type == Type::u32) ? "" : "has another type";
  case Opcode::lop3:
    return op.n.kind == OperandKind::immediate &&
                   (op.e.kind != OperandKind::none) == op.words.any(Word::or_, Word::and_)
               ? ""
               : "needs its table as a number, and .or or .and with a predicate";
  case Opcode::alloca:
    return op.n.kind == OperandKind::none ||
                   (op.n.kind == OperandKind::immediate && op.n.value > 0 &&
                    op.n.value <= most_alignment &&
                    std::has_single_bit(static_cast<std::uint64_t>(op.n.value)))
               ? ""
               : "has an alignment that is a power of two, at most 128";
  case Opcode::cp: {
    if (op.m.kind == OperandKind::none) return {};
    const std::int64_t bytes = op.e.value;
    return op.e.kind == OperandKind::immediate && (bytes == 4 || bytes == 8 || bytes == 16)
               ? ""
               : "copies 4, 8 or 16 bytes";
  }
  case Opcode::mbarrier:
    if (count_of(op, Word::init, Word::inval, Word::arrive, Word::arrive_drop, Word::test_wait,
                 Word::try_wait, Word::pending_count) != 1)
      return "needs one operation such as .arrive";
    return op.words.has(Word::no_complete) && op.a.kind == OperandKind::none
               ? "with .noComplete has a count"
               : "";
  case Opcode::shf:
    if (count_of(op, Word::l, Word::r) != 1 || count_of(op, Word::clamp, Word::wrap) != 1)
      return "needs .l or .r, and .clamp or .wrap";
    return {};
  case Opcode::bmsk:
  case Opcode::szext:
    return count_of(op, Word::clamp, Word::wrap) == 1 ? "" : "needs .clamp or .wrap";
  default: return {};
  }
}

/// Operations that compute, and those that memlane need not do anything for.
bool is_computed(const Operation& op) {
  switch (op.opcode) {
  case Opcode::cvta:
  case Opcode::isspacep:
  case Opcode::alloca:
  case Opcode::stacksave:
  case Opcode::stackrestore:
  case Opcode::prefetch:
  case Opcode::prefetchu:
  case Opcode::discard:
  case Opcode::brkpt:
  case Opcode::nanosleep:
  case Opcode::pmevent:
  case Opcode::griddepcontrol: return false;
  default: break;
  }
  const Effects effects = row_of(op.opcode).effects;
  return effects == Effects::none || effects == Effects::warp;
}

/// Registers may be wider than the type: of memory operations and conversions (section 9.4.1).
bool may_be_wider(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::ldu || opcode == Opcode::st ||
         opcode == Opcode::cvt;
}

/// The widest of them: pairs of small numbers are executed on rows of 16 bits.
int widest_register(const Operation& op) {
  return is_small_pair(op.type) || is_small_pair(op.other) ? 16 : 128;
}

} // namespace

bool Parser::check_operand(const Operation& op, const Operand& operand, int bits, bool wider,
                           std::string_view which) {
  const std::string_view mnemonic = row_of(op.opcode).mnemonic;
  const auto wrong = [&](std::string_view what) {
    return fail(op.span, fmt::format("the {} of {} {}", which, mnemonic, what));
  };
  int own = 0;
  switch (operand.kind) {
  case OperandKind::none: return true;
  case OperandKind::reg: {
    const Type type = function_->registers[static_cast<std::size_t>(operand.index)];
    own = type == Type::pred ? -1 : bits_of(type);
    break;
  }
  case OperandKind::immediate: return bits != 0 || wrong("has no place here");
  case OperandKind::special:
    own = operand.index == static_cast<int>(Special::clock64) ||
                  operand.index == static_cast<int>(Special::globaltimer)
              ? 64
              : 32;
    if (bits == 64 && own == 32) return true; // `mov.u64 %rd, %gridid`
    break;
  case OperandKind::variable:
  case OperandKind::function: own = bits == 32 ? 32 : 64; break; // the lower half
  case OperandKind::vector: return wrong("is no vector");
  }
  if (bits == -2 || own == bits || (wider && own > bits && bits > 0 && own <= widest_register(op)))
    return true;
  if (own == -1) return wrong("is a predicate");
  return wrong(bits == -1 ? std::string("is no predicate")
                          : fmt::format("has {} bits, the instruction {}", own, bits));
}

bool Parser::check(Operation& op) {
  if (op.opcode == Opcode::mma || op.opcode == Opcode::wmma) return check_matrices(op);
  if (uses_object(op.opcode)) return check_object_operands(op);
  const Expected expected = expected_of(op);
  const bool wider = may_be_wider(op.opcode);
  const auto each = [&](const Operand& operand, int bits, std::string_view which) {
    const bool vectors = op.opcode == Opcode::mov || op.opcode == Opcode::ld ||
                         op.opcode == Opcode::ldu || op.opcode == Opcode::st ||
                         op.opcode == Opcode::ldmatrix;
    if (operand.kind != OperandKind::vector || !vectors)
      return check_operand(op, operand, bits, wider, which);
    const int count = op.opcode == Opcode::mov ? operand.count : op.lanes_of_vector;
    const int matrices = op.words.has(Word::x4) ? 4 : op.words.has(Word::x2) ? 2 : 1;
    if (operand.count != (op.opcode == Opcode::ldmatrix ? matrices : count))
      return fail(op.span, fmt::format("the vector of {} has {} elements",
                                       row_of(op.opcode).mnemonic, operand.count));
    const int part = op.opcode == Opcode::mov ? bits / operand.count : bits;
    int bits_of_rows = 0;
    for (int k = 0; k < operand.count; ++k) {
      const Operand& one = function_->elements[static_cast<std::size_t>(operand.index + k)];
      if (!check_operand(op, one, part, wider, which)) return false;
      const bool written = &operand == &op.d;
      if (written && one.kind != OperandKind::reg && one.kind != OperandKind::none)
        return fail(op.span, "an element of the destination is no register");
      if (!written && one.kind != OperandKind::reg && one.kind != OperandKind::immediate)
        return fail(op.span, "an element of a vector is a register or a number");
      if (one.kind != OperandKind::reg) continue;
      const int own =
          std::max(16, bits_of(function_->registers[static_cast<std::size_t>(one.index)]));
      if (bits_of_rows != 0 && own != bits_of_rows)
        return fail(op.span, "the registers of a vector have different widths");
      bits_of_rows = own;
    }
    return true;
  };
  if ((op.opcode == Opcode::ld || op.opcode == Opcode::st) && op.lanes_of_vector > 1 &&
      (op.opcode == Opcode::ld ? op.d : op.a).kind != OperandKind::vector)
    return fail(op.span, "an access to a vector needs { } around its registers");
  const bool has_destination = op.d.kind == OperandKind::reg || op.d.kind == OperandKind::vector;
  if (op.d.kind != OperandKind::none && !has_destination)
    return fail(op.span, "the destination is no register");
  if (op.q.kind != OperandKind::none && op.q.kind != OperandKind::reg)
    return fail(op.span, "the second destination is no register");
  if (const std::string_view wrong = wrong_words(op); !wrong.empty())
    return fail(op.span, fmt::format("{} {}", row_of(op.opcode).mnemonic, wrong));
  // The row says which operands there are.
  for (const char letter : row_of(op.opcode).operands) {
    const Operand* const needed = letter == 'a'   ? &op.a
                                  : letter == 'b' ? &op.b
                                  : letter == 'c' ? &op.c
                                                  : nullptr;
    if (letter == '?') break;
    if (needed && needed->kind == OperandKind::none)
      return fail(op.span, fmt::format("an operand of {} is missing", row_of(op.opcode).mnemonic));
  }
  // The other spaces are smaller than 2^32 bytes: section 6.4.1.
  const bool small = op.space != Space::generic && op.space != Space::global;
  for (const Operand* address : {&op.m, &op.n}) {
    if (address->kind != OperandKind::reg) continue;
    const int bits = bits_of(function_->registers[static_cast<std::size_t>(address->index)]);
    if (bits != 64 && !(small && bits == 32)) return fail(op.span, "an address has 64 bits");
  }
  const bool fits =
      each(op.d, expected.d, "destination") && each(op.q, -1, "second destination") &&
      each(op.a, expected.a, "first source") && each(op.b, expected.b, "second source") &&
      each(op.c, expected.c, "third source") && each(op.e, expected.e, "last operand");
  if (!fits) return false;
  if (is_computed(op) && !plain::choose(op, {}))
    return refuse(op.span, fmt::format("{} with these types", sources_.text(op.span)));
  return true;
}

} // namespace memlane::ptx
