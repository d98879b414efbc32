// memlane gpu compare: recorded measurements beside simulated times.
#include "files.hpp"
#include "gpu.hpp"
#include "gpu_executable.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/study/gpu/compare.hpp"
#include "memlane/study/gpu/report.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

struct GpuComparison : MeasuredRequest {
  std::vector<ResultTarget> targets;
};

void comparison_options(Options& options, GpuComparison& request) {
  add_measured(options, request);
  options.add("max-steps", "N", whole(&request.max_steps, 1),
              "instructions simulated for a point at most; without it about a minute's\n"
              "worth is shared among the points, small ones first");
  add_targets(options, request.targets);
}

Result<Exit> compare_with_gpu(GpuComparison& request, OptionReader& options, Sources& sources,
                              Console& console) {
  const InterruptGuard guard;
  Result<MeasuredWork> work = prepare_measured(request, options, sources, console);
  if (!work) return work.errors();
  const auto seconds = number_of<double>(options.value("max-seconds").value_or("0"));
  const auto executables = measure::predict_executables(
      work->measurements,
      run_on_machine(work->machine, request.limits, request.max_steps.value_or(INT64_MAX),
                     seconds.value_or(0), sources));
  if (!executables && request.limits.check && request.limits.check() != Stop::none)
    return stopped_exit(request.limits, console);
  if (!executables) return executables.errors();
  measure::ComparisonLimits limits;
  limits.max_steps = request.max_steps;
  std::size_t done = 0, total = 0;
  ProgressLine line([&] { return fmt::format("simulating the points: {} of {}", done, total); });
  limits.progress = [&](std::size_t simulated, std::size_t all) {
    done = simulated;
    total = all;
    line.show();
  };
  const measure::MeasuredComparison comparison = measure::compare_measured(
      std::move(work->measurements), work->machine, work->simulator, limits, *executables);
  line.erase();

  ErrorCollector errors;
  errors.check(write_results(
      [&](Format format, TableStyle) { return render_measured(comparison, version, format); },
      request.targets, true, console));
  if (request.page) errors.check(request.page->write(measured_page(comparison)));
  if (!errors.ok()) return errors.errors();
  return comparison.stopped ? stopped_exit(request.limits, console) : Exit::done;
}

} // namespace

Command gpu_compare_command() {
  return {"gpu compare",
          measured_usage,
          "compare recorded measurements with simulated times",
          "Simulate every measured point, fit the nanoseconds of a time unit and of a launch to\n"
          "the emitted kernels, and show predicted beside measured times. Then show, for each\n"
          "problem and size n, whether the prediction has the measured order (Kendall's tau-b),\n"
          "which pairs are in the wrong order, and where the curves of two algorithms cross. A\n"
          "problem is a program on one kind of machine, or what the lines call \"problem\". A\n"
          "kernel written by hand is compared with its program; one of CUB is only shown.\n"
          "Executables that 'gpu measure' has measured run once on the machine, as with 'memlane\n"
          "cuda'. Each launch has a row, and the kernels of a program are ranked by their mean\n"
          "times.",
          call_with(comparison_options, compare_with_gpu),
          {"memlane gpu compare measured.jsonl -m hmm-h200-plain"}};
}

} // namespace memlane::cli
