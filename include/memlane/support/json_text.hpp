// Reads JSON with the place of every value, for messages.
#pragma once

#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

enum class JsonKind { null, boolean, number, string, array, object };

struct JsonMember;

/// A value as written. Numbers remain text, so that checks see them without rounding.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  Span span;
  bool boolean = false;
  std::string text;                ///< a string's characters, or a number as written
  std::vector<JsonValue> items;    ///< an array's values
  std::vector<JsonMember> members; ///< an object's members, in the order written
};

struct JsonMember {
  std::string key;
  Span key_span;
  JsonValue value;
};

/// Names a value in messages: `null`, `true`, `4.5`, `the string "32"`, `a list`, `an object`.
std::string describe(const JsonValue& value);
/// A text in double quotes on one line, shortened if long.
std::string in_quotes(std::string_view text);
/// A key for messages; quoted if it is empty, long or has unusual characters.
std::string shown_key(std::string_view key);

/// The value as a 64-bit integer; none for anything else, including 1.0, -0 and 01.
std::optional<std::int64_t> whole_number(const JsonValue& value);
/// The value of a key, or null.
const JsonValue* find_member(const JsonValue& object, std::string_view key);

/// A key of a kind of file, for documents.
struct FileKey {
  std::string_view object; ///< the object that has it: `sweep`, `program`, `machine`
  std::string_view name;
  std::string_view meaning;
};

/// Maximum nesting of objects and arrays. Files that memlane writes have five levels.
constexpr int deepest_json = 64;

/// A whole file, or a part of it such as a line.
struct JsonSource {
  std::string_view text;
  std::int32_t file = 0;  ///< the file of all spans
  std::size_t begin = 0;  ///< where the text begins in its file
  Watch* watch = nullptr; ///< may stop the reading, which then returns neither value nor error
};

/// Reads one JSON text (RFC 8259: no comments, no byte order mark, UTF-8). Invalid JSON gives its
/// first error and no value. A duplicate key is an error as well, but the value is returned (with
/// the first one), so that a caller can add its own errors. `subject` names the expected content in
/// the message about an empty text: "a machine". Sets `cut_off` if the text ends within its value.
std::optional<JsonValue> read_json(const JsonSource& source, std::string_view subject,
                                   Diagnostics& errors, bool* cut_off = nullptr);
std::optional<JsonValue> read_json(const Sources& sources, std::int32_t file,
                                   std::string_view subject, Diagnostics& errors);

/// Reads a line of a file, which must be an object. `last`: no line end follows, so that invalid
/// JSON may be a line that was cut off. `help` is added to each problem. Returns none with a
/// problem for anything but an object, and none without a problem if the watch stopped the reading.
std::optional<JsonValue> read_json_line(const JsonSource& source, bool last,
                                        const std::vector<std::string>& help,
                                        std::optional<Diagnostic>& problem);

} // namespace memlane
