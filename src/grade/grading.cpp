// Runs a student's file with the parameters and data of an exercise.
#include "memlane/grade/grading.hpp"

#include "run_pair.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace memlane::grade {
namespace {

// --- the runs

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
Diagnostics missing_params(const CheckedProgram& check, const CheckedProgram& program) {
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

/// The recipe of a point, of the student's file.
sweep::Recipe recipe_of(const Grading& grading, const sweep::PlannedPoint& planned,
                        const Submission& file) {
  sweep::Recipe recipe = planned.recipe;
  recipe.program.name = file.path;
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

/// Errors that a limit made say which one.
void name_limits(const Grading& grading, Diagnostics& errors) {
  for (Diagnostic& error : errors)
    if (error.stop != Stop::none)
      error.message += ": " + limit_text(error.stop, grading.exercise->limits);
}

/// Runs the file once for each point, until a limit or an error of the file ends the work.
Status run_all(const Grading& grading, const Submission& file, Sources& sources,
               GradeResult& result) {
  const Result<std::vector<sweep::Plan>> plans = plans_of(grading, sources);
  if (!plans) return plans.errors();
  for (std::size_t i = 0; i < plans->size(); ++i)
    for (std::int64_t number = 0; number < (*plans)[i].size(); ++number) {
      const sweep::PlannedPoint planned = (*plans)[i].point(number);
      sweep::Recipe recipe = recipe_of(grading, planned, file);
      GradedRun run;
      run.label = label_of(planned, grading.exercise->runs[i]);
      run.machine = planned.machine->path;
      run.seed = recipe.seed;
      if (file.program) run.command = command_text(recipe); // shown of runs that reached no limit
      recipe.limits = limits_of(grading);
      const Status ran =
          run_pair(grading, recipe, planned.point, file, sources, run, result.errors);
      if (!ran) return ran;
      if (!result.errors.empty()) {
        name_limits(grading, result.errors);
        result.stop = stop_of(result.errors);
        return Done{};
      }
      result.stop = run.stop;
      result.runs.push_back(std::move(run));
      if (result.stop != Stop::none) return Done{};
    }
  return Done{};
}

// --- from runs to criteria

/// The line of the program whose requests lost most stages to conflicts; empty: none lost any.
std::string worst_line(const GradedRun& run, const Sources& sources) {
  std::pair<std::int32_t, std::int32_t> place;
  const LineCounts* worst = nullptr;
  for (const auto& [at, line] : run.result.counts.lines) {
    const std::int64_t lost = line.conflicts();
    if (lost <= 0 || (worst && lost <= worst->conflicts())) continue;
    worst = &line;
    place = at;
  }
  if (!worst) return "";
  return fmt::format("line {}: {} for {}\n{}", place.second, counted(worst->stages, "stage"),
                     counted(worst->requests, "request"),
                     on_one_line(compact_source(sources.line(place.first, place.second)), 60));
}

/// A number of a claim: whole ones exactly, others with six digits.
std::string short_number(const ClaimValue& value) {
  const bool whole = value.text.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? value.text : fmt::format("{:.6g}", value.value);
}

/// How many times the count exceeds the formula, or falls short of one that it must reach.
double times_off(const ClaimOutcome& claim) {
  const bool short_of = claim.kind == lang::ClaimKind::at_least ||
                        (claim.kind == lang::ClaimKind::equal && claim.ratio < 1);
  return short_of ? 1 / claim.ratio : claim.ratio;
}

bool is_wrong(const GradedRun& run) { return run.judged() && !run.correct; }

class Judge {
public:
  Judge(const Grading& grading, const Sources& sources, const GradeResult& result)
      : grading_(grading), sources_(sources), result_(result) {
    wrong_ = std::count_if(result.runs.begin(), result.runs.end(), is_wrong);
    correct_ = !result.runs.empty() && result.errors.empty() &&
               std::all_of(result.runs.begin(), result.runs.end(),
                           [](const GradedRun& run) { return run.correct; });
  }

  Result<GradedCriterion> criterion(const CriterionSpec& spec) const;

private:
  void judge_correct(GradedCriterion& into) const;
  void judge_races(GradedCriterion& into) const;
  Status judge_claims(GradedCriterion& into) const;
  bool accepts(const CriterionSpec& spec, const ClaimOutcome& claim) const;
  void describe(GradedCriterion& into, const ClaimOutcome& claim, const GradedRun& run) const;
  void leave_open(GradedCriterion& into) const;
  std::string text_of(Span span) const { return compact_source(sources_.text(span)); }

  const Grading& grading_;
  const Sources& sources_;
  const GradeResult& result_;
  std::int64_t wrong_ = 0; ///< runs
  bool correct_ = false;   ///< all runs are, and none was stopped
};

/// For a criterion that the runs do not tell about.
void Judge::leave_open(GradedCriterion& into) const {
  into.judged = false;
  if (wrong_ > 0)
    into.says = "not judged: the result is wrong";
  else if (result_.stop == Stop::none)
    into.says = "not judged: its races ended a run";
  else
    into.says = result_.stop == Stop::interrupted ? "not judged: the work was interrupted"
                                                  : "not judged: a limit was reached";
}

void Judge::judge_correct(GradedCriterion& into) const {
  const auto all = static_cast<std::int64_t>(result_.runs.size());
  into.fulfilled = correct_;
  if (correct_) {
    into.says = all == 1 ? "right" : fmt::format("right in all {} runs", all);
    return;
  }
  const auto open = std::count_if(result_.runs.begin(), result_.runs.end(),
                                  [](const GradedRun& run) { return !run.judged(); });
  const auto first =
      std::find_if(result_.runs.begin(), result_.runs.end(), [&](const GradedRun& run) {
        return wrong_ > 0 ? is_wrong(run) : !run.judged();
      });
  into.details = fmt::format("{}: {}", first->label, first->reason);
  if (wrong_ == 0) leave_open(into);
  if (wrong_ == 0 && result_.stop != Stop::none) return;
  into.run = first->label;
  // A main that does the kernels' work may well compute the right result.
  const char* const what = first->result.host_words > 0 ? "not accepted" : "wrong";
  into.says = wrong_ > 0 ? fmt::format("{} in {} of {}", what, wrong_, counted(all, "run"))
                         : fmt::format("right in {} of {}", all - open, counted(all, "run"));
  if (open > 0) into.says += fmt::format(", {} not judged", open);
}

void Judge::judge_races(GradedCriterion& into) const {
  const auto first = std::find_if(result_.runs.begin(), result_.runs.end(),
                                  [](const GradedRun& run) { return run.races > 0; });
  into.fulfilled = first == result_.runs.end() && correct_;
  if (into.fulfilled) {
    into.says = "none";
  } else if (first == result_.runs.end()) {
    if (wrong_ == 0) return leave_open(into);
    into.judged = std::none_of(result_.runs.begin(), result_.runs.end(),
                               [](const GradedRun& run) { return run.result.stop == Stop::error; });
    into.says = into.judged ? "none, but the result is wrong" : "not judged: an error ended a run";
  } else {
    into.run = first->label;
    into.says = fmt::format("{}{} in {}", first->judged() ? "" : "at least ",
                            counted(first->races, "race"), first->label);
    if (!first->result.races.pairs.empty())
      into.details = with_line(first->result.races.pairs.front().first, sources_);
  }
}

bool Judge::accepts(const CriterionSpec& spec, const ClaimOutcome& claim) const {
  if (claim.verdict != ClaimVerdict::ratio_only) return claim.verdict == ClaimVerdict::holds;
  return std::isnan(claim.ratio) || claim.ratio <= spec.factor.value_or(1);
}

void Judge::describe(GradedCriterion& into, const ClaimOutcome& claim, const GradedRun& run) const {
  into.run = run.label;
  if (std::isfinite(claim.ratio)) into.ratio = claim.ratio;
  if (std::isfinite(times_off(claim))) into.off = times_off(claim);
  const auto& claims = grading_.check->checked.program.claims;
  const auto decl = std::find_if(claims.begin(), claims.end(),
                                 [&](const lang::ClaimDecl& c) { return c.span == claim.span; });
  const std::string count = text_of(decl->left.span);
  into.formula = text_of(decl->right.span);
  const std::string numbers = fmt::format("{}: {} against {}", run.label, short_number(claim.left),
                                          short_number(claim.right));
  if (claim.kind == lang::ClaimKind::big_o) {
    into.says = fmt::format("{} is {:.2f} times {}; up to {:g} times is accepted", count,
                            into.ratio.value_or(0), into.formula, *into.spec.factor);
    if (!into.fulfilled) into.details = numbers;
  } else {
    into.says = fmt::format("{} {} {}{}", count, spelling(claim.kind), into.formula,
                            into.fulfilled ? "" : " is required");
    if (!into.fulfilled) into.details = numbers;
  }
  if (!into.fulfilled) into.worst_line = worst_line(run, sources_);
}

/// Every claim of the criterion's name at every run where it applies.
Status Judge::judge_claims(GradedCriterion& into) const {
  if (!correct_) {
    leave_open(into);
    return Done{};
  }
  const ClaimOutcome* worst = nullptr;
  const GradedRun* where = nullptr;
  bool accepted = true;
  for (const GradedRun& run : result_.runs)
    for (const ClaimOutcome& claim : run.claims) {
      if (claim.source != into.spec.name || claim.verdict == ClaimVerdict::not_applicable) continue;
      if (claim.verdict == ClaimVerdict::not_evaluated)
        return error_at(claim.span, fmt::format("this cannot be evaluated for {}: {}", run.label,
                                                claim.reason));
      const bool good = accepts(into.spec, claim);
      const bool first = !worst || (accepted && !good);
      if (!first && (accepted != good || !(times_off(claim) > times_off(*worst)))) continue;
      accepted = accepted && good;
      worst = &claim;
      where = &run;
    }
  if (!worst)
    return error_at(into.spec.span, "its claims apply to none of the exercise's runs",
                    {"change the runs, or `when` and `on` of the claims"});
  into.fulfilled = accepted;
  describe(into, *worst, *where);
  return Done{};
}

Result<GradedCriterion> Judge::criterion(const CriterionSpec& spec) const {
  GradedCriterion criterion;
  criterion.spec = spec;
  if (!result_.errors.empty() || result_.runs.empty()) {
    criterion.judged = false;
    criterion.says = "not judged";
  } else if (spec.name == correct) {
    judge_correct(criterion);
  } else if (spec.name == no_races) {
    judge_races(criterion);
  } else if (const Status judged = judge_claims(criterion); !judged) {
    return judged.errors();
  }
  return criterion;
}

/// Fills `result.criteria` from its runs. Errors: a claim that cannot be evaluated, or that applies
/// to no run.
Status judge(const Grading& grading, const Sources& sources, GradeResult& result) {
  const Judge judge(grading, sources, result);
  ErrorCollector errors;
  std::vector<GradedCriterion> criteria;
  for (const CriterionSpec& spec : grading.exercise->criteria) {
    Result<GradedCriterion> criterion = judge.criterion(spec);
    if (errors.check(criterion)) criteria.push_back(std::move(*criterion));
  }
  result.criteria = std::move(criteria);
  return errors.status();
}

// --- the grade

GradeStatus status_of(const GradeResult& result) {
  if (result.stop != Stop::none) return GradeStatus::stopped;
  if (!result.errors.empty()) return GradeStatus::error;
  const bool passed = std::all_of(result.criteria.begin(), result.criteria.end(),
                                  [](const GradedCriterion& c) { return c.fulfilled; });
  return passed ? GradeStatus::passed : GradeStatus::not_yet;
}

GradeResult header_of(const Grading& grading, const Submission& file) {
  const ExerciseSpec& exercise = *grading.exercise;
  GradeResult result;
  result.exercise = exercise.name;
  result.title = exercise.title;
  result.exercise_path = exercise.path;
  result.file = file.path;
  result.sha256 = file.sha256;
  result.graded = file.text;
  result.more_seed = grading.more_seed;
  return result;
}

/// It fulfils a criterion that the skeleton lacks, or comes twice as near to one.
bool goes_further(const GradeResult& result, const GradeResult& skeleton) {
  for (std::size_t i = 0; i < result.criteria.size(); ++i) {
    const GradedCriterion &own = result.criteria[i], &first = skeleton.criteria[i];
    if (first.fulfilled) continue;
    const bool halved = own.off && first.off && own.formula == first.formula &&
                        *own.off < *first.off && *own.off <= *first.off / 2; // both may be 0
    if (own.fulfilled || halved) return true;
  }
  return false;
}

/// Some of the points are for work on the skeleton alone.
Status compare_with_skeleton(const Grading& grading, Sources& sources, GradeResult& result) {
  if (!grading.skeleton || result.status == GradeStatus::passed || result.points() == 0)
    return Done{};
  Grading alone = grading;
  alone.skeleton = nullptr;
  const Result<GradeResult> skeleton = grade_file(alone, *grading.skeleton, sources);
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

CheckedProgram with_all_arrays(CheckedProgram check) {
  for (lang::ArraySymbol& array : check.checked.arrays)
    if (array.kind == lang::ArrayKind::memory) array.used = true;
  return check;
}

Result<GradeResult> grade_file(const Grading& grading, const Submission& file, Sources& sources) {
  GradeResult result = header_of(grading, file);
  if (file.program) result.errors = missing_params(*grading.check, *file.program);
  if (result.errors.empty())
    if (const Status ran = run_all(grading, file, sources, result); !ran) return ran.errors();
  if (const Status judged = judge(grading, sources, result); !judged) return judged.errors();
  result.status = status_of(result);
  if (const Status compared = compare_with_skeleton(grading, sources, result); !compared)
    return compared.errors();
  return result;
}

GradeResult ungraded(const Grading& grading, const Submission& file, Diagnostics errors) {
  GradeResult result = header_of(grading, file);
  for (const CriterionSpec& spec : grading.exercise->criteria) {
    GradedCriterion criterion;
    criterion.spec = spec;
    criterion.judged = false;
    criterion.says = "not judged";
    result.criteria.push_back(std::move(criterion));
  }
  name_limits(grading, errors);
  result.stop = stop_of(errors);
  result.status = result.stop == Stop::none ? GradeStatus::error : GradeStatus::stopped;
  result.errors = std::move(errors);
  return result;
}

} // namespace memlane::grade
