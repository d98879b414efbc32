// memlane compare: several programs on several machines in one table.
#include "command.hpp"
#include "compare_request.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "kernel_command.hpp"
#include "kernel_options.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "version.hpp"

#include "memlane/ptx/price.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/study/compare/all_models.hpp"
#include "memlane/study/compare/comparison.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace memlane::cli {
namespace {

using sweep::ComparedMachine;
using sweep::ComparedRun;
using sweep::Comparison;
using sweep::ComparisonRow;
using sweep::Ran;
using sweep::SameResults;

Exit exit_of_row(const ComparisonRow& row, bool chosen) {
  switch (row.ran) {
  case Ran::error: return Exit::error;
  case Ran::stopped: return exit_after(row.stop);
  case Ran::cannot_run:
    if (row.stop != Stop::none && row.stop != Stop::error) return exit_after(row.stop);
    return chosen ? Exit::error : Exit::done;
  case Ran::done: break;
  }
  const bool failed =
      row.verify == Verdict::failed || row.claim_failed || row.results == SameResults::different;
  return failed ? Exit::check_failed : Exit::done;
}

/// Of a comparison: the first of interrupted, error, limit and failed check that some row has.
/// `chosen`: the user named the machines, so a row that cannot run is an error.
Exit exit_of(const Comparison& comparison, bool chosen) {
  for (const Exit exit : {Exit::interrupted, Exit::error, Exit::limit, Exit::check_failed})
    for (const ComparisonRow& row : comparison.rows)
      if (exit_of_row(row, chosen) == exit) return exit;
  return Exit::done;
}

/// --lines needs two runs that can start.
Status check_lines(const std::vector<ComparedRun>& runs) {
  if (runs.size() != 2) {
    return error_in("--lines",
                    fmt::format("the lines of two runs are compared, and here {}",
                                runs.size() == 1 ? "is one" : fmt::format("are {}", runs.size())),
                    {"two programs on one machine: memlane compare A B --lines -m MACHINE",
                     "one program on two machines: memlane compare A --lines -m M1 -m M2",
                     "two layouts: memlane compare A 'A --layout t=rows' --lines"});
  }
  ErrorCollector errors;
  for (const ComparedRun& run : runs) errors.add(run.errors);
  return errors.status();
}

/// What runs the commands; those that a machine cannot price are not run.
void prepare_commands(const CompareRequest& request, std::vector<ComparedRun>& runs) {
  sweep::PointLimits limits;
  limits.run = request.recipe.limits;
  for (ComparedRun& run : runs) {
    if (run.point.command.empty()) continue;
    run.point.run_command = run_kernel_commands(limits);
    const Status fits = ptx::Pricing::check(run.point.machine);
    if (fits) continue;
    run.errors = fits.errors();
    run.point.code = nullptr;
    run.row.ran = sweep::Ran::cannot_run;
    run.row.reason = run.errors.front().message;
  }
}

/// An error if no program can run on any machine.
Status check_any(const std::vector<ComparedRun>& runs) {
  ErrorCollector errors;
  for (const ComparedRun& run : runs) {
    if (run.point.code) return Done{};
    errors.add(run.errors);
  }
  return errors.status();
}

/// Says why some runs did not come to their end, if a signal or the limit of seconds is why.
void print_stop(const Comparison& comparison, Exit exit, const Console& console) {
  const auto count = [&](Ran ran) {
    return std::count_if(comparison.rows.begin(), comparison.rows.end(),
                         [&](const ComparisonRow& row) { return row.ran == ran; });
  };
  if (count(Ran::stopped) == 0) return;
  console.print_error(fmt::format(
      "{} after {} of {}\n", exit == Exit::interrupted ? "interrupted" : "stopped at a limit",
      count(Ran::done), counted(static_cast<std::int64_t>(comparison.rows.size()), "run")));
}

void print_run(const ComparisonRow& row, const RunResult& result, bool verbose,
               const Sources& sources, const Console& console) {
  if (verbose)
    console.print_error(lines_of_run(
        on_one_line(row.program, 200) + " on " + on_one_line(row.machine, 200),
        sweep::engine_text(result.engine, sources) + engine_work_text(result.engine.work)));
  if (!result.errors.empty()) console.print_error(render(result.errors, sources));
}

/// The store of --store, if it is given.
Result<std::optional<PointWriter>> open_store(const CompareRequest& request) {
  std::optional<PointWriter> writer;
  if (!request.store) return writer;
  Result<PointWriter> opened = PointWriter::open(*request.store, "compare", version);
  if (!opened) return opened.errors();
  writer.emplace(std::move(*opened));
  return writer;
}

// --- With --all-models: one program on every model of computation.

/// In order of preference: each model runs on its first machine that fits the program.
constexpr std::string_view standard_machines[] = {
    "dmm-w32",        "dmm-teaching",  "umm-w32",   "umm-teaching", "hmm-teaching",
    "hmm-h200-plain", "agpu-teaching", "agpu-h200", "mmm-teaching", "mmm-gpu"};

/// The shipped ones of these.
std::vector<MachineSelection> standard_selections(const CompareRequest& request) {
  const std::vector<std::string> shipped = names_in(data_home() + "/configs/machines", ".json");
  std::vector<MachineSelection> selections;
  for (const std::string_view name : standard_machines)
    if (std::find(shipped.begin(), shipped.end(), name) != shipped.end())
      selections.push_back({std::string(name), request.machines.front().overrides, true});
  return selections;
}

/// Of each model the first that can run the program; if none can, the first.
void keep_one_of_each(std::vector<ComparedRun>& runs, std::vector<ComparedMachine>& machines) {
  std::vector<ComparedRun> kept_runs;
  std::vector<ComparedMachine> kept;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Model model = machines[k].machine.spec.model;
    const bool again = !kept.empty() && kept.back().machine.spec.model == model;
    if (again && (kept_runs.back().point.code || !runs[k].point.code)) continue;
    if (again) {
      kept_runs.pop_back();
      kept.pop_back();
    }
    kept_runs.push_back(std::move(runs[k]));
    kept.push_back(std::move(machines[k]));
  }
  runs = std::move(kept_runs);
  machines = std::move(kept);
}

