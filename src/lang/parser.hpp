// A recursive-descent parser: one function a rule of the grammar in programs/README.md.
//
// After an error the parser is in panic: every rule then sees the end of the text and returns at
// once, without further messages, up to a list of statements or declarations, which looks for the
// next one and goes on from there.
#pragma once

#include "lexer.hpp"

#include "memlane/lang/ast.hpp"
#include "memlane/support/diagnostic.hpp"

namespace memlane::lang {

using Help = std::vector<std::string>;

class Parser {
public:
  explicit Parser(const Sources& sources, std::int32_t file, std::uint32_t begin = 0);
  /// Parses a part of a text.
  Parser(const Sources& sources, Span part);

  Program program();
  /// Parse a text that consists of one rule.
  Expr only_expression() {
    Expr whole = expression();
    const bool assigns = at(TokenKind::assign);
    return ended(std::move(whole), assigns ? Help{"write == to compare: n == 5"} : Help());
  }
  FnDecl only_fn() { return ended(fn_body(current().span)); }
  TypeDecl only_type() { return ended(type_body(current().span)); }
  /// `name = layout(…)`
  std::pair<Name, LayoutClause> only_layout();

  /// All errors so far, by place.
  Diagnostics errors() const;

private:
  Parser(const Sources& sources, std::int32_t file, Lexed lexed);

  // parser.cpp: tokens
  const Token& current() const { return panic_ ? tokens_.back() : tokens_[at_]; }
  const Token& ahead(std::size_t count) const;
  const Token& previous() const { return tokens_[at_ > 0 ? at_ - 1 : 0]; }
  bool at(TokenKind kind) const { return current().kind == kind; }
  bool at_name(std::string_view text) const;
  bool accept(TokenKind kind);
  bool expect(TokenKind kind, const Help& help = {});
  bool expect_as(TokenKind kind, const std::string& expected, const Help& help = {});
  Name name(const std::string& expected, const Help& help = {});
  std::string string();
  std::vector<Name> names(const std::string& expected);
  /// The tree, behind which the text has to end.
  template <class Tree>
  Tree ended(Tree tree, Help help = {}) {
    if (!panic_ && !at(TokenKind::end)) fail_expected("the end of the text", std::move(help));
    return tree;
  }
  void next();
  std::string_view text(Span span) const;
  std::string_view text(const Token& token) const { return text(token.span); }
  Span since(Span begin) const { return cover(begin, previous().span); }
  int line(const Token& token) const { return sources_->begin(token.span).line; }

  // parser.cpp: errors
  std::string found() const;
  void fail_expected(const std::string& expected, Help help = {});
  void fail_at(Span span, std::string message, Help help = {});
  bool deeper();
  bool go_on(std::size_t bytes);

  // parse_expression.cpp
  Expr expression();
  Expr conditional();
  Expr logical(bool conjunction);
  Expr comparison();
  Expr sum();
  Expr binary(bool factors);
  Expr unary();
  bool at_least_integer() const;
  Expr item();
  Expr leaf();
  Expr bracketed();
  Expr named();
  Expr initial_value();
  Expr suffixes(Expr base, bool place);
  std::vector<Expr> expressions(TokenKind close);
  Expr prefix(ExprKind kind, Span sign, Expr operand);
  Expr join(ExprKind kind, Expr left, int left_height, Expr right);
  void grown(int height);
  Actual actual();
  std::vector<Actual> actuals();
  bool bracket_holds(std::size_t first, TokenKind what) const;
  bool at_slice() const;

  // parse_access.cpp
  void racy_statement(Statement& s);
  void atomic_statement(Statement& s);
  Expr atomic();
  std::optional<ir::Opcode> atomic_sign();
  void tensor_statement(Statement& s);
  Expr place_in(const char* array, const Help& help);

  // parse_statement.cpp
  std::vector<Statement> block(const std::string& owner);
  void statements(std::vector<Statement>& out, Span open);
  void close_block(Span open);
  void recover_statement(std::size_t begin);
  bool resumes_statement(std::size_t begin, int open) const;
  void skip_block();
  Statement statement();
  Expr assigned();
  void declared_variable(Statement& s);
  void named_statement(Statement& s);
  void assignment(Statement& s);
  void fail_assignment(const Expr& place);
  void return_statement(Statement& s);
  void print_statement(Statement& s);
  void if_statement(Statement& s);
  void for_statement(Statement& s);
  void step(Statement& s);
  void forall_statement(Statement& s);
  void forall_kinds(Statement& s);
  Range range();
  void launch_statement(Statement& s);
  void fail_statement();

  // parse_declaration.cpp
  void declaration(Program& program);
  void recover_declaration(std::size_t begin);
  void fail_declaration();
  ParamDecl param();
  ConstDecl constant();
  TypeDecl type();
  TypeDecl type_body(Span begin);
  ArraysDecl arrays();
  ArrayDeclarator declarator();
  LayoutClause layout();
  bool at_tuple() const;
  void tuple(std::vector<Expr>& numbers, std::string& nesting);
  void strides_of(const std::string& nesting, Span shape, LayoutClause& clause);
  Initializer initializer();
  ViewDecl view();
  FnDecl fn();
  FnDecl fn_body(Span begin);
  KernelDecl kernel();
  Formal formal();
  HostDecl host();
  ClaimDecl claim();
  void races(Program& program);
  void claim_relation(ClaimDecl& claim);

  // parser.cpp: documents
  std::string document_text(const Comment& comment) const;
  std::string opening_document();
  std::string document_before(const Token& token) const;
  std::string comment_behind() const;

  friend class Nesting;

  const Sources* sources_;
  Watch watch_;
  Stop lexing_ = Stop::none; ///< why the text was not read to its end
  std::int32_t file_;
  std::vector<Token> tokens_;
  std::vector<Comment> comments_;
  Diagnostics errors_;
  std::vector<Span> racy_; ///< Program::racy
  std::size_t at_ = 0;
  bool panic_ = false;
  bool unwinding_ = false; ///< out of all blocks: a '}' is missing
  bool in_fn_ = false;     ///< the block of a fn is being parsed
  int depth_ = 0;          ///< nesting of rules
  int height_ = 0;         ///< height of the expression just parsed
  std::uint32_t opening_end_ = 0;
};

/// Counts a level of nesting while it lives: a text may nest deeper than the stack.
class Nesting {
public:
  explicit Nesting(Parser& parser) : parser_(parser), fits_(parser.deeper()) {}
  ~Nesting() { --parser_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  explicit operator bool() const { return fits_; }

private:
  Parser& parser_;
  bool fits_;
};

} // namespace memlane::lang
