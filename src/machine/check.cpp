#include "check.hpp"

#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace memlane {
namespace {

std::nullopt_t wrong(const JsonValue& value, Diagnostics& errors, std::string message,
                     std::vector<std::string> help) {
  errors.push_back(error_at(value.span, std::move(message), std::move(help)));
  return std::nullopt;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Help for a value of the wrong type: what is accepted, and the likely mistake.
std::vector<std::string> wrong_type_help(const MachineKey& key, const JsonValue& value) {
  std::vector<std::string> help;
  if (key.kind == KeyKind::integer) help.push_back("accepted: " + accepted_values(key));
  const bool number = key.kind == KeyKind::integer && all_digits(value.text);
  if (key.nullable != 0) help.emplace_back(key.meaning); // says where null is accepted
  if (key.kind == KeyKind::boolean) help.push_back("accepted: true, false");
  const bool flag = key.kind == KeyKind::boolean && (value.text == "true" || value.text == "false");
  if (value.kind == JsonKind::string && (number || flag)) {
    help.push_back("remove the quotes: " + value.text);
  } else if (value.kind == JsonKind::null && key.required == 0 && key.default_value.index() != 0) {
    help.push_back(
        fmt::format("leave the key out to use its default, {}", text_of(key.default_value)));
  } else if (value.kind == JsonKind::number && key.kind == KeyKind::integer) {
    help.push_back("integers are written in digits alone: no fraction, exponent or leading zero");
  }
  return help;
}

std::nullopt_t wrong_type(const MachineKey& key, const JsonValue& value, Diagnostics& errors) {
  const std::string noun =
      key.kind == KeyKind::integer ? std::string("an integer") : accepted_values(key);
  return wrong(value, errors, fmt::format("{}: must be {}, is {}", key.path, noun, describe(value)),
               wrong_type_help(key, value));
}

std::optional<KeyValue> check_integer(const MachineKey& key, const JsonValue& value,
                                      Diagnostics& errors) {
  const bool negative = value.text.substr(0, 1) == "-";
  const std::string digits = value.text.substr(negative ? 1 : 0);
  const bool leading_zero = digits.size() > 1 && digits[0] == '0';
  if (value.kind != JsonKind::number || !all_digits(digits) || leading_zero) {
    return wrong_type(key, value, errors);
  }
  if (negative && digits == "0") {
    return wrong(value, errors, fmt::format("{}: zero has no sign, is -0", key.path),
                 {"accepted: " + accepted_values(key)});
  }
  std::int64_t number = 0;
  const char* end = value.text.data() + value.text.size();
  const bool fits = std::from_chars(value.text.data(), end, number).ec == std::errc();
  const bool low = fits ? number < key.minimum : negative;
  const bool high = fits ? number > key.maximum : !negative;
  if (!low && !high) return number;
  std::vector<std::string> help{"accepted: " + accepted_values(key)};
  if (low && !key.least_because.empty()) help.emplace_back(key.least_because);
  return wrong(value, errors,
               fmt::format("{}: must be at {} {}, is {}", key.path, low ? "least" : "most",
                           low ? key.minimum : key.maximum, describe(value)),
               std::move(help));
}

std::optional<KeyValue> check_choice(const MachineKey& key, const JsonValue& value,
                                     Diagnostics& errors) {
  if (value.kind != JsonKind::string) return wrong_type(key, value, errors);
  const auto is_in = [&](const auto& words) {
    return std::find(words.begin(), words.end(), value.text) != words.end();
  };
  if (is_in(key.choices)) return value.text;
  return wrong(
      value, errors,
      fmt::format("{}: must be {}, is {}", key.path, accepted_values(key), in_quotes(value.text)),
      did_you_mean(value.text, {key.choices.begin(), key.choices.end()}));
}

/// An error for control characters, which could steer a terminal.
bool check_line(const std::string& place, const JsonValue& value, Diagnostics& errors) {
  const bool plain = !has_control(value.text);
  if (!plain) {
    wrong(value, errors, place + ": has a line end or another control character",
          {"accepted: text of one line"});
  }
  return plain;
}

std::optional<KeyValue> check_text(const MachineKey& key, const JsonValue& value,
                                   Diagnostics& errors) {
  if (value.kind != JsonKind::string) return wrong_type(key, value, errors);
  if (value.text.empty()) {
    return wrong(value, errors, fmt::format("{}: must not be empty", key.path),
                 {"leave the key out instead"});
  }
  if (!check_line(std::string(key.path), value, errors)) return std::nullopt;
  return value.text;
}

std::optional<KeyValue> check_lines(const MachineKey& key, const JsonValue& value,
                                    Diagnostics& errors) {
  if (value.kind == JsonKind::string) {
    if (!check_line(std::string(key.path), value, errors)) return std::nullopt;
    return value.text;
  }
  if (value.kind != JsonKind::array) return wrong_type(key, value, errors);
  std::string lines;
  bool good = true;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue& item = value.items[i];
    const std::string place = fmt::format("{}[{}]", key.path, i);
    if (item.kind != JsonKind::string) {
      wrong(item, errors, fmt::format("{}: must be a string, is {}", place, describe(item)), {});
      good = false;
      continue;
    }
    good = check_line(place, item, errors) && good;
    lines += (i > 0 ? "\n" : "") + item.text;
  }
  return good ? std::optional<KeyValue>(lines) : std::nullopt;
}

} // namespace

std::optional<KeyValue> check_value(const MachineKey& key, const JsonValue& value,
                                    Diagnostics& errors) {
  if (value.kind == JsonKind::null && key.nullable != 0) return KeyValue();
  switch (key.kind) {
  case KeyKind::integer: return check_integer(key, value, errors);
  case KeyKind::choice: return check_choice(key, value, errors);
  case KeyKind::text: return check_text(key, value, errors);
  case KeyKind::lines: return check_lines(key, value, errors);
  case KeyKind::boolean: break;
  }
  if (value.kind != JsonKind::boolean) return wrong_type(key, value, errors);
  return value.boolean;
}

JsonValue value_of_option(const MachineKey& key, std::string text, Span span) {
  JsonValue value;
  value.kind = JsonKind::string;
  value.span = span;
  const bool words = key.kind != KeyKind::integer && key.kind != KeyKind::boolean;
  const char first = text.empty() ? '\0' : text[0];
  if (words) {
    value.text = std::move(text);
  } else if (text == "null") {
    value.kind = JsonKind::null;
  } else if (text == "true" || text == "false") {
    value.kind = JsonKind::boolean;
    value.boolean = text == "true";
  } else {
    // Text that begins like a number is quoted in messages like one, even if it is none.
    const bool number = (first >= '0' && first <= '9') || first == '-' || first == '+';
    if (number) value.kind = JsonKind::number;
    value.text = std::move(text);
  }
  return value;
}

} // namespace memlane
