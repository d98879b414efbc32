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

Result<std::pair<measure::Parameter, double>> fixed_parameter(const NameAndValue& text) {
  const auto info = named_parameter("--fix", text.first);
  if (!info) return info.errors();
  const Result<double> value = fixed_value(*info, text.second);
  if (!value) return value.errors();
  return std::pair(info->parameter, *value);
}

} // namespace

FitParameters read_fit_parameters(OptionReader& options) {
  FitParameters parameters{measure::FitRequest().free, {}};
  if (const auto list = options.value("free")) {
    parameters.free = {};
    for (const std::string& name : split_list(*list)) {
      const auto info = named_parameter("--free", name);
      if (options.check(info)) parameters.free[info->parameter] = true;
    }
  }
  bool unit_is_fixed = false;
  for (const NameAndValue& text : options.pairs("fix", "NAME=VALUE")) {
    const auto fixed = fixed_parameter(text);
    unit_is_fixed = unit_is_fixed || text.first == "unit";
    if (!options.check(fixed)) continue;
    parameters.fixed.push_back(*fixed);
    parameters.free[fixed->first] = false;
  }
  // Latencies and ports have the machine's values, and a launch may cost nothing.
  if (!parameters.free[measure::Parameter::unit] && !unit_is_fixed && options.ok())
    options.add(error_in("--free", "without unit the length of a time unit is not known",
                         {"--free unit,... fits it; --fix unit=NS holds it at a value"}));
  return parameters;
}

measure::FitRequest fit_request(const FitParameters& parameters, const MachineSpec& machine) {
  measure::FitRequest request;
  request.values = measure::start_values(machine);
  request.free = parameters.free;
  for (const auto& [parameter, value] : parameters.fixed) request.values[parameter] = value;
  return request;
}

} // namespace memlane::cli
