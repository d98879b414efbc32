#include "token.hpp"

#include <algorithm>
#include <array>

namespace memlane::lang {
namespace {

struct Spelled {
  TokenKind kind;
  std::string_view text;
};

#define MEMLANE_SPELLED(kind, text) Spelled{TokenKind::kind, text},
constexpr std::array signs{MEMLANE_SIGNS(MEMLANE_SPELLED)};
constexpr std::array words{MEMLANE_WORDS(MEMLANE_SPELLED)};
#undef MEMLANE_SPELLED

constexpr std::array declaration_kinds{
    TokenKind::use_word,    TokenKind::param_word,  TokenKind::const_word, TokenKind::type_word,
    TokenKind::memory_word, TokenKind::shared_word, TokenKind::var_word,   TokenKind::view_word,
    TokenKind::fn_word,     TokenKind::kernel_word, TokenKind::proc_word,  TokenKind::main_word,
    TokenKind::verify_word, TokenKind::claim_word,  TokenKind::races_word};
constexpr std::array statement_kinds{
    TokenKind::let_word,        TokenKind::var_word,    TokenKind::memory_word,
    TokenKind::shared_word,     TokenKind::view_word,   TokenKind::if_word,
    TokenKind::while_word,      TokenKind::for_word,    TokenKind::forall_word,
    TokenKind::barrier_word,    TokenKind::break_word,  TokenKind::continue_word,
    TokenKind::return_word,     TokenKind::assert_word, TokenKind::print_word,
    TokenKind::concurrent_word, TokenKind::launch_word, TokenKind::racy_word};

template <class Kinds>
bool contains(const Kinds& kinds, TokenKind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

template <class Kinds>
std::vector<std::string> spellings(const Kinds& kinds) {
  std::vector<std::string> result;
  for (const TokenKind kind : kinds) result.emplace_back(spelling(kind));
  return result;
}

} // namespace

std::string_view spelling(TokenKind kind) {
  for (const Spelled& sign : signs)
    if (sign.kind == kind) return sign.text;
  for (const Spelled& word : words)
    if (word.kind == kind) return word.text;
  return {};
}

bool reserved(TokenKind kind) { return kind >= words.front().kind; }

TokenKind word_kind(std::string_view word) {
  for (const Spelled& known : words)
    if (known.text == word) return known.kind;
  return TokenKind::name;
}

std::optional<TokenKind> sign_at(std::string_view text) {
  for (const Spelled& sign : signs)
    if (text.substr(0, sign.text.size()) == sign.text) return sign.kind;
  return std::nullopt;
}

bool begins_declaration(TokenKind kind) { return contains(declaration_kinds, kind); }
bool begins_statement(TokenKind kind) { return contains(statement_kinds, kind); }
std::vector<std::string> declaration_words() { return spellings(declaration_kinds); }
std::vector<std::string> statement_words() { return spellings(statement_kinds); }

} // namespace memlane::lang
