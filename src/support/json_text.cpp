// Reads JSON. A separate reader, because Debian 12's JSON library gives neither the places of
// values nor numbers as written.
#include "memlane/support/json_text.hpp"

#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace memlane {

// The JSON reader: recursive descent, with a function for each kind of value.

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class JsonReader {
public:
  JsonReader(const JsonSource& source, Diagnostics& errors)
      : text_(source.text), file_(source.file), begin_(source.begin), watch_(source.watch),
        errors_(errors) {}

  std::optional<JsonValue> read(std::string_view subject);
  /// Whether the text ended within its value.
  bool cut_off() const { return cut_off_; }

private:
  /// The keys of an object, each with the place of its first appearance.
  using Keys = std::map<std::string, Span, std::less<>>;

  // Each reads from `at_`; false after adding an error.
  bool read_value(JsonValue& value);
  bool read_object(JsonValue& value);
  bool read_member(JsonValue& object, std::size_t opened, Keys& keys);
  bool read_array(JsonValue& value);
  /// Up to the closing bracket. `read_one` gets the place of the opening one.
  template <class ReadOne>
  bool read_items(char closing, std::string_view what, const ReadOne& read_one);
  bool read_separator(std::size_t opened, char closing, std::string_view what, bool& closed);
  bool read_string(std::string& out);
  bool read_escape(std::string& out);
  bool read_unit(std::uint32_t& unit);
  bool read_number(JsonValue& value);
  bool read_word(JsonValue& value);

  bool check_encoding(std::string_view subject);
  /// Adds an error for a duplicate key.
  void note_key(Keys& keys, const JsonMember& member);
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool at_end() const { return at_ >= text_.size(); }
  char next() const { return at_end() ? '\0' : text_[at_]; }
  bool at_comment() const {
    return next() == '#' || (next() == '/' && at_ + 1 < text_.size() &&
                             (text_[at_ + 1] == '/' || text_[at_ + 1] == '*'));
  }

  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin_ + begin),
            static_cast<std::uint32_t>(begin_ + end)};
  }
  bool fail(Span place, std::string message, std::vector<std::string> help = {}) {
    errors_.push_back(error_at(place, std::move(message), std::move(help)));
    return false;
  }
  bool fail_here(std::string message, std::vector<std::string> help = {});
  bool fail_cut_short(std::size_t opened, std::string_view what, char closing);
  bool fail_comment() {
    return fail(span(at_, at_ + 1), "JSON has no comments",
                {"remove it, or put the remark into a string under \"notes\""});
  }

  std::string_view text_;
  std::int32_t file_;
  std::size_t begin_;
  Watch* watch_;
  Diagnostics& errors_;
  std::size_t at_ = 0;
  bool cut_off_ = false;
  int depth_ = 0;
  std::string path_; ///< key path of the current object, with a dot after each key
};

bool JsonReader::fail_here(std::string message, std::vector<std::string> help) {
  const std::size_t length = at_end() ? 0 : character_length(text_.substr(at_));
  return fail(span(at_, at_ + length), std::move(message), std::move(help));
}

/// The text ended inside the object or list opened at `opened`; the place is its last character.
bool JsonReader::fail_cut_short(std::size_t opened, std::string_view what, char closing) {
  cut_off_ = true;
  std::size_t last = text_.size();
  while (last > 0 && is_space(text_[last - 1])) --last;
  std::size_t begin = last == 0 ? 0 : last - 1;
  while (begin > 0 && character_length(text_.substr(begin)) == 0) --begin;
  Diagnostic error = error_at(span(begin, last), fmt::format("the text ends here, inside {}", what),
                              {fmt::format("the file was cut short, or '{}' is missing", closing)});
  error.notes.push_back(note_at(span(opened, opened + 1), fmt::format("{} begins here", what)));
  errors_.push_back(std::move(error));
  return false;
}

