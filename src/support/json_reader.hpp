// The JSON reader: recursive descent, with a function for each kind of value.
#pragma once

#include "memlane/support/json_text.hpp"
#include "memlane/support/utf8.hpp"

#include <map>

namespace memlane {

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

} // namespace memlane
