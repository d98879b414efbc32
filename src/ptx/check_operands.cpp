// Whether operands fit their instruction: what the executor relies on (PTX ISA 9.0, section 9).
#include "parser.hpp"

#include <fmt/format.h>

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
  case Opcode::lop3: return {bits, bits, bits, bits, -2}; // the table, and perhaps a predicate
  case Opcode::shl:
  case Opcode::shr: return {bits, bits, 32, 0, 0};
  case Opcode::bfe: return {bits, bits, 32, 32, 0};
  case Opcode::bfi: return {bits, bits, bits, 32, 32};
  case Opcode::bfind:
  case Opcode::clz:
  case Opcode::popc: return {32, bits, 0, 0, 0};
  case Opcode::szext:
  case Opcode::bmsk: return {bits, 32, 32, 0, 0};
  case Opcode::cvt: return {bits, other, other, 0, 0};
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
  case Opcode::cp: return {0, 32, 0, 64, 32};
  case Opcode::ld:
  case Opcode::ldu: return {bits, 0, 0, 64, 0};
  case Opcode::ldmatrix: return {32, 0, 0, 0, 0};
  case Opcode::st: return {0, bits, 0, 64, 0};
  case Opcode::atom:
    if (op.words.has(Word::cas)) return {bits, bits, bits, 64, 0};
    return {bits, bits, 64, 64, 0};
  case Opcode::red: return {0, bits, 0, 64, 0};
  default: return same;
  }
}

/// Registers may be wider than the type: of memory operations and conversions (section 9.4.1).
bool may_be_wider(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::ldu || opcode == Opcode::st ||
         opcode == Opcode::cvt;
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
  if (bits == -2 || own == bits || (wider && own > bits && bits > 0)) return true;
  if (own == -1) return wrong("is a predicate");
  return wrong(bits == -1 ? std::string("is no predicate")
                          : fmt::format("has {} bits, the instruction {}", own, bits));
}

bool Parser::check(Operation& op) {
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
    for (int k = 0; k < operand.count; ++k)
      if (!check_operand(op, function_->elements[static_cast<std::size_t>(operand.index + k)], part,
                         wider, which))
        return false;
    return true;
  };
  if ((op.opcode == Opcode::ld || op.opcode == Opcode::st) && op.lanes_of_vector > 1 &&
      (op.opcode == Opcode::ld ? op.d : op.a).kind != OperandKind::vector)
    return fail(op.span, "an access to a vector needs { } around its registers");
  const bool has_destination = op.d.kind == OperandKind::reg || op.d.kind == OperandKind::vector;
  if (op.d.kind != OperandKind::none && !has_destination)
    return fail(op.span, "the destination is no register");
  // The other spaces are smaller than 2^32 bytes: section 6.4.1.
  const bool small = op.space != Space::generic && op.space != Space::global;
  for (const Operand* address : {&op.m, &op.n}) {
    if (address->kind != OperandKind::reg) continue;
    const int bits = bits_of(function_->registers[static_cast<std::size_t>(address->index)]);
    if (bits != 64 && !(small && bits == 32)) return fail(op.span, "an address has 64 bits");
  }
  return each(op.d, expected.d, "destination") && each(op.q, -1, "second destination") &&
         each(op.a, expected.a, "first source") && each(op.b, expected.b, "second source") &&
         each(op.c, expected.c, "third source") && each(op.e, expected.e, "last operand");
}

} // namespace memlane::ptx
