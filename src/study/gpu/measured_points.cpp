#include "memlane/study/gpu/measured_points.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/study/gpu/executables.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace memlane::measure {
namespace {

Diagnostic warning_at(Span span, std::string message, std::vector<std::string> help = {}) {
  Diagnostic warning = error_at(span, std::move(message), std::move(help));
  warning.severity = Severity::warning;
  return warning;
}

/// Equal for two measurements of the same point.
std::string point_key(const MeasuredPoint& point) {
  const char* const fmad = !point.fmad ? "" : *point.fmad ? "fmad" : "no fmad";
  return fmt::format("{}\n{}\n{}", name_of(point.variant), fmad, simulation_key(point));
}

Status check_devices(Measurements& measurements, const std::string& wanted) {
  std::vector<std::string> names;
  for (const MeasuredPoint& point : measurements.points) {
    if (std::find(names.begin(), names.end(), point.device.name) == names.end())
      names.push_back(point.device.name);
  }
  const std::string listed = fmt::format("measured devices: {}", fmt::join(names, ", "));
  if (wanted.empty()) {
    if (names.size() == 1) return Done{};
    return error_in(
        measurements.path,
        fmt::format("the points are of {} devices; compare one at a time", names.size()),
        {listed, "select one with --device NAME"});
  }
  if (std::find(names.begin(), names.end(), wanted) == names.end()) {
    std::vector<std::string> help = did_you_mean(wanted, names);
    help.push_back(listed);
    return error_in("--device", fmt::format("nothing was measured on '{}'", wanted), help);
  }
  std::erase_if(measurements.points,
                [&](const MeasuredPoint& p) { return p.device.name != wanted; });
  return Done{};
}

/// Keeps the last line of each point.
void remove_repeated(std::vector<MeasuredPoint>& points, Diagnostics& warnings) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < points.size(); ++i) last[point_key(points[i])] = i;
  std::vector<MeasuredPoint> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (last[point_key(points[i])] == i) {
      kept.push_back(std::move(points[i]));
    } else {
      warnings.push_back(
          warning_at(points[i].place, "left out: a later line measures the same point"));
    }
  }
  points = std::move(kept);
}

void remove_wrong(std::vector<MeasuredPoint>& points, Diagnostics& warnings) {
  std::erase_if(points, [&](const MeasuredPoint& point) {
    if (point.verified != Verified::failed) return false;
    warnings.push_back(
        warning_at(point.place, fmt::format("left out: the {} kernel of {} gave a wrong result",
                                            name_of(point.variant), point.program)));
    return true;
  });
}

/// Warns once for each program and text, at the first point.
void remove_changed_programs(std::vector<MeasuredPoint>& points, const Selection& selection,
                             const Simulator& simulator, Diagnostics& warnings) {
  std::map<std::string, std::string> hashes;
  std::set<std::string> warned;
  std::erase_if(points, [&](const MeasuredPoint& point) {
    const std::string name = fmt::format("{} {}", point.launch.has_value(), point.program);
    auto hash = hashes.find(name);
    if (hash == hashes.end()) {
      const Result<std::string> sha256 = simulator.sha256(point);
      hash = hashes.emplace(name, sha256 ? *sha256 : "").first;
      if (!sha256) {
        const Diagnostic& why = sha256.errors().front();
        warnings.push_back(warning_at(
            point.place, fmt::format("points of {} left out: {}", point.program, why.message),
            why.help));
      }
    }
    if (hash->second.empty()) return true;
    if (selection.any_version || hash->second == point.sha256) return false;
    if (warned.insert(point.program + point.sha256).second) {
      warnings.push_back(
          warning_at(point.place,
                     fmt::format("points of {} left out: {} has changed since it was measured",
                                 point.program, point.launch ? "it" : "its text"),
                     {"measure it again, or use the points anyway with --any-version"}));
    }
    return true;
  });
}

std::string replaced_text(const MeasuredPoint& point) {
  std::string text;
  for (const auto& [option, replacement] : point.replaced) {
    text += fmt::format(" --{} {}", option, replacement);
  }
  return text;
}

} // namespace