/// Errors of runs, and checks that failed. The table has the reason why a program does not run on a
/// machine that was not asked for.
void print_problems(const ComparisonRow& row, const RunResult& result, bool chosen,
                    const Sources& sources, const Console& console) {
  if (!result.errors.empty() && chosen) console.print_error(render(result.errors, sources));
  if (row.verify == Verdict::failed)
    console.print_error(fmt::format("verify failed on {}\n", row.machine));
  if (row.claim_failed) console.print_error(fmt::format("{} on {}\n", row.reason, row.machine));
}

AllModels models_of(const CompareRequest& request, const Comparison& comparison,
                    const std::vector<ComparedMachine>& machines) {
  AllModels models;
  models.version = version;
  models.seed = request.recipe.seed;
  models.timing_only = request.recipe.timing_only;
  for (std::size_t k = 0; k < comparison.rows.size(); ++k) {
    const ComparisonRow& row = comparison.rows[k];
    if (models.program.path.empty() || !row.info.parameters.empty()) models.program = row.info;
    for (ModelRow& one : model_rows(row, machines[k].machine.spec, request.recipe.prices))
      models.rows.push_back(std::move(one));
  }
  return models;
}

/// Runs the program on the machines, or on one of each model, and writes one table. `errors` has
/// those of the request.
Result<Exit> compare_models(CompareRequest& request, ErrorCollector errors, Sources& sources,
                            Console& console) {
  request.recipe.pram = true;
  const bool chosen = request.machines.front().chosen; // by -m
  if (!chosen) request.machines = standard_selections(request);
  std::vector<sweep::ComparedProgram> programs;
  std::vector<ComparedMachine> machines;
  errors.take(load_programs(request, sources), programs);
  errors.take(load_machines(request, sources), machines);
  if (!errors.ok()) return errors.errors();
  std::vector<ComparedRun> runs = sweep::compared_runs(programs, machines, request.recipe, sources);
  if (!chosen) keep_one_of_each(runs, machines);
  const bool any =
      std::any_of(runs.begin(), runs.end(), [](const ComparedRun& run) { return run.point.code; });
  for (const ComparedRun& run : runs)
    if (!any) errors.add(run.errors);
  if (errors.ok()) errors.check(read_inputs(request, sources, runs));
  if (!errors.ok()) return errors.errors();
  Comparison comparison;
  sweep::run_comparison(
      std::move(runs), request.comparison, sources,
      [&](const ComparisonRow& row, const RunResult& result) {
        print_problems(row, result, chosen, sources, console);
      },
      comparison);
  const bool some_done = std::any_of(comparison.rows.begin(), comparison.rows.end(),
                                     [](const ComparisonRow& row) { return row.ran == Ran::done; });
  if (!chosen && some_done)
    for (ComparisonRow& row : comparison.rows)
      if (row.ran == Ran::error) row.ran = Ran::cannot_run;
  const AllModels models = models_of(request, comparison, machines);
  const Exit exit = exit_of(comparison, chosen);
  const Status written =
      write_results([&](Format format, TableStyle) { return render_all_models(models, format); },
                    request.targets, exit != Exit::interrupted, console);
  if (!written) return written.errors();
  return exit;
}

// --- Several programs on several machines.

