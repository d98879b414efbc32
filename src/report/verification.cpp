#include "verification_json.hpp"

#include "memlane/report/json_parts.hpp"
#include "memlane/report/paper_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {

using sweep::ClaimVerification;
using sweep::GridSetting;
using sweep::Verification;

namespace {

/// The fitted constants, or how many points were compared.
std::string finding(const ClaimVerification& claim) {
  const GridJudgement& judgement = claim.judgement;
  if (judgement.trend)
    return fmt::format("ratio {:.4g} to {:.4g} at {} points", judgement.trend->least,
                       judgement.trend->greatest, judgement.applicable);
  if (!judgement.deviations.empty()) {
    const auto& all = judgement.deviations;
    const auto worst = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return std::abs(a.mean) * b.allowed < std::abs(b.mean) * a.allowed;
    });
    return fmt::format("mean - formula at worst {:+.4g} ± {:.2g} of {} points, {} seeds each",
                       worst->mean, worst->standard_error, all.size(), worst->seeds);
  }
  return fmt::format("{} points", judgement.applicable);
}

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
  add("not judged, too few values", not_judged(trend));
  return text;
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
  if (v.stop != Stop::none) text = "stopped before the end: " + text + " so far";
  add(v.racing_runs, fmt::format("with races (allowed: {})", on_one_line(v.races_allowed, 300)));
  return text;
}

std::string verification_table(const std::vector<Verification>& all) {
  std::string text;
  for (const Verification& v : all) {
    text += fmt::format("{}: {} on {}, {}\n", v.program, counted(v.runs, "run"),
                        fmt::join(v.models, ", "), results_of(v));
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
  return text;
}

std::string quoted_cell(const std::string& text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

std::string verification_csv(const std::vector<Verification>& all) {
  std::string text = "program,layouts,fns,types,claim,source,verdict,points,least_ratio,"
                     "greatest_ratio\n";
  for (const Verification& v : all)
    for (const ClaimVerification& claim : v.claims) {
      const auto& trend = claim.judgement.trend;
      text += quoted_cell(v.program);
      for (const char* option : {"--layout", "--fn", "--type"})
        text += ',' + quoted_cell(replaced_cell(v.info, option));
      text += fmt::format(",{},{},{},{},{},{}\n", quoted_cell(claim.text),
                          quoted_cell(claim.source), verdict_of(claim), claim.judgement.applicable,
                          trend ? fmt::format("{}", trend->least) : "",
                          trend ? fmt::format("{}", trend->greatest) : "");
    }
  return text;
}

/// The options that replaced a part of some program; the others have no column.
std::vector<PaperColumn> replaced_columns(const std::vector<Verification>& all,
                                          std::vector<std::string>& options) {
  std::vector<PaperColumn> columns;
  for (const auto& [option, name] :
       {std::pair("--layout", "layouts"), std::pair("--fn", "fns"), std::pair("--type", "types")}) {
    const bool any = std::any_of(all.begin(), all.end(), [o = option](const Verification& v) {
      return !replaced_cell(v.info, o).empty();
    });
    if (!any) continue;
    columns.push_back({name, Align::left});
    options.emplace_back(option);
  }
  return columns;
}

PaperTable verification_paper(const std::vector<Verification>& all) {
  const auto left = Align::left, right = Align::right;
  std::vector<std::string> options;
  std::vector<PaperColumn> columns = replaced_columns(all, options);
  columns.insert(columns.begin(), {"program", left});
  columns.insert(columns.end(), {{"claim", left, true},
                                 {"verdict", left},
                                 {"points", right},
                                 {"finding", left},
                                 {"source", left}});
  PaperTable table("Claims over a grid of parameters and machines", columns);
  for (const Verification& v : all)
    for (const ClaimVerification& claim : v.claims) {
      std::vector<std::string> row = {v.program};
      for (const std::string& option : options) row.push_back(replaced_cell(v.info, option));
      const std::string found =
          claim.passed() && !claim.elsewhere ? finding(claim) : reason_of(claim);
      row.insert(row.end(), {claim.text, std::string(verdict_of(claim)),
                             std::to_string(claim.judgement.applicable), found, claim.source});
      table.add(std::move(row));
    }
  return table;
}

} // namespace

std::string_view verdict_of(const ClaimVerification& claim) {
  return claim.elsewhere ? not_run : name_of(claim.judgement.verdict);
}

std::string reason_of(const ClaimVerification& claim) {
  return claim.elsewhere ? "it is about machines that were not run" : claim.judgement.reason;
}

std::string render_verifications(const std::vector<Verification>& all, std::string_view version,
                                 Format format) {
  switch (format) {
  case Format::csv: return verification_csv(all);
  case Format::jsonl: return verification_lines(all);
  case Format::json: return json_text(verifications_json(all, version), 2);
  case Format::markdown:
  case Format::latex: return paper_text({verification_paper(all)}, format);
  case Format::table: break;
  }
  return verification_table(all);
}

} // namespace memlane
