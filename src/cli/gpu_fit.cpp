// memlane gpu fit: a machine fitted to recorded measurements.
#include "files.hpp"
#include "gpu.hpp"
#include "gpu_fit_options.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/measure/fit_machine.hpp"
#include "memlane/report/gpu_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memlane::cli {
namespace {

// Some hundred simulations of each point: a sixth of a second for one of them is a lot. Where time
// does not depend on data, these many instructions are enough for most large sizes.
constexpr std::int64_t standard_fit_steps = 1'000'000;

FitReport report_of(const MeasuredWork& work, measure::MeasuredFit measured) {
  FitReport report;
  report.version = version;
  report.path = work.measurements.path;
  report.device = work.measurements.points.front().device.name;
  report.peak_bandwidth_gbps = work.measurements.points.front().device.peak_bandwidth_gbps;
  report.base = work.machine;
  report.machine = measure::fitted_machine(work.machine, measured, report.path);
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    const measure::MeasuredPoint& point = measured.points[i];
    const bool global = point.machine.model != Model::dmm;
    report.points.push_back({measured.curves[i], point.parameters, measure::size_of(point),
                             point.priced_ns, global ? point.array_bytes : std::nullopt});
  }
  for (const measure::UnusedPoint& unused : measured.unused) {
    report.unused.push_back({unused.curve, unused.measured.parameters, unused.why});
  }
  report.fit = std::move(measured.fit);
  return report;
}

/// Files that are wanted, opened before the work begins.
struct FitFiles {
  std::optional<PendingFile> machine, page;
};

Result<FitFiles> open_fit_files(const Arguments& arguments) {
  FitFiles files;
  Diagnostics errors;
  const auto open = [&](std::string_view option, std::optional<PendingFile>& into) {
    const auto path = arguments.value(option);
    if (!path) return;
    Result<PendingFile> file = PendingFile::open(*path);
    if (file) {
      into.emplace(std::move(*file));
    } else {
      errors.insert(errors.end(), file.errors().begin(), file.errors().end());
    }
  };
  open("out", files.machine);
  open("page", files.page);
  if (!errors.empty()) return errors;
  return files;
}

Status write_fit(const FitReport& report, Format format, FitFiles& files, Console& console) {
  console.out(render_fit(report, format));
  if (files.machine) {
    const Status written = files.machine->write(to_json(report.machine).dump(2) + "\n");
    if (!written) return written;
  }
  if (files.page) return files.page->write(fit_page(report));
  return Done{};
}

Exit fit_to_gpu(const Arguments& arguments, Console& console) {
  if (const Status one = one_measured_file(arguments, "gpu fit"); !one)
    return console.fail(one.errors(), Sources());
  const InterruptGuard guard;
  const auto format_name = arguments.value("format").value_or("table");
  const std::optional<Format> format = format_named(format_name);
  if (!format) {
    return console.fail(error_in("--format", fmt::format("unknown format '{}'", format_name),
                                 {"table, json, csv and jsonl are known"}));
  }
  Result<FitFiles> files = open_fit_files(arguments);
  if (!files) return console.fail(files.errors(), Sources());
  MeasuredWork work;
  if (Status ready = prepare_measured(arguments, console, work); !ready)
    return console.fail(ready.errors(), work.sources);
  Result<measure::FitRequest> request = fit_request(arguments, work.machine);
  if (!request) return console.fail(request.errors(), work.sources);
  ProgressLine line;
  request->progress = [&](const measure::FitProgress& progress) {
    line.show(fmt::format("{}: {} of about {}", progress.stage, progress.done, progress.total));
  };
  Result<measure::MeasuredFit> fitted =
      measure::fit_measured(work.measurements, work.machine, *request, work.simulator,
                            work.max_steps.value_or(standard_fit_steps));
  line.erase();
  if (!fitted) return console.fail(fitted.errors(), work.sources);
  if (fitted->fit.stopped && fitted->fit.points.empty()) {
    const Exit exit = stopped_exit(work.limits, console);
    console.talk(fmt::format("nothing is fitted: {} of {} points were simulated before\n",
                             fitted->points.size(), work.measurements.points.size()));
    return exit;
  }
  const FitReport report = report_of(work, std::move(*fitted));
  for (const std::string& warning : fit_warnings(report))
    console.talk(fmt::format("warning: {}\n", warning));
  const Status written = write_fit(report, *format, *files, console);
  if (!written) return console.fail(written.errors(), work.sources);
  return report.fit.stopped ? stopped_exit(work.limits, console) : Exit::done;
}

} // namespace

Command gpu_fit_command() {
  Command command = measured_command("gpu fit", "a machine fitted to recorded measurements");
  command.description =
      "Finds the nanoseconds of a time unit (unit) and of a launch (launch), the latencies of\n"
      "shared (l) and global memory (L) and the ports of the global memory (ports) with which\n"
      "the machine comes nearest to the emitted kernels' times, within bounds: the least loss of\n"
      "the relative residuals, in which points with a wide spread or a large residual count less;\n"
      "with 95% confidence intervals, the residual of each point, and the error of each program\n"
      "in a fit to the others. Stopped by Ctrl-C or --max-seconds, it shows the best so far.";
  const std::vector<Option> own = {
      {"free", 0, "NAMES", false, "only these are fitted, e.g. unit,launch,L"},
      {"fix", 0, "NAME=VALUE", true, "holds a parameter at a value"},
      {"max-steps", 0, "N", false,
       "points that take more instructions are left out, since each point is\n"
       "simulated some hundred times; 1000000 if not given. Rounds that repeat\n"
       "each other take none where time does not depend on data"},
      {"format", 0, "FORMAT", false, "table (the default), json, csv or jsonl"},
      {"out", 'o', "FILE", false, "writes the fitted machine as a machine file"}};
  command.options.insert(command.options.end(), own.begin(), own.end());
  command.examples = {
      "memlane gpu fit tests/measure/synthetic.jsonl -m hmm-h200 --free unit,launch,L"};
  command.run = fit_to_gpu;
  return command;
}

} // namespace memlane::cli
