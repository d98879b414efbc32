// Reads members of a JSON object by key and checks them, for files with one object on each line.
#pragma once

#include "memlane/support/json_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Reads an object up to its first problem; after that, every function returns a default value.
/// Nested objects share the problem.
class JsonFields {
public:
  /// Requires that `object` outlives this. `prefix` precedes keys in messages: `machine.`.
  JsonFields(const JsonValue& object, std::optional<Diagnostic>& problem, std::string prefix = "")
      : object_(&object), prefix_(std::move(prefix)), problem_(&problem) {}

  bool ok() const { return !*problem_; }
  bool has(std::string_view key) const { return ok() && find_member(*object_, key) != nullptr; }
  const JsonValue& object() const { return *object_; }
  /// The object's first byte, the place of messages about the whole object.
  Span place() const;

  /// The value of a key; null, and a problem, if there is none.
  const JsonValue* find(std::string_view key);
  /// The object of a key.
  JsonFields inside(std::string_view key);
  std::string text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  bool boolean(std::string_view key);
  /// An integer from lo to hi, inclusive.
  std::int64_t integer(std::string_view key, std::int64_t lo, std::int64_t hi = INT64_MAX);
  /// One of the words; returns its index.
  std::size_t word(std::string_view key, const std::vector<std::string>& words);
  /// Fails if the object has another key, or lacks one of the first `required` keys. `what` names
  /// the kind of object.
  void expect_keys(std::string_view what, const std::vector<std::string>& keys,
                   std::size_t required);

  void fail(Span span, std::string message, std::vector<std::string> help = {});
  /// A problem with the value of a key: `"key" is …`.
  void fail_at(std::string_view key, std::string_view message, std::vector<std::string> help = {});

private:
  const JsonValue* object_;
  std::string prefix_;
  std::optional<Diagnostic>* problem_;
};

/// Reads a line of a file, which must be an object. `last`: no line end follows, so that invalid
/// JSON may be a line that was cut off. `help` is added to each problem. Returns none with a
/// problem for anything but an object, and none without a problem if the watch stopped the reading.
std::optional<JsonValue> read_json_line(const JsonSource& source, bool last,
                                        const std::vector<std::string>& help,
                                        std::optional<Diagnostic>& problem);

} // namespace memlane
