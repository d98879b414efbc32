#include "verification_json.hpp"

#include "memlane/show/json_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {

using sweep::ClaimVerification;
using sweep::GridSetting;
using sweep::Verification;

namespace {

std::string slopes(const Trend& trend) {
  std::string text;
  for (const ParameterTrend& p : trend.parameters)
    if (p.judged)
      text += fmt::format("{}{} {:+.3f}/{:+.3f}", text.empty() ? "" : ", ", p.name,
                          p.greatest.slope, p.least.slope);
  return text;
}

/// The parameters that vary, but too little to look for a trend.
std::string not_judged(const Trend& trend) {
  std::string text;
  for (const ParameterTrend& p : trend.parameters)
    if (!p.judged && p.groups > 1) text += fmt::format("{}{}", text.empty() ? "" : ", ", p.name);
  return text;
}

/// What there is to say of a ratio over the grid, a line each.
std::string trend_lines(const Verification& v, const Trend& trend) {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& found) {
    if (!found.empty()) text += fmt::format("{:20}{}: {}\n", "", what, found);
  };
  if (!trend.greatest_at.empty())
    add("greatest ratio at",
        place_on(v.names, trend.greatest_at, setting_of(v, trend.greatest_setting)));
  add("slopes of the greatest/least ratios", slopes(trend));
  add("without slopes, since they have too few values", not_judged(trend));
  return text;
}

/// What the ratios of a bound that holds show of its constants.
std::string constants_of(const GridJudgement& judgement) {
  const double least = judgement.trend->least, greatest = judgement.trend->greatest;
  if (judgement.constant)
    return fmt::format("c = {:.4g}, by an exact claim; ", *judgement.constant);
  switch (judgement.kind) {
  case lang::ClaimKind::big_o: return fmt::format("c = {:.4g}; ", greatest);
  case lang::ClaimKind::omega: return fmt::format("c = {:.4g}; ", least);
  default: return fmt::format("c = {:.4g} and {:.4g}; ", least, greatest);
  }
}

/// What no bound that holds rules out.
constexpr std::string_view slow_factors =
    "A bound that holds may still lack a factor that grows more slowly than a logarithm, such as\n"
    "sqrt(log2(n)) or log2(log2(n)): sizes that can be run do not show it.\n";

bool is_held_bound(const ClaimVerification& claim) {
  return claim.judgement.trend && claim.judgement.passed() && !claim.elsewhere;
}

/// What the runs' own checks say.
std::string results_of(const Verification& v) {
  std::string text;
  const auto add = [&](std::int64_t runs, std::string_view what) {
    if (runs > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", runs, what);
  };
  add(v.failed_runs, "failed");
  add(v.stopped_runs, "stopped at a limit");
  add(v.unchecked_runs, "with nothing checked: verify has no assert for them");
  if (text.empty()) text = "every result right";
  add(v.unfit_runs, "passed over: a launch does not fit on the machine");
  if (v.stop != Stop::none) text = "stopped before the end: " + text + " so far";
  add(v.racing_runs, fmt::format("with races (allowed: {})", on_one_line(v.races_allowed, 300)));
  return text;
}

std::string verification_table(const std::vector<Verification>& all) {
  std::string text;
  for (const Verification& v : all) {
    text += fmt::format("{}: {} on {}, {}\n", v.program, counted(v.runs, "run"),
                        fmt::join(v.models, ", "), results_of(v));
    if (v.runs_beyond > 0)
      text += fmt::format("  {} beyond the grid, for its bounds\n", counted(v.runs_beyond, "run"));
    for (const ClaimVerification& claim : v.claims) {
      text += fmt::format("  {:<16}  {}\n{:20}{}", verdict_of(claim), claim.text, "",
                          claim.elsewhere ? reason_of(claim) : finding(claim));
      if (!claim.source.empty()) text += fmt::format("  [{}]", claim.source);
      text += '\n';
      if (claim.judgement.trend && !claim.elsewhere) text += trend_lines(v, *claim.judgement.trend);
      if (!claim.passed()) text += fmt::format("{:20}{}\n", "", reason_of(claim));
      if (claim.counterexample)
        text += fmt::format("{:20}on {}: {}\n", "", claim.counterexample->machine,
                            claim.counterexample->command);
    }
  }
  if (std::any_of(all.begin(), all.end(), [](const Verification& v) {
        return std::any_of(v.claims.begin(), v.claims.end(), is_held_bound);
      }))
    text += slow_factors;
  return text;
}

} // namespace

std::string finding(const ClaimVerification& claim) {
  const GridJudgement& judgement = claim.judgement;
  if (judgement.trend)
    return fmt::format("{}ratio {:.4g} to {:.4g} at {}",
                       judgement.passed() ? constants_of(judgement) : "", judgement.trend->least,
                       judgement.trend->greatest, counted(judgement.applicable, "point"));
  if (!judgement.deviations.empty()) {
    const auto& all = judgement.deviations;
    const auto worst = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::abs(a.mean) * b.allowed < std::abs(b.mean) * a.allowed;
    });
    return fmt::format("mean - formula at worst {:+.4g} ± {:.2g} of {}, {} each", worst->mean,
                       worst->standard_error,
                       counted(static_cast<std::int64_t>(all.size()), "point"),
                       counted(worst->seeds, "seed"));
  }
  const bool exact = is_exact(judgement.kind);
  return (!exact && judgement.passed() ? "c may be any number; " : "") +
         counted(judgement.applicable, "point");
}

std::string_view verdict_of(const ClaimVerification& claim) {
  return claim.elsewhere ? not_run : name_of(claim.judgement.verdict);
}

std::string reason_of(const ClaimVerification& claim) {
  return claim.elsewhere ? "it is about machines that were not run" : claim.judgement.reason;
}

std::string render_verifications(const std::vector<Verification>& all, std::string_view version,
                                 Format format) {
  return verified_claim_columns().text_in(
      format, "Claims over a grid of parameters and machines", claims_of(all),
      [&] { return verification_table(all); }, [&] { return verifications_json(all, version); });
}

} // namespace memlane
