#include "explained_run.hpp"

#include "progress.hpp"

#include "memlane/support/text.hpp"
#include "memlane/sweep/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace memlane::cli {
namespace {

using sweep::Change;
using sweep::ChangedRun;
using sweep::ChangeKind;
using sweep::TriedChange;

/// What an option's text is about: `t` of `t=padded(1)`, `f` of `f(x) = x`.
std::string head_of(const std::string& text) { return text.substr(0, text.find_first_of("=( ")); }

void replace_text(std::vector<std::string>& texts, const Change& change) {
  texts.erase(std::remove_if(texts.begin(), texts.end(),
                             [&](const std::string& own) { return head_of(own) == change.name; }),
              texts.end());
  texts.push_back(change.option_text());
}

/// The selections as if the change had been given with the run's own options, instead of what these
/// say about the same thing.
void apply(const Change& change, ProgramSelection& program, MachineSelection& machine) {
  if (change.kind == ChangeKind::machine) return replace_text(machine.overrides, change);
  if (change.kind == ChangeKind::parameter) return replace_text(program.definitions, change);
  const std::string option(name_of(change.kind));
  auto& replaced = program.replaced;
  replaced.erase(std::remove_if(replaced.begin(), replaced.end(),
                                [&](const NameAndValue& own) {
                                  return own.first == option && head_of(own.second) == change.name;
                                }),
                 replaced.end());
  replaced.emplace_back(option, change.option_text());
}

/// A point of the request's program and machine without the run's inputs, files and progress.
sweep::Point plain_point(const RunRequest& request, const sweep::CheckedProgram& program,
                         const MachineSpec& machine) {
  sweep::Point point;
  point.program = &program;
  point.machine = machine;
  point.options = request.options;
  point.options.allow_races = !program.info.races_allowed.empty();
  point.engine = request.engine;
  return point;
}

Result<ChangedRun> make_changed(const RunRequest& request, const PreparedRun& prepared,
                                Sources& sources, const std::vector<Change>& changes) {
  ProgramSelection selection = request.program;
  MachineSelection machine_selection = request.machine;
  bool same_text = true;
  for (const Change& change : changes) {
    apply(change, selection, machine_selection);
    same_text =
        same_text && (change.kind == ChangeKind::machine || change.kind == ChangeKind::parameter);
  }
  ErrorCollector errors;
  ChangedRun changed;
  LoadedMachine machine;
  errors.take(load_selected_machine(sources, machine_selection), machine);
  if (same_text) {
    changed.program = {std::shared_ptr<const void>(), &prepared.program}; // outlives the tries
  } else {
    sweep::CheckedProgram program;
    if (errors.take(load_checked_program(sources, selection), program))
      changed.program = std::make_shared<const sweep::CheckedProgram>(std::move(program));
  }
  if (!errors.ok()) return errors.errors();
  changed.point = plain_point(request, *changed.program, machine.spec);
  errors.take(param_values(sources, selection.definitions), changed.point.parameters);
  if (!errors.ok()) return errors.errors();
  return changed;
}

/// An array of --input has the size that was read.
Status check_inputs(const PreparedRun& prepared, const Try& tried) {
  ErrorCollector errors;
  for (const auto& [name, values] : prepared.point.options.inputs) {
    const ir::Array* const own = sweep::memory_array_of(*prepared.point.code, name);
    const ir::Array* const changed = sweep::memory_array_of(*tried.run.point.code, name);
    if (!changed || changed->extents != own->extents || changed->type != own->type)
      errors.add(error_in("--try",
                          fmt::format("'{}': array {} has another size or type then, and its "
                                      "content is from --input",
                                      sweep::changes_text(tried.changes), name),
                          {"change nothing that arrays from files depend on"}));
  }
  return errors.status();
}

Exit exit_of(const sweep::ComparisonRow& row) {
  switch (row.ran) {
  case sweep::Ran::done: return row.verify == Verdict::failed ? Exit::check_failed : Exit::done;
  case sweep::Ran::stopped: return row.stop == Stop::interrupted ? Exit::interrupted : Exit::limit;
  case sweep::Ran::error:
  case sweep::Ran::cannot_run: break;
  }
  return Exit::error;
}

std::string command_of(const RunRequest& request, const RunReport& report, const Change& change) {
  sweep::RunWords words{
      request.program.name, request.machine.name, request.machine.overrides, {}, {}};
  for (const std::string& text : request.program.definitions)
    words.definitions.emplace_back(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  for (const auto& [option, text] : request.program.replaced)
    words.replaced.emplace_back("--" + option, text);
  words.inputs = report.program->inputs;
  words.seed = report.seed;
  words.timing_only = report.timing_only;
  words.verify = request.options.verify;
  words.allow_races = request.program.allow_races;
  words.tries = {change.text()};
  return command_text(words);
}

sweep::ComparisonRow base_row(const RunRequest& request, const PreparedRun& prepared,
                              const RunReport& report) {
  sweep::ComparisonRow row;
  row.program = request.program.name;
  row.machine = request.machine.name;
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
  out.base_mmm = base.counts.mmm;
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

sweep::Advice find_advice(const RunRequest& request, const PreparedRun& prepared,
                          const sweep::Point& base, const RunReport& report) {
  std::atomic<std::size_t> done = 0, total = 0;
  ProgressLine line(
      [&] { return fmt::format("{} of {} changes simulated", done.load(), total.load()); });
  sweep::PointRuns runs;
  runs.jobs = request.options.side_by_side.threads;
  runs.memory = request.options.limits.memory;
  runs.progress = [&](std::size_t ended, std::size_t all) {
    done = ended;
    total = all;
    line.show();
  };
  sweep::Advice advice = sweep::advise(
      base, report.run,
      [&](const std::vector<Change>& changes) {
        return make_changed(request, prepared, prepared.sources, changes);
      },
      runs, prepared.sources);
  line.erase();
  for (sweep::Suggestion& suggestion : advice.suggestions)
    suggestion.command = command_of(request, report, suggestion.change);
  return advice;
}

} // namespace

Result<std::vector<Try>> read_tries(const RunRequest& request, const PreparedRun& prepared,
                                    Sources& sources) {
  ErrorCollector errors;
  std::vector<Try> tries;
  for (const std::string& text : request.tries) {
    Try tried;
    if (!errors.take(
            read_changes(text, prepared.program, *prepared.point.code, prepared.machine.spec.model),
            tried.changes))
      continue;
    if (!errors.take(make_changed(request, prepared, sources, tried.changes), tried.run)) continue;
    Result<ir::Program> code = bind_point(tried.run.point, sources);
    if (!errors.check(code)) continue;
    tried.run.point.code = std::make_shared<const ir::Program>(std::move(*code));
    if (errors.check(check_inputs(prepared, tried))) tries.push_back(std::move(tried));
  }
  if (!errors.ok()) return errors.errors();
  return tries;
}

std::vector<std::string> explained_outputs(const RunRequest& request, const PreparedRun& prepared) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 22; // 32 MiB
  std::vector<std::string> names = prepared.point.options.outputs;
  if (!request.explain || request.options.timing_only) return names;
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

Exit explain_and_try(const RunRequest& request, PreparedRun& prepared, std::vector<Try> tries,
                     RunReport& report, const Console& console) {
  sweep::Point base = plain_point(request, prepared.program, prepared.machine.spec);
  base.code = prepared.point.code;
  base.parameters = prepared.point.parameters;
  for (auto& [array, values] : prepared.point.options.inputs)
    base.inputs[array] = std::make_shared<const std::vector<ir::Value>>(std::move(values));
  prepared.point.options.inputs.clear();
  if (request.explain) {
    report.explanation = sweep::explain(base, report.run, prepared.sources);
    report.explanation->claimed = sweep::claimed_bound(report.claims);
    if (report.run.stop == Stop::none)
      report.explanation->advice = find_advice(request, prepared, base, report);
  }
  const auto& check = request.options.limits.check;
  if (const Stop asked = check ? check() : Stop::none; asked != Stop::none)
    return asked == Stop::interrupted ? Exit::interrupted : Exit::limit;
  if (report.run.stop != Stop::none) {
    if (!tries.empty())
      console.print_error("the changes were not tried: the run did not come to its end\n");
    return Exit::done;
  }
  const sweep::ComparisonRow row = base_row(request, prepared, report);
  std::vector<Exit> exits;
  for (Try& tried : tries) {
    tried.run.point.inputs = base.inputs;
    report.tries.push_back(run_try(tried, row, base, prepared.sources, console));
    exits.push_back(exit_of(report.tries.back().row));
  }
  for (const Exit exit : {Exit::interrupted, Exit::error, Exit::limit, Exit::check_failed})
    if (std::find(exits.begin(), exits.end(), exit) != exits.end()) return exit;
  return Exit::done;
}

} // namespace memlane::cli
