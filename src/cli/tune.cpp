// memlane tune: the best value of a parameter.
#include "command.hpp"
#include "figure_files.hpp"
#include "input_files.hpp"
#include "interrupt.hpp"
#include "plan_runs.hpp"
#include "tune_plans.hpp"
#include "tune_problems.hpp"
#include "tune_request.hpp"
#include "tune_rows.hpp"
#include "version.hpp"

#include "memlane/report/stored_result.hpp"
#include "memlane/report/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

Result<PlansRun> run_values(const TuneRequest& request, const std::vector<TunedPlan>& plans,
                            sweep::Store& store, const Sources& sources) {
  std::vector<sweep::NamedPlan> named;
  for (const TunedPlan& one : plans) {
    named.push_back({request.spec.name, &one.plan});
    if (one.naive) named.push_back({request.spec.name, &*one.naive});
  }
  InputFiles inputs;
  PlanRuns how;
  how.retry = request.how.retry;
  how.request.runs = runs_with(request.how, inputs, sources);
  how.request.jobs = request.how.jobs;
  how.request.memory = request.how.limits.run.memory;
  return run_plans(named, std::move(how), store, sources);
}

/// The command with more values of an axis; empty: they do not go on, or none of them is allowed.
std::string extended_command(const OptionReader& options, const TuneRequest& request,
                             const TunedPlace& place, bool beyond_greatest, Sources& sources) {
  const sweep::SweepAxis& axis = request.spec.axes[request.tuned[place.axis]].front();
  const auto [values, more] = sweep::extended_values(axis, beyond_greatest);
  if (values.empty() || !can_try(request, place, more, sources)) return "";
  Arguments arguments = options;
  const char* const option = axis.kind == sweep::AxisKind::machine_key ? "set" : "define";
  std::erase_if(arguments.given_options, [&](const auto& given) {
    return given.first == "out" || given.first == "format" ||
           (given.first == option && given.second.starts_with(axis.name + "="));
  });
  arguments.given_options.emplace_back(option, fmt::format("{}={}", axis.name, values));
  return command_line("tune", arguments, tune_options());
}

/// How to go on where the best is the least or the greatest value.
void add_extensions(const OptionReader& options, const TuneRequest& request, Sources& sources,
                    TuningReport& report) {
  report.extensions.resize(report.axes.size());
  const TunedMachine& machine = report.machines.front();
  if (!machine.tuning) return;
  const std::vector<std::size_t>& best = machine.rows[machine.tuning->best].at;
  for (std::size_t k = 0; k < report.axes.size(); ++k) {
    const sweep::TuningLine& line = machine.tuning->lines[k];
    TuningExtension& extension = report.extensions[k];
    const auto command = [&](bool beyond_greatest) {
      return extended_command(options, request, {k, best}, beyond_greatest, sources);
    };
    if (line.at_least) extension.least = command(false);
    if (line.at_greatest) extension.greatest = command(true);
  }
}

TuningReport report_of(const TuneRequest& request, const std::vector<TunedPlan>& plans) {
  TuningReport report;
  report.version = version;
  report.program = request.spec.programs.front().name;
  for (const auto& group : request.spec.axes)
    if (group.front().size == 1)
      report.fixed.emplace_back(group.front().title(), group.front().value(0));
  report.naive_program = request.naive_program;
  report.axes = tuned_axes(request, plans);
  report.within = request.within;
  report.seeds = static_cast<std::int64_t>(request.spec.seeds.size());
  report.timing_only = request.spec.timing_only;
  return report;
}

Status read_machines(const TuneRequest& request, const std::string& store,
                     std::vector<TunedPlan>& plans, TuningReport& report) {
  Result<sweep::StoreReader> reader = sweep::StoreReader::open(store);
  if (!reader) return reader.errors();
  for (std::size_t k = 0; k < plans.size(); ++k) {
    TunedMachine machine = plans[k].machine;
    if (Status read = read_rows(request, plans[k], k, *reader, machine); !read)
      return read.errors();
    report.machines.push_back(std::move(machine));
  }
  find_best(report);
  return Done{};
}

