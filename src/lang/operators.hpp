// The operators of the language, from one table of each kind (operators.cpp).
#pragma once

#include "token.hpp"

#include "memlane/lang/ast.hpp"

#include <optional>

namespace memlane::lang {

struct BinaryOperator {
  TokenKind sign;
  ir::Opcode op;
  bool factors = false;  ///< binds as tightly as `*`, else as `+`; `^` is neither
  bool integers = false; ///< takes integers only
};

/// Null: the token is no such operator.
const BinaryOperator* find_binary(TokenKind sign, bool factors);
/// Requires the operation of a binary operator.
const BinaryOperator& binary_operator(ir::Opcode op);
std::optional<Comparison> find_comparison(TokenKind sign);
std::optional<AssignOp> find_assignment(TokenKind sign);

} // namespace memlane::lang
