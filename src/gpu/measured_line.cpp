#include "measured_line.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace memlane::gpu {
namespace {

using Json = MeasuredLine::Json;

// No kernel is faster than a picosecond or slower than thirty years; between them squares and
// reciprocals of times stay far from the ends of double.
constexpr double least_time = 1e-3;
constexpr double greatest_time = 1e18;

/// What stands where JSON stops, in words that help.
std::vector<std::string> help_for_text(std::string_view text) {
  if (text.find("NaN") != std::string_view::npos || text.find("nan") != std::string_view::npos ||
      text.find("nfinity") != std::string_view::npos) {
    return {"JSON has no NaN and no infinity: a point without a time is written with "
            "\"skipped\": \"why\""};
  }
  return {"every line is one JSON object by itself; measure the point again or delete the line"};
}

} // namespace

std::string shown_json(const Json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

MeasuredLine::MeasuredLine(std::string_view text, std::int32_t file, std::size_t begin, bool last,
                           std::optional<Diagnostic>& problem)
    : text_(text), file_(file), begin_(begin), problem_(problem) {
  read_object(last);
}

void MeasuredLine::read_object(bool last) {
  const std::string_view text = text_;
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
    return fail(whole(), "the line is empty; each line is a JSON object", {"delete the line"});
  }
  try {
    object_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const bool cut = last && at >= text.size();
    return fail(span(at, std::min(at + 1, text.size())),
                cut ? "the last line is cut off: it is no whole JSON object" : "not JSON from here",
                cut ? std::vector<std::string>{"the measurement was interrupted while it wrote: "
                                               "measure the point again"}
                    : help_for_text(text));
  } catch (const Json::exception&) {
    return fail(whole(), "a number is too large for any computer",
                {"times are nanoseconds, at most 1e18"});
  }
  if (!object_.is_object()) {
    const std::string what = shown_json(object_);
    object_ = Json::object();
    return fail(whole(), fmt::format("the line is {}, not a JSON object", what),
                help_for_text(text));
  }
  read_members(0);
}

MeasuredLine::MeasuredLine(const MeasuredLine& outer, std::string_view key)
    : text_(outer.text_), file_(outer.file_), begin_(outer.begin_),
      prefix_(outer.prefix_ + std::string(key) + "."), problem_(outer.problem_) {}

MeasuredLine MeasuredLine::inside(std::string_view key) {
  MeasuredLine inner(*this, key);
  const Json* value = find(key);
  if (!value) return inner;
  if (!value->is_object()) {
    fail_at(key, fmt::format("is {}, not an object", shown_json(*value)));
    return inner;
  }
  inner.object_ = *value;
  if (const JsonMember* place = place_of(key)) inner.read_members(place->begin);
  return inner;
}

/// Of a key given twice, the parser by itself would drop a value.
void MeasuredLine::read_members(std::size_t at) {
  members_ = members_at(text_, at);
  std::set<std::string_view> keys;
  for (const JsonMember& member : members_) {
    if (keys.insert(member.key).second) continue;
    fail(span(member.key_begin, member.key_end),
         fmt::format("\"{}{}\" is given twice", prefix_, member.key), {"delete one of them"});
  }
}

Span MeasuredLine::span(std::size_t from, std::size_t to) const {
  return {file_, static_cast<std::uint32_t>(begin_ + from),
          static_cast<std::uint32_t>(begin_ + to)};
}

Span MeasuredLine::whole() const { return span(0, 0); }

void MeasuredLine::fail(Span span, std::string message, std::vector<std::string> help) {
  if (problem_) return;
  problem_ = error_at(span, std::move(message), std::move(help));
  problem_->severity = Severity::warning;
}

const JsonMember* MeasuredLine::place_of(std::string_view key) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const JsonMember& member) { return member.key == key; });
  return found == members_.end() ? nullptr : &*found;
}

void MeasuredLine::fail_at(std::string_view key, std::string message,
                           std::vector<std::string> help) {
  const JsonMember* place = place_of(key);
  fail(place ? span(place->begin, place->end) : whole(),
       fmt::format("\"{}\" {}", named(key), message), std::move(help));
}

