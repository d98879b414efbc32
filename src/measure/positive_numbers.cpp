#include "positive_numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace memlane::measure {
namespace {

// A picosecond and thirty years: squares and reciprocals of times between them fit a double.
constexpr double least_time = 1e-3;
constexpr double greatest_time = 1e18;

/// Sets `number`, or returns what is wrong with the value.
std::string_view read_positive(const JsonValue& value, double& number) {
  if (value.kind != JsonKind::number) return "not a number";
  const double read = std::strtod(value.text.c_str(), nullptr);
  if (!(read > 0)) return "not above 0";
  if (!(read >= least_time && read <= greatest_time)) return "not from 0.001 to 1e18";
  number = read;
  return "";
}

} // namespace

const char* const skipped_help = "write a point without a time with \"skipped\": \"why\"";

double positive(JsonFields& fields, std::string_view key) {
  const JsonValue* value = fields.find(key);
  double number = 1;
  if (!value) return number;
  if (const std::string_view wrong = read_positive(*value, number); !wrong.empty())
    fields.fail_at(key, fmt::format("is {}, {}", describe(*value), wrong));
  return number;
}

std::vector<double> positives(JsonFields& fields, std::string_view key) {
  const JsonValue* value = fields.find(key);
  std::vector<double> numbers;
  if (!value) return numbers;
  if (value->kind != JsonKind::array || value->items.empty()) {
    fields.fail_at(key,
                   value->kind == JsonKind::array
                       ? "is empty"
                       : fmt::format("is {}, not a list of numbers", describe(*value)),
                   {skipped_help});
    return numbers;
  }
  for (const JsonValue& item : value->items) {
    double number = 1;
    if (const std::string_view wrong = read_positive(item, number); !wrong.empty())
      fields.fail(item.span, fmt::format("\"{}\", item {}, is {}, {}", key, numbers.size(),
                                         describe(item), wrong));
    numbers.push_back(number);
    if (!fields.ok()) break;
  }
  return numbers;
}

} // namespace memlane::measure