std::optional<JsonValue> JsonReader::read(std::string_view subject) {
  if (!check_encoding(subject)) return std::nullopt;
  skip_space();
  if (at_end()) {
    fail(span(0, 0), "the file is empty", {fmt::format("{} is one JSON object: {{ … }}", subject)});
    return std::nullopt;
  }
  JsonValue value;
  if (!read_value(value)) return std::nullopt;
  skip_space();
  if (!at_end()) {
    if (at_comment()) {
      fail_comment();
    } else {
      fail_here(fmt::format("unexpected text after the end of {}",
                            value.kind == JsonKind::object ? "the object" : "the value"),
                {fmt::format("{} is one JSON object; remove what follows it", subject)});
    }
    return std::nullopt;
  }
  return value;
}

bool JsonReader::check_encoding(std::string_view subject) {
  const std::vector<std::string> help{
      fmt::format("save {} as UTF-8 without a byte order mark", subject)};
  const auto starts = [&](std::string_view mark) { return text_.substr(0, mark.size()) == mark; };
  if (starts("\xef\xbb\xbf")) {
    return fail(span(0, 3), "the file begins with a byte order mark", help);
  }
  if (starts("\xff\xfe") || starts("\xfe\xff")) {
    return fail(span(0, 0), "the file is in UTF-16", help);
  }
  for (std::size_t i = 0; i < text_.size();) {
    const std::size_t length = character_length(text_.substr(i));
    if (length == 0) {
      return fail(span(i, i + 1),
                  fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text_[i])),
                  help);
    }
    i += length;
  }
  return true;
}

bool JsonReader::read_value(JsonValue& value) {
  if (watch_ && !watch_->go_on()) return false;
  skip_space();
  const std::size_t begin = at_;
  bool done = false;
  if (next() == '{') {
    done = read_object(value);
  } else if (next() == '[') {
    done = read_array(value);
  } else if (next() == '"') {
    value.kind = JsonKind::string;
    done = read_string(value.text);
  } else if (is_digit(next()) || next() == '-' || next() == '+' || next() == '.') {
    done = read_number(value);
  } else if (is_letter(next())) {
    done = read_word(value);
  } else if (at_comment()) {
    return fail_comment();
  } else if (next() == '\'') {
    return fail_here("JSON strings are written in double quotes", {"write \" instead of '"});
  } else if (next() == ',' || next() == '}' || next() == ']') {
    return fail_here("a value is missing here");
  } else {
    return fail_here("this is not a JSON value",
                     {"values are numbers, strings in double quotes, true, false, null, lists "
                      "[ … ] and objects { … }"});
  }
  value.span = span(begin, at_);
  return done;
}

bool JsonReader::read_object(JsonValue& value) {
  value.kind = JsonKind::object;
  Keys keys;
  return read_items('}', "an object",
                    [&](std::size_t opened) { return read_member(value, opened, keys); });
}

bool JsonReader::read_array(JsonValue& value) {
  value.kind = JsonKind::array;
  return read_items(']', "a list", [&](std::size_t opened) {
    skip_space();
    return at_end() ? fail_cut_short(opened, "a list", ']')
                    : read_value(value.items.emplace_back());
  });
}

template <class ReadOne>
bool JsonReader::read_items(char closing, std::string_view what, const ReadOne& read_one) {
  const std::size_t opened = at_++;
  if (++depth_ > deepest_json)
    return fail(span(opened, opened + 1), fmt::format("nested more than {} deep", deepest_json));
  skip_space();
  bool closed = next() == closing;
  if (closed) ++at_;
  while (!closed)
    if (!read_one(opened) || !read_separator(opened, closing, what, closed)) return false;
  --depth_;
  return true;
}

