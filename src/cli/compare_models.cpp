#include "compare_models.hpp"

#include "files.hpp"
#include "program.hpp"
#include "version.hpp"

#include "memlane/report/all_models.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

using sweep::ComparedMachine;
using sweep::ComparedRun;
using sweep::Ran;

/// Machines of which the first of a model that can run the program is taken.
constexpr std::string_view standard_machines[] = {
    "dmm-w32",  "dmm-teaching",  "umm-w32",   "umm-teaching", "hmm-teaching",
    "hmm-h200", "agpu-teaching", "agpu-h200", "mmm-teaching", "mmm-gpu"};

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
void print_problems(const sweep::ComparisonRow& row, const RunResult& result, bool chosen,
                    const Sources& sources, const Console& console) {
  if (!result.errors.empty() && chosen) console.print_error(render(result.errors, sources));
  if (row.verify == Verdict::failed)
    console.print_error(fmt::format("verify failed on {}\n", row.machine));
}

AllModels models_of(const CompareRequest& request, const sweep::Comparison& comparison,
                    const std::vector<ComparedMachine>& machines) {
  AllModels models;
  models.version = version;
  models.seed = request.recipe.seed;
  models.timing_only = request.recipe.timing_only;
  for (std::size_t k = 0; k < comparison.rows.size(); ++k) {
    const sweep::ComparisonRow& row = comparison.rows[k];
    if (models.program.path.empty() || !row.info.parameters.empty()) models.program = row.info;
    for (ModelRow& one : model_rows(row, machines[k].machine.spec, request.recipe.prices))
      models.rows.push_back(std::move(one));
  }
  return models;
}

} // namespace

Result<Exit> compare_models(CompareRequest& request, ErrorCollector errors, Sources& sources,
                            Console& console) {
  request.recipe.pram = true;
  if (!request.recipe.machine.chosen) request.machines = standard_selections(request);
  std::vector<sweep::ComparedProgram> programs;
  std::vector<ComparedMachine> machines;
  errors.take(load_programs(request, sources), programs);
  errors.take(load_machines(request, sources), machines);
  if (!errors.ok()) return errors.errors();
  std::vector<ComparedRun> runs = sweep::compared_runs(programs, machines, request.recipe, sources);
  if (!request.recipe.machine.chosen) keep_one_of_each(runs, machines);
  const bool any =
      std::any_of(runs.begin(), runs.end(), [](const ComparedRun& run) { return run.point.code; });
  for (const ComparedRun& run : runs)
    if (!any) errors.add(run.errors);
  if (errors.ok()) errors.check(read_inputs(request, sources, runs));
  if (!errors.ok()) return errors.errors();
  sweep::Comparison comparison;
  sweep::run_comparison(
      std::move(runs), request.comparison, sources,
      [&](const sweep::ComparisonRow& row, const RunResult& result) {
        print_problems(row, result, request.recipe.machine.chosen, sources, console);
      },
      comparison);
  const bool some_done =
      std::any_of(comparison.rows.begin(), comparison.rows.end(),
                  [](const sweep::ComparisonRow& row) { return row.ran == Ran::done; });
  if (!request.recipe.machine.chosen && some_done)
    for (sweep::ComparisonRow& row : comparison.rows)
      if (row.ran == Ran::error) row.ran = Ran::cannot_run;
  const AllModels models = models_of(request, comparison, machines);
  const Exit exit = exit_of(comparison, false);
  const Status written =
      write_results([&](Format format, TableStyle) { return render_all_models(models, format); },
                    request.targets, exit != Exit::interrupted, console);
  if (!written) return written.errors();
  return exit;
}

} // namespace memlane::cli
