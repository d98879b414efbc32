#include "memlane/support/json_record.hpp"

#include "memlane/support/text.hpp"

namespace memlane {

std::string JsonPlace::path_of(std::string_view key) const {
  return path.empty() ? shown_key(key) : fmt::format("{}.{}", path, shown_key(key));
}

bool JsonPlace::has(std::string_view key, std::string_view help) const {
  if (find_member(value, key)) return true;
  std::vector<std::string> keys;
  for (const JsonMember& member : value.members) keys.push_back(member.key);
  std::vector<std::string> all = {std::string(help)};
  if (const auto near = nearest(key, keys))
    all.push_back(fmt::format("{} is there: is that the key?", in_quotes(*near)));
  JsonPlace{value, file, path_of(key)}.fail_at(first_byte(), "is missing", std::move(all));
  return false;
}

void JsonPlace::fail_at(Span span, std::string_view message, std::vector<std::string> help) const {
  file.failures += 1;
  if (file.errors.size() > RecordFile::most_errors) return;
  if (file.errors.size() == RecordFile::most_errors) {
    file.errors.push_back(error_at(span, "too many errors; later ones are not shown"));
    return;
  }
  std::string whole = path.empty() ? std::string(message) : fmt::format("{}: {}", path, message);
  file.errors.push_back(error_at(span, std::move(whole), std::move(help)));
}

bool JsonPlace::require(bool right, std::string_view what, std::vector<std::string> help) const {
  if (!right) fail(fmt::format("must be {}, is {}", what, describe(value)), std::move(help));
  return right;
}

bool JsonPlace::is_text(std::vector<std::string> help) const {
  if (!is_a(JsonKind::string, "a string", help)) return false;
  if (value.text.empty()) fail("must not be empty", std::move(help));
  return !value.text.empty();
}

bool JsonPlace::is_plain() const {
  const bool plain = !has_control(value.text);
  if (!plain) fail("has a line end or another control character", {"accepted: text of one line"});
  return plain;
}

void JsonPlace::add_with_path(Diagnostics errors) const {
  for (Diagnostic& error : errors)
    if (error.span.file == value.span.file) error.message = path + ": " + error.message;
  add(errors);
}

namespace {

/// Help for a value in quotes that would be right without them.
std::vector<std::string> help_for_quotes(const JsonValue& value, bool right) {
  if (value.kind != JsonKind::string || !right) return {};
  return {"remove the quotes: " + value.text};
}

} // namespace

namespace kinds {

Kind<std::string> string() {
  return {schema::text(), [](const JsonPlace& place, std::string& into) {
            if (place.is_a(JsonKind::string, "a string")) into = place.value.text;
          }};
}

Kind<std::string> text() {
  return {{{"type", "string"}, {"minLength", 1}}, [](const JsonPlace& place, std::string& into) {
            if (place.is_text()) into = place.value.text;
          }};
}

Kind<std::string> line(std::vector<std::string> help) {
  return {{{"type", "string"}, {"minLength", 1}, {"pattern", plain_pattern}},
          [help = std::move(help)](const JsonPlace& place, std::string& into) {
            if (place.is_line(help)) into = place.value.text;
          }};
}

Kind<std::vector<std::string>> lines() {
  return {{{"type", {"string", "array"}}, {"items", schema::text()}, {"minItems", 1}},
          [](const JsonPlace& place, std::vector<std::string>& into) {
            if (place.value.kind == JsonKind::string) return into.push_back(place.value.text);
            const bool some = place.value.kind == JsonKind::array && !place.value.items.empty();
            if (!place.require(some, "a string or a list of strings")) return;
            for (std::size_t k = 0; k < place.value.items.size(); ++k)
              if (place.item(k).is_a(JsonKind::string, "a string"))
                into.push_back(place.value.items[k].text);
          }};
}

Kind<bool> flag() {
  return {schema::boolean(), [](const JsonPlace& place, bool& into) {
            const std::string& text = place.value.text;
            if (place.is_a(JsonKind::boolean, "true or false",
                           help_for_quotes(place.value, text == "true" || text == "false")))
              into = place.value.boolean;
          }};
}

Kind<std::int64_t> whole(std::int64_t least, std::int64_t most) {
  schema::Json schema = schema::count({}, least);
  if (most < INT64_MAX) schema["maximum"] = most;
  const std::string what = fmt::format("an integer from {} to {}", least,
                                       most < INT64_MAX ? std::to_string(most) : "2^63 - 1");
  return {std::move(schema), [least, most, what](const JsonPlace& place, std::int64_t& into) {
            const JsonValue& value = place.value;
            const auto is_right = [=](const std::optional<std::int64_t>& number) {
              return number && *number >= least && *number <= most;
            };
            const auto number = whole_number(value);
            if (is_right(number)) {
              into = *number;
              return;
            }
            JsonValue bare = value;
            bare.kind = JsonKind::number;
            std::vector<std::string> help = help_for_quotes(value, is_right(whole_number(bare)));
            // Digits alone are refused for a leading zero, or because they exceed 64 bits.
            const bool digits = value.text.find_first_not_of("-0123456789") == std::string::npos;
            const bool zero = value.text.starts_with("-0") || value.text.starts_with('0');
            if (value.kind == JsonKind::number && !number && (!digits || zero))
              help.emplace_back("write digits alone: no fraction, exponent or leading zero");
            place.require(false, what, std::move(help));
          }};
}

Kind<Decimal> decimal(std::int64_t least, std::int64_t most) {
  const std::string what = fmt::format("a number from {} to {} with at most {} decimals", least,
                                       most, Decimal::decimals);
  return {{{"type", "number"}, {"minimum", least}, {"maximum", most}},
          [=](const JsonPlace& place, Decimal& into) {
            const auto number = decimal_of(place.value.text);
            const bool right =
                number && *number >= Decimal::of(least) && *number <= Decimal::of(most);
            if (place.require(place.value.kind == JsonKind::number && right, what,
                              help_for_quotes(place.value, right)))
              into = *number;
          }};
}

Kind<double> from_zero() {
  return {{{"type", "number"}, {"minimum", 0}}, [](const JsonPlace& place, double& into) {
            const bool is_number = place.value.kind == JsonKind::number;
            const double number = is_number ? real_value(place.value.text).value_or(-1) : -1;
            if (place.require(number >= 0, "a number that is 0 or more")) into = number;
          }};
}

Kind<std::size_t> word(std::vector<std::string> words) {
  const std::string accepted = fmt::format("accepted: {}", fmt::join(words, ", "));
  return {schema::word(words, {}), [words, accepted](const JsonPlace& place, std::size_t& into) {
            const JsonValue& value = place.value;
            const auto found = std::find(words.begin(), words.end(), value.text);
            if (value.kind != JsonKind::string) {
              place.is_a(JsonKind::string, "a string", {accepted});
            } else if (found != words.end()) {
              into = static_cast<std::size_t>(found - words.begin());
            } else {
              std::vector<std::string> help = did_you_mean(value.text, words);
              help.push_back(accepted);
              place.fail(fmt::format("{} is unknown", in_quotes(value.text)), std::move(help));
            }
          }};
}

} // namespace kinds
} // namespace memlane
