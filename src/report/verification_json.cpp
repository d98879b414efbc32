// A verification as JSON: all programs as one object, or a claim a line.
#include "verification_json.hpp"

#include "memlane/report/json_parts.hpp"

namespace memlane {

using sweep::ClaimVerification;
using sweep::GridSetting;
using sweep::Verification;

namespace {

using schema::count;
using schema::Json;
using schema::text;

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

Json model_schema() { return text("of the machine"); }

Json layouts_of(const GridSetting& setting) {
  Json layouts = Json::array();
  for (const auto& [option, value] : setting.replaced)
    if (option == "--layout") layouts.push_back(value);
  return layouts;
}

const schema::Table<VerifiedClaim>& counterexample_table() {
  using C = VerifiedClaim;
  const auto point = [](const C& c) -> const GridPoint& { return *c->judgement.counterexample; };
  const auto setting = [=](const C& c) -> const GridSetting& {
    return setting_of(*c.program, point(c).setting);
  };
  static const schema::Table<C> table({
      {"command", text("that repeats the run"),
       [](const C& c) { return c->counterexample->command; }},
      {"model", model_schema(), [=](const C& c) { return name_of(setting(c).model); }},
      {"lockstep", schema::boolean("whether the machine runs in lockstep"),
       [=](const C& c) { return setting(c).lockstep; }},
      {"layouts", schema::list(text("as --layout takes it"), "layouts that were replaced"),
       [=](const C& c) { return layouts_of(setting(c)); }},
      {"parameters", place_schema("parameters and letters of the machine"),
       [=](const C& c) { return place_json(*c.program, point(c).parameters, point(c).setting); }},
      {"seed", count("of random numbers"), [=](const C& c) { return point(c).seed; }},
      {"left", text("the count; empty: not worked out"),
       [=](const C& c) { return point(c).outcome.left.text; }},
      {"right", text("the formula; empty: not worked out"),
       [=](const C& c) { return point(c).outcome.right.text; }},
  });
  return table;
}

const schema::Table<ParameterTrend>& slope_table() {
  using P = ParameterTrend;
  static const schema::Table<P> table({
      {"parameter", text("its name"), [](const P& p) { return p.name; }},
      {"greatest_slope", real_schema("of the logarithm of the greatest ratios"),
       [](const P& p) { return p.greatest.slope; }},
      {"greatest_slope_lower", real_schema("its lower bound, 99 % confidence"),
       [](const P& p) { return p.greatest.lower; }},
      {"least_slope", real_schema("of the logarithm of the least ratios"),
       [](const P& p) { return p.least.slope; }},
      {"least_slope_upper", real_schema("its upper bound, 99 % confidence"),
       [](const P& p) { return p.least.upper; }},
  });
  return table;
}

const schema::Table<OfProgram<Deviation>>& deviation_table() {
  using D = OfProgram<Deviation>;
  static const schema::Table<D> table({
      {"model", model_schema(),
       [](const D& d) { return name_of(setting_of(*d.program, d->setting).model); }},
      {"parameters", place_schema("parameters and letters of the machine"),
       [](const D& d) { return place_json(*d.program, d->parameters, d->setting); }},
      {"seeds", count("runs, each with its random numbers"), [](const D& d) { return d->seeds; }},
      {"mean", real_schema("of count less formula"), [](const D& d) { return d->mean; }},
      {"standard_error", real_schema("of the mean"), [](const D& d) { return d->standard_error; }},
      {"allowed", real_schema("the largest |mean| that passes"),
       [](const D& d) { return d->allowed; }},
  });
  return table;
}

Json slopes_of(const std::optional<Trend>& trend) {
  Json slopes = Json::array();
  if (trend)
    for (const ParameterTrend& p : trend->parameters)
      if (p.judged) slopes.push_back(slope_table().json(p));
  return slopes;
}

std::vector<std::string_view> grid_verdicts() {
  std::vector<std::string_view> verdicts = schema::names_up_to(GridVerdict::not_decided);
  verdicts.push_back(not_run);
  return verdicts;
}

} // namespace

const Columns<VerifiedClaim>& verified_claim_columns() {
  using C = VerifiedClaim;
  using Col = Column<C>;
  const auto replaced = [](const char* option) {
    return [option](const C& c) { return replaced_cell(c.program->info, option); };
  };
  const auto has_trend = [](const C& c) { return c->judgement.trend.has_value(); };
  static const Columns<C> columns({
      Col("program", text("as it was asked for"), [](const C& c) { return c.program->program; })
          .shown("program", Align::left, {}, ShownIn::paper),
      Col("replaced", replaced_schema(), [](const C& c) { return replaced_json(c.program->info); })
          .not_in_csv(),
      csv_column<C>("layouts", replaced("--layout"))
          .shown("layouts", Align::left, {}, ShownIn::paper)
          .unless_empty(),
      csv_column<C>("fns", replaced("--fn"))
          .shown("fns", Align::left, {}, ShownIn::paper)
          .unless_empty(),
      csv_column<C>("types", replaced("--type"))
          .shown("types", Align::left, {}, ShownIn::paper)
          .unless_empty(),
      Col("claim", text("as the program writes it"), [](const C& c) { return c->text; })
          .shown("claim", Align::left, {}, ShownIn::paper)
          .code(),
      Col("source", text("where it is from"), [](const C& c) { return c->source; }),
      Col("verdict",
          schema::word(grid_verdicts(), "over the grid; not run: it is about other machines"),
          [](const C& c) { return verdict_of(*c.of); })
          .shown("verdict", Align::left, {}, ShownIn::paper),
      Col("passed", schema::boolean("whether it holds, or is about machines that were not run"),
          [](const C& c) { return c->passed(); })
          .not_in_csv(),
      Col("points", count("runs that it says something about"),
          [](const C& c) { return c->judgement.applicable; })
          .shown("points", Align::right, {}, ShownIn::paper),
      Col("reason", text("why it does not hold; empty: it does"),
          [](const C& c) { return reason_of(*c.of); })
          .not_in_csv(),
      Col("least_ratio", real_schema("of count to formula, of O, Omega and Theta"),
          [](const C& c) { return c->judgement.trend ? Json(c->judgement.trend->least) : Json(); }),
      Col("greatest_ratio", real_schema("of count to formula, of O, Omega and Theta"),
          [](const C& c) {
            return c->judgement.trend ? Json(c->judgement.trend->greatest) : Json();
          }),
      Col(
          "least_at", place_schema("where the ratio is least"),
          [](const C& c) {
            const Trend& trend = *c->judgement.trend;
            return place_json(*c.program, trend.least_at, trend.least_setting);
          },
          has_trend)
          .not_in_csv(),
      Col(
          "greatest_at", place_schema("where the ratio is greatest"),
          [](const C& c) {
            const Trend& trend = *c->judgement.trend;
            return place_json(*c.program, trend.greatest_at, trend.greatest_setting);
          },
          has_trend)
          .not_in_csv(),
      Col("slopes", schema::list(slope_table().schema("a parameter"), "by parameter, where judged"),
          [](const C& c) { return slopes_of(c->judgement.trend); })
          .not_in_csv(),
      Col("deviations", schema::list(deviation_table().schema("a point"), "of ~, a point each"),
          [](const C& c) {
            Json all = Json::array();
            for (const Deviation& d : c->judgement.deviations)
              all.push_back(deviation_table().json({c.program, &d}));
            return all;
          })
          .not_in_csv(),
      Col("counterexample",
          schema::or_null(counterexample_table().schema("the smallest run at which it fails")),
          [](const C& c) {
            return c->counterexample ? counterexample_table().json(c) : Json(nullptr);
          })
          .not_in_csv(),
      table_column<C>(
          "finding",
          [](const C& c) {
            return c->passed() && !c->elsewhere ? finding(*c.of) : reason_of(*c.of);
          },
          ShownIn::paper),
      table_column<C>(
          "source", [](const C& c) { return c->source; }, ShownIn::paper),
  });
  return columns;
}

std::vector<VerifiedClaim> claims_of(const std::vector<Verification>& all) {
  std::vector<VerifiedClaim> claims;
  for (const Verification& v : all)
    for (const ClaimVerification& claim : v.claims) claims.push_back({&v, &claim});
  return claims;
}

namespace {

Json claims_json(const Verification& v) {
  Json claims = Json::array();
  const schema::Table<VerifiedClaim> table = verified_claim_columns().json();
  for (const ClaimVerification& claim : v.claims) claims.push_back(table.json({&v, &claim}));
  return claims;
}

const schema::Table<Verification>& verified_program_table() {
  using V = Verification;
  const auto racing = [](const V& v) { return !v.races_allowed.empty(); };
  static const schema::Table<V> table({
      {"program", text("as it was asked for"), [](const V& v) { return v.program; }},
      {"replaced", replaced_schema(), [](const V& v) { return replaced_json(v.info); }},
      {"models", schema::list(model_schema(), "of the machines that ran it"),
       [](const V& v) { return v.models; }},
      {"runs", count("that came to their end, or to a limit of each run"),
       [](const V& v) { return v.runs; }},
      {"failed_runs", count("whose result was wrong, or that had an error"),
       [](const V& v) { return v.failed_runs; }},
      {"passed", schema::boolean("whether all claims passed and no run failed"),
       [](const V& v) { return v.passed(); }},
      {"parameters", schema::list(text("its name"), "parameters and letters that varied"),
       [](const V& v) { return v.names; }},
      {"claims",
       schema::list(verified_claim_columns().json().schema("a claim"),
                    "in the order of the program"),
       claims_json},
      {"stop",
       schema::word(schema::names_up_to(Stop::interrupted),
                    "why only a part of the grid was run; absent: all of it was"),
       [](const V& v) { return name_of(v.stop); }, [](const V& v) { return v.stop != Stop::none; }},
      {"stopped_runs", count("at a limit of each run"), [](const V& v) { return v.stopped_runs; }},
      {"unchecked_runs", count("whose verify made no assert"),
       [](const V& v) { return v.unchecked_runs; }},
      {"races_allowed", races_allowed_schema(), [](const V& v) { return v.races_allowed; }, racing},
      {"racing_runs", count("in which races were found and allowed"),
       [](const V& v) { return v.racing_runs; }, racing},
  });
  return table;
}

struct AllVerifications {
  const std::vector<Verification>& programs;
  std::string_view version;
};

const schema::Table<AllVerifications>& verifications_table() {
  using All = AllVerifications;
  static const schema::Table<All> table({
      {"tool", tool_schema(), [](const All& all) { return tool_json(all.version); }},
      {"programs",
       schema::list(verified_program_table().schema("a program"), "in the order asked for"),
       [](const All& all) { return verified_program_table().json_of_all(all.programs); }},
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
