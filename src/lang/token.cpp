// The tables of tokens and of operators (lexer.hpp).
#include "lexer.hpp"

#include <algorithm>
#include <array>
#include <utility>

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
    TokenKind::concurrent_word, TokenKind::launch_word, TokenKind::racy_word,
    TokenKind::atomic_word,     TokenKind::tensor_word};

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

// A lexer asks for each word and sign, so the first letters are compared first.

TokenKind word_kind(std::string_view word) {
  for (const Spelled& known : words)
    if (known.text.front() == word.front() && known.text == word) return known.kind;
  return TokenKind::name;
}

std::optional<TokenKind> sign_at(std::string_view text) {
  for (const Spelled& sign : signs)
    if (!text.empty() && sign.text.front() == text.front() &&
        text.substr(0, sign.text.size()) == sign.text)
      return sign.kind;
  return std::nullopt;
}

bool begins_declaration(TokenKind kind) { return contains(declaration_kinds, kind); }
bool begins_statement(TokenKind kind) { return contains(statement_kinds, kind); }
std::vector<std::string> declaration_words() { return spellings(declaration_kinds); }
std::vector<std::string> statement_words() { return spellings(statement_kinds); }

namespace {

using ir::Opcode;

constexpr std::array binary_operators{
    BinaryOperator{TokenKind::plus, Opcode::add},
    BinaryOperator{TokenKind::minus, Opcode::sub},
    BinaryOperator{TokenKind::bar, Opcode::bit_or, false, true},
    BinaryOperator{TokenKind::xor_word, Opcode::bit_xor, false, true},
    BinaryOperator{TokenKind::times, Opcode::mul, true},
    BinaryOperator{TokenKind::divide, Opcode::div, true},
    BinaryOperator{TokenKind::percent, Opcode::rem, true},
    BinaryOperator{TokenKind::ampersand, Opcode::bit_and, true, true},
    BinaryOperator{TokenKind::shift_left, Opcode::shl, true, true},
    BinaryOperator{TokenKind::shift_right, Opcode::shr, true, true},
    BinaryOperator{TokenKind::caret, Opcode::pow},
};

constexpr std::array comparisons{
    std::pair{TokenKind::equal, Comparison{Opcode::eq, false}},
    std::pair{TokenKind::not_equal, Comparison{Opcode::ne, false}},
    std::pair{TokenKind::less, Comparison{Opcode::lt, false}},
    std::pair{TokenKind::less_equal, Comparison{Opcode::le, false}},
    std::pair{TokenKind::greater, Comparison{Opcode::lt, true}},
    std::pair{TokenKind::greater_equal, Comparison{Opcode::le, true}},
};

constexpr std::array assignments{
    std::pair{TokenKind::assign, AssignOp::set},
    std::pair{TokenKind::plus_assign, AssignOp::add},
    std::pair{TokenKind::minus_assign, AssignOp::sub},
    std::pair{TokenKind::times_assign, AssignOp::mul},
};

template <class Table>
auto find_sign(const Table& table, TokenKind sign) -> std::optional<decltype(table[0].second)> {
  for (const auto& [token, meaning] : table)
    if (token == sign) return meaning;
  return std::nullopt;
}

template <class Table, class Meaning>
std::string_view sign_of(const Table& table, const Meaning& meaning) {
  return spelling(std::find_if(table.begin(), table.end(), [&](const auto& entry) {
                    return entry.second == meaning;
                  })->first);
}

} // namespace

const BinaryOperator* find_binary(TokenKind sign, bool factors) {
  for (const BinaryOperator& known : binary_operators)
    if (known.sign == sign && known.factors == factors && known.op != Opcode::pow) return &known;
  return nullptr;
}

const BinaryOperator& binary_operator(ir::Opcode op) {
  return *std::find_if(binary_operators.begin(), binary_operators.end(),
                       [&](const BinaryOperator& known) { return known.op == op; });
}

std::optional<Comparison> find_comparison(TokenKind sign) { return find_sign(comparisons, sign); }
std::optional<AssignOp> find_assignment(TokenKind sign) { return find_sign(assignments, sign); }

std::string_view spelling(ir::Opcode binary) { return spelling(binary_operator(binary).sign); }
std::string_view spelling(Comparison comparison) { return sign_of(comparisons, comparison); }
std::string_view spelling(AssignOp op) { return sign_of(assignments, op); }

} // namespace memlane::lang
