// Whether an instruction of matrices has a shape, types and registers that belong together (PTX ISA
// 9.0, sections 9.7.15.4 and 9.7.15.5).
#include "matrices.hpp"
#include "parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace memlane::ptx {

namespace {

/// The shapes that products of a type have.
std::initializer_list<Word> shapes_of(Opcode opcode, Type type) {
  constexpr static std::initializer_list<Word> whole{Word::m16n16k16, Word::m32n8k16,
                                                     Word::m8n32k16},
      tf32{Word::m16n16k8}, f64{Word::m8n8k4}, mma_halves{Word::m16n8k8, Word::m16n8k16},
      mma_tf32{Word::m16n8k4, Word::m16n8k8},
      mma_f64{Word::m8n8k4, Word::m16n8k4, Word::m16n8k8, Word::m16n8k16},
      mma_bytes{Word::m8n8k16, Word::m16n8k16, Word::m16n8k32};
  const bool wmma = opcode == Opcode::wmma;
  switch (type) {
  case Type::f16:
  case Type::bf16: return wmma ? whole : mma_halves;
  case Type::s8:
  case Type::u8: return wmma ? whole : mma_bytes;
  case Type::tf32: return wmma ? tf32 : mma_tf32;
  default: return wmma ? f64 : mma_f64;
  }
}

bool is_byte(Type type) { return type == Type::s8 || type == Type::u8; }

/// Whether a sum of products of the type may have this one.
bool sums_fit(Type of_products, Type sum) {
  switch (of_products) {
  case Type::f16: return sum == Type::f16 || sum == Type::f32;
  case Type::bf16:
  case Type::tf32: return sum == Type::f32;
  case Type::f64: return sum == Type::f64;
  default: return sum == Type::s32;
  }
}

/// Types of products whose matrix c or d may be loaded or stored with this type.
constexpr Type products[] = {Type::f16, Type::bf16, Type::tf32, Type::f64, Type::s8};

bool has_shape(const Operation& op, Type of_products) {
  const auto shapes = shapes_of(op.opcode, of_products);
  return std::any_of(shapes.begin(), shapes.end(), [&](Word word) { return op.words.has(word); });
}

bool fits_in_memory(const Operation& op) {
  if (op.words.any(Word::matrix_a, Word::matrix_b))
    return std::find(std::begin(products), std::end(products),
                     op.type == Type::u8 ? Type::s8 : op.type) != std::end(products) &&
           has_shape(op, op.type);
  return std::any_of(std::begin(products), std::end(products), [&](Type product) {
    return sums_fit(product, op.type) && has_shape(op, product);
  });
}

} // namespace

bool Parser::check_fragment(const Operation& op, Operand& operand, const Fragment& fragment,
                            int bits, std::string_view which) {
  make_vector(operand);
  if (operand.count != fragment.registers)
    return fail(op.span, fmt::format("matrix {} has {} registers here, not {}", which,
                                     fragment.registers, operand.count));
  for (int k = 0; k < operand.count; ++k) {
    const Operand& one = function_->elements[static_cast<std::size_t>(operand.index + k)];
    const bool fits = one.kind == OperandKind::reg &&
                      bits_of(function_->registers[static_cast<std::size_t>(one.index)]) == bits;
    if (!fits) return fail(op.span, fmt::format("matrix {} has registers of {} bits", which, bits));
  }
  return true;
}

bool Parser::check_matrices(Operation& op) {
  const std::string_view text = sources_.text(op.span);
  const auto refused = [&](std::string_view why) {
    return refuse(op.span, fmt::format("{}: {}", text, why),
                  {"memlane explain ptx wmma mma has the types and shapes"});
  };
  if (!op.words.has(Word::sync)) return fail(op.span, "instructions of matrices need .sync");
  const bool loads = op.words.has(Word::load), stores = op.words.has(Word::store);
  if (op.opcode == Opcode::wmma &&
      (loads ? 1 : 0) + (stores ? 1 : 0) + (op.words.has(Word::mma) ? 1 : 0) != 1)
    return fail(op.span, "wmma needs one of .load, .store and .mma");
  const int bits = op.type == Type::f64 ? 64 : 32;
  if (loads || stores) {
    if (!fits_in_memory(op)) return refused("no such shape of this type");
    if (op.words.has(Word::row) == op.words.has(Word::col))
      return fail(op.span, "a matrix in memory needs .row or .col");
    const Operand& address = op.m;
    if (address.kind == OperandKind::reg && op.space != Space::shared &&
        bits_of(function_->registers[static_cast<std::size_t>(address.index)]) != 64)
      return fail(op.span, "an address has 64 bits");
    return check_operand(op, loads ? op.a : op.b, 32, false, "stride") &&
           check_fragment(op, loads ? op.d : op.a, fragment_in_memory(op), bits, "in memory");
  }
  if (op.opcode == Opcode::wmma && op.of_b == Type::none) { // `.f32.f32`: d and c
    op.of_c = op.other;
    op.other = op.of_b = Type::f16;
  }
  if (op.of_c == Type::none) return fail(op.span, "a product of matrices needs four types");
  if (op.of_b != op.other && !(is_byte(op.of_b) && is_byte(op.other)))
    return refused("a and b have different types");
  if (!has_shape(op, op.other)) return refused("no such shape of these types");
  if (!sums_fit(op.other, op.type) || !sums_fit(op.other, op.of_c))
    return refused("no such types of d and c");
  if (op.opcode == Opcode::mma && !(op.words.has(Word::row) && op.words.has(Word::col)))
    return refused("a is .row, b is .col");
  const MatrixShape shape = shape_of(op.words);
  const auto whole = [&](Operand& operand, MatrixRole role, Type type, std::string_view which) {
    return check_fragment(op, operand, fragment_of(op.opcode, shape, role, type), bits, which);
  };
  return whole(op.d, MatrixRole::c, op.type, "d") && whole(op.a, MatrixRole::a, op.other, "a") &&
         whole(op.b, MatrixRole::b, op.of_b, "b") && whole(op.c, MatrixRole::c, op.of_c, "c");
}

} // namespace memlane::ptx