Status write_all(TuneRequest& request, const TuningReport& report, Console& console) {
  for (ChartFile& chart : request.charts) {
    const std::string text =
        chart.is_page ? tuning_page(report) : charts_svg(tuning_charts(report));
    if (Status written = write_file(chart.file, text, !report.interrupted, console); !written)
      return written;
  }
  return write_results([&](Format format, TableStyle) { return render_tuning(report, format); },
                       request.targets, !report.interrupted, console);
}

/// How the values ended, the worst first.
Exit exit_of(const TuningReport& report) {
  if (report.interrupted) return Exit::interrupted;
  bool check_failed = false, stopped = false, chosen = true;
  for (const TunedMachine& machine : report.machines) {
    chosen = chosen && machine.tuning.has_value();
    std::vector<TunedRow> rows = machine.rows;
    if (machine.other_naive) rows.push_back(*machine.other_naive);
    for (const TunedRow& row : rows) {
      check_failed = check_failed || row.state == TunedState::check_failed || row.claim_failed;
      stopped = stopped || row.state == TunedState::stopped;
    }
  }
  if (stopped) return Exit::limit;
  if (check_failed) return Exit::check_failed;
  return chosen ? Exit::done : Exit::error;
}

Result<Exit> tune(OptionReader& options, Sources& sources, Console& console) {
  const InterruptGuard guard;
  TuneRequest request = read_tune_request(options, sources);
  if (!options.ok()) return options.errors();
  Result<std::vector<TunedPlan>> plans = plan_tuning(request, sources);
  if (!plans) return plans.errors();
  std::optional<TemporaryStore> temporary;
  std::string path = request.store;
  if (path.empty()) {
    Result<TemporaryStore> made = TemporaryStore::make();
    if (!made) return made.errors();
    temporary.emplace(std::move(*made));
    path = temporary->path();
  }
  Result<sweep::Store> store = sweep::Store::open(path, stored_columns());
  if (!store) return store.errors();
  const Result<PlansRun> run = run_values(request, *plans, *store, sources);
  if (!run) return run.errors();
  TuningReport report = report_of(request, *plans);
  report.changed_inputs = changed_inputs(request, plans->front(), sources);
  report.interrupted = run->interrupted;
  if (const Status read = read_machines(request, path, *plans, report); !read) return read.errors();
  add_extensions(options, request, sources, report);
  if (const Status written = write_all(request, report, console); !written) return written.errors();
  if (report.interrupted)
    console.print_error(temporary ? "interrupted; with --store FILE the next run would go on\n"
                                  : fmt::format("interrupted; the same command goes on, with the "
                                                "results in {}\n",
                                                path));
  return exit_of(report);
}

} // namespace

Command tune_command() {
  return {
      "tune",
      "PROGRAM -D NAME=VALUES [-m MACHINE] [options]",
      "find the best value of a parameter, of the machine, or a layout",
      "Run a program with every value of one or two parameters, and say which is best, by how\n"
      "much against the first (naive) value, and which range is worth using. Parameters of the\n"
      "program, values of the machine (-D p=32,64, --set resident_blocks=1..4), layouts, fns and\n"
      "types can vary; values are written as for 'memlane sweep'. A value whose verify fails is\n"
      "not chosen (exit status 1); values that cannot run are listed with the reason. --confirm\n"
      "asks another machine whether its best is the same.",
      tune_options(),
      {"memlane tune scan -D n=2^14 -D alpha=1,2,4,8,16 -m agpu-k40c --confirm hmm-titan",
       "memlane tune transpose --layout \"t=rows,padded(1),diagonal\" -D n=64 -m hmm-titan",
       "memlane tune multiply -D n=64 -D m=4,8,16,32 --set resident_blocks=1,2,4 -m hmm-titan "
       "--store tuned.db -o tuned.html"},
      tune};
}

} // namespace memlane::cli
