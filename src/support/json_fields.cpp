// Names of JSON values in messages, and members of an object by key.
#include "memlane/support/json_text.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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
  if (value.kind != JsonKind::number) return std::nullopt;
  const char* const end = value.text.data() + value.text.size();
  std::int64_t number = 0;
  const auto [read, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || read != end) return std::nullopt;
  return number;
}

namespace {

Span first_byte(Span span) { return {span.file, span.begin, span.begin}; }

std::vector<std::string> keys_of(const JsonValue& object) {
  std::vector<std::string> keys;
  for (const JsonMember& member : object.members) keys.push_back(member.key);
  return keys;
}

} // namespace

Span JsonFields::place() const { return first_byte(object_->span); }

void JsonFields::fail(Span span, std::string message, std::vector<std::string> help) {
  if (ok()) *problem_ = error_at(span, std::move(message), std::move(help));
}

void JsonFields::fail_at(std::string_view key, std::string_view message,
                         std::vector<std::string> help) {
  const JsonValue* value = find_member(*object_, key);
  fail(value ? value->span : place(), fmt::format("\"{}{}\" {}", prefix_, key, message),
       std::move(help));
}

const JsonValue* JsonFields::find(std::string_view key) {
  if (!ok()) return nullptr;
  if (const JsonValue* value = find_member(*object_, key)) return value;
  std::vector<std::string> help;
  if (const auto near = nearest(key, keys_of(*object_)))
    help.push_back(fmt::format("\"{}\" is there: is that the key?", *near));
  fail(place(), fmt::format("the line has no \"{}{}\"", prefix_, key), std::move(help));
  return nullptr;
}

JsonFields JsonFields::inside(std::string_view key) {
  static const JsonValue empty{JsonKind::object, {}, false, {}, {}, {}};
  const JsonValue* value = find(key);
  if (value && value->kind != JsonKind::object) {
    fail_at(key, fmt::format("is {}, not an object", describe(*value)));
    value = nullptr;
  }
  return {value ? *value : empty, *problem_, fmt::format("{}{}.", prefix_, key)};
}

std::string JsonFields::text(std::string_view key) {
  const JsonValue* value = find(key);
  if (!value) return {};
  if (value->kind == JsonKind::string) return value->text;
  fail_at(key, fmt::format("is {}, not a string", describe(*value)));
  return {};
}

std::vector<std::string> JsonFields::texts(std::string_view key) {
  const JsonValue* value = find(key);
  std::vector<std::string> list;
  if (!value) return list;
  if (value->kind != JsonKind::array) {
    fail_at(key, fmt::format("is {}, not a list of strings", describe(*value)));
    return list;
  }
  for (const JsonValue& item : value->items) {
    if (item.kind != JsonKind::string) {
      fail(item.span, fmt::format("\"{}{}\", item {}, is {}, not a string", prefix_, key,
                                  list.size(), describe(item)));
      break;
    }
    list.push_back(item.text);
  }
  return list;
}

bool JsonFields::boolean(std::string_view key) {
  const JsonValue* value = find(key);
  if (!value) return false;
  if (value->kind == JsonKind::boolean) return value->boolean;
  fail_at(key, fmt::format("is {}, not true or false", describe(*value)));
  return false;
}

std::int64_t JsonFields::integer(std::string_view key, std::int64_t lo, std::int64_t hi) {
  const JsonValue* value = find(key);
  if (!value) return lo;
  const std::optional<std::int64_t> number = whole_number(*value);
  if (number && *number >= lo && *number <= hi) return *number;
  fail_at(key, fmt::format("is {}, not a whole number {}", describe(*value),
                           hi == INT64_MAX ? fmt::format("from {} to 2^63 - 1", lo)
                                           : fmt::format("from {} to {}", lo, hi)));
  return lo;
}

std::size_t JsonFields::word(std::string_view key, const std::vector<std::string>& words) {
  const JsonValue* value = find(key);
  if (!value) return 0;
  std::vector<std::string> help;
  if (value->kind == JsonKind::string) {
    const auto found = std::find(words.begin(), words.end(), value->text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    help = did_you_mean(value->text, words);
  }
  help.push_back(fmt::format("accepted: {}", fmt::join(words, ", ")));
  const bool text = value->kind == JsonKind::string;
  fail_at(key,
          fmt::format("is {}, which is unknown", text ? in_quotes(value->text) : describe(*value)),
          std::move(help));
  return 0;
}

void JsonFields::expect_keys(std::string_view what, const std::vector<std::string>& keys,
                             std::size_t required) {
  if (!ok()) return;
  const std::string known = fmt::format("keys of {}: {}", what, fmt::join(keys, ", "));
  for (const JsonMember& member : object_->members) {
    if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
    std::vector<std::string> help = did_you_mean(member.key, keys);
    help.push_back(known);
    return fail(member.key_span, fmt::format("unknown key {}", in_quotes(member.key)),
                std::move(help));
  }
  for (std::size_t i = 0; i < required; ++i)
    if (!find_member(*object_, keys[i]))
      return fail(place(), fmt::format("{} has no \"{}\"", what, keys[i]), {known});
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
    problem = error_at(first_byte(value->span),
                       fmt::format("the line is {}, not a JSON object", describe(*value)), help);
    return std::nullopt;
  }
  return value;
}

} // namespace memlane
