#include "lexer.hpp"

#include "memlane/support/text.hpp"

#include <charconv>
#include <optional>

namespace memlane::ptx {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool begins_name(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool continues_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

/// Digits, perhaps with a point among or behind them, and an exponent.
bool is_decimal(std::string_view text) {
  std::size_t at = 0;
  const auto skip_digits = [&] {
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > first;
  };
  if (!skip_digits()) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    skip_digits();
  }
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (!skip_digits()) return false;
  }
  return at == text.size();
}

} // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t close = text_.find("*/", at_ + 2);
      at_ = close == std::string_view::npos ? text_.size() : close + 2;
    } else {
      return;
    }
  }
}

Lexeme Lexer::take(Token token, std::size_t begin, std::size_t end) {
  at_ = end;
  return {token, text_.substr(begin, end - begin), 0, static_cast<std::uint32_t>(begin),
          static_cast<std::uint32_t>(end)};
}

Lexeme Lexer::next() {
  skip_blanks();
  const std::size_t begin = at_;
  if (begin == text_.size()) return take(Token::end, begin, begin);
  const char c = text_[begin];
  std::size_t end = begin + 1;
  if (is_digit(c)) return number();
  if (begins_name(c)) {
    while (end < text_.size() && continues_name(text_[end])) ++end;
    return take(Token::word, begin, end);
  }
  if (c == '.' && end < text_.size() && continues_name(text_[end])) {
    for (;;) {
      while (end < text_.size() && continues_name(text_[end])) ++end;
      if (text_.substr(end, 2) != "::" || end + 2 >= text_.size() ||
          !continues_name(text_[end + 2]))
        break;
      end += 2;
    }
    Lexeme word = take(Token::dotted, begin, end);
    word.text.remove_prefix(1);
    return word;
  }
  if (c == '"') {
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
      end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    if (end >= text_.size() || text_[end] != '"')
      return take(Token::wrong, begin, std::min(end, text_.size()));
    Lexeme word = take(Token::text, begin, end + 1);
    word.text = word.text.substr(1, word.text.size() - 2);
    return word;
  }
  return take(static_cast<unsigned char>(c) < 0x80 ? Token::symbol : Token::wrong, begin, end);
}

/// Integers in four bases, perhaps with `U`; reals in decimals, or as bits: `0f` and 8 digits, `0d`
/// and 16 (section 4.5).
Lexeme Lexer::number() {
  const std::size_t begin = at_;
  std::size_t end = begin;
  while (end < text_.size() && (continues_name(text_[end]) || text_[end] == '.')) {
    const char c = text_[end];
    const bool hexadecimal = begin + 1 < text_.size() && (text_[begin + 1] | 0x20) == 'x';
    ++end;
    const bool exponent = (c == 'e' || c == 'E') && !hexadecimal && text_[begin] != 'f';
    if (exponent && end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
  }
  std::string_view digits = text_.substr(begin, end - begin);
  const char mark = digits.size() > 1 && digits[0] == '0' ? char(digits[1] | 0x20) : '\0';
  Lexeme number = take(Token::integer, begin, end);
  int base = 10;
  if ((mark == 'f' && digits.size() == 10) || (mark == 'd' && digits.size() == 18)) {
    number.token = mark == 'f' ? Token::real32 : Token::real64;
    digits.remove_prefix(2);
    base = 16;
  } else if (digits.find('.') != digits.npos ||
             (mark != 'x' && digits.find_first_of("eE") != digits.npos)) {
    const std::optional<double> value = is_decimal(digits) ? real_value(digits) : std::nullopt;
    number.token = value ? Token::real : Token::wrong;
    number.value = __builtin_bit_cast(std::uint64_t, value.value_or(0));
    return number;
  } else {
    if (digits.back() == 'U' || digits.back() == 'u') digits.remove_suffix(1);
    if (mark == 'x' || mark == 'b') {
      base = mark == 'x' ? 16 : 2;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0') {
      base = 8;
      digits.remove_prefix(1);
    }
  }
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.value, base);
  if (error != std::errc() || stop != digits.data() + digits.size()) number.token = Token::wrong;
  return number;
}

} // namespace memlane::ptx