bool JsonReader::read_member(JsonValue& object, std::size_t opened, Keys& keys) {
  skip_space();
  if (at_end()) return fail_cut_short(opened, "an object", '}');
  if (at_comment()) return fail_comment();
  if (next() != '"') {
    return fail_here("a key is expected here", {"write keys in double quotes: \"width\": 32"});
  }
  JsonMember member;
  const std::size_t begin = at_;
  if (!read_string(member.key)) return false;
  member.key_span = span(begin, at_);

  skip_space();
  if (at_end()) return fail_cut_short(opened, "an object", '}');
  if (next() != ':') {
    return fail_here(fmt::format("':' is expected after the key {}", in_quotes(member.key)));
  }
  ++at_;
  skip_space();
  if (at_end()) return fail_cut_short(opened, "an object", '}');

  const std::size_t outer = path_.size();
  path_ += shown_key(member.key) + ".";
  const bool done = read_value(member.value);
  path_.resize(outer);
  if (!done) return false;
  note_key(keys, member);
  object.members.push_back(std::move(member));
  return true;
}

void JsonReader::note_key(Keys& keys, const JsonMember& member) {
  const auto [first, fresh] = keys.emplace(member.key, member.key_span);
  if (fresh) return;
  Diagnostic error =
      error_at(member.key_span, fmt::format("{}{}: is given twice", path_, shown_key(member.key)),
               {"remove one of the two"});
  error.notes.push_back(note_at(first->second, "the first is here"));
  errors_.push_back(std::move(error));
}

/// After a member or an item: a comma or the end.
bool JsonReader::read_separator(std::size_t opened, char closing, std::string_view what,
                                bool& closed) {
  skip_space();
  if (at_end()) return fail_cut_short(opened, what, closing);
  if (at_comment()) return fail_comment();
  closed = next() == closing;
  if (closed) {
    ++at_;
    return true;
  }
  if (next() == '"') return fail_here("a comma is missing before this");
  if (next() != ',') return fail_here(fmt::format("',' or '{}' is expected here", closing));
  const std::size_t comma = at_++;
  skip_space();
  if (next() == closing) {
    return fail(span(comma, comma + 1), fmt::format("there is a comma before '{}'", closing),
                {"remove the comma"});
  }
  return true;
}

std::optional<JsonValue> read_json(const JsonSource& source, std::string_view subject,
                                   Diagnostics& errors, bool* cut_off) {
  JsonReader reader(source, errors);
  std::optional<JsonValue> value = reader.read(subject);
  if (cut_off) *cut_off = reader.cut_off();
  return value;
}

std::optional<JsonValue> read_json(const Sources& sources, std::int32_t file,
                                   std::string_view subject, Diagnostics& errors) {
  return read_json({sources.text(file), file}, subject, errors);
}

std::optional<JsonValue> read_json_line(const JsonSource& source, bool last,
                                        const std::vector<std::string>& help,
                                        std::optional<Diagnostic>& problem) {
  const auto begin = static_cast<std::uint32_t>(source.begin);
  if (source.text.find_first_not_of(" \t\r") == std::string_view::npos) {
    problem = error_at({source.file, begin, begin}, "the line is empty; each line is a JSON object",
                       {"delete the line"});
    return std::nullopt;
  }
  Diagnostics errors;
  bool cut_off = false;
  std::optional<JsonValue> value = read_json(source, "a line", errors, &cut_off);
  if (!errors.empty()) {
    problem = std::move(errors.front());
    if (cut_off && last) {
      problem->message = "the last line is cut off: it is not a complete JSON object";
      problem->help.clear();
      problem->notes.clear();
    }
    problem->help.insert(problem->help.end(), help.begin(), help.end());
    return std::nullopt;
  }
  if (value && value->kind != JsonKind::object) {
    problem = error_at({value->span.file, value->span.begin, value->span.begin},
                       fmt::format("the line is {}, not a JSON object", describe(*value)), help);
    return std::nullopt;
  }
  return value;
}

const JsonValue* find_member(const JsonValue& object, std::string_view key) {
  for (const JsonMember& member : object.members)
    if (member.key == key) return &member.value;
  return nullptr;
}

// Strings, numbers and words of JSON.

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
  const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
  const char* const end = digits.data() + digits.size();
  if (digits.size() < 4 || std::from_chars(digits.data(), end, unit, 16).ptr != end) return false;
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
