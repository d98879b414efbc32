// A verification as JSON: all programs as one object, or a claim a line.
#include "verification_json.hpp"

#include "memlane/show/json_parts.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace memlane {

using sweep::ClaimVerification;
using sweep::GridSetting;
using sweep::Verification;

namespace {

using schema::Json;

/// The parameters that the machine has, by name.
Json place_json(const Verification& v, const GridValues& at, std::int64_t number) {
  Json json = Json::object();
  for (std::size_t k = 0; k < at.size(); ++k)
    if (sweep::has_axis(setting_of(v, number).model, v.names[k])) json[v.names[k]] = at[k];
  return json;
}

Json place_schema(std::string_view meaning) {
  return schema::map(schema::typed("integer", "its value"), meaning);
}

Json model_schema() { return schema::text("of the machine"); }

Json layouts_of(const GridSetting& setting) {
  Json layouts = Json::array();
  for (const auto& [option, value] : setting.replaced)
    if (option == "--layout") layouts.push_back(value);
  return layouts;
}

/// Where a claim fails.
using FailingPoint = PartOf<GridPoint, VerifiedClaim>;

const GridSetting& setting_of_failure(const FailingPoint& p) {
  return setting_of(p.whole.whole, p->setting);
}

const schema::Table<FailingPoint>& counterexample_table() {
  using P = FailingPoint;
  static const schema::Table<P> table({
      {"command", "that repeats the run",
       [](const P& p) { return p.whole->counterexample->command; }},
      {"model", model_schema(), [](const P& p) { return setting_of_failure(p).model; }},
      {"lockstep", "whether the machine runs in lockstep",
       [](const P& p) { return setting_of_failure(p).lockstep; }},
      {"layouts", schema::list(schema::text("as --layout takes it"), "layouts that were replaced"),
       [](const P& p) { return layouts_of(setting_of_failure(p)); }},
      {"parameters", place_schema("parameters and letters of the machine"),
       [](const P& p) { return place_json(p.whole.whole, p->parameters, p->setting); }},
      {"seed", "of random numbers", &GridPoint::seed},
      {"left", "the count; empty: not worked out", [](const P& p) { return p->outcome.left.text; }},
      {"right", "the formula; empty: not worked out",
       [](const P& p) { return p->outcome.right.text; }},
  });
  return table;
}

const schema::Table<ParameterTrend>& slope_table() {
  using P = ParameterTrend;
  static const schema::Table<P> table({
      {"parameter", "its name", &P::name},
      {"greatest_slope", "of the logarithm of the greatest ratios",
       [](const P& p) { return p.greatest.slope; }},
      {"greatest_slope_lower", "its lower bound, 99 % confidence",
       [](const P& p) { return p.greatest.lower; }},
      {"least_slope", "of the logarithm of the least ratios",
       [](const P& p) { return p.least.slope; }},
      {"least_slope_upper", "its upper bound, 99 % confidence",
       [](const P& p) { return p.least.upper; }},
  });
  return table;
}

const schema::Table<PartOf<Ray, Verification>>& ray_table() {
  using R = PartOf<Ray, Verification>;
  static const schema::Table<R> table({
      {"model", model_schema(),
       [](const R& r) { return setting_of(r.whole, r->points.front().setting).model; }},
      {"grows", "whether the ratio is seen to grow (Omega: vanish) without end; else not decided",
       [](const R& r) { return r->growth == Growth::grows; }},
      {"doublings", place_schema("how often a parameter doubles from one run to the next"),
       [](const R& r) {
         Json json = Json::object();
         for (std::size_t k = 0; k < r->powers.size(); ++k)
           if (r->powers[k] > 0) json[r.whole.names[k]] = r->powers[k];
         return json;
       }},
      {"first", place_schema("parameters and letters of the first run"),
       [](const R& r) {
         return place_json(r.whole, r->points.front().parameters, r->points.front().setting);
       }},
      {"ratios",
       schema::list(schema::typed("number", "at one run"),
                    "of the count to the leading terms of the formula; for Omega inverted"),
       &Ray::ratios},
  });
  return table;
}

const schema::Table<PartOf<Deviation, Verification>>& deviation_table() {
  using D = PartOf<Deviation, Verification>;
  static const schema::Table<D> table({
      {"model", model_schema(), [](const D& d) { return setting_of(d.whole, d->setting).model; }},
      {"parameters", place_schema("parameters and letters of the machine"),
       [](const D& d) { return place_json(d.whole, d->parameters, d->setting); }},
      {"seeds", "runs, each with its random numbers", &Deviation::seeds},
      {"mean", "of count less formula", &Deviation::mean},
      {"standard_error", "of the mean", &Deviation::standard_error},
      {"allowed", "the largest |mean| that passes", &Deviation::allowed},
  });
  return table;
}

std::vector<ParameterTrend> judged_trends(const VerifiedClaim& c) {
  std::vector<ParameterTrend> judged;
  if (const auto& trend = c->judgement.trend)
    std::copy_if(trend->parameters.begin(), trend->parameters.end(), std::back_inserter(judged),
                 [](const ParameterTrend& p) { return p.judged; });
  return judged;
}

std::vector<std::string_view> grid_verdicts() {
  std::vector<std::string_view> verdicts = schema::names_up_to(GridVerdict::not_decided);
  verdicts.push_back(not_run);
  return verdicts;
}

/// Which claim, of which program, and its verdict.
ColumnList<VerifiedClaim> verdict_columns() {
  using C = VerifiedClaim;
  using Col = Column<C>;
  const auto replaced = [](const char* name, const char* option) {
    return csv_column<C>(
        name, [option](const C& c) { return replaced_cell(c.whole.info, option); },
        Shown{.heading = name, .where = ShownIn::paper, .hide_empty = true});
  };
  return {
      Col(Shown{"program", Align::left, nullptr, ShownIn::paper}, "program", "as it was asked for",
          [](const C& c) { return c.whole.program; }),
      Col::json("replaced", replaced_schema(),
                [](const C& c) { return replaced_json(c.whole.info); }),
      replaced("layouts", "--layout"),
      replaced("fns", "--fn"),
      replaced("types", "--type"),
      Col(Shown{.heading = "claim", .where = ShownIn::paper, .is_code = true}, "claim",
          "as the program writes it", &ClaimVerification::text),
      Col("source", "where it is from", &ClaimVerification::source),
      Col(Shown{"verdict", Align::left, nullptr, ShownIn::paper}, "verdict",
          schema::word(grid_verdicts(), "over the grid; not run: it is about other machines"),
          [](const C& c) { return verdict_of(*c); }),
      Col::json("passed", "whether it holds, or is about machines that were not run",
                &ClaimVerification::passed),
      Col(Shown{"points", Align::right, nullptr, ShownIn::paper}, "points",
          "runs that it says something about", [](const C& c) { return c->judgement.applicable; }),
      Col::json("reason", "why it does not hold; empty: it does",
                [](const C& c) { return reason_of(*c); }),
  };
}

/// What the runs showed.
ColumnList<VerifiedClaim> evidence_columns() {
  using C = VerifiedClaim;
  using Col = Column<C>;
  const auto has_trend = [](const C& c) { return c->judgement.trend.has_value(); };
  const auto ratio = [](double Trend::*extreme) {
    return [extreme](const C& c) {
      const auto& trend = c->judgement.trend;
      return trend ? std::optional((*trend).*extreme) : std::nullopt;
    };
  };
  const auto place = [](GridValues Trend::*at, std::int64_t Trend::*setting) {
    return [at, setting](const C& c) {
      const Trend& trend = *c->judgement.trend;
      return place_json(c.whole, trend.*at, trend.*setting);
    };
  };
  return {
      Col("least_ratio", "of count to formula, of O, Omega and Theta", ratio(&Trend::least)),
      Col("greatest_ratio", "of count to formula, of O, Omega and Theta", ratio(&Trend::greatest)),
      Col::json("least_at", place_schema("where the ratio is least"),
                place(&Trend::least_at, &Trend::least_setting), has_trend),
      Col::json("greatest_at", place_schema("where the ratio is greatest"),
                place(&Trend::greatest_at, &Trend::greatest_setting), has_trend),
      Col::json("slopes", slope_table(), "a parameter", "by parameter, where judged",
                judged_trends),
      Col::json("constant",
                schema::or_null(schema::typed("number", "that an exact claim gives the bound")),
                [](const C& c) {
                  return c->judgement.constant ? Json(*c->judgement.constant) : Json(nullptr);
                }),
      Col::json("beyond", ray_table(), "runs in a line",
                "beyond the grid, that refute the bound or leave it undecided",
                [](const C& c) { return parts_of(c->judgement.rays, c.whole); }),
      Col::json("deviations", deviation_table(), "a point", "of ~, a point each",
                [](const C& c) { return parts_of(c->judgement.deviations, c.whole); }),
      Col::json(
          "counterexample",
          schema::or_null(counterexample_table().schema("the smallest run at which it fails")),
          [](const C& c) {
            return c->counterexample
                       ? counterexample_table().json({*c->judgement.counterexample, c})
                       : Json(nullptr);
          }),
      table_column<C>(
          Shown{"finding", Align::left, nullptr, ShownIn::paper},
          [](const C& c) { return c->passed() && !c->elsewhere ? finding(*c) : reason_of(*c); }),
      table_column<C>(Shown{"source", Align::left, nullptr, ShownIn::paper},
                      [](const C& c) { return c->source; }),
  };
}

} // namespace

