#include "operators.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace memlane::lang {

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