void MeasuredLine::fail_at_item(std::string_view key, std::size_t item, std::string message,
                                std::vector<std::string> help) {
  const JsonMember* place = place_of(key);
  const auto found = place ? item_at(text_, place->begin, item) : std::nullopt;
  fail(found ? span(found->begin, found->end) : whole(),
       fmt::format("\"{}\", item {}, {}", named(key), item, message), std::move(help));
}

const Json* MeasuredLine::find(std::string_view key) {
  if (!ok()) return nullptr;
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  std::vector<std::string> keys;
  for (const auto& [known, value] : object_.items()) keys.push_back(known);
  std::vector<std::string> help;
  if (const auto near = nearest(key, keys)) {
    help.push_back(fmt::format("\"{}\" is there: is that the key?", *near));
  }
  help.emplace_back("measure the point again, or delete the line");
  fail(whole(), fmt::format("the line has no \"{}\"", named(key)), std::move(help));
  return nullptr;
}

std::string MeasuredLine::text(std::string_view key) {
  const Json* value = find(key);
  if (!value) return {};
  if (value->is_string()) return value->get<std::string>();
  fail_at(key, fmt::format("is {}, not a text", shown_json(*value)));
  return {};
}

std::int64_t MeasuredLine::integer(std::string_view key, std::int64_t lo, std::int64_t hi) {
  const Json* value = find(key);
  if (!value) return lo;
  const bool fits =
      value->is_number_integer() &&
      (!value->is_number_unsigned() || value->get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
  if (fits && value->get<std::int64_t>() >= lo && value->get<std::int64_t>() <= hi) {
    return value->get<std::int64_t>();
  }
  fail_at(key, fmt::format("is {}, not a whole number of at least {}{}", shown_json(*value), lo,
                           hi == INT64_MAX ? "" : fmt::format(" and at most {}", hi)));
  return lo;
}

double MeasuredLine::checked(std::string_view key, const Json& value,
                             std::optional<std::size_t> item) {
  std::string why;
  if (!value.is_number()) {
    why = "not a number";
  } else {
    const double number = value.get<double>();
    if (std::isfinite(number) && number >= least_time && number <= greatest_time) return number;
    why = number <= 0 ? "not above 0" : "not from 0.001 to 1e18";
  }
  const std::string message = fmt::format("is {}, {}", shown_json(value), why);
  const std::vector<std::string> help = {"measure the point again, or delete the line"};
  if (item) {
    fail_at_item(key, *item, message, help);
  } else {
    fail_at(key, message, help);
  }
  return 1;
}

double MeasuredLine::positive(std::string_view key) {
  const Json* value = find(key);
  return value ? checked(key, *value, std::nullopt) : 1;
}

std::vector<double> MeasuredLine::positives(std::string_view key) {
  const Json* value = find(key);
  std::vector<double> numbers;
  if (!value) return numbers;
  if (!value->is_array() || value->empty()) {
    fail_at(key,
            value->is_array() ? "is empty"
                              : fmt::format("is {}, not an array of numbers", shown_json(*value)),
            {"a point without a time is written with \"skipped\": \"why\""});
    return numbers;
  }
  for (const Json& item : *value) {
    if (!ok()) break;
    numbers.push_back(checked(key, item, numbers.size()));
  }
  return numbers;
}

std::size_t MeasuredLine::word(std::string_view key, const std::vector<std::string>& words) {
  const std::string given = text(key);
  if (!ok()) return 0;
  const auto found = std::find(words.begin(), words.end(), given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::vector<std::string> help = did_you_mean(given, words);
  help.push_back(fmt::format("accepted: {}", fmt::join(words, ", ")));
  fail_at(key, fmt::format("is {}, which is unknown", shown_json(object_.at(std::string(key)))),
          std::move(help));
  return 0;
}

std::vector<std::string> MeasuredLine::texts(std::string_view key) {
  const Json* value = find(key);
  std::vector<std::string> list;
  if (!value) return list;
  if (!value->is_array()) {
    fail_at(key, fmt::format("is {}, not an array of texts", shown_json(*value)));
    return list;
  }
  for (const Json& item : *value) {
    if (!item.is_string()) {
      fail_at_item(key, list.size(), fmt::format("is {}, not a text", shown_json(item)));
      break;
    }
    list.push_back(item.get<std::string>());
  }
  return list;
}

} // namespace memlane::gpu
