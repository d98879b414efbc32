// The values of a line of measurements, each with its checks.
#include "measured_line.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::measure {
namespace {

// No kernel is faster than a picosecond or slower than thirty years; between them squares and
// reciprocals of times stay far from the ends of double.
constexpr double least_time = 1e-3;
constexpr double greatest_time = 1e18;

} // namespace

std::string MeasuredLine::text(std::string_view key) {
  const Json* value = find(key);
  if (!value) return {};
  if (value->is_string()) return value->get<std::string>();
  fail_at(key, fmt::format("is {}, not a text", shown_json(*value)));
  return {};
}

bool MeasuredLine::boolean(std::string_view key) {
  const Json* value = find(key);
  if (!value) return false;
  if (value->is_boolean()) return value->get<bool>();
  fail_at(key, fmt::format("is {}, not true or false", shown_json(*value)));
  return false;
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

} // namespace memlane::measure