const Columns<VerifiedClaim>& verified_claim_columns() {
  static const Columns<VerifiedClaim> columns(verdict_columns(), evidence_columns());
  return columns;
}

std::vector<VerifiedClaim> claims_of(const std::vector<Verification>& all) {
  std::vector<VerifiedClaim> claims;
  for (const Verification& v : all)
    for (const ClaimVerification& claim : v.claims) claims.push_back({claim, v});
  return claims;
}

namespace {

const schema::Table<Verification>& verified_program_table() {
  using V = Verification;
  const auto racing = [](const V& v) { return !v.races_allowed.empty(); };
  static const schema::Table<V> table({
      {"program", "as it was asked for", &V::program},
      {"replaced", replaced_schema(), [](const V& v) { return replaced_json(v.info); }},
      {"models", schema::list(model_schema(), "of the machines that ran it"), &V::models},
      {"runs", "that came to their end, or to a limit of each run", &V::runs},
      {"runs_beyond", "beyond the grid, which show where bounds go; not in runs", &V::runs_beyond},
      {"failed_runs", "whose result was wrong, or that had an error", &V::failed_runs},
      {"passed", "whether all claims passed and no run failed", &V::passed},
      {"parameters", schema::list(schema::text("its name"), "parameters and letters that varied"),
       &V::names},
      {"claims", verified_claim_columns().json(), "a claim", "in the order of the program",
       [](const V& v) { return parts_of(v.claims, v); }},
      {"stop",
       schema::word(schema::names_up_to(Stop::interrupted),
                    "why only a part of the grid was run; absent: all of it was"),
       &V::stop, [](const V& v) { return v.stop != Stop::none; }},
      {"stopped_runs", "at a limit of each run", &V::stopped_runs},
      {"unchecked_runs", "whose verify made no assert", &V::unchecked_runs},
      {"unfit_runs", "passed over, and not in runs: a launch does not fit on the machine",
       &V::unfit_runs},
      {"races_allowed", races_allowed_schema(), &V::races_allowed, racing},
      {"racing_runs", "in which races were found and allowed", &V::racing_runs, racing},
  });
  return table;
}

/// With the version of the tool.
using AllVerifications = PartOf<std::vector<Verification>, std::string_view>;

const schema::Table<AllVerifications>& verifications_table() {
  static const schema::Table<AllVerifications> table({
      {"tool", tool_schema(), [](const AllVerifications& all) { return tool_json(all.whole); }},
      {"programs", verified_program_table(), "a program", "in the order asked for",
       [](const AllVerifications& all) { return *all; }},
  });
  return table;
}

} // namespace

Json verifications_json(const std::vector<Verification>& all, std::string_view version) {
  return verifications_table().json({all, version});
}

Json verifications_schema() {
  return schema::document("The result of memlane verify",
                          verifications_table().schema("what --format json prints"));
}

Json verification_line_schema() {
  return line_document("verify", verified_claim_columns().json().schema("a claim of a program"));
}

} // namespace memlane
