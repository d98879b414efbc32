// Tokens of PTX (PTX ISA 9.0, section 4).
#pragma once

#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <string_view>

namespace memlane::ptx {

enum class Token : std::uint8_t {
  end,
  word,    ///< a name: letters, digits, `_`, `$`, and `%` at its beginning
  dotted,  ///< `.` and a name, which may have `::` in it
  integer, ///< `value`
  real,    ///< `value`: the bits of a double
  real32,  ///< `0f…`: the bits of a float
  real64,  ///< `0d…`
  text,    ///< between quotes
  symbol,  ///< one byte
  wrong,   ///< what no token begins with, or a number out of range
};

struct Lexeme {
  Token token = Token::end;
  std::string_view text; ///< without the dot or the quotes
  std::uint64_t value = 0;
  std::uint32_t begin = 0, end = 0;

  bool is(char symbol) const { return token == Token::symbol && text[0] == symbol; }
  bool is_word(std::string_view word) const { return token == Token::word && text == word; }
  bool is_dotted(std::string_view word) const { return token == Token::dotted && text == word; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Lexeme next();

private:
  void skip_blanks();
  Lexeme number();
  Lexeme take(Token token, std::size_t begin, std::size_t end);

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace memlane::ptx
