// Measurements beside a model, as JSON.
#include "gpu_json.hpp"
#include "gpu_words.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/gpu_report.hpp"

namespace memlane {
namespace {

using schema::count;
using schema::Json;
using schema::text;

Json real_or_null(const std::optional<double>& value) {
  return value ? real_json(*value) : Json(nullptr);
}

Json measured_parameters_json(const measure::MeasuredPoint& measured) {
  Json parameters = Json::object();
  for (const auto& [name, value] : measured.parameters) parameters[name] = value;
  return parameters;
}

Json measured_replaced_json(const measure::MeasuredPoint& measured) {
  Json replaced = Json::array();
  for (const auto& [option, replacement] : measured.replaced)
    replaced.push_back("--" + option + " " + replacement);
  return replaced;
}

Json variant_schema() {
  return schema::word(schema::names_up_to(measure::Variant::cub), "whose code was measured");
}

} // namespace

const Columns<measure::ComparedPoint>& compared_point_columns() {
  using P = measure::ComparedPoint;
  using C = Column<P>;
  const auto number = [](std::optional<double> (*get)(const P&)) {
    return [get](const P& p) { return optional_number(get(p)); };
  };
  static const Columns<P> columns({
      C("program", text("its name"), [](const P& p) { return p.measured.program; }),
      C("sha256", sha256_schema(), [](const P& p) { return p.measured.sha256; }),
      C("curve", text("the algorithm, over its sizes"),
        [](const P& p) {
          return p.curve;
        }).shown("algorithm"),
      C("parameters", schema::map(text("as -D takes it"), "the program's parameters"),
        [](const P& p) {
          return measured_parameters_json(p.measured);
        }).not_in_csv(),
      csv_column<P>("parameters",
                    [](const P& p) { return measure::parameters_text(p.measured.parameters); })
          .shown("parameters"),
      C("variant", variant_schema(),
        [](const P& p) {
          return name_of(p.measured.variant);
        }).shown("kernel", Align::left, {}, ShownIn::text),
      C("replaced", schema::list(text("an option and its text"), "replaced parts of the program"),
        [](const P& p) {
          return measured_replaced_json(p.measured);
        }).not_in_csv(),
      C("seed", count("of random numbers"),
        [](const P& p) {
          return p.measured.seed;
        }).not_in_csv(),
      C("problem", text("what it computes; only kernels of one problem are ranked"),
        [](const P& p) { return p.problem; }),
      C("fmad", schema::or_null(schema::boolean("whether a product and a sum have one rounding")),
        [](const P& p) { return schema::value_or_null(p.measured.fmad); }),
      C("device", text("the GPU"), [](const P& p) { return p.measured.device.name; }),
      C("time", schema::or_null(count("time units, the machine's launch cost included")),
        [](const P& p) {
          return schema::value_or_null(p.time);
        }).shown("time units", Align::right),
      C("median_ns", real_schema("measured by events (ns)"),
        [](const P& p) { return real_json(p.measured.median_ns); }),
      C("back_to_back_ns", real_schema("a run among many without a pause (ns)"),
        [](const P& p) { return real_or_null(p.measured.back_to_back_ns); }),
      C("priced_clock",
        schema::word(schema::names_up_to(measure::PricedClock::block), "what measured priced_ns"),
        [](const P& p) { return name_of(p.measured.priced_clock); }),
      C("predicted_ns", real_schema("of what the model prices, at the fitted costs (ns)"),
        [](const P& p) {
          return real_or_null(p.predicted_ns);
        }).shown("predicted ns", Align::right, number([](const P& p) { return p.predicted_ns; })),
      C("priced_ns", real_schema("measured, of what the model prices (ns)"),
        [](const P& p) { return real_json(p.measured.priced_ns); })
          .shown("measured ns", Align::right,
                 number([](const P& p) { return std::optional(p.measured.priced_ns); }),
                 ShownIn::text),
      table_column<P>(
          "measured ns", [](const P& p) { return fmt::format("{}", p.measured.priced_ns); },
          ShownIn::paper, Align::right),
      C("relative_error", real_schema("(predicted - measured) / measured"),
        [](const P& p) { return real_or_null(p.error()); })
          .shown("error", Align::right,
                 [](const P& p) {
                   const auto error = p.error();
                   return error ? percent_text(*error) : "";
                 }),
      C("of_emitted", real_schema("its time as a multiple of the fastest emitted kernel's"),
        [](const P& p) { return real_or_null(p.ratio_to_emitted); })
          .shown("of emitted", Align::right, number([](const P& p) { return p.ratio_to_emitted; }),
                 ShownIn::text),
      C("ns_per_unit", real_schema("measured, a time unit (ns)"),
        [](const P& p) { return real_or_null(p.ns_per_unit()); })
          .shown("ns/unit", Align::right, number([](const P& p) { return p.ns_per_unit(); }),
                 ShownIn::text),
      C("cycles", real_schema("of the GPU's clock inside the kernels, the median"),
        [](const P& p) { return real_or_null(p.cycles); })
          .shown("cycles", Align::right, number([](const P& p) { return p.cycles; }),
                 ShownIn::text),
      C("cycles_per_unit", real_schema("a time unit"),
        [](const P& p) { return real_or_null(p.cycles_per_unit()); })
          .shown("cycles/unit", Align::right,
                 number([](const P& p) { return p.cycles_per_unit(); }), ShownIn::text),
      C("why_not", schema::or_null(text("why it has no time")),
        [](const P& p) { return p.why_not.empty() ? Json(nullptr) : Json(p.why_not); })
          .shown("", Align::left, {}, ShownIn::text)
          .wide(200),
  });
  return columns;
}

namespace {

/// Null for an algorithm without n.
Json size_json(double size) { return size > 0 ? Json(size) : Json(nullptr); }
Json size_schema() { return real_schema("n; null: the algorithm has none"); }

Json pair_schema(Json item, std::string_view meaning) {
  Json pair = schema::list(std::move(item), meaning);
  pair["minItems"] = pair["maxItems"] = 2;
  return pair;
}

const schema::Table<measure::SizeOrder>& size_order_table() {
  using S = measure::SizeOrder;
  static const schema::Table<S> table({
      {"problem", text("what the kernels compute"), [](const S& s) { return s.problem; }},
      {"n", size_schema(), [](const S& s) { return size_json(s.size); }},
      {"tau_b", real_schema("of this size"),
       [](const S& s) { return real_or_null(tau_b(s.pairs)); }},
      {"curves", schema::list(text("an algorithm"), "that are ranked"),
       [](const S& s) { return s.curves; }},
  });
  return table;
}

const schema::Table<measure::Inversion>& inversion_table() {
  using I = measure::Inversion;
  static const schema::Table<I> table({
      {"n", size_schema(), [](const I& i) { return size_json(i.first_point.size); }},
      {"first", text("the algorithm that the model has first"), [](const I& i) { return i.first; }},
      {"second", text("the algorithm that was faster"), [](const I& i) { return i.second; }},
      {"predicted_ns", pair_schema(real_schema("ns"), "of the first and the second"),
       [](const I& i) {
         return Json{i.first_point.model, i.second_point.model};
       }},
      {"priced_ns", pair_schema(real_schema("ns"), "as measured, of the first and the second"),
       [](const I& i) {
         return Json{i.first_point.measured, i.second_point.measured};
       }},
      {"within_spread", schema::boolean("whether the middle halves of the samples overlap"),
       [](const I& i) { return i.within_spread; }},
  });
  return table;
}

const schema::Table<measure::Crossing>& crossing_table() {
  using C = measure::Crossing;
  const Json sizes = real_schema("n");
  static const schema::Table<C> table({
      {"first", text("an algorithm"), [](const C& c) { return c.first; }},
      {"second", text("another"), [](const C& c) { return c.second; }},
      {"n", pair_schema(sizes, "the least and the greatest common size"),
       [](const C& c) {
         return Json{c.least, c.greatest};
       }},
      {"model", schema::list(sizes, "where they cross in the model"),
       [](const C& c) { return c.model; }},
      {"measured", schema::list(sizes, "where they cross as measured"),
       [](const C& c) { return c.measured; }},
  });
  return table;
}

const schema::Table<measure::Ordering>& ordering_table() {
  using O = measure::Ordering;
  static const schema::Table<O> table({
      {"tau_b", real_schema("Kendall's: 1 the measured order, -1 the reverse"),
       [](const O& o) { return real_or_null(tau_b(o.pairs)); }},
      {"pairs", count("of kernels that were ranked"), [](const O& o) { return o.pairs.pairs(); }},
      {"concordant", count("pairs in the measured order"),
       [](const O& o) { return o.pairs.concordant; }},
      {"discordant", count("pairs in the reverse order"),
       [](const O& o) { return o.pairs.discordant; }},
      {"sizes", schema::list(size_order_table().schema("a size"), "by problem and size"),
       [](const O& o) { return size_order_table().json_of_all(o.sizes); }},
      {"inversions", schema::list(inversion_table().schema("a pair"), "pairs in the wrong order"),
       [](const O& o) { return inversion_table().json_of_all(o.inversions); }},
      {"crossings", schema::list(crossing_table().schema("a pair"), "pairs of curves that cross"),
       [](const O& o) { return crossing_table().json_of_all(o.crossings); }},
  });
  return table;
}

const schema::Table<measure::Estimate>& cost_table() {
  static const schema::Table<measure::Estimate> table(estimate_members());
  return table;
}

const schema::Table<measure::FittedCosts>& costs_table() {
  using C = measure::FittedCosts;
  static const schema::Table<C> table({
      {"unit_ns", cost_table().schema("a time unit (ns)"),
       [](const C& c) { return cost_table().json(c.unit); }},
      {"launch_ns", cost_table().schema("a launch (ns)"),
       [](const C& c) { return cost_table().json(c.launch); }},
      {"points", count("that they are fitted to"), [](const C& c) { return c.points; }},
      {"rms", real_schema("root mean square of the relative residuals"),
       [](const C& c) { return real_json(c.rms); }},
  });
  return table;
}

const schema::Table<measure::SkippedPoint>& skipped_table() {
  using S = measure::SkippedPoint;
  static const schema::Table<S> table({
      {"program", text("its name"), [](const S& s) { return s.program; }},
      {"variant", variant_schema(), [](const S& s) { return name_of(s.variant); }},
      {"parameters", text("the program's parameters"),
       [](const S& s) { return measure::parameters_text(s.parameters); }},
      {"why", text("why it was not measured"), [](const S& s) { return s.why; }},
  });
  return table;
}

struct VersionedComparison {
  const measure::MeasuredComparison& of;
  std::string_view version;
};

const schema::Table<VersionedComparison>& measured_table_of_json() {
  using M = VersionedComparison;
  static const schema::Table<M> table({
      {"tool", tool_schema(), [](const M& m) { return tool_json(m.version); }},
      {"measurements", text("the file"), [](const M& m) { return m.of.path; }},
      {"machine", effective_machine_schema(), [](const M& m) { return to_json(m.of.machine); }},
      {"points",
       schema::list(compared_point_columns().json().schema("a point"), "by curve and size"),
       [](const M& m) { return compared_point_columns().json().json_of_all(m.of.points); }},
      {"skipped", schema::list(skipped_table().schema("a point"), "points that were not measured"),
       [](const M& m) { return skipped_table().json_of_all(m.of.skipped); }},
      {"costs",
       schema::or_null(costs_table().schema("with which the machine comes nearest to the emitted "
                                            "kernels; null: none has a time")),
       [](const M& m) { return m.of.costs ? costs_table().json(*m.of.costs) : Json(nullptr); }},
      {"stopped", schema::boolean("whether it was interrupted or out of time"),
       [](const M& m) { return m.of.stopped; }},
      {"emitted", ordering_table().schema("whether emitted kernels have the measured order"),
       [](const M& m) { return ordering_table().json(m.of.emitted); }},
      {"hand_written", ordering_table().schema("the same of kernels written by hand"),
       [](const M& m) { return ordering_table().json(m.of.hand_written); }},
  });
  return table;
}

} // namespace

std::vector<schema::Member<measure::Estimate>> estimate_members() {
  using E = measure::Estimate;
  return {
      {"value", real_schema("the best"), [](const E& e) { return real_json(e.value); }},
      {"low", real_schema("of the interval of 95 % confidence; null: there is none"),
       [](const E& e) { return real_or_null(e.low); }},
      {"high", real_schema("of the interval; null: there is none"),
       [](const E& e) { return real_or_null(e.high); }},
      {"standing", text("free: an estimate with an interval; else why it is none"),
       [](const E& e) { return name_of(e.status); }},
  };
}

Json measured_json(const measure::MeasuredComparison& comparison, std::string_view version) {
  return measured_table_of_json().json({comparison, version});
}

Json measured_schema() {
  return schema::document("The result of memlane gpu compare",
                          measured_table_of_json().schema("what --format json prints"));
}

Json measured_line_schema() {
  return line_document("gpu compare", compared_point_columns().json().schema("a measured point"));
}

} // namespace memlane
