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

/// Without --free all parameters are free that --fix does not hold. Errors stay in `options`.
measure::FitRequest read_fit_parameters(OptionReader& options) {
  measure::FitRequest request;
  if (const auto list = options.value("free")) {
    request.free = {};
    for (const std::string& name : split_list(*list)) {
      const auto parameter = named_parameter("--free", name);
      if (options.check(parameter)) request.free[*parameter] = true;
    }
  }
  for (const auto& [name, text] : options.pairs("fix", "NAME=VALUE")) {
    const auto parameter = named_parameter("--fix", name);
    if (!options.check(parameter)) continue;
    request.free[*parameter] = false;
    const Result<double> value = fixed_value(measure::info_of(*parameter), text);
    if (options.check(value)) request.fixed[*parameter] = *value;
  }
  // Latencies and ports have the machine's values, and a launch may cost nothing.
  using measure::Parameter;
  if (!request.free[Parameter::unit] && !request.fixed[Parameter::unit] && options.ok())
    options.add(error_in("--free", "without unit the length of a time unit is not known",
                         {"--free unit,... fits it; --fix unit=NS holds it at a value"}));
  return request;
}

Result<Exit> fit_to_gpu(OptionReader& options, Sources& sources, Console& console) {
  const InterruptGuard guard;
  MeasuredRequest measured = read_measured_request(options, "gpu fit");
  measured.jobs = read_jobs(options);
  measure::FitRequest request = read_fit_parameters(options);
  request.max_steps = measured.max_steps.value_or(standard_fit_steps);
  Format format = Format::table;
  options.take(read_format(options.text("format", "table")), format);
  std::optional<PendingFile> machine_file = open_file(options, "out");
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
  console.out(render_fit(report, format));
  ErrorCollector errors;
  if (machine_file) errors.check(machine_file->write(to_json(report.machine).dump(2) + "\n"));
  if (measured.page) errors.check(measured.page->write(fit_page(report)));
  if (!errors.ok()) return errors.errors();
  return report.fit().stopped ? stopped_exit(measured.limits, console) : Exit::done;
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
       "some hundred times; 1000000 if not given. Where time does not depend\n"
       "on data, repeated rounds of loops do not count"},
      {"format", 0, "FORMAT", false, "table (the default), json, csv, jsonl, markdown or latex",
       format_names()},
      {"out", 'o', "FILE", false, "write the fitted machine as a machine file"}};
  command.options = join_options({command.options, own, jobs_options()});
  command.examples = {
      "memlane gpu fit tests/measure/synthetic.jsonl -m hmm-h200 --free unit,launch,L"};
  command.run = fit_to_gpu;
  return command;
}

} // namespace memlane::cli
