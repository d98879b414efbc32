// One line of a trace: a JSON object whose values are fetched with their checks.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// A value in a message: as JSON, cut if long.
std::string shown(const nlohmann::json& value);

/// An object with its place. The first error is kept and ends the reading of the object: after
/// it, every function returns a harmless value.
class Record {
public:
  /// `last`: no line end follows, so that what is no JSON may have been cut off. Where `watch`
  /// stops, the record is not ok.
  Record(const std::string& text, std::string place, bool last, Watch& watch);

  bool ok() const { return !error_; }
  const Diagnostic& error() const { return *error_; }
  void fail(std::string message, std::vector<std::string> help = {});

  bool has(const char* key) const { return ok() && object_.contains(key); }
  /// An error if the object has a key that is not among these, or lacks one of the first
  /// `required`. `what` names the kind of line.
  void expect_keys(const char* what, const std::vector<std::string>& keys, std::size_t required);
  /// A whole number from lo to hi, both included.
  std::int64_t integer(const char* key, std::int64_t lo, std::int64_t hi = INT64_MAX);
  /// One of the words: its place in the list.
  std::size_t word(const char* key, const std::vector<std::string>& words);
  const nlohmann::json& value(const char* key) const { return object_.at(key); }

private:
  std::string place_;
  nlohmann::json object_;
  std::optional<Diagnostic> error_;
};

} // namespace memlane
