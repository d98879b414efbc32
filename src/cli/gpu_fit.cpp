// memlane gpu fit: a machine fitted to recorded measurements.
#include "files.hpp"
#include "gpu.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/study/gpu/fit.hpp"
#include "memlane/study/gpu/report.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace memlane::cli {
namespace {

// Some hundred simulations of each point: a sixth of a second for one of them is a lot. Where time
// does not depend on data, these many instructions are enough for most large sizes.
constexpr std::int64_t standard_fit_steps = 1'000'000;

Result<measure::Parameter> named_parameter(std::string_view option, const std::string& name) {
  std::vector<std::string> names;
  for (const measure::ParameterInfo& info : measure::parameters()) {
    if (info.name == name) return info.parameter;
    names.emplace_back(info.name);
  }
  // l and L are one letter away from everything short: only longer words are likely slips.
  std::vector<std::string> help;
  if (name.size() > 2) help = did_you_mean(name, names);
  help.push_back(fmt::format("parameters are {}", fmt::join(names, ", ")));
  return error_in(std::string(option), fmt::format("unknown parameter '{}'", name), help);
}

Result<double> fixed_value(const measure::ParameterInfo& info, const std::string& text) {
  const auto value = number_of<double>(text);
  const bool allowed = value && (!info.simulated || *value == std::round(*value));
  if (allowed && *value >= info.lower && *value <= info.upper) return *value;
  return error_in("--fix", fmt::format("{}={}: {} number from {} to {} is needed", info.name, text,
                                       info.simulated ? "a whole" : "a", info.lower, info.upper));
}

struct GpuFit : MeasuredRequest {
  std::optional<std::vector<std::string>> free; ///< --free; without it all are that are not fixed
  std::vector<NameAndValue> fixed;              ///< --fix
  Format format = Format::table;
  std::optional<PendingFile> machine_file; ///< -o
  measure::FitRequest fit;                 ///< of these
};

/// Errors stay in `options`.
void find_fit(OptionReader& options, GpuFit& command) {
  measure::FitRequest& request = command.fit;
  request.max_steps = command.max_steps.value_or(standard_fit_steps);
  if (command.free) request.free = {};
  for (const std::string& name : command.free.value_or(std::vector<std::string>())) {
    const auto parameter = named_parameter("--free", name);
    if (options.check(parameter)) request.free[*parameter] = true;
  }
  for (const auto& [name, text] : command.fixed) {
    const auto parameter = named_parameter("--fix", name);
    if (!options.check(parameter)) continue;
    request.free[*parameter] = false;
    const Result<double> value = fixed_value(measure::info_of(*parameter), text);
    if (options.check(value)) request.fixed[*parameter] = *value;
  }
  // Latencies and ports have the machine's values, and a launch may cost nothing.
  using measure::Parameter;
  if (!request.free[Parameter::unit] && !request.fixed[Parameter::unit] && options.ok())
    options.fail("--free", "without unit the length of a time unit is not known",
                 "--free unit,... fits it; --fix unit=NS holds it at a value");
}

void fit_options(Options& options, GpuFit& command) {
  add_measured(options, command);
  options.add("free", "NAMES", list(&command.free), "fit only these, e.g. unit,launch,L");
  options.add("fix", "NAME=VALUE", &command.fixed, "fix a parameter at a value");
  options.add("max-steps", "N", whole(&command.max_steps, 1),
              "leave out points with more instructions, since each point is simulated\n"
              "some hundred times; 1000000 if not given. Where time does not depend\n"
              "on data, repeated rounds of loops do not count");
  options.add("format", "FORMAT", one_of(&command.format, "format", named_formats()),
              "table (the default), json, csv, jsonl, markdown or latex");
  options.add("out,o", "FILE", opened(&command.machine_file),
              "write the fitted machine as a machine file");
  add_jobs(options, command.jobs);
  options.then([&command](OptionReader& given, Sources&) { find_fit(given, command); });
}

Result<Exit> fit_to_gpu(GpuFit& measured, OptionReader& options, Sources& sources,
                        Console& console) {
  const InterruptGuard guard;
  measure::FitRequest& request = measured.fit;
  Result<MeasuredWork> work = prepare_measured(measured, options, sources, console);
  if (!work) return work.errors();

  std::size_t done = 0, total = 0;
  ProgressLine line(
      [&] { return fmt::format("simulating: {} of {} runs of a step", done, total); });
  request.progress = [&](std::size_t simulated, std::size_t all) {
    done = simulated;
    total = all;
    line.show();
  };
  Result<measure::MeasuredFit> fitted =
      measure::fit_measured(work->measurements, work->machine, request, work->simulator);
  line.erase();
  if (!fitted) return fitted.errors();
  if (fitted->fit.points.empty()) {
    const Exit exit = stopped_exit(measured.limits, console);
    console.print_error(fmt::format("nothing is fitted: {} of {} points were simulated before\n",
                                    fitted->points.size(), work->measurements.points.size()));
    return exit;
  }
  MachineSpec machine = measure::fitted_machine(work->machine, *fitted, work->measurements.path);
  const FitReport report{
      std::string(version), work->measurements.path, work->measurements.points.front().device,
      work->machine,        std::move(machine),      std::move(*fitted)};
  for (const std::string& warning : fit_warnings(report))
    console.print_error(fmt::format("warning: {}\n", warning));
  console.out(render_fit(report, measured.format));
  ErrorCollector errors;
  if (measured.machine_file)
    errors.check(measured.machine_file->write(to_json(report.machine).dump(2) + "\n"));
  if (measured.page) errors.check(measured.page->write(fit_page(report)));
  if (!errors.ok()) return errors.errors();
  return report.fit().stopped ? stopped_exit(measured.limits, console) : Exit::done;
}

} // namespace

Command gpu_fit_command() {
  return {
      "gpu fit",
      measured_usage,
      "fit a machine to recorded measurements",
      "Fit the machine to the times of the emitted kernels. The parameters are the nanoseconds\n"
      "of a time unit (unit) and of a launch (launch), the latencies of shared (l) and global\n"
      "memory (L), and the ports of global memory (ports). The fit minimizes the relative\n"
      "residuals within bounds; points with a wide spread or a large residual count less. Show\n"
      "95 % confidence intervals, the residual of each point, and the error of each program in\n"
      "a fit to the others. Ctrl-C and --max-seconds stop the search: it then shows the best so\n"
      "far.",
      call_with(fit_options, fit_to_gpu),
      {"memlane gpu fit measured.jsonl -m hmm-h200-plain --free unit,launch,L"}};
}

} // namespace memlane::cli
