// One line of a file of measurements: values are fetched with their checks.
#pragma once

#include "json_places.hpp"

#include "memlane/support/result.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::measure {

/// The whole line, or an object in it. The first problem is kept in `problem` and ends the reading
/// of the line: after it, every function returns a harmless value.
class MeasuredLine {
public:
  using Json = nlohmann::ordered_json;

  /// `text` is the line within its file, from `begin` on; `last`: no line end follows, so that
  /// what is no JSON may have been cut off.
  MeasuredLine(std::string_view text, std::int32_t file, std::size_t begin, bool last,
               std::optional<Diagnostic>& problem);

  bool ok() const { return !problem_; }
  bool has(std::string_view key) const { return ok() && object_.contains(key); }
  /// The object of a key: what is fetched from it is named `key.…`.
  MeasuredLine inside(std::string_view key);
  const Json& object() const { return object_; }
  Span whole() const;

  std::string text(std::string_view key);
  bool boolean(std::string_view key);
  std::int64_t integer(std::string_view key, std::int64_t lo, std::int64_t hi = INT64_MAX);
  /// Nanoseconds, cycles, megahertz: finite and above 0, within what arithmetic can square.
  double positive(std::string_view key);
  std::vector<double> positives(std::string_view key);
  /// One of the words: its place in the list.
  std::size_t word(std::string_view key, const std::vector<std::string>& words);
  std::vector<std::string> texts(std::string_view key);

  /// A problem with the value of a key, or of one item of it.
  void fail_at(std::string_view key, std::string message, std::vector<std::string> help = {});
  void fail_at_item(std::string_view key, std::size_t item, std::string message,
                    std::vector<std::string> help = {});

private:
  MeasuredLine(const MeasuredLine& outer, std::string_view key);
  void read_object(bool last);
  void read_members(std::size_t at);
  const Json* find(std::string_view key);
  const JsonMember* place_of(std::string_view key) const;
  std::string named(std::string_view key) const { return prefix_ + std::string(key); }
  Span span(std::size_t from, std::size_t to) const;
  void fail(Span span, std::string message, std::vector<std::string> help);
  double checked(std::string_view key, const Json& value, std::optional<std::size_t> item);

  std::string_view text_;
  std::int32_t file_;
  std::size_t begin_;
  std::string prefix_;
  Json object_ = Json::object();
  std::vector<JsonMember> members_;
  std::optional<Diagnostic>& problem_;
};

/// A value in a message: as JSON, cut if long.
std::string shown_json(const MeasuredLine::Json& value);

} // namespace memlane::measure
