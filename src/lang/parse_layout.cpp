// Layouts: a name with arguments, or with a shape and its strides.
#include "parser.hpp"

#include "memlane/ir/program.hpp"

namespace memlane::lang {

/// A layout's name and arguments, after the word 'layout'.
LayoutClause Parser::layout() {
  LayoutClause result;
  result.name =
      name("the name of a layout", {"layouts are " + layouts_in_words() + ", or a fn of your own"});
  result.written = result.name.span;
  if (!accept(TokenKind::left_paren)) return result;
  std::string nesting;
  const Span begin = current().span;
  if (at_tuple()) {
    tuple(result.sizes, nesting);
  } else {
    result.arguments.push_back(expression());
    nesting = ".";
    if (at(TokenKind::colon)) std::swap(result.sizes, result.arguments);
  }
  if (!result.sizes.empty()) {
    strides_of(nesting, since(begin), result);
  } else if (accept(TokenKind::comma)) {
    for (Expr& argument : expressions(TokenKind::right_paren))
      result.arguments.push_back(std::move(argument));
  }
  expect_as(TokenKind::right_paren, "',' or ')'");
  result.written = since(result.name.span);
  return result;
}

/// Whether a bracket comes next that has a comma of its own, or whose only content is one that has.
bool Parser::at_tuple() const {
  constexpr std::size_t most = 16; // outer brackets that are looked into
  for (std::size_t k = at_; k < at_ + most && tokens_[k].kind == TokenKind::left_paren; ++k)
    if (bracket_holds(k, TokenKind::comma)) return true;
  return false;
}

/// `tuple`: its numbers in their order, and how they are nested, as `((..).)`.
void Parser::tuple(std::vector<Expr>& numbers, std::string& nesting) {
  if (!at_tuple()) {
    numbers.push_back(expression());
    nesting += '.';
    return;
  }
  const Nesting depth(*this);
  if (!depth) return;
  next();
  nesting += '(';
  do tuple(numbers, nesting);
  while (accept(TokenKind::comma));
  nesting += ')';
  expect_as(TokenKind::right_paren, "',' or ')'");
}

/// The strides behind a shape with this nesting, which is theirs, too.
void Parser::strides_of(const std::string& nesting, Span shape, LayoutClause& clause) {
  clause.shape = shape;
  expect_as(TokenKind::colon, "':' and the strides");
  const Span begin = current().span;
  std::string own;
  tuple(clause.arguments, own);
  if (own != nesting)
    fail_at(since(begin), "the strides do not have the brackets of the shape",
            {"write a stride for each size: strides((4, 8):(1, 32))"});
  std::size_t depth = 0;
  for (const char c : nesting) {
    if (c == ')') --depth;
    if (c == '.' && depth < 2) clause.modes.push_back(1);
    if (c == '.' && depth > 1) ++clause.modes.back();
    if (c == '(' && ++depth == 2) clause.modes.push_back(0);
  }
}

} // namespace memlane::lang
