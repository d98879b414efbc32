// memlane gpu fit: a machine fitted to recorded measurements.
#include "files.hpp"
#include "gpu.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/measure/fit_machine.hpp"
#include "memlane/report/gpu_report.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace memlane::cli {
namespace {

// Some hundred simulations of each point: a sixth of a second for one of them is a lot. Where time
// does not depend on data, these many instructions are enough for most large sizes.
constexpr std::int64_t standard_fit_steps = 1'000'000;

struct FitParameters {
  decltype(measure::FitRequest::free) free;
  std::vector<std::pair<measure::Parameter, double>> fixed;
};

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
  const auto value = number_of<double>(text);
  const bool whole = value && (!info.is_integer || *value == std::round(*value));
  if (whole && *value >= info.lower && *value <= info.upper) return *value;
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

/// Without --free all parameters are free that --fix does not hold. Errors stay in `options`.
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

/// The fit that begins at the machine's values.
measure::FitRequest fit_request(const FitParameters& parameters, const MachineSpec& machine) {
  measure::FitRequest request;
  request.values = measure::start_values(machine);
  request.free = parameters.free;
  for (const auto& [parameter, value] : parameters.fixed) request.values[parameter] = value;
  return request;
}

struct GpuFitRequest {
  FitParameters parameters;
  Format format = Format::table;
  std::optional<PendingFile> machine; ///< where the fitted machine goes
  MeasuredRequest measured;
};

GpuFitRequest read_gpu_fit_request(OptionReader& options) {
  GpuFitRequest request;
  request.measured = read_measured_request(options, "gpu fit");
  request.parameters = read_fit_parameters(options);
  options.take(read_format(options.text("format", "table")), request.format);
  request.machine = open_file(options, "out");
  return request;
}

Status write_fit(const FitReport& report, GpuFitRequest& request, Console& console) {
  console.out(render_fit(report, request.format));
  ErrorCollector errors;
  if (request.machine) errors.check(request.machine->write(to_json(report.machine).dump(2) + "\n"));
  if (request.measured.page) errors.check(request.measured.page->write(fit_page(report)));
  return errors.status();
}

Result<Exit> fit_to_gpu(OptionReader& options, Sources& sources, Console& console) {
  const InterruptGuard guard;
  GpuFitRequest request = read_gpu_fit_request(options);
  Result<MeasuredWork> work = prepare_measured(request.measured, options, sources, console);
  if (!work) return work.errors();
  measure::FitRequest fit = fit_request(request.parameters, work->machine);
  measure::FitProgress reached;
  ProgressLine line([&] {
    return fmt::format("{}: {} of about {}", reached.stage, reached.done, reached.total);
  });
  fit.progress = [&](const measure::FitProgress& progress) {
    reached = progress;
    line.show();
  };
  Result<measure::MeasuredFit> fitted =
      measure::fit_measured(work->measurements, work->machine, fit, work->simulator,
                            request.measured.max_steps.value_or(standard_fit_steps));
  line.erase();
  if (!fitted) return fitted.errors();
  if (fitted->fit.stopped && fitted->fit.points.empty()) {
    const Exit exit = stopped_exit(request.measured.limits, console);
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
  if (Status written = write_fit(report, request, console); !written) return written.errors();
  return report.fit().stopped ? stopped_exit(request.measured.limits, console) : Exit::done;
}

} // namespace

Command gpu_fit_command() {
  Command command = measured_command("gpu fit", "fit a machine to recorded measurements");
  command.description =
      "Fit the machine to the times of the emitted kernels. The parameters are the nanoseconds\n"
      "of a time unit (unit) and of a launch (launch), the latencies of shared (l) and global\n"
      "memory (L), and the ports of global memory (ports). The fit minimizes the relative\n"
      "residuals within bounds; points with a wide spread or a large residual count less. Show\n"
      "95 % confidence intervals, the residual of each point, and the error of each program in\n"
      "a fit to the others. Ctrl-C and --max-seconds stop the search: it then shows the best so\n"
      "far.";
  const std::vector<Option> own = {
      {"free", 0, "NAMES", false, "fit only these, e.g. unit,launch,L"},
      {"fix", 0, "NAME=VALUE", true, "fix a parameter at a value"},
      {"max-steps", 0, "N", false,
       "leave out points with more instructions, since each point is simulated\n"
       "about a hundred times; 1000000 if not given. Where time does not depend\n"
       "on data, repeated rounds of loops do not count"},
      {"format", 0, "FORMAT", false, "table (the default), json, csv, jsonl, markdown or latex",
       format_names()},
      {"out", 'o', "FILE", false, "write the fitted machine as a machine file"}};
  command.options = join_options({command.options, own});
  command.examples = {
      "memlane gpu fit tests/measure/synthetic.jsonl -m hmm-h200 --free unit,launch,L"};
  command.run = fit_to_gpu;
  return command;
}

} // namespace memlane::cli
