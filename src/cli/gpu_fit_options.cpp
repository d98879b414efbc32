#include "gpu_fit_options.hpp"

#include "memlane/measure/fit_machine.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace memlane::cli {
namespace {

Result<measure::ParameterInfo> named_parameter(std::string_view option, const std::string& name) {
  std::vector<std::string> names;
  for (const measure::ParameterInfo& info : measure::parameters()) {
    if (info.name == name) return info;
    names.emplace_back(info.name);
  }
  // l and L are one letter away from everything short: only longer words are likely slips.
  std::vector<std::string> help;
  if (name.size() > 2) help = did_you_mean(name, names);
  help.push_back(fmt::format("parameters are {}", fmt::join(names, ", ")));
  return error_in(std::string(option), fmt::format("unknown parameter '{}'", name), help);
}

Result<double> fixed_value(const measure::ParameterInfo& info, const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool number = error == std::errc() && stop == end && std::isfinite(value);
  const bool whole = number && (!info.is_integer || value == std::round(value));
  if (whole && value >= info.lower && value <= info.upper) return value;
  return error_in("--fix", fmt::format("{}={}: {} number from {} to {} is needed", info.name, text,
                                       info.is_integer ? "a whole" : "a", info.lower, info.upper));
}

void note_errors(Diagnostics& errors, const Diagnostics& more) {
  errors.insert(errors.end(), more.begin(), more.end());
}

void read_free(const std::string& list, measure::FitRequest& request, Diagnostics& errors) {
  request.free = {};
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const auto info = named_parameter("--free", list.substr(at, end - at));
    if (info) {
      request.free[info->parameter] = true;
    } else {
      note_errors(errors, info.errors());
    }
    at = end + 1;
  }
}

void read_fix(const std::string& text, measure::FitRequest& request, Diagnostics& errors) {
  const auto pair = name_and_value("--fix", "NAME=VALUE", text);
  if (!pair) return note_errors(errors, pair.errors());
  const auto info = named_parameter("--fix", pair->first);
  if (!info) return note_errors(errors, info.errors());
  const Result<double> value = fixed_value(*info, pair->second);
  if (!value) return note_errors(errors, value.errors());
  request.values[info->parameter] = *value;
  request.free[info->parameter] = false;
}

} // namespace

Result<measure::FitRequest> fit_request(const Arguments& arguments, const MachineSpec& machine) {
  measure::FitRequest request;
  request.values = measure::start_values(machine);
  Diagnostics errors;
  if (const auto list = arguments.value("free")) read_free(*list, request, errors);
  bool unit_is_fixed = false;
  for (const std::string& text : arguments.values("fix")) {
    read_fix(text, request, errors);
    unit_is_fixed = unit_is_fixed || text.rfind("unit=", 0) == 0;
  }
  // Latencies and ports have the machine's values, and a launch may cost nothing.
  if (!request.free[measure::Parameter::unit] && !unit_is_fixed && errors.empty()) {
    errors.push_back(error_in("--free", "without unit nobody knows how long a time unit takes",
                              {"--free unit,... fits it; --fix unit=NS holds it at a value"}));
  }
  if (!errors.empty()) return errors;
  return request;
}

} // namespace memlane::cli
