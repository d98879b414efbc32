// Names of JSON values and keys in messages.
#include "memlane/support/json_text.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text.substr(i));
    if (++shown > 60) return out + "…\"";
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0 || c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", c);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out + "\"";
}

std::string shown_key(std::string_view key) {
  const bool plain =
      std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  return plain && !key.empty() && key.size() <= 60 ? std::string(key) : in_quotes(key);
}

std::string describe(const JsonValue& value) {
  switch (value.kind) {
  case JsonKind::null: return "null";
  case JsonKind::boolean: return value.boolean ? "true" : "false";
  case JsonKind::number:
    return value.text.size() <= 40 ? value.text
                                   : fmt::format("a number of {} characters", value.text.size());
  case JsonKind::string: return "the string " + in_quotes(value.text);
  case JsonKind::array: return fmt::format("a list of {}", value.items.size());
  case JsonKind::object: return "an object";
  }
  return "";
}

std::optional<std::int64_t> whole_number(const JsonValue& value) {
  const std::string& text = value.text;
  const bool zeros = text.starts_with("-0") || (text.starts_with('0') && text.size() > 1);
  return value.kind == JsonKind::number && !zeros ? number_of<std::int64_t>(text) : std::nullopt;
}

} // namespace memlane
