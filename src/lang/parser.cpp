#include "parser.hpp"

#include "memlane/lang/parse.hpp"

#include <algorithm>

namespace memlane::lang {
namespace {

constexpr int deepest_nesting = 200;

} // namespace

Parser::Parser(const Sources& sources, std::int32_t file, std::uint32_t begin)
    : Parser(sources, file, lex(sources, file, begin)) {}

Parser::Parser(const Sources& sources, Span part)
    : Parser(sources, part.file, lex(sources, part)) {}

Parser::Parser(const Sources& sources, std::int32_t file, Lexed lexed)
    : sources_(&sources), watch_(sources.limits()), file_(file) {
  tokens_ = std::move(lexed.tokens);
  comments_ = std::move(lexed.comments);
  errors_ = std::move(lexed.errors);
  lexing_ = lexed.stop;
  if (lexing_ == Stop::none) go_on(tokens_.size() * sizeof(Token));
}

Diagnostics Parser::errors() const {
  if (lexing_ != Stop::none) return {stopped_while(lexing_, "parsing")};
  if (watch_.stopped()) return {stopped_while(watch_.stop(), "parsing")};
  Diagnostics sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin < b.span.begin;
  });
  return sorted;
}

const Token& Parser::ahead(std::size_t count) const {
  if (panic_) return tokens_.back();
  return tokens_[std::min(at_ + count, tokens_.size() - 1)];
}

std::string_view Parser::text(Span span) const {
  return std::string_view(sources_->text(file_)).substr(span.begin, span.end - span.begin);
}

bool Parser::at_name(std::string_view word) const {
  return at(TokenKind::name) && text(current()) == word;
}

void Parser::next() {
  if (!panic_ && at_ + 1 < tokens_.size()) ++at_;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  next();
  return true;
}

bool Parser::expect(TokenKind kind, const Help& help) {
  return expect_as(kind, in_quotes(spelling(kind)), help);
}

bool Parser::expect_as(TokenKind kind, const std::string& expected, const Help& help) {
  if (accept(kind)) return true;
  fail_expected(expected, help);
  return false;
}

Name Parser::name(const std::string& expected, const Help& help) {
  const Token token = current();
  if (!expect_as(TokenKind::name, expected, help)) return {};
  return {std::string(text(token)), token.span};
}

std::vector<Name> Parser::names(const std::string& expected) {
  std::vector<Name> result;
  do result.push_back(name(expected));
  while (accept(TokenKind::comma));
  return result;
}

/// The string at the current token, without its quotes.
std::string Parser::string() {
  const std::string_view written = text(current());
  next();
  return std::string(written.substr(1, written.size() - 1 - (written.back() == '"')));
}

std::string Parser::found() const {
  const Token& token = current();
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.kind == TokenKind::string) return "a string";
  if (reserved(token.kind)) return "the reserved word " + in_quotes(text(token));
  return in_quotes(text(token));
}

void Parser::fail_expected(const std::string& expected, Help help) {
  if (panic_) return;
  fail_at(current().span, "expected " + expected + ", found " + found(), std::move(help));
}

/// Reports an error, unless it follows from an earlier one, and panics.
void Parser::fail_at(Span span, std::string message, Help help) {
  if (panic_) return;
  const bool told = at(TokenKind::bad) && !errors_.empty();
  panic_ = true;
  if (told || errors_.size() > most_errors) return;
  if (errors_.size() == most_errors) {
    message = "too many errors; later ones are not shown";
    help.clear();
  }
  errors_.push_back(error_at(span, std::move(message), std::move(help)));
}

/// Counts a part of the tree of so many bytes. If the limits allow no more, all rules see the end
/// of the text.
bool Parser::go_on(std::size_t bytes) {
  if (watch_.go_on(static_cast<std::int64_t>(bytes))) return true;
  at_ = tokens_.size() - 1;
  panic_ = unwinding_ = true;
  return false;
}

