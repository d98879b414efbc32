// Strings, numbers and words of JSON.
#include "json_reader.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <cctype>

namespace memlane {
namespace {

/// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view word) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < word.size() && is_digit(word[at])) ++at;
    return at - begin;
  };
  const auto skip = [&](std::string_view any) {
    const bool found = at < word.size() && any.find(word[at]) != std::string_view::npos;
    if (found) ++at;
    return found;
  };
  skip("-");
  const bool zero = at < word.size() && word[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (skip(".") && digits() == 0) return false;
  if (skip("eE")) {
    skip("+-");
    if (digits() == 0) return false;
  }
  return at == word.size();
}

} // namespace

bool JsonReader::read_string(std::string& out) {
  const std::size_t opened = at_++;
  while (true) {
    if (at_end() || next() == '\n' || next() == '\r') {
      cut_off_ = at_end();
      return fail(span(opened, at_), "this string has no closing quote on its line",
                  {"close it with \"; a line end inside a string is written \\n"});
    }
    const char c = next();
    if (c == '"') {
      ++at_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      return fail_here(fmt::format("a control character (0x{:02x}) inside a string", c),
                       {fmt::format("write \\u{:04x}", c)});
    }
    if (c == '\\') {
      if (!read_escape(out)) return false;
    } else {
      out += c;
      ++at_;
    }
  }
}

bool JsonReader::read_escape(std::string& out) {
  const std::size_t begin = at_++;
  static constexpr std::string_view names = "\"\\/bfnrt";
  static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const std::size_t which = at_end() ? std::string_view::npos : names.find(next());
  if (which != std::string_view::npos) {
    out += meanings[which];
    ++at_;
    return true;
  }
  std::uint32_t unit = 0;
  if (next() == 'u' && read_unit(unit)) {
    if (unit < 0xd800 || unit > 0xdfff) {
      append_utf8(out, unit);
      return true;
    }
    std::uint32_t low = 0; // Characters beyond FFFF are two units, D800–DBFF then DC00–DFFF.
    if (unit < 0xdc00 && next() == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == 'u') {
      ++at_;
      if (read_unit(low) && low >= 0xdc00 && low <= 0xdfff) {
        append_utf8(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        return true;
      }
    }
  }
  return fail(span(begin, begin + 2 <= text_.size() ? begin + 2 : begin + 1),
              "no character has this escape",
              {"escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits"});
}

/// `u` and four hexadecimal digits.
bool JsonReader::read_unit(std::uint32_t& unit) {
  if (at_ + 5 > text_.size()) return false;
  unit = 0;
  for (std::size_t i = 1; i <= 4; ++i) {
    const auto c = static_cast<unsigned char>(text_[at_ + i]);
    if (std::isxdigit(c) == 0) return false;
    const int digit = is_digit(static_cast<char>(c)) ? c - '0' : (c | 0x20) - 'a' + 10;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  at_ += 5;
  return true;
}

bool JsonReader::read_number(JsonValue& value) {
  const std::size_t begin = at_;
  while (!at_end() && (is_digit(next()) || is_letter(next()) || next() == '.' || next() == '+' ||
                       next() == '-')) {
    ++at_;
  }
  value.kind = JsonKind::number;
  value.text = std::string(text_.substr(begin, at_ - begin));
  if (is_json_number(value.text)) return true;
  return fail(
      span(begin, at_), fmt::format("'{}' is not a JSON number", value.text),
      {"numbers are written in decimal: 32, without +, leading zeros, separators or units"});
}

bool JsonReader::read_word(JsonValue& value) {
  const std::size_t begin = at_;
  while (!at_end() && (is_letter(next()) || is_digit(next()))) ++at_;
  const std::string word(text_.substr(begin, at_ - begin));
  if (word == "null") {
    value.kind = JsonKind::null;
    return true;
  }
  if (word == "true" || word == "false") {
    value.kind = JsonKind::boolean;
    value.boolean = word == "true";
    return true;
  }
  auto help = did_you_mean(word, {"true", "false", "null"});
  if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf")
    help.emplace_back("JSON has no NaN and no infinity");
  if (help.empty()) help.push_back(fmt::format("write strings in double quotes: \"{}\"", word));
  return fail(span(begin, at_), fmt::format("'{}' is not a JSON value", word), std::move(help));
}

} // namespace memlane
