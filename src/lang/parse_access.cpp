// Statements that access arrays in another way than an assignment: racy, atomic, tensor.
#include "parser.hpp"

#include <optional>

namespace memlane::lang {

/// `racy a[i] = …`, `racy let x = a[i]`
void Parser::racy_statement(Statement& s) {
  const Span word = current().span;
  next();
  const TokenKind second = ahead(1).kind;
  const bool array = at(TokenKind::var_word) && ahead(2).kind == TokenKind::left_bracket;
  if ((at(TokenKind::let_word) || at(TokenKind::var_word)) && !array)
    declared_variable(s);
  else if (at(TokenKind::name) && second != TokenKind::left_paren)
    assignment(s);
  else if (at(TokenKind::atomic_word))
    atomic_statement(s);
  else
    return fail_expected(
        "an assignment, 'let', 'var' or 'atomic' after 'racy'",
        {"racy a[i] = 1, racy a[i] += 1, racy let x = a[i]; the condition of an if "
         "or while reads a variable: racy let x = a[i]  if x == 0 { … }"});
  s.racy = word;
  racy_.push_back(word);
}

/// An array's name and what follows it: `x[i]`.
Expr Parser::place_in(const char* array, const Help& help) {
  Expr base;
  base.kind = ExprKind::name;
  base.span = current().span;
  base.name = name(array, help).text;
  height_ = 1;
  return suffixes(std::move(base), true);
}

void Parser::atomic_statement(Statement& s) {
  s.kind = StatementKind::update;
  s.expressions.push_back(atomic());
}

/// `atomic x[i] += e`, `atomic x[i] min= e`
Expr Parser::atomic() {
  Expr result;
  result.kind = ExprKind::atomic;
  const Span word = current().span;
  next();
  result.operands.push_back(place_in("the array after 'atomic'", {"write atomic x[i] += 1"}));
  const std::optional<ir::Opcode> op = atomic_sign();
  if (!op) {
    fail_expected("'+=', '-=', 'min=', 'max=', '&=', '|=' or 'xor=' after " +
                      in_quotes(text(result.operands[0].span)),
                  {"exchange(x[i], e) and cas(x[i], expected, e) are written without 'atomic'"});
  } else {
    result.op = *op;
    result.operands.push_back(expression());
  }
  result.span = since(word);
  return result;
}

std::optional<ir::Opcode> Parser::atomic_sign() {
  if (accept(TokenKind::plus_assign)) return ir::Opcode::atomic_add;
  if (accept(TokenKind::minus_assign)) return ir::Opcode::atomic_sub;
  if (accept(TokenKind::and_assign)) return ir::Opcode::atomic_and;
  if (accept(TokenKind::or_assign)) return ir::Opcode::atomic_or;
  if (ahead(1).kind != TokenKind::assign) return std::nullopt;
  std::optional<ir::Opcode> op;
  if (at_name("min")) op = ir::Opcode::atomic_min;
  if (at_name("max")) op = ir::Opcode::atomic_max;
  if (at(TokenKind::xor_word)) op = ir::Opcode::atomic_xor;
  if (op) next(), next();
  return op;
}

/// `tensor c[i, j] += a[i, k] * b[k, j]`, `tensor c[i, j] = …`
void Parser::tensor_statement(Statement& s) {
  const Help form = {
      "write tensor c[i, j] += a[i, k] * b[k, j]: the first elements of three tiles"};
  const auto tile = [&] {
    return place_in("the array of a tile", {"write tensor c[i, j] += a[i, k] * b[k, j]"});
  };
  s.kind = StatementKind::tensor;
  next();
  s.place = tile();
  s.assign_op = at(TokenKind::assign) ? AssignOp::set : AssignOp::add;
  if (!accept(TokenKind::assign) && !accept(TokenKind::plus_assign))
    return fail_expected("'+=' or '='", form);
  s.expressions.push_back(tile());
  if (!accept(TokenKind::times)) return fail_expected("'*' and the second tile", form);
  s.expressions.push_back(tile());
}

} // namespace memlane::lang
