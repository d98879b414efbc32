// memlane gpu compare: recorded measurements beside simulated times.
#include "files.hpp"
#include "gpu.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/measure/compare.hpp"
#include "memlane/report/gpu_report.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

Exit compare_with_gpu(const Arguments& arguments, Console& console) {
  if (const Status one = one_measured_file(arguments, "gpu compare"); !one)
    return console.fail(one.errors(), Sources());
  const InterruptGuard guard;
  Result<std::vector<ResultTarget>> targets = result_targets(arguments);
  if (!targets) return console.fail(targets.errors(), Sources());
  std::optional<PendingFile> page;
  if (const auto path = arguments.value("page")) {
    Result<PendingFile> file = PendingFile::open(*path);
    if (!file) return console.fail(file.errors(), Sources());
    page.emplace(std::move(*file));
  }
  MeasuredWork work;
  if (Status ready = prepare_measured(arguments, console, work); !ready)
    return console.fail(ready.errors(), work.sources);
  measure::ComparisonLimits limits;
  limits.max_steps = work.max_steps;
  ProgressLine line;
  limits.progress = [&](std::size_t done, std::size_t total) {
    line.show(fmt::format("simulating the points: {} of {}", done, total));
  };
  const measure::MeasuredComparison comparison =
      measure::compare_measured(std::move(work.measurements), work.machine, work.simulator, limits);
  line.erase();

  const Status written = write_results(
      [&](Format format, TableStyle) { return render_measured(comparison, version, format); },
      *targets, console);
  if (!written) return console.fail(written.errors(), work.sources);
  if (page) {
    const Status shown = page->write(measured_page(comparison));
    if (!shown) return console.fail(shown.errors(), work.sources);
  }
  return comparison.stopped ? stopped_exit(work.limits, console) : Exit::done;
}

} // namespace

Command gpu_compare_command() {
  Command command = measured_command("gpu compare", "recorded measurements beside simulated times");
  command.description =
      "Simulates every measured point, fits the nanoseconds of a time unit and of a launch to\n"
      "the emitted kernels, and shows predicted beside measured times. Then, for each problem\n"
      "and size n: does the prediction have the measured order (Kendall's tau-b), which pairs\n"
      "does it have the other way round, and where do the curves of two algorithms cross. A\n"
      "problem is a program on one kind of machine, or what the lines call \"problem\". A\n"
      "kernel written by hand is compared with its program; one of CUB is only shown.";
  command.options.push_back(
      {"max-steps", 0, "N", false,
       "instructions simulated for a point at most; without it about a minute's\n"
       "worth is shared among the points, small ones first"});
  for (const Option& option : result_options()) command.options.push_back(option);
  command.examples = {"memlane gpu compare tests/measure/synthetic.jsonl -m hmm-h200"};
  command.run = compare_with_gpu;
  return command;
}

} // namespace memlane::cli