Result<MachineSpec> machine_of(const KernelShape& kernel, const MachineSpec& machine) {
  const ModelTraits& traits = traits_of(kernel.model);
  const bool lacks_shared = traits.has_shared && !machine.shared;
  const bool lacks_global = traits.has_global && !machine.global;
  if (lacks_shared || lacks_global) {
    return error_in("",
                    fmt::format("the kernel is for {} machines, but this one has no {} memory",
                                name_of(kernel.model), lacks_shared ? "shared" : "global"),
                    {"use a machine with both memories, such as hmm-h200-plain"});
  }
  MachineSpec spec = machine;
  if (kernel.model != machine.model) {
    spec = memlane::machine_of(kernel.model); // a UMM has no ports of multiprocessors, say
    spec.name = machine.name;
    for (const MachineKey& key : machine_keys())
      if (key.fetch && key.path != "model" && contains(key.models, machine.model) &&
          contains(key.models, kernel.model))
        key.store(spec, key.fetch(machine));
    const auto take_unit = [](std::optional<UnitSpec>& unit, const std::optional<UnitSpec>& from) {
      if (!unit) return;
      unit->latency = from->latency;
      unit->ports = from->ports;
      unit->capacity = from->capacity;
    };
    take_unit(spec.shared, machine.shared);
    take_unit(spec.global, machine.global);
  }
  spec.width = kernel.width;
  spec.multiprocessors = kernel.multiprocessors;
  spec.threads = kernel.threads;
  return spec;
}

Status select_points(Measurements& measurements, const Selection& selection,
                     const Simulator& simulator, Diagnostics& warnings) {
  if (Status devices = check_devices(measurements, selection.device); !devices) return devices;
  remove_repeated(measurements.points, warnings);
  remove_wrong(measurements.points, warnings);
  remove_changed_programs(measurements.points, selection, simulator, warnings);
  if (!measurements.points.empty()) return Done{};
  Diagnostics errors = std::move(warnings);
  errors.push_back(error_in(measurements.path, "no measured point is left"));
  return errors;
}

std::string simulation_key(const MeasuredPoint& point) {
  if (point.launch)
    return fmt::format("{}\n{}\n{}", command_of(point), point.launch->number,
                       launch_text(*point.launch));
  std::string key = fmt::format("{}\n{}\n", point.program, parameters_text(point.parameters));
  for (const auto& [option, text] : point.replaced) key += fmt::format("{} {}\n", option, text);
  return key + fmt::format("{} {} {} {} {}", name_of(point.machine.model), point.machine.width,
                           point.machine.multiprocessors, point.machine.threads, point.seed);
}

std::string command_of(const MeasuredPoint& point) {
  std::string words = point.launch ? shell_word(point.program) : point.program;
  if (point.launch)
    for (const std::string& word : point.launch->arguments) words += ' ' + shell_word(word);
  return words;
}

std::string problem_of(const MeasuredPoint& point) {
  if (point.launch) return point.problem;
  std::string name = point.problem;
  for (const auto& [option, text] : point.replaced)
    if (option == "type") name += " of " + text;
  if (point.fmad.value_or(false)) name += ", fmad";
  return fmt::format("{} on {}", name, name_of(point.machine.model));
}

std::string parameters_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

std::optional<double> size_of(const MeasuredPoint& point) {
  for (const auto& [name, value] : point.parameters) {
    if (name != "n") continue;
    const auto size = number_of<double>(value);
    if (size && *size > 0 && *size < 1e18) return size;
  }
  return std::nullopt;
}

std::vector<std::string> curve_names(const std::vector<MeasuredPoint>& points) {
  const auto machine_text = [](const KernelShape& machine) {
    return fmt::format("{} w={} d={} p={}", name_of(machine.model), machine.width,
                       machine.multiprocessors, machine.threads);
  };
  std::map<std::string, std::set<std::string>> machines;
  std::map<std::string, std::set<bool>> roundings;
  for (const MeasuredPoint& point : points) {
    machines[point.program].insert(machine_text(point.machine));
    roundings[point.program].insert(point.fmad.value_or(false));
  }
  std::vector<std::string> names;
  for (const MeasuredPoint& point : points) {
    if (point.launch) {
      names.push_back(launch_text(*point.launch));
      continue;
    }
    std::string name = point.program + replaced_text(point);
    for (const auto& [parameter, value] : point.parameters) {
      if (parameter != "n") name += fmt::format(" {}={}", parameter, value);
    }
    if (machines[point.program].size() > 1) {
      name += fmt::format(" ({})", machine_text(point.machine));
    }
    if (roundings[point.program].size() > 1)
      name += point.fmad.value_or(false) ? " fmad" : " no fmad";
    names.push_back(std::move(name));
  }
  return names;
}

} // namespace memlane::measure
