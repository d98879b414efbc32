#include "lexer.hpp"
#include "parser.hpp"
#include "suggestions.hpp"

#include "memlane/support/suggest.hpp"

#include <optional>

namespace memlane::lang {
namespace {

/// What a token adds to the number of open brackets.
int bracket(TokenKind kind) {
  if (kind == TokenKind::left_paren || kind == TokenKind::left_bracket) return 1;
  return kind == TokenKind::right_paren || kind == TokenKind::right_bracket ? -1 : 0;
}

} // namespace

std::vector<Statement> Parser::block(const std::string& owner) {
  std::vector<Statement> result;
  const Nesting nesting(*this);
  if (!nesting) return result;
  const Span open = current().span;
  Help help;
  if (at(TokenKind::assign)) help = {"'==' compares, '=' assigns"};
  if (at(TokenKind::then_word)) help = {"as a statement: if c { … } else { … }"};
  if (!expect_as(TokenKind::left_brace, "'{' and the body of the " + owner, help)) return result;
  statements(result, open);
  return result;
}

/// Up to and including the '}' that closes the block opened at `open`.
void Parser::statements(std::vector<Statement>& out, Span open) {
  while (!at(TokenKind::right_brace)) {
    const TokenKind kind = current().kind;
    const bool outside = begins_declaration(kind) && !begins_statement(kind);
    if (panic_ || at(TokenKind::end) || outside) return close_block(open);
    const std::size_t begin = at_;
    out.push_back(statement());
    if (!panic_) {
      accept(TokenKind::semicolon);
      continue;
    }
    if (unwinding_) return;
    recover_statement(begin);
  }
  next();
}

/// The '}' of a block is missing. The parser leaves all blocks around it, so that this is reported
/// once.
void Parser::close_block(Span open) {
  if (panic_) return;
  const std::size_t before = errors_.size();
  fail_expected("'}'");
  unwinding_ = true;
  if (errors_.size() > before)
    errors_.back().notes.push_back(note_at(open, "to close the block that begins here"));
}

/// Ends the panic at what looks like the next statement. The broken one began at `begin`.
void Parser::recover_statement(std::size_t begin) {
  if (errors_.size() > most_errors) { // enough errors: skip the rest of the text
    unwinding_ = true;
    at_ = tokens_.size() - 1;
    return;
  }
  panic_ = false;
  if (at_ == begin && !at(TokenKind::left_brace) && !at(TokenKind::right_brace)) next();
  int open = 0; // brackets of the broken statement
  for (std::size_t k = begin; k < at_; ++k) open += bracket(tokens_[k].kind);
  while (!at(TokenKind::end) && !at(TokenKind::right_brace) && !resumes_statement(begin, open)) {
    if (!at(TokenKind::left_brace)) {
      open += bracket(current().kind);
      next();
      continue;
    }
    skip_block();
    if (panic_) return;
    if (!at(TokenKind::else_word)) break;
  }
  accept(TokenKind::semicolon);
}

/// Parses a block after a broken head, for errors in it.
void Parser::skip_block() {
  const Nesting nesting(*this);
  const Span open = current().span;
  next();
  std::vector<Statement> ignored;
  statements(ignored, open);
}

bool Parser::resumes_statement(std::size_t begin, int open) const {
  const Token& token = current();
  if (token.kind == TokenKind::semicolon && at_ > begin && open <= 0) return true;
  // In the middle of a line, 'if' may belong to an expression.
  if (begins_statement(token.kind) && token.kind != TokenKind::if_word) return true;
  if (!token.first_on_line || at_ == begin) return false;
  if (token.kind == TokenKind::if_word || begins_declaration(token.kind)) return true;
  if (token.kind != TokenKind::name) return false;
  if (find_assignment(ahead(1).kind)) return true;
  // A name with brackets may continue a broken argument list of the line above.
  return open <= 0;
}

Statement Parser::statement() {
  Statement s;
  if (!go_on(sizeof s)) return s;
  const Span begin = current().span;
  switch (current().kind) {
  case TokenKind::let_word: declared_variable(s); break;
  case TokenKind::var_word:
    if (ahead(1).kind == TokenKind::name && ahead(2).kind == TokenKind::left_bracket) {
      s.kind = StatementKind::arrays;
      s.arrays = arrays();
    } else {
      declared_variable(s);
    }
    break;
  case TokenKind::memory_word:
  case TokenKind::shared_word:
    s.kind = StatementKind::arrays;
    s.arrays = arrays();
    break;
  case TokenKind::view_word:
    s.kind = StatementKind::view;
    s.view = view();
    break;
  case TokenKind::name: named_statement(s); break;
  case TokenKind::if_word: if_statement(s); break;
  case TokenKind::while_word:
    s.kind = StatementKind::while_;
    next();
    s.expressions.push_back(expression());
    s.body = block("while");
    break;
  case TokenKind::for_word: for_statement(s); break;
  case TokenKind::forall_word: forall_statement(s); break;
  case TokenKind::barrier_word:
    s.kind = StatementKind::barrier;
    next();
    if (at(TokenKind::left_paren)) fail_expected("a statement", {"write 'barrier' alone"});
    break;
  case TokenKind::break_word:
    s.kind = StatementKind::break_;
    next();
    break;
  case TokenKind::continue_word:
    s.kind = StatementKind::continue_;
    next();
    break;
  case TokenKind::return_word: return_statement(s); break;
  case TokenKind::assert_word:
    s.kind = StatementKind::assert_;
    next();
    s.expressions.push_back(expression());
    if (at(TokenKind::string)) s.text = string();
    break;
  case TokenKind::print_word: print_statement(s); break;
  case TokenKind::concurrent_word:
    s.kind = StatementKind::concurrent;
    next();
    s.body = block("concurrent");
    break;
  case TokenKind::launch_word: launch_statement(s); break;
  case TokenKind::racy_word: racy_statement(s); break;
  case TokenKind::atomic_word: atomic_statement(s); break;
  case TokenKind::tensor_word: tensor_statement(s); break;
  default: fail_statement();
  }
  s.span = since(begin);
  return s;
}

void Parser::fail_statement() {
  Help help;
  switch (current().kind) {
  case TokenKind::else_word: help = {"write 'else' after the '}' of its 'if'"}; break;
  case TokenKind::left_brace: help = {"a block follows if, while, for or forall"}; break;
  case TokenKind::semicolon: help = {"one ';' may end a statement, none is needed"}; break;
  case TokenKind::sync_word: help = {"write 'barrier', or 'forall sync i in 0..n { … }'"}; break;
  case TokenKind::plus:
  case TokenKind::minus: help = {"write 'i += 1' or 'i -= 1'"}; break;
  default: break;
  }
  fail_expected("a statement", help);
}

/// `let x = …`, `var x: T = …`
void Parser::declared_variable(Statement& s) {
  const bool constant = at(TokenKind::let_word);
  s.kind = constant ? StatementKind::let : StatementKind::var;
  next();
  s.name = name("a name for the variable");
  if (constant && at(TokenKind::left_bracket))
    return fail_expected("'='", {"an array is declared with 'var', 'shared' or 'memory'"});
  if (accept(TokenKind::colon)) s.type = name("the name of a type");
  expect(TokenKind::assign, s.type ? Help{"a variable has a first value: var x: int = 0"} : Help{});
  s.expressions.push_back(assigned());
}

/// What `let`, `var` and `=` assign.
Expr Parser::assigned() { return at(TokenKind::atomic_word) ? atomic() : expression(); }

void Parser::named_statement(Statement& s) {
  if (ahead(1).kind != TokenKind::left_paren) return assignment(s);
  s.kind = StatementKind::call;
  s.name = name("the name of a proc");
  s.actuals = actuals();
  const Help suggestion = statement_suggestion(s.name.text);
  if (at(TokenKind::left_brace) && !suggestion.empty())
    fail_at(s.name.span, in_quotes(s.name.text) + " does not begin a statement", suggestion);
  if (find_assignment(current().kind))
    fail_expected("a statement", {"elements are written a[i]; a call cannot be assigned to"});
}

void Parser::assignment(Statement& s) {
  s.kind = StatementKind::assign;
  Expr base;
  base.kind = ExprKind::name;
  base.span = current().span;
  base.name = name("a name").text;
  height_ = 1;
  s.place = suffixes(std::move(base), true);
  const auto op = find_assignment(current().kind);
  if (!op) return fail_assignment(*s.place);
  s.assign_op = *op;
  next();
  s.expressions.push_back(*op == AssignOp::set ? assigned() : expression());
}

void Parser::fail_assignment(const Expr& place) {
  Help help;
  if (place.kind == ExprKind::name) {
    help = statement_suggestion(place.name);
    const TokenKind kind = current().kind;
    const bool follows = kind == TokenKind::name || reserved(kind) ||
                         kind == TokenKind::left_brace || kind == TokenKind::integer;
    if (help.empty() && follows) help = did_you_mean(place.name, statement_words());
    if (!help.empty())
      return fail_at(place.span, in_quotes(place.name) + " does not begin a statement",
                     std::move(help));
  }
  const TokenKind kind = current().kind;
  if (kind == TokenKind::equal) help = {"'=' assigns, '==' compares"};
  if (kind == TokenKind::and_assign || kind == TokenKind::or_assign)
    help = {"write it out: x = x … y; only atomics have this short form, and +=, -= and *="};
  if ((kind == TokenKind::plus || kind == TokenKind::minus) && ahead(1).kind == kind)
    help = {"write " +
            in_quotes(std::string(text(place.span)) + " " + std::string(spelling(kind)) + "= 1")};
  fail_expected("'=', '+=', '-=' or '*=' after " + in_quotes(text(place.span)), std::move(help));
}

void Parser::return_statement(Statement& s) {
  s.kind = StatementKind::return_;
  const Span word = current().span;
  next();
  if (!in_fn_)
    return fail_at(word, "'return' is only allowed in a fn",
                   {"kernels and procs return nothing: put what follows into an 'if'; results go "
                    "into arrays, or make it a 'fn'"});
  s.expressions.push_back(expression());
}

/// The items of a line, a space between two.
void Parser::print_statement(Statement& s) {
  s.kind = StatementKind::print;
  next();
  s.texts.emplace_back();
  if (at(TokenKind::left_paren) && ahead(1).kind == TokenKind::string)
    return fail_expected("an expression or a string", {"without brackets: print \"x =\", x"});
  do {
    if (s.texts.size() > 1 || !s.texts[0].empty()) s.texts.back() += ' ';
    if (at(TokenKind::string)) {
      s.texts.back() += string();
      continue;
    }
    s.expressions.push_back(expression());
    s.texts.emplace_back();
  } while (accept(TokenKind::comma));
}

void Parser::if_statement(Statement& s) {
  s.kind = StatementKind::if_;
  next();
  s.expressions.push_back(expression());
  s.body = block("if");
  if (!accept(TokenKind::else_word)) return;
  if (!at(TokenKind::if_word)) {
    s.alternative = block("else");
    return;
  }
  const Nesting nesting(*this);
  if (nesting) s.alternative.push_back(statement());
}

void Parser::for_statement(Statement& s) {
  s.kind = StatementKind::for_;
  next();
  s.name = name("the loop's variable",
                at(TokenKind::left_paren) ? Help{"a loop is 'for i = 0 to n - 1 { … }'"} : Help{});
  expect(TokenKind::assign,
         at(TokenKind::in_word)
             ? Help{"write 'for i = 0 to n - 1'; 'forall i in 0..n' is the parallel one"}
             : Help{});
  s.expressions.push_back(expression());
  s.down = at(TokenKind::downto_word);
  if (!accept(TokenKind::downto_word))
    expect_as(TokenKind::to_word, "'to' or 'downto'",
              at(TokenKind::dotdot) ? Help{"write 'for i = 0 to n - 1': 'to' includes its end"}
                                    : Help{});
  s.expressions.push_back(expression());
  if (accept(TokenKind::step_word)) step(s);
  s.body = block("for");
}

/// `step k`, `step *k`, `step /k`
void Parser::step(Statement& s) {
  if (accept(TokenKind::times))
    s.step_kind = StepKind::multiply;
  else if (accept(TokenKind::divide))
    s.step_kind = StepKind::divide;
  s.expressions.push_back(expression());
}

void Parser::forall_statement(Statement& s) {
  s.kind = StatementKind::forall;
  next();
  forall_kinds(s);
  do s.ranges.push_back(range());
  while (accept(TokenKind::comma));
  if (at(TokenKind::step_word))
    return fail_expected("'{' and the body of the forall",
                         {"a forall has no step: deal out the rounds and compute the index, as in "
                          "'forall k in 0..ceil_div(hi - lo, 2) { let i = lo + 2*k … }'"});
  s.body = block("forall");
}

void Parser::forall_kinds(Statement& s) {
  bool grid = false;
  bool sync = false;
  for (;;) {
    const TokenKind kind = current().kind;
    bool* const flag = kind == TokenKind::grid_word      ? &grid
                       : kind == TokenKind::chunked_word ? &s.chunked
                       : kind == TokenKind::sync_word    ? &sync
                                                         : nullptr;
    if (!flag) break;
    if (*flag) return fail_at(current().span, in_quotes(spelling(kind)) + " is written twice");
    *flag = true;
    if (grid && sync)
      return fail_at(current().span, "a forall cannot be both 'grid' and 'sync'",
                     {"the threads of a launch have no common barrier"});
    next();
  }
  s.forall_kind = grid ? ForallKind::grid : sync ? ForallKind::sync : ForallKind::block;
}

Range Parser::range() {
  Range result;
  result.index = name("the name of an index",
                      at(TokenKind::left_paren) ? Help{"write 'forall i in 0..n { … }'"} : Help{});
  expect(TokenKind::in_word, {"a range is 'i in 0..n'"});
  result.lo = expression();
  expect(TokenKind::dotdot, {"a range is 'i in 0..n', without n"});
  result.hi = expression();
  return result;
}

void Parser::launch_statement(Statement& s) {
  s.kind = StatementKind::launch;
  next();
  s.name = name("the name of a kernel");
  if (!at(TokenKind::left_paren))
    return fail_expected("'('",
                         at(TokenKind::shift_left)
                             ? Help{"write 'launch f(…) blocks=G threads=T'"}
                             : Help{"a kernel without arguments is launched as 'launch f()'"});
  s.actuals = actuals();
  // 'blocks' and 'threads' are not reserved words; both orders are allowed.
  for (int k = 0; k < 2; ++k) {
    std::optional<Expr>* slot = at_name("blocks")    ? &s.blocks
                                : at_name("threads") ? &s.threads
                                                     : nullptr;
    if (!slot || *slot || ahead(1).kind != TokenKind::assign) break;
    next();
    next();
    *slot = expression();
  }
}

} // namespace memlane::lang
