// The arguments of procs and kernels: values, arrays and slices of arrays.
#include "parser.hpp"

namespace memlane::lang {

/// Whether a name with a bracket that holds a `..` of its own comes next.
bool Parser::at_slice() const {
  if (!at(TokenKind::name) || ahead(1).kind != TokenKind::left_bracket) return false;
  int depth = 0;
  for (std::size_t k = at_ + 1; k < tokens_.size(); ++k) {
    switch (tokens_[k].kind) {
    case TokenKind::left_bracket:
    case TokenKind::left_paren: ++depth; break;
    case TokenKind::right_bracket:
    case TokenKind::right_paren:
      if (--depth == 0) return false;
      break;
    case TokenKind::dotdot:
      if (depth == 1) return true;
      break;
    case TokenKind::left_brace:
    case TokenKind::right_brace: return false;
    default: break;
    }
  }
  return false;
}

Actual Parser::actual() {
  Actual result;
  const Span begin = current().span;
  if (!at_slice()) {
    result.value = expression();
    result.span = since(begin);
    return result;
  }
  result.array = name("the name of an array");
  expect(TokenKind::left_bracket);
  Expr last = expression();
  while (accept(TokenKind::comma)) {
    result.lead.push_back(std::move(last));
    last = expression();
  }
  result.bounds.push_back(std::move(last));
  expect_as(TokenKind::dotdot, "',' or '..'");
  result.bounds.push_back(expression());
  expect(TokenKind::right_bracket,
         at(TokenKind::comma) ? Help{"only the last index of a slice is a range"} : Help{});
  result.span = since(begin);
  return result;
}

/// The bracketed arguments of a proc or kernel, from '(' to ')'.
std::vector<Actual> Parser::actuals() {
  std::vector<Actual> result;
  expect(TokenKind::left_paren);
  if (accept(TokenKind::right_paren)) return result;
  do result.push_back(actual());
  while (accept(TokenKind::comma));
  expect_as(TokenKind::right_paren, "',' or ')'");
  return result;
}

} // namespace memlane::lang
