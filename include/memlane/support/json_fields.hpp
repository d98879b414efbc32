// The members of a JSON object, fetched by key and checked: for files of one object a line.
#pragma once

#include "memlane/support/json_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// An object whose first problem is kept and ends its reading: after it, every function returns a
/// harmless value. Objects inside it share the problem.
class JsonFields {
public:
  /// `object` outlives this. `prefix`: how keys are named in messages, `machine.` say.
  JsonFields(const JsonValue& object, std::optional<Diagnostic>& problem, std::string prefix = "")
      : object_(&object), prefix_(std::move(prefix)), problem_(&problem) {}

  bool ok() const { return !*problem_; }
  bool has(std::string_view key) const { return ok() && find_member(*object_, key) != nullptr; }
  const JsonValue& object() const { return *object_; }
  /// Its first byte: where messages about the whole object point.
  Span place() const;

  /// The value of a key; null, and a problem, if there is none.
  const JsonValue* find(std::string_view key);
  /// The object of a key.
  JsonFields inside(std::string_view key);
  std::string text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  bool boolean(std::string_view key);
  /// A whole number from lo to hi, both included.
  std::int64_t integer(std::string_view key, std::int64_t lo, std::int64_t hi = INT64_MAX);
  /// One of the words: its place in the list.
  std::size_t word(std::string_view key, const std::vector<std::string>& words);
  /// A problem if the object has a key that is not among these, or lacks one of the first
  /// `required`. `what` names the kind of object.
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

/// One line of a file, which must be an object. `last`: no line end follows, so a text that is not
/// JSON may have been cut off. `help`: what to do about a line that is no object, each problem's
/// last. None, with the problem, for anything else; none without one where the watch ended the
/// reading.
std::optional<JsonValue> read_json_line(const JsonSource& source, bool last,
                                        const std::vector<std::string>& help,
                                        std::optional<Diagnostic>& problem);

} // namespace memlane