Result<Exit> compare(CompareRequest& request, OptionReader& options, Sources& sources,
                     Console& console) {
  const InterruptGuard guard;
  ErrorCollector errors = options;
  sources.set_limits(request.recipe.limits);
  if (request.all_models) return compare_models(request, errors, sources, console);
  std::vector<sweep::ComparedProgram> programs;
  std::vector<ComparedMachine> machines;
  errors.take(load_programs(request, sources), programs);
  std::vector<const lang::Checked*> checked;
  for (const sweep::ComparedProgram& one : programs) checked.push_back(&one.program.checked);
  for (MachineSelection& machine : request.machines) machine.fit(checked);
  if (!request.commands.empty())
    for (MachineSelection& machine : request.machines)
      if (!machine.chosen) machine.name = kernel_machine;
  errors.take(load_machines(request, sources), machines);
  if (!errors.ok()) return errors.errors();

  std::atomic<std::size_t> done = 0, total = 0;
  ProgressLine progress(
      [&] { return fmt::format("{} of {} runs done", done.load(), total.load()); });
  progress.show_with(request.recipe.limits);
  std::vector<ComparedRun> runs = sweep::compared_runs(programs, machines, request.recipe, sources);
  prepare_commands(request, runs);
  errors.check(check_any(runs));
  if (errors.ok() && request.comparison.lines) errors.check(check_lines(runs));
  if (errors.ok()) errors.check(read_inputs(request, sources, runs));
  Comparison comparison;
  comparison.version = version;
  comparison.seed = request.recipe.seed;
  comparison.timing_only = request.recipe.timing_only;
  if (errors.ok() && !comparison.timing_only)
    errors.check(sweep::choose_arrays(request.arrays, runs, comparison));
  std::optional<PointWriter> writer;
  if (errors.ok()) errors.take(open_store(request), writer);
  if (!errors.ok()) return errors.errors();
  if (writer)
    request.comparison.see_run = [&](const ComparedRun& run, const sweep::PointResult& result) {
      writer->add(run.point, run.row.machine, result, command_text(run.recipe), sources,
                  run.row.program);
    };

  total = runs.size();
  request.comparison.progress = [&](std::size_t ended, std::size_t) {
    done = ended;
    progress.show();
  };
  sweep::run_comparison(
      std::move(runs), request.comparison, sources,
      [&](const ComparisonRow& row, const RunResult& result) {
        progress.erase();
        print_run(row, result, request.verbose, sources, console);
      },
      comparison);
  progress.erase();
  const Exit exit = exit_of(comparison, true);
  const bool differ =
      std::any_of(comparison.rows.begin(), comparison.rows.end(),
                  [](const ComparisonRow& row) { return row.results == SameResults::different; });
  if (request.arrays.empty() && differ)
    console.print_error(
        "help: --arrays A,B says which arrays must be equal at the end; without it all are "
        "compared that the programs have in common\n");
  const bool whole =
      std::all_of(comparison.rows.begin(), comparison.rows.end(), [](const ComparisonRow& row) {
        return row.ran != Ran::stopped || is_whole(row.stop);
      });
  const Status written = write_results(
      [&](Format format, TableStyle) { return render_comparison(comparison, format); },
      request.targets, whole, console);
  print_stop(comparison, exit, console);
  if (!written) return written.errors();
  if (writer)
    if (Status stored = writer->finish(); !stored) return stored.errors();
  return exit;
}

} // namespace

Command compare_command() {
  return {
      "compare",
      "PROGRAM... | --command COMMAND... [-m MACHINE]... [options]",
      "compare several programs on several machines, in one table",
      "Run every program on every machine and show their times side by side, each as a\n"
      "multiple of the best on its machine. What a machine cannot run is shown with the\n"
      "reason, and the exit status is 2. The final contents of the arrays that the programs\n"
      "have in common are compared: where they differ, or a verify or an exact claim\n"
      "fails, it is 1.\n"
      "A program in quotes may have options of its own, -D, --fn, --type and --layout, and may\n"
      "be named several times: two layouts are compared like two programs.\n"
      "A command of cuda or ptx is compared as a program is, with its own kernels.\n"
      "With --all-models, one program is priced by every model of computation.",
      call_with(compare_options, compare),
      {"memlane compare prefix_simple prefix_sums -m dmm-w32 -m umm-w32 -D n=1024",
       "memlane compare scan_brent_kung scan_brent_kung_padded -m dmm-w32 --format csv",
       "memlane compare transpose 'transpose --layout t=rows' -m hmm-titan-plain -D n=64",
       "memlane compare sum prefix_sums -D n=2^24 --timing-only",
       "memlane compare transpose 'transpose --layout t=rows' -m hmm-titan-plain -D n=64 --lines",
       "memlane compare sum prefix_sums -D n=4096 --input a=descending",
       "memlane compare sum prefix_sums -D n=4096 --store compared.db",
       "memlane compare transpose --all-models --price pem:lambda=400,sigma=10"}};
}

} // namespace memlane::cli
