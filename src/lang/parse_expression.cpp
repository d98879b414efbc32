#include "lexer.hpp"
#include "parser.hpp"

#include <algorithm>
#include <limits>

namespace memlane::lang {
namespace {

/// Maximum height of an expression's tree, since passes over it recurse. A chain `a + b + …` parses
/// without nesting, but its tree is as high as the chain is long.
constexpr int highest_expression = 500;

Help missing_expression_help(TokenKind kind) {
  switch (kind) {
  case TokenKind::if_word: return {"put the choice in brackets: (if … then … else …)"};
  case TokenKind::not_word: return {"put it in brackets: (not …)"};
  case TokenKind::plus: return {"there is no '+' before a single operand"};
  case TokenKind::dot: return {"a number begins with a digit: 0.5"};
  case TokenKind::left_bracket: return {"a list [a, b] is only the value of an array or a const"};
  case TokenKind::ampersand: return {"there are no addresses: an atomic is 'atomic x[i] += 1'"};
  case TokenKind::atomic_word: return {"let its old value have a name: let old = atomic x[i] += 1"};
  case TokenKind::string: return {"strings only follow 'assert' and 'claim'"};
  default: return {};
  }
}

Expr expr_at(ExprKind kind, Span span) {
  Expr result;
  result.kind = kind;
  result.span = span;
  return result;
}

const char* const slice_help =
    "a slice can only be an argument of a proc or kernel, or be named by a view";

} // namespace

void Parser::grown(int height) {
  height_ = height;
  if (height > highest_expression)
    fail_at(current().span, "this expression is too long", {"name its parts, with 'let' or 'fn'"});
}

Expr Parser::prefix(ExprKind kind, Span sign, Expr operand) {
  Expr result = expr_at(kind, cover(sign, operand.span));
  result.operands.push_back(std::move(operand));
  grown(height_ + 1);
  return result;
}

/// `height_` is that of the right operand.
Expr Parser::join(ExprKind kind, Expr left, int left_height, Expr right) {
  Expr result = expr_at(kind, cover(left.span, right.span));
  result.operands.reserve(2);
  result.operands.push_back(std::move(left));
  result.operands.push_back(std::move(right));
  grown(std::max(left_height, height_) + 1);
  return result;
}

Expr Parser::expression() {
  const Nesting nesting(*this);
  if (!nesting) return {};
  if (at(TokenKind::if_word)) return conditional();
  return logical(false);
}

/// Conjunctions joined by `or`, or comparisons joined by `and`.
Expr Parser::logical(bool conjunction) {
  const auto operand = [&] { return conjunction ? comparison() : logical(true); };
  const auto kind = conjunction ? ExprKind::logical_and : ExprKind::logical_or;
  Expr left = operand();
  while (accept(conjunction ? TokenKind::and_word : TokenKind::or_word)) {
    const int height = height_;
    left = join(kind, std::move(left), height, operand());
  }
  return left;
}

Expr Parser::conditional() {
  const Span begin = current().span;
  Expr result = expr_at(ExprKind::conditional, begin);
  next();
  result.operands.push_back(expression());
  int height = height_;
  expect(TokenKind::then_word,
         at(TokenKind::left_brace) ? Help{"a choice of values is 'if c then x else y'"} : Help{});
  result.operands.push_back(expression());
  height = std::max(height, height_);
  expect(TokenKind::else_word, {"a choice of values needs both: if c then x else y"});
  result.operands.push_back(expression());
  grown(std::max(height, height_) + 1);
  result.span = since(begin);
  return result;
}

Expr Parser::comparison() {
  const Span begin = current().span;
  if (accept(TokenKind::not_word)) {
    const Nesting nesting(*this);
    return nesting ? prefix(ExprKind::logical_not, begin, comparison()) : Expr{};
  }
  Expr first = sum();
  if (!find_comparison(current().kind)) return first;
  Expr chain = expr_at(ExprKind::comparison, begin);
  int height = height_;
  chain.operands.push_back(std::move(first));
  while (const auto op = find_comparison(current().kind)) {
    next();
    chain.comparisons.push_back(*op);
    chain.operands.push_back(sum());
    height = std::max(height, height_);
    // A chain stands for comparisons inside each other: the middle ones are evaluated once.
    grown(height + static_cast<int>(chain.comparisons.size()));
  }
  chain.span = since(begin);
  return chain;
}

Expr Parser::sum() { return binary(false); }

/// Sums of terms, or terms of factors: from the left.
Expr Parser::binary(bool factors) {
  const auto operand = [&] { return factors ? unary() : binary(true); };
  Expr left = operand();
  while (const BinaryOperator* found = find_binary(current().kind, factors)) {
    const int height = height_;
    next();
    left = join(ExprKind::binary, std::move(left), height, operand());
    left.op = found->op;
  }
  return left;
}

/// A power binds tighter than the sign before it and looser than the one behind: -2^-2 is
/// -(2^(-2)).
Expr Parser::unary() {
  const Nesting nesting(*this);
  if (!nesting || !go_on(2 * sizeof(Expr))) return {};
  const Span begin = current().span;
  if (accept(TokenKind::minus)) {
    if (!at_least_integer()) return prefix(ExprKind::negate, begin, unary());
    height_ = 1;
    Expr least = expr_at(ExprKind::integer, begin);
    least.integer = std::numeric_limits<std::int64_t>::min();
    next();
    least.span = since(begin);
    return least;
  }
  if (accept(TokenKind::tilde)) return prefix(ExprKind::complement, begin, unary());
  Expr base = item();
  if (!accept(TokenKind::caret)) return base;
  const int height = height_;
  Expr exponent = unary();
  Expr power = join(ExprKind::binary, std::move(base), height, std::move(exponent));
  power.op = ir::Opcode::pow;
  return power;
}

/// At a 2^63 that is no base of a power: with the minus before it, it fits into 64 bits.
bool Parser::at_least_integer() const {
  return at(TokenKind::integer) && current().integer < 0 && ahead(1).kind != TokenKind::caret;
}

Expr Parser::item() { return suffixes(leaf(), false); }

Expr Parser::leaf() {
  height_ = 1;
  const Token token = current();
  Expr result = expr_at(ExprKind::integer, token.span);
  switch (token.kind) {
  case TokenKind::integer:
    if (token.integer < 0) fail_at(token.span, integer_is_too_large, {greatest_integer});
    result.integer = token.integer;
    break;
  case TokenKind::real:
    result.kind = ExprKind::real;
    result.real = token.real;
    break;
  case TokenKind::true_word:
  case TokenKind::false_word:
    result.kind = ExprKind::boolean;
    result.integer = token.kind == TokenKind::true_word;
    break;
  case TokenKind::left_paren: return bracketed();
  case TokenKind::name: return named();
  case TokenKind::initial_word: return initial_value();
  default: fail_expected("an expression", missing_expression_help(token.kind)); return result;
  }
  next();
  return result;
}

/// The span includes the brackets, so that a message about the expression marks all of it.
Expr Parser::bracketed() {
  const Span begin = current().span;
  next();
  Expr result = expression();
  expect(TokenKind::right_paren, at(TokenKind::comma)
                                     ? Help{"a record is written with its type's name: pair(x, y)"}
                                     : Help{});
  result.span = since(begin);
  return result;
}

Expr Parser::named() {
  Expr result = expr_at(ExprKind::name, current().span);
  result.name = text(current());
  next();
  if (!accept(TokenKind::left_paren)) return result;
  result.kind = ExprKind::call;
  if (!at(TokenKind::right_paren))
    result.operands = expressions(TokenKind::right_paren);
  else
    grown(1);
  expect(TokenKind::right_paren);
  result.span = since(result.span);
  return result;
}

Expr Parser::initial_value() {
  Expr result = expr_at(ExprKind::initial, current().span);
  next();
  expect(TokenKind::left_paren, {"the first contents of a are 'initial(a)'"});
  result.name = name("the name of an array").text;
  expect(TokenKind::right_paren,
         at(TokenKind::left_bracket) ? Help{"write the indices after it: initial(a)[i]"} : Help{});
  result.span = since(result.span);
  return result;
}

/// Indices and fields behind a base. In a place, a field is a plain name.
Expr Parser::suffixes(Expr base, bool place) {
  for (;;) {
    const int base_height = height_;
    Expr result;
    if (accept(TokenKind::left_bracket)) {
      result.kind = ExprKind::element;
      std::vector<Expr> indices = expressions(TokenKind::right_bracket);
      grown(std::max(height_, base_height + 1));
      expect(TokenKind::right_bracket);
      result.span = since(base.span);
      result.operands.reserve(indices.size() + 1);
      result.operands.push_back(std::move(base));
      for (Expr& index : indices) result.operands.push_back(std::move(index));
    } else if (accept(TokenKind::dot)) {
      result.kind = ExprKind::field;
      result.name = text(current());
      if (!place && reserved(current().kind))
        next();
      else
        expect_as(TokenKind::name, "a name after '.'");
      grown(base_height + 1);
      result.span = since(base.span);
      result.operands.push_back(std::move(base));
    } else {
      return base;
    }
    base = std::move(result);
  }
}

/// `exprs`, up to but not including `close`; `height_` becomes that of what holds them.
std::vector<Expr> Parser::expressions(TokenKind close) {
  std::vector<Expr> result;
  int height = 0;
  do {
    result.push_back(expression());
    height = std::max(height, height_);
  } while (accept(TokenKind::comma));
  if (!at(close))
    fail_expected("',' or '" + std::string(spelling(close)) + "'",
                  at(TokenKind::dotdot) ? Help{slice_help} : Help{});
  grown(height + 1);
  return result;
}

// The arguments of procs and kernels: values, arrays and slices of arrays.

/// Whether the bracket that begins at a token holds another one of this kind, in no bracket inside.
bool Parser::bracket_holds(std::size_t first, TokenKind what) const {
  int depth = 0;
  for (std::size_t k = first; k < tokens_.size(); ++k) {
    const TokenKind kind = tokens_[k].kind;
    if (kind == what && depth == 1) return true;
    switch (kind) {
    case TokenKind::left_bracket:
    case TokenKind::left_paren: ++depth; break;
    case TokenKind::right_bracket:
    case TokenKind::right_paren:
      if (--depth == 0) return false;
      break;
    case TokenKind::left_brace:
    case TokenKind::right_brace: return false;
    default: break;
    }
  }
  return false;
}

/// Whether a name with a bracket that holds a `..` of its own comes next.
bool Parser::at_slice() const {
  return at(TokenKind::name) && ahead(1).kind == TokenKind::left_bracket &&
         bracket_holds(at_ + 1, TokenKind::dotdot);
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
