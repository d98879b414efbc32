#include "judge.hpp"

#include "with_line.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::grade {
namespace {

/// The line of the program whose requests lost most stages to conflicts; empty: none lost any.
std::string worst_line(const GradedRun& run, const Sources& sources) {
  std::pair<std::int32_t, std::int32_t> place;
  const LineCounts* worst = nullptr;
  for (const auto& [at, line] : run.result.counts.lines) {
    const std::int64_t lost = line.stages - line.requests;
    if (lost <= 0 || (worst && lost <= worst->stages - worst->requests)) continue;
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
    into.says = "none, but the result is wrong";
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
      if (!first && (accepted != good || !(claim.ratio > worst->ratio))) continue;
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

} // namespace

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

} // namespace memlane::grade
