// Operands of instructions on textures and surfaces: an object, coordinates, values (PTX ISA 9.0,
// sections 9.7.10 and 9.7.11).
#include "exec/textures.hpp"
#include "parser.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::ptx {

/// One register needs no braces.
void Parser::make_vector(Operand& operand) {
  if (operand.kind == OperandKind::vector) return;
  const Operand one = operand;
  operand = {};
  operand.kind = OperandKind::vector;
  operand.count = 1;
  operand.index = static_cast<std::int32_t>(function_->elements.size());
  function_->elements.push_back(one);
}

/// `tex.2d.v4.f32.f32 d|q, [m, a], b, c`, `suld.b.2d.b32.trap d, [m, a]`, `sust… [m, a], b`,
/// `txq.width.b32 d, [m]`.
bool Parser::read_object_operands(Operation& op) {
  op.space = Space::global;
  const bool queries = op.opcode == Opcode::txq || op.opcode == Opcode::suq;
  const bool is_texture = op.opcode == Opcode::tex || op.opcode == Opcode::tld4;
  if (op.opcode != Opcode::sust) {
    if (!operand(op.d, op.type)) return false;
    if (is_texture && accept('|') && !operand(op.q, Type::pred)) return false;
    if (!expect(',')) return false;
  }
  if (!expect('[') || !operand(op.m, Type::b64)) return false;
  if (queries) return expect(']');
  if (!expect(',') || !operand(op.a, Type::b32)) return false;
  if (now_.is(','))
    return refuse(span_of(last_), fmt::format("{} with a sampler", row_of(op.opcode).mnemonic),
                  {"memlane executes texture objects, which have their sampler"});
  if (!expect(']')) return false;
  make_vector(op.a);
  if (op.opcode == Opcode::sust) {
    if (!expect(',') || !operand(op.b, op.type)) return false;
    make_vector(op.b);
  } else {
    make_vector(op.d);
  }
  if (op.words.has(Word::level) && (!expect(',') || !operand(op.b, Type::f32))) return false;
  if (op.words.has(Word::grad) &&
      (!expect(',') || !operand(op.b, Type::f32) || !expect(',') || !operand(op.c, Type::f32)))
    return false;
  if (now_.is(','))
    return refuse(here(),
                  fmt::format("{} with offsets or comparisons", row_of(op.opcode).mnemonic));
  return true;
}

bool Parser::check_registers(const Operation& op, const Operand& vector, int least, int most,
                             int bits, bool wider, std::string_view which) {
  if (vector.kind != OperandKind::vector || vector.count < least || vector.count > most)
    return fail(op.span, fmt::format("{} needs {} as {}", row_of(op.opcode).mnemonic,
                                     counted(least, "register"), which));
  int width = 0;
  for (int k = 0; k < vector.count; ++k) {
    const Operand& one = function_->elements[static_cast<std::size_t>(vector.index + k)];
    const bool written = &vector == &op.d;
    if (one.kind != OperandKind::reg &&
        one.kind != (written ? OperandKind::none : OperandKind::immediate))
      return fail(op.span, fmt::format("what is no register is among the {}", which));
    if (!check_operand(op, one, bits, wider, which)) return false;
    if (one.kind != OperandKind::reg) continue;
    const int own = bits_of(function_->registers[static_cast<std::size_t>(one.index)]);
    if (width != 0 && own != width)
      return fail(op.span, fmt::format("the {} have different widths", which));
    width = own;
  }
  return true;
}

bool Parser::check_object_operands(const Operation& op) {
  const std::string_view name = row_of(op.opcode).mnemonic;
  const auto count_of = [&](auto... words) { return (0 + ... + (op.words.has(words) ? 1 : 0)); };
  const bool has_object = op.m.kind == OperandKind::reg &&
                          bits_of(function_->registers[static_cast<std::size_t>(op.m.index)]) == 64;
  if (!has_object)
    return fail(op.span, fmt::format("{} needs an object in a register of 64 bits", name));
  if (op.opcode == Opcode::txq || op.opcode == Opcode::suq) {
    if (count_of(Word::width, Word::height, Word::depth, Word::array_size) != 1)
      return fail(op.span, fmt::format("{} needs one question such as .width", name));
    return (op.d.kind == OperandKind::reg || fail(op.span, "the destination is no register")) &&
           check_operand(op, op.d, 32, false, "destination");
  }
  if (count_of(Word::shape_1d, Word::shape_2d, Word::shape_3d, Word::shape_a1d, Word::shape_a2d,
               Word::shape_cube, Word::shape_acube) != 1)
    return fail(op.span, fmt::format("{} needs one shape such as .2d", name));
  if (!check_registers(op, op.a, coordinates_of(op.words), 4, 32, false, "coordinates"))
    return false;
  if (op.opcode == Opcode::suld || op.opcode == Opcode::sust) {
    if (!op.words.has(Word::matrix_b) || count_of(Word::trap, Word::clamp, Word::zero) != 1)
      return fail(op.span, fmt::format("{} needs .b, and .trap, .clamp or .zero", name));
    const int count = op.lanes_of_vector, bits = bits_of(op.type);
    if (count * bits > 128) return fail(op.span, fmt::format("{} has at most 128 bits", name));
    return check_registers(op, op.opcode == Opcode::suld ? op.d : op.b, count, count, bits, true,
                           "values");
  }
  if (!op.words.has(Word::v4)) return fail(op.span, fmt::format("{} needs .v4", name));
  if (op.q.kind != OperandKind::none &&
      (op.q.kind != OperandKind::reg || !check_operand(op, op.q, -1, false, "second destination")))
    return fail(op.span, "the second destination is no predicate");
  if (op.opcode == Opcode::tld4 &&
      count_of(Word::r, Word::channel_g, Word::matrix_b, Word::matrix_a) != 1)
    return fail(op.span, "tld4 needs one channel such as .r");
  if (count_of(Word::base, Word::level, Word::grad) > 1)
    return fail(op.span, "tex has one of .base, .level and .grad");
  if (op.words.has(Word::level) && !check_operand(op, op.b, 32, false, "level")) return false;
  if (op.words.has(Word::grad))
    for (const Operand* const gradient : {&op.b, &op.c})
      if (gradient->kind == OperandKind::vector &&
          !check_registers(op, *gradient, 1, 4, 32, false, "gradients"))
        return false;
  return check_registers(op, op.d, 4, 4, 32, false, "destination");
}

} // namespace memlane::ptx
