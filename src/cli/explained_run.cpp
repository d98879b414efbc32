#include "explained_run.hpp"

#include "input_files.hpp"
#include "progress.hpp"

#include "memlane/study/explain/explanation_text.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace memlane::cli {
namespace {

using sweep::ChangedRun;
using sweep::TriedChange;

/// Arrays whose content is from files have the sizes that were read.
Status check_inputs(const Recipe& recipe, const std::vector<Change>& changes,
                    const ir::Program& before, const ir::Program& after) {
  ErrorCollector errors;
  for (const auto& [name, source] : recipe.inputs) {
    if (is_input_program(source)) continue; // makes any size
    const ir::Array* const own = sweep::memory_array_of(before, name);
    const ir::Array* const changed = sweep::memory_array_of(after, name);
    if (!changed || changed->extents != own->extents || changed->type != own->type)
      errors.add(error_in("--try",
                          fmt::format("'{}': array {} has another size or type then, and its "
                                      "content is from --input",
                                      sweep::changes_text(changes), name),
                          {"change nothing that arrays from files depend on"}));
  }
  return errors.status();
}

/// The run that the changes make of the request's: of the same recipe otherwise.
Result<ChangedRun> make_changed(const RunRequest& request, PreparedRun& prepared, Sources& sources,
                                const std::vector<Change>& changes) {
  const Recipe recipe = with_changes(request.recipe, changes);
  ErrorCollector errors;
  ChangedRun changed;
  LoadedMachine machine;
  errors.take(load_selected_machine(sources, recipe.machine), machine);
  if (recipe.program.replaced == request.recipe.program.replaced) {
    changed.program = {std::shared_ptr<const void>(), &prepared.program}; // outlives the tries
  } else {
    CheckedProgram program;
    if (errors.take(load_checked_program(sources, recipe.program), program))
      changed.program = std::make_shared<const CheckedProgram>(std::move(program));
  }
  if (!errors.ok()) return errors.errors();
  changed.point = point_of(recipe, *changed.program, machine.spec);
  changed.point.options.side_by_side = request.side_by_side;
  if (Status bound = bind_values(changed.point, recipe.program.definitions, sources); !bound)
    return bound.errors();
  if (Status same = check_inputs(recipe, changes, *prepared.point.code, *changed.point.code); !same)
    return same.errors();
  if (Status ready = prepared.inputs.add(*changed.point.code, changed.point); !ready)
    return ready.errors();
  return changed;
}

sweep::ComparisonRow base_row(const RunRequest& request, const PreparedRun& prepared,
                              const RunReport& report) {
  sweep::ComparisonRow row;
  row.program = request.recipe.program.name;
  row.machine = request.recipe.machine.name;
  row.info = prepared.program.info;
  sweep::PointResult result;
  result.started = true;
  result.run.counts = report.run.counts;
  take_counts(row, prepared.machine.spec, result);
  return row;
}

TriedChange run_try(const Try& tried, const sweep::ComparisonRow& base, const sweep::Point& point,
                    const Sources& sources, const Console& console) {
  TriedChange out;
  out.change = sweep::changes_text(tried.changes);
  out.base_time = base.counts.time.value;
  out.base_counts = base.counts;
  const sweep::OtherArrays others = sweep::other_memory_arrays(*point.code, *tried.run.point.code);
  out.same_problem = others.names.empty();
  out.other_sizes = sweep::other_sizes_sentence(others);
  out.predicted = predicted_time(tried.run.point, sources);
  const sweep::PointResult result = run_point(tried.run.point, sources);
  out.row.program = fmt::format("{} with {}", base.program, out.change);
  out.row.machine = base.machine;
  out.row.info = tried.run.program->info;
  take_counts(out.row, tried.run.point.machine, result);
  if (!result.run.errors.empty()) console.print_error(render(result.run.errors, sources));
  out.lines = compare_lines(base, out.row, sources);
  if (out.ended())
    out.causes =
        sweep::compare_causes(point.machine, base.counts, tried.run.point.machine, out.row.counts);
  return out;
}

Advice find_advice(const RunRequest& request, PreparedRun& prepared, const RunReport& report) {
  std::atomic<std::size_t> done = 0, total = 0;
  ProgressLine line(
      [&] { return fmt::format("{} of {} changes simulated", done.load(), total.load()); });
  sweep::PointRuns runs;
  runs.jobs = request.side_by_side.threads;
  runs.memory = request.recipe.limits.memory;
  runs.progress = [&](std::size_t ended, std::size_t all) {
    done = ended;
    total = all;
    line.show();
  };
  Advice advice = sweep::advise(
      prepared.point, report.run,
      [&](const std::vector<Change>& changes) {
        return make_changed(request, prepared, prepared.sources, changes);
      },
      runs, prepared.sources);
  line.erase();
  for (Suggestion& suggestion : advice.suggestions)
    suggestion.command = command_text(request.recipe, {suggestion.change.text()});
  return advice;
}

} // namespace

