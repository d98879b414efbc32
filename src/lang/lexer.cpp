#include "lexer.hpp"

#include "memlane/support/text.hpp"

#include <algorithm>
#include <array>

namespace memlane::lang {
namespace {

constexpr std::size_t largest_text = std::size_t{1} << 22;

// By hand: the functions of <cctype> depend on the locale.
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
/// The value of a hexadecimal digit; -1: it is none.
int hex_digit(char c) {
  if (digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}
bool space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

/// Operators of other languages: what to write, and the token to go on with.
struct Foreign {
  std::string_view text;
  TokenKind meant;
  std::string_view help;
};

constexpr std::string_view long_hand =
    "write it out: x = x … y; only +=, -= and *= have a short form";

constexpr std::array foreign_signs{
    Foreign{"===", TokenKind::equal, "write '=='"},
    Foreign{"!==", TokenKind::not_equal, "write '!='"},
    Foreign{"<<=", TokenKind::bad, long_hand},
    Foreign{">>=", TokenKind::bad, long_hand},
    Foreign{"...", TokenKind::dotdot, "a range is lo..hi, without hi"},
    Foreign{"&&", TokenKind::and_word, "write 'and'"},
    Foreign{"||", TokenKind::or_word, "write 'or'; one '|' joins bits"},
    Foreign{"**", TokenKind::caret, "a power is x^y"},
    Foreign{"<>", TokenKind::not_equal, "write '!='"},
    Foreign{":=", TokenKind::assign, "write '='"},
    Foreign{"=>", TokenKind::bad, "at least is '>='"},
    Foreign{"->", TokenKind::bad, "a field is x.name; a fn is 'fn f(x) = …'"},
    Foreign{"/=", TokenKind::bad, long_hand},
    Foreign{"%=", TokenKind::bad, long_hand},
    Foreign{"^=", TokenKind::bad, long_hand},
};

class Lexer {
public:
  Lexer(std::string_view text, std::int32_t file, std::uint32_t begin, const Limits& limits)
      : text_(text), file_(file), at_(begin), watch_(limits) {}

  Lexed run() {
    if (text_.size() - at_ > largest_text) {
      error(0, 0, "the text is larger than 4 MiB", {});
    } else {
      if (at_ == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3; // a byte order mark
      check_text();
      while (at_ < text_.size() && lexed_.errors.size() < most_errors && watch_.go_on()) next();
      at_ = text_.size();
    }
    push(TokenKind::end, text_.size(), text_.size());
    lexed_.stop = watch_.stop();
    return std::move(lexed_);
  }

private:
  void next() {
    const char c = text_[at_];
    if (space(c)) {
      line_start_ = line_start_ || c == '\n' || c == '\r';
      ++at_;
    } else if (letter(c)) {
      word();
    } else if (digit(c)) {
      number();
    } else if (c == '"') {
      string();
    } else if (rest().substr(0, 2) == "//") {
      comment();
    } else if (rest().substr(0, 2) == "/*") {
      block_comment();
    } else {
      sign();
    }
  }

  std::string_view rest() const { return text_.substr(at_); }
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  void error(std::size_t begin, std::size_t end, std::string message,
             std::vector<std::string> help) {
    lexed_.errors.push_back(error_at(span(begin, end), std::move(message), std::move(help)));
  }

  Token& push(TokenKind kind, std::size_t begin, std::size_t end) {
    lexed_.tokens.push_back({kind, line_start_, span(begin, end), 0, 0});
    line_start_ = false;
    at_ = end;
    return lexed_.tokens.back();
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
    push(word_kind(text_.substr(at_, end - at_)), at_, end);
  }

  std::size_t digits(std::size_t from) const {
    while (from < text_.size() && digit(text_[from])) ++from;
    return from;
  }

  /// `1`, `1.5`, `1e9`, `1.5e-9`; the dots of `0..n` are no part of a number.
  void number() {
    const std::size_t begin = at_;
    if (text_[begin] == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal();
    std::size_t end = digits(begin);
    bool real = false;
    if (end + 1 < text_.size() && text_[end] == '.' && digit(text_[end + 1])) {
      real = true;
      end = digits(end + 1);
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      std::size_t power = end + 1;
      if (power < text_.size() && (text_[power] == '+' || text_[power] == '-')) ++power;
      if (digits(power) > power) {
        real = true;
        end = digits(power);
      }
    }
    const std::size_t tail = end_of_word(end); // `4abc`, `0b10`, `1_000`
    if (tail > end) {
      partial_number(begin, tail);
    } else if (real) {
      real_number(begin, end);
    } else {
      integer_number(begin, begin, end, 10);
    }
  }

  std::size_t end_of_word(std::size_t from) const {
    while (from < text_.size() && (letter(text_[from]) || digit(text_[from]))) ++from;
    return from;
  }

  /// `0xFF`: the same number as 255, whatever its highest bit.
  void hexadecimal() {
    const std::size_t begin = at_;
    std::size_t end = begin + 2;
    while (end < text_.size() && hex_digit(text_[end]) >= 0) ++end;
    const std::size_t tail = end_of_word(end);
    if (tail == end && end > begin + 2) return integer_number(begin, begin + 2, end, 16);
    error(begin, tail,
          in_quotes(text_.substr(begin, tail - begin)) + " is not a hexadecimal number",
          {"its digits are 0-9 and a-f: 0xFF"});
    push(TokenKind::integer, begin, tail);
  }

  void partial_number(std::size_t begin, std::size_t end) {
    const std::string written(text_.substr(begin, end - begin));
    std::vector<std::string> help;
    if (written.size() > 1 && written[0] == '0' &&
        (written[1] == 'b' || written[1] == 'B' || written[1] == 'o' || written[1] == 'O'))
      help = {"numbers are decimal, or hexadecimal: 0xFF"};
    else if (written.find('_') != std::string::npos)
      help = {"digits are written without '_'"};
    error(begin, end, in_quotes(written) + " is neither a number nor a name", std::move(help));
    push(TokenKind::integer, begin, end);
  }

  void integer_number(std::size_t begin, std::size_t first, std::size_t end, unsigned base) {
    constexpr std::uint64_t most = std::uint64_t{1} << 63;
    std::uint64_t value = 0;
    bool fits = true;
    for (std::size_t k = first; k < end && fits; ++k) {
      const auto next = static_cast<std::uint64_t>(hex_digit(text_[k]));
      fits = value <= (most - next) / base;
      if (fits) value = value * base + next;
    }
    if (!fits) error(begin, end, integer_is_too_large, {greatest_integer});
    push(TokenKind::integer, begin, end).integer = static_cast<std::int64_t>(fits ? value : 0);
  }

  void real_number(std::size_t begin, std::size_t end) {
    const std::optional<double> value = real_value(text_.substr(begin, end - begin));
    if (!value) error(begin, end, "this number is too large for a double", {});
    push(TokenKind::real, begin, end).real = value.value_or(0);
  }

  void string() {
    const std::size_t begin = at_;
    const std::size_t stop = text_.find_first_of("\"\r\n", begin + 1);
    if (stop != std::string_view::npos && text_[stop] == '"') {
      push(TokenKind::string, begin, stop + 1);
      return;
    }
    const std::size_t end = std::min(stop, text_.size());
    error(begin, end, "this string does not end on its line", {"close it with '\"'"});
    push(TokenKind::string, begin, end);
  }

  void comment() {
    const std::size_t begin = at_;
    const std::size_t end = std::min(text_.find_first_of("\r\n", begin), text_.size());
    at_ = end;
    // Four or more slashes are not a document.
    const bool document = text_.substr(begin, 3) == "///" && text_.substr(begin, 4) != "////";
    lexed_.comments.push_back({span(begin, end), document, line_start_});
  }

  void block_comment() {
    const std::size_t begin = at_;
    const std::size_t stop = text_.find("*/", begin + 2);
    const bool open = stop == std::string_view::npos;
    error(begin, begin + 2, open ? "'/*' without '*/'" : "'/*' is not a comment here",
          {"a comment is '//' to the end of its line"});
    at_ = open ? text_.size() : stop + 2;
  }

  void sign() {
    for (const Foreign& known : foreign_signs) {
      if (rest().substr(0, known.text.size()) != known.text) continue;
      const std::size_t end = at_ + known.text.size();
      error(at_, end, in_quotes(known.text) + " is not an operator of this language",
            {std::string(known.help)});
      push(known.meant, at_, end);
      return;
    }
    if (const auto kind = sign_at(rest())) {
      push(*kind, at_, at_ + spelling(*kind).size());
      return;
    }
    lone_sign();
  }

  /// Single characters of other languages, and unexpected bytes.
  void lone_sign() {
    const std::size_t begin = at_;
    switch (text_[begin]) {
    case '!':
      error(begin, begin + 1, "'!' is not an operator of this language", {"write 'not'"});
      push(TokenKind::not_word, begin, begin + 1);
      return;
    case '?':
      error(begin, begin + 1, "'?' is not an operator of this language",
            {"a choice is 'if c then x else y'"});
      push(TokenKind::bad, begin, begin + 1);
      return;
    case '#':
      error(begin, begin + 1, "'#' has no meaning in this language", {"a comment is '//'"});
      at_ = std::min(text_.find_first_of("\r\n", begin), text_.size()); // it was meant as a comment
      return;
    case '\'':
      error(begin, begin + 1, "unexpected character '''", {"a string is written in '\"'"});
      push(TokenKind::bad, begin, begin + 1);
      return;
    default: stray(begin);
    }
  }

  /// One message for a sequence of characters that begin no token.
  void stray(std::size_t begin) {
    const std::size_t size = character_length(text_.substr(begin));
    const auto byte = static_cast<unsigned char>(text_[begin]);
    std::size_t end = begin;
    while (end < text_.size() && is_stray(end)) end += character_length(text_.substr(end));
    const std::string message =
        byte < 0x20 || byte == 0x7F
            ? unexpected_byte(begin)
            : "unexpected character '" + std::string(text_.substr(begin, size)) + "'";
    std::vector<std::string> help;
    if (byte >= 0x80) help = {"names are made of a-z, A-Z, 0-9 and _"};
    error(begin, end, message, std::move(help));
    push(TokenKind::bad, begin, end);
  }

  bool is_stray(std::size_t at) const {
    const char c = text_[at];
    const std::string_view known = "\"!?#'/";
    return !space(c) && !letter(c) && !digit(c) && known.find(c) == std::string_view::npos &&
           !sign_at(text_.substr(at));
  }

  std::string unexpected_byte(std::size_t at) const {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(text_[at]);
    return std::string("unexpected byte 0x") + hex[byte >> 4] + hex[byte & 15];
  }

  /// A text is UTF-8 without zero bytes. Of any other, such as a picture, this is the only error.
  void check_text() {
    for (std::size_t k = at_; k < text_.size();) {
      const std::size_t size = character_length(text_.substr(k));
      if (size == 0 || text_[k] == '\0') {
        error(k, k + 1, "this is not UTF-8 text: " + unexpected_byte(k),
              {"a program is a text file, in UTF-8"});
        at_ = text_.size();
        return;
      }
      k += size;
    }
  }

  std::string_view text_;
  std::int32_t file_;
  std::size_t at_;
  Watch watch_;
  bool line_start_ = true;
  Lexed lexed_;
};

} // namespace

Lexed lex(const Sources& sources, std::int32_t file, std::uint32_t begin) {
  return Lexer(sources.text(file), file, begin, sources.limits()).run();
}

Lexed lex(const Sources& sources, Span part) {
  const std::string_view text = std::string_view(sources.text(part.file)).substr(0, part.end);
  return Lexer(text, part.file, part.begin, sources.limits()).run();
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result = "'";
  result += text.substr(0, text.size() <= most ? most : most - 3);
  result += text.size() <= most ? "'" : "...'";
  return result;
}

} // namespace memlane::lang