bool Parser::deeper() {
  if (++depth_ <= deepest_nesting) return true;
  fail_at(
      current().span, "this is nested too deeply",
      {"at most " + std::to_string(deepest_nesting) + " brackets, blocks and signs may be nested"});
  return false;
}

std::pair<Name, LayoutClause> Parser::only_layout() {
  Name array = name("the name of an array", {"write 'array=layout', as t=padded(1)"});
  expect(TokenKind::assign, {"write 'array=layout', as t=padded(1)"});
  LayoutClause clause = layout();
  return ended(std::pair(std::move(array), std::move(clause)));
}

namespace {

template <class Tree>
Result<Tree> result_of(const Parser& parser, Tree tree) {
  Diagnostics errors = parser.errors();
  if (!errors.empty()) return errors;
  return tree;
}

} // namespace

Result<Program> parse_text(const Sources& sources, std::int32_t file) {
  Parser parser(sources, file);
  Program program = parser.program();
  return result_of(parser, std::move(program));
}

namespace {

Result<Expr> only_expression_of(Parser parser) {
  Expr expression = parser.only_expression();
  return result_of(parser, std::move(expression));
}

} // namespace

Result<Expr> parse_expression(const Sources& sources, std::int32_t file, std::uint32_t begin) {
  return only_expression_of(Parser(sources, file, begin));
}

Result<Expr> parse_expression(const Sources& sources, Span part) {
  return only_expression_of(Parser(sources, part));
}

// The `///` lines of programs, params and kernels.

namespace {

void append_line(std::string& text, const std::string& line) {
  if (!text.empty()) text += '\n';
  text += line;
}

} // namespace

/// The text of a comment, without slashes, one space and trailing white space.
std::string Parser::document_text(const Comment& comment) const {
  std::string_view said = text(comment.span);
  said.remove_prefix(comment.document ? 3 : 2);
  if (!said.empty() && said.front() == ' ') said.remove_prefix(1);
  while (!said.empty() && (said.back() == ' ' || said.back() == '\t')) said.remove_suffix(1);
  return std::string(said);
}

/// The lines that open the text, up to an empty line or the first declaration.
std::string Parser::opening_document() {
  std::string result;
  int expected_line = 0;
  for (const Comment& comment : comments_) {
    const int here = sources_->begin(comment.span).line;
    const bool goes_on = expected_line == 0 || here == expected_line;
    if (!comment.document || !goes_on || comment.span.begin > tokens_.front().span.begin) break;
    append_line(result, document_text(comment));
    expected_line = here + 1;
    opening_end_ = comment.span.end;
  }
  return result;
}

/// The lines directly above a token, unless they open the text.
std::string Parser::document_before(const Token& token) const {
  const auto behind = [](const Comment& c, std::uint32_t at) { return c.span.begin < at; };
  const auto end = std::lower_bound(comments_.begin(), comments_.end(), token.span.begin, behind);
  auto first = end;
  int expected_line = line(token) - 1;
  while (first != comments_.begin()) {
    const Comment& above = *(first - 1);
    if (!above.document || !above.first_on_line || above.span.begin < opening_end_ ||
        sources_->begin(above.span).line != expected_line)
      break;
    --expected_line;
    --first;
  }
  std::string result;
  for (; first != end; ++first) append_line(result, document_text(*first));
  return result;
}

/// The comment on the same line, after what was just parsed.
std::string Parser::comment_behind() const {
  const auto behind = [](const Comment& c, std::uint32_t at) { return c.span.begin < at; };
  const Token& last = previous();
  const auto comment = std::lower_bound(comments_.begin(), comments_.end(), last.span.end, behind);
  if (comment == comments_.end() || sources_->begin(comment->span).line != line(last)) return {};
  if (comment->span.begin > current().span.begin) return {}; // the next declaration's
  return document_text(*comment);
}

} // namespace memlane::lang