Result<std::vector<Try>> read_tries(const RunRequest& request, PreparedRun& prepared) {
  Sources& sources = prepared.sources;
  ErrorCollector errors;
  std::vector<Try> tries;
  for (const std::string& text : request.tries) {
    Try tried;
    if (!errors.take(sweep::read_changes(text, prepared.program, *prepared.point.code,
                                         prepared.machine.spec.model),
                     tried.changes))
      continue;
    if (errors.take(make_changed(request, prepared, sources, tried.changes), tried.run))
      tries.push_back(std::move(tried));
  }
  if (!errors.ok()) return errors.errors();
  return tries;
}

std::vector<std::string> explained_outputs(const RunRequest& request, const PreparedRun& prepared) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 22; // 32 MiB
  std::vector<std::string> names = prepared.point.options.outputs;
  if (!request.explain || request.recipe.timing_only) return names;
  std::int64_t elements = 0;
  std::vector<std::string> all;
  for (const ir::Array& array : prepared.point.code->arrays) {
    if (array.space != ir::Space::memory) continue;
    const std::int64_t own = array.elements();
    if (own > most_elements - elements) return names;
    elements += own;
    all.push_back(array.name);
  }
  return all;
}

Exit exit_of_try(const sweep::ComparisonRow& row) {
  switch (row.ran) {
  case sweep::Ran::done: return row.verify == Verdict::failed ? Exit::check_failed : Exit::done;
  case sweep::Ran::stopped: return exit_after(row.stop);
  case sweep::Ran::error:
  case sweep::Ran::cannot_run: break;
  }
  return Exit::error;
}

Exit worst_of(const std::vector<Exit>& exits) {
  for (const Exit exit : {Exit::interrupted, Exit::error, Exit::limit, Exit::check_failed})
    if (std::find(exits.begin(), exits.end(), exit) != exits.end()) return exit;
  return Exit::done;
}

Exit explain_and_try(const RunRequest& request, PreparedRun& prepared, std::vector<Try> tries,
                     RunReport& report, const Console& console) {
  const sweep::Point& base = prepared.point;
  if (request.explain) {
    Explanation explanation = sweep::explain(base, report.run, prepared.sources);
    explanation.claimed = claimed_bound(report.claims);
    if (report.run.stop == Stop::none) explanation.advice = find_advice(request, prepared, report);
    report.explanation = explained_part(std::move(explanation));
  }
  const auto& check = request.recipe.limits.check;
  if (const Stop asked = check ? check() : Stop::none; asked != Stop::none)
    return exit_after(asked);
  if (report.run.stop != Stop::none) {
    if (!tries.empty())
      console.print_error("the changes were not tried: the run did not come to its end\n");
    return Exit::done;
  }
  const sweep::ComparisonRow row = base_row(request, prepared, report);
  std::vector<Exit> exits;
  for (const Try& tried : tries) {
    TriedChange changed = run_try(tried, row, base, prepared.sources, console);
    exits.push_back(exit_of_try(changed.row));
    report.tries.push_back(tried_part(std::move(changed)));
  }
  return worst_of(exits);
}

} // namespace memlane::cli
