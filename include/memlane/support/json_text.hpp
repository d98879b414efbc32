// JSON texts with the place of every value, which messages point at.
#pragma once

#include "memlane/support/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

enum class JsonKind { null, boolean, number, string, array, object };

struct JsonMember;

/// A value as it was written. Numbers stay text, so that none is rounded before it is judged.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  Span span;
  bool boolean = false;
  std::string text;                ///< a string's characters, or a number as written
  std::vector<JsonValue> items;    ///< of an array
  std::vector<JsonMember> members; ///< of an object, in the order written
};

struct JsonMember {
  std::string key;
  Span key_span;
  JsonValue value;
};

/// How messages name a value: `null`, `true`, `4.5`, `the string "32"`, `a list`, `an object`.
std::string describe(const JsonValue& value);
/// A text in double quotes on one line, shortened if long.
std::string in_quotes(std::string_view text);
/// A key as it stands; quoted where it is empty, long or has characters that keys do not have.
std::string shown_key(std::string_view key);

/// The value as a whole number that 64 bits hold; none for anything else, 1.0 included.
std::optional<std::int64_t> whole_number(const JsonValue& value);
/// The value of a key, or null.
const JsonValue* find_member(const JsonValue& object, std::string_view key);

/// Objects and arrays inside each other in what memlane reads. Files that it writes have five.
constexpr int deepest_json = 64;

/// A text to read: the whole of a file, or a part of it such as a line.
struct JsonSource {
  std::string_view text;
  std::int32_t file = 0;  ///< of spans
  std::size_t begin = 0;  ///< of the text in its file
  Watch* watch = nullptr; ///< may end the reading: then there is neither a value nor an error
};

/// Reads one JSON text (RFC 8259: no comments, no byte order mark, UTF-8). A text that is not JSON
/// gives its first error and no value. A key given twice is an error too, but the value is
/// returned (the first one counts), so that a caller can add its own errors. `subject` names what
/// the text should hold, for the message about an empty one: "a machine". `cut_off`: set where the
/// text ends before its value does.
std::optional<JsonValue> read_json(const JsonSource& source, std::string_view subject,
                                   Diagnostics& errors, bool* cut_off = nullptr);
std::optional<JsonValue> read_json(const Sources& sources, std::int32_t file,
                                   std::string_view subject, Diagnostics& errors);

} // namespace memlane
