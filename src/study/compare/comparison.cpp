#include "memlane/study/compare/comparison.hpp"

#include "command_counts.hpp"
#include "compare_arrays.hpp"

#include "memlane/ir/without_data.hpp"
#include "memlane/points/command_program.hpp"
#include "memlane/points/parallel_tasks.hpp"
#include "memlane/points/point.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane::sweep {
namespace {

/// An error in one line, with its place.
std::string reason_of(const Diagnostic& error, const Sources& sources) {
  if (!error.span.known()) return error.message;
  return fmt::format("{} (line {})", error.message, sources.begin(error.span).line);
}

std::string run_name(const ComparisonRow& row) {
  return fmt::format("{} on {}", row.program, row.machine);
}

ComparedRun compared_run(const ComparedProgram& program, const ComparedMachine& machine,
                         const Recipe& common, const Sources& sources) {
  ComparedRun run{{}, common, {}, {}};
  run.recipe.program = program.selection;
  run.recipe.machine = machine.selection;
  run.row.program = program.name;
  run.row.machine = machine.name;
  run.row.info = program.program.info;
  run.point = point_of(run.recipe, program.program, machine.machine.spec);
  run.point.parameters = program.parameters;
  run.point.options.timing_only = false; // the parameters are known where only data is in the way
  Result<ir::Program> code = bind_point(run.point, sources);
  run.point.options.timing_only = common.timing_only;
  if (code) run.row.info.parameters = parameters_of(*code);
  if (code && common.timing_only) code = ir::without_data(*code, common.limits);
  if (code) {
    run.recipe.program.definitions =
        definitions_of(program.parameters, parameter_texts(run.row.info.parameters));
    run.point.code = std::make_shared<const ir::Program>(std::move(*code));
    if (program.command)
      set_command(*program.command, parameter_texts(run.row.info.parameters), run.recipe,
                  run.point);
  } else {
    run.errors = code.errors();
    run.row.ran = Ran::cannot_run;
    run.row.stop = stop_of(run.errors);
    run.row.reason = reason_of(run.errors.front(), sources);
  }
  return run;
}

/// `no memory array is in all of them: sum has a; reduction has x, T`.
std::string without_common_array(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> programs;
  for (const ComparedRun& run : runs) {
    if (!run.point.command.empty()) return "commands keep their results for themselves";
    if (!run.point.code) continue;
    std::vector<std::string> names;
    for (const ir::Array& array : run.point.code->arrays)
      if (array.space == ir::Space::memory) names.push_back(array.name);
    std::string text =
        fmt::format("{} has {}", run.row.program,
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
    if (std::find(programs.begin(), programs.end(), text) == programs.end())
      programs.push_back(std::move(text));
  }
  return fmt::format("no memory array is in all of them: {}", fmt::join(programs, "; "));
}

/// Why no results were compared; empty if some were. `without_arrays`: why there is nothing in them
/// to compare.
std::string why_not_compared(const Comparison& comparison, const std::string& without_arrays) {
  const auto& rows = comparison.rows;
  const auto is_done = [](const ComparisonRow& row) { return row.ran == Ran::done; };
  if (comparison.timing_only) return "--timing-only: nothing was computed";
  if (rows.size() == 1) return "there is one run";
  if (!without_arrays.empty()) return without_arrays;
  const auto ended = std::count_if(rows.begin(), rows.end(), is_done);
  if (ended == 0) return "no run came to its end";
  if (ended > 1) return "";
  return fmt::format("only {} came to its end",
                     run_name(*std::find_if(rows.begin(), rows.end(), is_done)));
}

/// The rows as their results come in, in order.
class RowResults {
public:
  RowResults(std::vector<ComparedRun>& runs, const ComparisonRequest& request, const SeeResult& see)
      : runs_(runs), request_(request), see_(see) {}

  void take(std::size_t at, PointResult result);

private:
  void compare_with_reference(ComparedRun& run, const RunResult& result);

  std::vector<ComparedRun>& runs_;
  const ComparisonRequest& request_;
  const SeeResult& see_;
  ComparedRun* reference_ = nullptr; ///< the first run that came to its end
  RunResult reference_result_;
};

void RowResults::compare_with_reference(ComparedRun& run, const RunResult& result) {
  if (result.outputs.empty()) return;
  // The reference is equal to itself, but only once there is another run to compare with.
  reference_->row.results = run.row.results = SameResults::equal;
  for (const auto& [name, values] : result.outputs) {
    const Contents expected{memory_array_of(*reference_->point.code, name),
                            &reference_result_.outputs.at(name)};
    const Contents found{memory_array_of(*run.point.code, name), &values};
    const auto differs = difference(expected, found, request_.tolerance);
    if (!differs) continue;
    run.row.results = SameResults::different;
    run.row.reason += fmt::format("{}unlike {}: {}", run.row.reason.empty() ? "" : "; ",
                                  run_name(reference_->row), *differs);
    return;
  }
}

void RowResults::take(std::size_t at, PointResult point) {
  ComparedRun& run = runs_[at];
  ComparisonRow& row = run.row;
  RunResult& result = point.run;
  take_counts(row, run.point.machine, point);
  if (point.output) take_command_counts(*point.output, row);
  if (!point.started) return;
  if (const ClaimOutcome* const claim = failed_claim(point.claims)) {
    row.claim_failed = true;
    if (row.reason.empty()) row.reason = fmt::format("claim {} fails", claim->text);
  }
  see_(row, result);
  if (result.stop != Stop::none) return;
  if (reference_) return compare_with_reference(run, result);
  reference_ = &run;
  reference_result_ = std::move(result);
}

} // namespace

void take_counts(ComparisonRow& row, const MachineSpec& machine, const PointResult& point) {
  const RunResult& result = point.run;
  row.stop = result.stop;
  if (!point.started) {
    row.ran = Ran::stopped;
    row.reason = fmt::format("{} before it began", stop_text(result.stop));
    return;
  }
  row.verify = result.verify;
  row.counts = result.counts;
  row.races = result.races.races;
  if (result.stop == Stop::none) {
    if (!point.output && is_timed(machine.model))
      row.largest = latency_hiding(machine, result.counts).largest;
  } else if (result.stop == Stop::error) {
    row.ran = Ran::error;
    if (!result.errors.empty()) row.reason = result.errors.front().message;
  } else {
    row.ran = Ran::stopped;
    row.reason = stop_text(result.stop);
  }
}

std::optional<LineComparison> compare_lines(const ComparisonRow& first, const ComparisonRow& second,
                                            const Sources& sources) {
  if (!first.counted() || !second.counted()) return std::nullopt;
  // Two commands of one file may run two kernels.
  const bool same_text = first.info.path == second.info.path &&
                         first.info.sha256 == second.info.sha256 &&
                         (!first.lines || first.program == second.program);
  const auto lines = [&](const ComparisonRow& row) {
    return row.lines ? *row.lines : counted_lines(row.counts, sources);
  };
  return LineComparison{
      run_name(first), run_name(second),
      pair_lines(lines(first), lines(second), same_text ? LineMatch::number : LineMatch::text)};
}

std::vector<ComparedRun> compared_runs(const std::vector<ComparedProgram>& programs,
                                       const std::vector<ComparedMachine>& machines,
                                       const Recipe& common, const Sources& sources) {
  std::vector<ComparedRun> runs;
  for (const ComparedMachine& machine : machines)
    for (const ComparedProgram& program : programs)
      runs.push_back(compared_run(program, machine, common, sources));
  return runs;
}

Status choose_arrays(const std::vector<std::string>& asked, std::vector<ComparedRun>& runs,
                     Comparison& comparison) {
  std::vector<NamedCode> programs;
  for (const ComparedRun& run : runs)
    if (run.point.code) programs.push_back({run_name(run.row), run.point.code.get()});
  Result<CommonArrays> chosen =
      asked.empty() ? common_arrays(programs) : asked_arrays(asked, programs);
  if (!chosen) return chosen.errors();
  for (ComparedRun& run : runs) run.point.options.outputs = chosen->names;
  comparison.arrays = chosen->names;
  for (const std::string& sizes : chosen->remarks)
    comparison.remarks.push_back("not compared: " + sizes);
  if (chosen->names.empty())
    comparison.not_compared = chosen->remarks.empty()
                                  ? without_common_array(runs)
                                  : fmt::format("{}", fmt::join(chosen->remarks, "; "));
  return Done{};
}

void run_comparison(std::vector<ComparedRun> runs, const ComparisonRequest& request,
                    const Sources& sources, const SeeResult& see, Comparison& comparison) {
  std::vector<Point> points;
  std::vector<std::size_t> rows;
  for (std::size_t at = 0; at < runs.size(); ++at) {
    if (!runs[at].point.code) continue;
    points.push_back(runs[at].point);
    rows.push_back(at);
  }
  for (Point& point : points) {
    // Cores that have no run of their own help the others.
    point.options.side_by_side.threads = std::max<std::size_t>(1, request.jobs / points.size());
    point.options.side_by_side.run = run_together;
  }
  RowResults results(runs, request, see);
  run_points(points, sources, {request.jobs, request.memory, true, request.progress},
             [&](std::size_t at, PointResult result) {
               if (request.see_run && result.started) request.see_run(runs[rows[at]], result);
               results.take(rows[at], std::move(result));
             });
  if (request.lines && runs[0].row.lines && runs[1].row.lines)
    comparison.causes = compare_causes(runs[0].point.machine, runs[0].row.counts,
                                       runs[1].point.machine, runs[1].row.counts);
  for (ComparedRun& run : runs) comparison.rows.push_back(std::move(run.row));
  comparison.not_compared = why_not_compared(comparison, comparison.not_compared);
  if (request.lines)
    comparison.lines = compare_lines(comparison.rows[0], comparison.rows[1], sources);
}

std::string_view name_of(Ran ran) {
  constexpr std::array<std::string_view, 4> names = {"done", "cannot_run", "error", "stopped"};
  return names[static_cast<std::size_t>(ran)];
}

std::string_view name_of(SameResults results) {
  constexpr std::array<std::string_view, 3> names = {"none", "equal", "different"};
  return names[static_cast<std::size_t>(results)];
}

std::optional<double> ratio_to_best(const Comparison& comparison, const ComparisonRow& row) {
  if (row.ran != Ran::done) return std::nullopt;
  std::int64_t best = row.counts.time.value;
  for (const ComparisonRow& other : comparison.rows)
    if (other.ran == Ran::done && other.machine == row.machine)
      best = std::min(best, other.counts.time.value);
  if (best == 0) return std::nullopt;
  return static_cast<double>(row.counts.time.value) / static_cast<double>(best);
}

} // namespace memlane::sweep
