// The lexer: tokens of the program language, and its operators, from one table of each kind.
#pragma once

#include "memlane/lang/ast.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::lang {

// The tokens of the program language, from one table of kinds and spellings.

// X(kind, spelling): signs first, longest of a common beginning first, as the lexer tries them.
#define MEMLANE_SIGNS(X)                                                                           \
  X(equal, "==")                                                                                   \
  X(not_equal, "!=")                                                                               \
  X(less_equal, "<=")                                                                              \
  X(greater_equal, ">=")                                                                           \
  X(shift_left, "<<")                                                                              \
  X(shift_right, ">>")                                                                             \
  X(plus_assign, "+=")                                                                             \
  X(minus_assign, "-=")                                                                            \
  X(times_assign, "*=")                                                                            \
  X(and_assign, "&=")                                                                              \
  X(or_assign, "|=")                                                                               \
  X(dotdot, "..")                                                                                  \
  X(assign, "=")                                                                                   \
  X(less, "<")                                                                                     \
  X(greater, ">")                                                                                  \
  X(plus, "+")                                                                                     \
  X(minus, "-")                                                                                    \
  X(times, "*")                                                                                    \
  X(divide, "/")                                                                                   \
  X(percent, "%")                                                                                  \
  X(ampersand, "&")                                                                                \
  X(bar, "|")                                                                                      \
  X(tilde, "~")                                                                                    \
  X(caret, "^")                                                                                    \
  X(dot, ".")                                                                                      \
  X(comma, ",")                                                                                    \
  X(colon, ":")                                                                                    \
  X(semicolon, ";")                                                                                \
  X(left_paren, "(")                                                                               \
  X(right_paren, ")")                                                                              \
  X(left_bracket, "[") X(right_bracket, "]") X(left_brace, "{") X(right_brace, "}")

#define MEMLANE_WORDS(X)                                                                           \
  X(use_word, "use")                                                                               \
  X(param_word, "param")                                                                           \
  X(where_word, "where")                                                                           \
  X(const_word, "const")                                                                           \
  X(type_word, "type")                                                                             \
  X(memory_word, "memory")                                                                         \
  X(shared_word, "shared")                                                                         \
  X(var_word, "var")                                                                               \
  X(layout_word, "layout")                                                                         \
  X(view_word, "view")                                                                             \
  X(fn_word, "fn")                                                                                 \
  X(kernel_word, "kernel")                                                                         \
  X(proc_word, "proc")                                                                             \
  X(main_word, "main")                                                                             \
  X(verify_word, "verify")                                                                         \
  X(claim_word, "claim")                                                                           \
  X(races_word, "races")                                                                           \
  X(allowed_word, "allowed")                                                                       \
  X(when_word, "when")                                                                             \
  X(on_word, "on")                                                                                 \
  X(let_word, "let")                                                                               \
  X(if_word, "if")                                                                                 \
  X(else_word, "else")                                                                             \
  X(while_word, "while")                                                                           \
  X(for_word, "for")                                                                               \
  X(to_word, "to")                                                                                 \
  X(downto_word, "downto")                                                                         \
  X(step_word, "step")                                                                             \
  X(forall_word, "forall")                                                                         \
  X(grid_word, "grid")                                                                             \
  X(chunked_word, "chunked")                                                                       \
  X(sync_word, "sync")                                                                             \
  X(barrier_word, "barrier")                                                                       \
  X(break_word, "break")                                                                           \
  X(continue_word, "continue")                                                                     \
  X(return_word, "return")                                                                         \
  X(assert_word, "assert")                                                                         \
  X(print_word, "print")                                                                           \
  X(concurrent_word, "concurrent")                                                                 \
  X(racy_word, "racy")                                                                             \
  X(atomic_word, "atomic")                                                                         \
  X(tensor_word, "tensor")                                                                         \
  X(launch_word, "launch")                                                                         \
  X(in_word, "in")                                                                                 \
  X(then_word, "then")                                                                             \
  X(and_word, "and")                                                                               \
  X(or_word, "or")                                                                                 \
  X(not_word, "not")                                                                               \
  X(xor_word, "xor") X(true_word, "true") X(false_word, "false") X(initial_word, "initial")

enum class TokenKind : std::uint8_t {
  end,
  bad, ///< an error that the lexer has reported
  name,
  integer,
  real,
  string,
#define MEMLANE_KIND(kind, text) kind,
  MEMLANE_SIGNS(MEMLANE_KIND) MEMLANE_WORDS(MEMLANE_KIND)
#undef MEMLANE_KIND
};

inline constexpr const char* integer_is_too_large = "this integer does not fit into 64 bits";
inline constexpr const char* greatest_integer = "the greatest is 9223372036854775807";

struct Token {
  TokenKind kind = TokenKind::end;
  bool first_on_line = false;
  Span span;
  std::int64_t integer = 0; ///< the least one stands for 2^63, which only a minus may precede
  double real = 0;
};

/// A comment, kept for the documents of params, kernels and the program.
struct Comment {
  Span span;
  bool document = false;      ///< `///`
  bool first_on_line = false; ///< nothing but white space before it
};

/// How a sign or reserved word is written; empty for the other kinds.
std::string_view spelling(TokenKind kind);
bool reserved(TokenKind kind);
/// The kind of a word: a reserved word's own, else `name`.
TokenKind word_kind(std::string_view word);
/// The sign that `text` begins with.
std::optional<TokenKind> sign_at(std::string_view text);
/// The reserved words that may begin a declaration, a statement.
bool begins_declaration(TokenKind kind);
bool begins_statement(TokenKind kind);
std::vector<std::string> declaration_words();
std::vector<std::string> statement_words();

// The operators of the language, from one table of each kind.

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

// From bytes to tokens.

/// Reading stops after so many errors: more tell nothing new.
constexpr std::size_t most_errors = 100;

struct Lexed {
  std::vector<Token> tokens; ///< the last one is `end`
  std::vector<Comment> comments;
  Diagnostics errors;     ///< every one with a span
  Stop stop = Stop::none; ///< a limit of the sources ended it early
};

/// Never fails: what is not a token is reported and skipped, or replaced by what was meant (`and`
/// for `&&`), so that the parser can continue.
Lexed lex(const Sources& sources, std::int32_t file, std::uint32_t begin = 0);
/// The same of a part of a text.
Lexed lex(const Sources& sources, Span part);

/// `'text'`, shortened, so that a message stays one line.
std::string in_quotes(std::string_view text);

} // namespace memlane::lang
