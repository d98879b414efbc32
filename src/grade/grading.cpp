// Runs a student's program with the parameters and data of an exercise.
#include "memlane/grade/grading.hpp"

#include "judge.hpp"
#include "run_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace memlane::grade {
namespace {

/// The plans of all runs. They refer to the sources.
Result<std::vector<sweep::Plan>> plans_of(const Grading& grading, Sources& sources) {
  std::vector<sweep::Plan> plans;
  ErrorCollector errors;
  for (const sweep::SweepSpec& spec : grading.exercise->runs) {
    Result<sweep::Plan> plan = sweep::Plan::make(spec, grading.files, sources);
    if (errors.check(plan)) plans.push_back(std::move(*plan));
  }
  if (!errors.ok()) return errors.errors();
  return plans;
}

/// The student's file must take the values of the exercise's params.
Diagnostics missing_params(const sweep::CheckedProgram& check,
                           const sweep::CheckedProgram& program) {
  Diagnostics errors;
  const auto& own = program.checked.params;
  for (const lang::ParamSymbol& param : check.checked.params)
    if (std::none_of(own.begin(), own.end(),
                     [&](const lang::ParamSymbol& known) { return known.name == param.name; }))
      errors.push_back(
          error_in(program.info.path,
                   fmt::format("the program has no param {}, which the exercise sets", param.name),
                   {fmt::format("declare it as in {}", check.info.path)}));
  return errors;
}

/// The label of a point without the name of the check program.
std::string label_of(const sweep::PlannedPoint& planned, const sweep::SweepSpec& spec) {
  const std::string title = spec.programs.front().title() + " on ";
  return planned.label.starts_with(title) ? planned.label.substr(title.size()) : planned.label;
}

/// The recipe of a point, of the student's program.
sweep::Recipe recipe_of(const Grading& grading, const sweep::PlannedPoint& planned,
                        const sweep::CheckedProgram& program) {
  sweep::Recipe recipe = planned.recipe;
  recipe.program.name = program.info.path;
  recipe.seed += grading.more_seed;
  return recipe;
}

/// Those of the exercise.
Limits limits_of(const Grading& grading) {
  Limits limits = grading.limits;
  limits.steps = grading.exercise->limits.steps;
  limits.memory = grading.exercise->limits.memory;
  return limits;
}

GradeStatus status_of(const GradeResult& result) {
  if (result.stop != Stop::none) return GradeStatus::stopped;
  if (!result.errors.empty()) return GradeStatus::error;
  const bool passed = std::all_of(result.criteria.begin(), result.criteria.end(),
                                  [](const GradedCriterion& c) { return c.fulfilled; });
  return passed ? GradeStatus::passed : GradeStatus::not_yet;
}

GradeResult header_of(const ExerciseSpec& exercise, const std::string& file,
                      const std::string& sha256) {
  GradeResult result;
  result.exercise = exercise.name;
  result.title = exercise.title;
  result.exercise_path = exercise.path;
  result.file = file;
  result.sha256 = sha256;
  return result;
}

/// Runs the program once for each point, until a limit or an error of the file ends the work.
Status run_all(const Grading& grading, const sweep::CheckedProgram& program, Sources& sources,
               GradeResult& result) {
  const Result<std::vector<sweep::Plan>> plans = plans_of(grading, sources);
  if (!plans) return plans.errors();
  for (std::size_t i = 0; i < plans->size(); ++i)
    for (std::int64_t number = 0; number < (*plans)[i].size(); ++number) {
      const sweep::PlannedPoint planned = (*plans)[i].point(number);
      sweep::Recipe recipe = recipe_of(grading, planned, program);
      GradedRun run;
      run.label = label_of(planned, grading.exercise->runs[i]);
      run.machine = planned.machine->path;
      run.seed = recipe.seed;
      run.command = command_text(recipe); // it is shown of runs that reached no limit
      recipe.limits = limits_of(grading);
      const Status ran =
          run_pair(grading, recipe, planned.point, program, sources, run, result.errors);
      if (!ran) return ran;
      if (!result.errors.empty()) {
        result.stop = stop_of(result.errors);
        return Done{};
      }
      result.stop = run.stop;
      result.runs.push_back(std::move(run));
      if (result.stop != Stop::none) return Done{};
    }
  return Done{};
}

/// It fulfils a criterion that the skeleton lacks, or comes twice as near to one.
bool goes_further(const GradeResult& result, const GradeResult& skeleton) {
  for (std::size_t i = 0; i < result.criteria.size(); ++i) {
    const GradedCriterion &own = result.criteria[i], &first = skeleton.criteria[i];
    if (first.fulfilled) continue;
    if (own.fulfilled || (own.ratio && first.ratio && *own.ratio <= *first.ratio / 2)) return true;
  }
  return false;
}

/// Some of the points are for work on the skeleton alone.
Status compare_with_skeleton(const Grading& grading, Sources& sources, GradeResult& result) {
  if (!grading.skeleton || result.status == GradeStatus::passed || result.points() == 0)
    return Done{};
  Grading alone = grading;
  alone.skeleton = nullptr;
  const Result<GradeResult> skeleton = grade_program(alone, *grading.skeleton, sources);
  if (!skeleton) return skeleton.errors();
  if (goes_further(result, *skeleton)) return Done{};
  for (GradedCriterion& criterion : result.criteria) criterion.earned = false;
  return Done{};
}

} // namespace

std::string_view name_of(GradeStatus status) {
  switch (status) {
  case GradeStatus::passed: return "passed";
  case GradeStatus::not_yet: return "not yet";
  case GradeStatus::error: return "error";
  case GradeStatus::stopped: return "stopped";
  }
  return "";
}

std::int64_t GradeResult::points() const {
  return std::accumulate(
      criteria.begin(), criteria.end(), std::int64_t{0},
      [](std::int64_t sum, const GradedCriterion& c) { return sum + c.points(); });
}

std::int64_t GradeResult::most_points() const {
  return std::accumulate(
      criteria.begin(), criteria.end(), std::int64_t{0},
      [](std::int64_t sum, const GradedCriterion& c) { return sum + c.spec.points; });
}

sweep::CheckedProgram with_all_arrays(sweep::CheckedProgram check) {
  for (lang::ArraySymbol& array : check.checked.arrays)
    if (array.kind == lang::ArrayKind::memory) array.used = true;
  return check;
}

Result<GradeResult> grade_program(const Grading& grading, const sweep::CheckedProgram& program,
                                  Sources& sources) {
  GradeResult result = header_of(*grading.exercise, program.info.path, program.info.sha256);
  result.errors = missing_params(*grading.check, program);
  if (result.errors.empty())
    if (const Status ran = run_all(grading, program, sources, result); !ran) return ran.errors();
  if (const Status judged = judge(grading, sources, result); !judged) return judged.errors();
  result.status = status_of(result);
  if (const Status compared = compare_with_skeleton(grading, sources, result); !compared)
    return compared.errors();
  return result;
}

GradeResult ungraded(const ExerciseSpec& exercise, const std::string& file,
                     const std::string& sha256, Diagnostics errors) {
  GradeResult result = header_of(exercise, file, sha256);
  for (const CriterionSpec& spec : exercise.criteria) {
    GradedCriterion criterion;
    criterion.spec = spec;
    criterion.judged = false;
    criterion.says = "not judged";
    result.criteria.push_back(std::move(criterion));
  }
  result.stop = stop_of(errors);
  result.status = result.stop == Stop::none ? GradeStatus::error : GradeStatus::stopped;
  result.errors = std::move(errors);
  return result;
}

} // namespace memlane::grade
