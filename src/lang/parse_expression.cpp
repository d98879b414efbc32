#include "parser.hpp"

#include <algorithm>
#include <optional>

namespace memlane::lang {
namespace {

/// A chain `a + b + …` needs no nesting to parse, but its tree is as high as it is long, and those
/// who walk the tree recurse.
constexpr int highest_expression = 500;

std::optional<BinaryOp> sum_operator(TokenKind kind) {
  switch (kind) {
  case TokenKind::plus: return BinaryOp::add;
  case TokenKind::minus: return BinaryOp::sub;
  case TokenKind::bar: return BinaryOp::bit_or;
  case TokenKind::xor_word: return BinaryOp::bit_xor;
  default: return std::nullopt;
  }
}

std::optional<BinaryOp> term_operator(TokenKind kind) {
  switch (kind) {
  case TokenKind::times: return BinaryOp::mul;
  case TokenKind::divide: return BinaryOp::div;
  case TokenKind::percent: return BinaryOp::rem;
  case TokenKind::ampersand: return BinaryOp::bit_and;
  case TokenKind::shift_left: return BinaryOp::shl;
  case TokenKind::shift_right: return BinaryOp::shr;
  default: return std::nullopt;
  }
}

std::optional<CompareOp> compare_operator(TokenKind kind) {
  switch (kind) {
  case TokenKind::equal: return CompareOp::eq;
  case TokenKind::not_equal: return CompareOp::ne;
  case TokenKind::less: return CompareOp::lt;
  case TokenKind::less_equal: return CompareOp::le;
  case TokenKind::greater: return CompareOp::gt;
  case TokenKind::greater_equal: return CompareOp::ge;
  default: return std::nullopt;
  }
}

Help missing_expression_help(TokenKind kind) {
  switch (kind) {
  case TokenKind::if_word: return {"put the choice in brackets: (if … then … else …)"};
  case TokenKind::not_word: return {"put it in brackets: (not …)"};
  case TokenKind::plus: return {"there is no '+' before a single operand"};
  case TokenKind::dot: return {"a number begins with a digit: 0.5"};
  case TokenKind::left_bracket: return {"a list [a, b] is only the value of an array or a const"};
  case TokenKind::ampersand:
    return {"there are no addresses; nor atomic operations: add up in a tree as in sum.lane"};
  case TokenKind::string: return {"strings only follow 'assert' and 'claim'"};
  default: return {};
  }
}

const char* const slice_help =
    "a slice is an argument of a proc or kernel, or what a view stands for";

} // namespace

void Parser::grown(int height) {
  height_ = height;
  if (height > highest_expression)
    fail_at(current().span, "this expression is too long", {"name its parts, with 'let' or 'fn'"});
}

Expr Parser::prefix(ExprKind kind, Span sign, Expr operand) {
  Expr result;
  result.kind = kind;
  result.span = cover(sign, operand.span);
  result.operands.push_back(std::move(operand));
  grown(height_ + 1);
  return result;
}

/// `height_` is that of the right operand.
Expr Parser::join(ExprKind kind, Expr left, int left_height, Expr right) {
  Expr result;
  result.kind = kind;
  result.span = cover(left.span, right.span);
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
  Expr left = conjunction();
  while (accept(TokenKind::or_word)) {
    const int height = height_;
    Expr right = conjunction();
    left = join(ExprKind::logical_or, std::move(left), height, std::move(right));
  }
  return left;
}

Expr Parser::conditional() {
  Expr result;
  result.kind = ExprKind::conditional;
  const Span begin = current().span;
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

Expr Parser::conjunction() {
  Expr left = comparison();
  while (accept(TokenKind::and_word)) {
    const int height = height_;
    Expr right = comparison();
    left = join(ExprKind::logical_and, std::move(left), height, std::move(right));
  }
  return left;
}

Expr Parser::comparison() {
  const Span begin = current().span;
  if (accept(TokenKind::not_word)) {
    const Nesting nesting(*this);
    return nesting ? prefix(ExprKind::logical_not, begin, comparison()) : Expr{};
  }
  Expr first = sum();
  if (!compare_operator(current().kind)) return first;
  Expr chain;
  chain.kind = ExprKind::comparison;
  int height = height_;
  chain.operands.push_back(std::move(first));
  while (const auto op = compare_operator(current().kind)) {
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

Expr Parser::sum() {
  Expr left = term();
  while (const auto op = sum_operator(current().kind)) {
    const int height = height_;
    next();
    Expr right = term();
    left = join(ExprKind::binary, std::move(left), height, std::move(right));
    left.op = *op;
  }
  return left;
}

Expr Parser::term() {
  Expr left = unary();
  while (const auto op = term_operator(current().kind)) {
    const int height = height_;
    next();
    Expr right = unary();
    left = join(ExprKind::binary, std::move(left), height, std::move(right));
    left.op = *op;
  }
  return left;
}

/// A power binds tighter than the sign before it and looser than the one behind: -2^-2 is
/// -(2^(-2)).
Expr Parser::unary() {
  const Nesting nesting(*this);
  if (!nesting || !go_on(2 * sizeof(Expr))) return {};
  const Span begin = current().span;
  if (accept(TokenKind::minus)) return prefix(ExprKind::negate, begin, unary());
  if (accept(TokenKind::tilde)) return prefix(ExprKind::complement, begin, unary());
  Expr base = item();
  if (!accept(TokenKind::caret)) return base;
  const int height = height_;
  Expr exponent = unary();
  Expr power = join(ExprKind::binary, std::move(base), height, std::move(exponent));
  power.op = BinaryOp::pow;
  return power;
}

Expr Parser::item() { return suffixes(leaf(), false); }

Expr Parser::leaf() {
  height_ = 1;
  const Token token = current();
  Expr result;
  result.span = token.span;
  switch (token.kind) {
  case TokenKind::integer: result.integer = token.integer; break;
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
  Expr result;
  result.kind = ExprKind::name;
  result.span = current().span;
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
  Expr result;
  result.kind = ExprKind::initial;
  result.span = current().span;
  next();
  expect(TokenKind::left_paren, {"the first contents of a are 'initial(a)'"});
  result.name = name("the name of an array").text;
  expect(TokenKind::right_paren,
         at(TokenKind::left_bracket) ? Help{"indices stand behind: initial(a)[i]"} : Help{});
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

} // namespace memlane::lang
