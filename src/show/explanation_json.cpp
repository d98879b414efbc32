// The explanation of a run as JSON.
#include "memlane/show/explanation_json.hpp"

#include "explained_cuda.hpp"

#include "memlane/show/explanation.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_columns.hpp"

#include <utility>

namespace memlane {
using schema::Json;

Json unit_schema() { return schema::word({"global", "shared"}, "which memory"); }

/// A multiprocessor's own port is told apart.
Json unit_or_port_schema() {
  return schema::word({"global", "port", "shared"},
                      "which memory; port: a multiprocessor's own one to global memory");
}

/// A member for each cause.
const schema::Table<TimeByCause>& cause_table() {
  static const schema::Table<TimeByCause> table = [] {
    constexpr const char* meanings[cause_count] = {
        "busy with the first stages of requests",
        "busy with the stages beyond the first",
        "idle: a warp waits for its request and has another to come",
        "idle: else, a warp waits at a barrier",
        "idle: else, the last requests are on their way",
        "idle: the cost of launches",
        "idle: nothing is on its way"};
    schema::Members<TimeByCause> members;
    for (std::size_t k = 0; k < cause_count; ++k)
      members.push_back({std::string(name_of(static_cast<Cause>(k))), schema::count(meanings[k]),
                         [k](const TimeByCause& time) { return time[k]; }});
    return schema::Table<TimeByCause>(std::move(members));
  }();
  return table;
}

namespace {} // namespace

const schema::Table<ExplainedUnit>& explained_unit_table() {
  static const schema::Table<ExplainedUnit> table({
      {"unit", unit_or_port_schema(),
       [](const ExplainedUnit& u) {
         return u.own_port ? std::string_view("port") : name_of_unit(u.unit);
       }},
      {"multiprocessor",
       "of a shared memory: the one with the greatest bound; of ports: the busiest",
       &ExplainedUnit::multiprocessor},
      {"requests", "to this unit", &ExplainedUnit::requests},
      {"stages", "of these requests", &ExplainedUnit::stages},
      {"time", cause_table(), "time units by cause; together they are the run's time",
       &ExplainedUnit::time},
      {"waits", idle_by_wait_table(),
       "its idle time by what warps waited for, on machines with requests_in_flight, operations or "
       "own ports",
       [](const ExplainedUnit& u) { return *u.idle; },
       [](const ExplainedUnit& u) { return u.idle.has_value(); }},
  });
  return table;
}

namespace {

const schema::Table<AccessCounts>& access_table() {
  static const schema::Table<AccessCounts> table({
      {"array", "its name", &AccessCounts::array},
      {"unit", unit_schema(), [](const AccessCounts& a) { return name_of_unit(a.unit); }},
      {"write", "it writes; else it reads", [](const AccessCounts& a) { return writes(a.kind); }},
      {"requests", "of all warps", &AccessCounts::requests},
      {"stages", "of these requests", &AccessCounts::stages},
      {"worst", "most stages of one request", &AccessCounts::worst},
  });
  return table;
}

const schema::Table<AccessPattern>& pattern_table() {
  static const schema::Table<AccessPattern> table({
      {"kind",
       schema::word({name_of(UnitKind::discrete), name_of(UnitKind::unified)},
                    "discrete: banks count; unified: address groups"),
       &AccessPattern::kind},
      {"lanes", "active ones", &AccessPattern::lanes},
      {"words_of_lane", "side by side", &AccessPattern::of_lane},
      {"words", "different ones", &AccessPattern::words},
      {"stride",
       schema::or_null(
           schema::integer("words between the first words of neighbouring lanes; null: varies")),
       &AccessPattern::stride},
      {"banks", "that the words lie in", &AccessPattern::banks},
      {"groups", "address groups that the words lie in", &AccessPattern::groups},
      {"stages", "of the request", &AccessPattern::stages},
  });
  return table;
}

} // namespace

const schema::Table<CostlyLine>& costly_line_table() {
  static const schema::Table<CostlyLine> table({
      {"file", "as the program names it", [](const CostlyLine& l) { return l.line.file; }},
      {"line", "its number in the file", [](const CostlyLine& l) { return l.line.number; }},
      {"source", "the line without its margin", [](const CostlyLine& l) { return l.line.text; }},
      {"by",
       schema::word(schema::names_up_to(LineCost::port_stages),
                    "stages that entered the unit with the largest bound; time units that warps "
                    "wait for requests; time after Koike; stages of the unit of operations with "
                    "the largest bound; stages of own ports"),
       &CostlyLine::by},
      {"cost", "of the line", &CostlyLine::cost},
      {"of_all", "the cost of all lines", &CostlyLine::of_all},
      {"accesses", access_table(), "the reads or the writes of one array", "what the line does",
       &CostlyLine::accesses},
      {"pattern", pattern_table(),
       "a request with the most stages, of the access with most extra ones; null: all take one "
       "stage, or none was "
       "found early in the run",
       &CostlyLine::pattern},
  });
  return table;
}

namespace {

const schema::Table<MmmLine>& mmm_line_of_explanation() {
  using L = MmmLine;
  static const schema::Table<L> table({
      {"file", "as the program names it", [](const L& l) { return l.line.file; }},
      {"line", "its number in the file", [](const L& l) { return l.line.number; }},
      {"source", "the line without its margin", [](const L& l) { return l.line.text; }},
      {"cost", "of the line, by all threads", &L::cost},
      {"of_all", "the cost of all lines", &L::of_all},
  });
  return table;
}

using Effect = std::int64_t (Suggestion::*)[2];

schema::Member<Suggestion> effect_member(const char* name, const char* meaning, Effect effect) {
  return {name, schema::list(schema::count("before, then after"), meaning),
          [effect](const Suggestion& s) { return Json((s.*effect)); }};
}

const schema::Table<Suggestion>& suggestion_table() {
  static const schema::Table<Suggestion> table({
      {"kind", schema::word(schema::names_up_to(ChangeKind::type), "what is changed"),
       [](const Suggestion& s) { return s.change.kind; }},
      {"change", "as --try takes it", [](const Suggestion& s) { return s.change.text(); }},
      {"predicted_time", "of the changed run (time units)", &Suggestion::predicted_time},
      {"predicted_gain", "time units less than this run took", &Suggestion::predicted_gain},
      {"basis",
       schema::word(schema::names_up_to(PredictionBasis::simulated), "how it was predicted"),
       &Suggestion::basis},
      effect_member("requests", "of all units", &Suggestion::requests),
      effect_member("extra_stages", "stages beyond the first of each request",
                    &Suggestion::extra_stages),
      effect_member("latency", "idle_latency of the unit with the largest bound (time units)",
                    &Suggestion::latency),
      {"command", "that makes the change and compares the runs", &Suggestion::command},
  });
  return table;
}

const schema::Table<ConflictFreeLine>& conflict_free_table() {
  using L = ConflictFreeLine;
  static const schema::Table<L> table({
      {"line", "its number in its file", &L::number},
      {"extra_stages", "that it has", &L::extra_stages},
      {"predicted_time", "of the run without them, simulated (time units)", &L::predicted_time},
      {"predicted_gain", "time units less than this run took", &L::predicted_gain},
  });
  return table;
}

const schema::Table<Advice>& advice_table_of_json() {
  static const schema::Table<Advice> table({
      {"conflict_free_line", conflict_free_table(),
       "the line with the most extra stages, of a CUDA program the one where they cost most, if "
       "each of its requests took one; null: that saves little, or the run is long",
       &Advice::conflict_free},
      {"simulated", "changes that were simulated to their end",
       [](const Advice& a) { return static_cast<std::int64_t>(a.simulated.size()); }},
      {"other_results",
       "of the simulated changes, those that save time, but whose arrays end with other contents "
       "or whose verify fails",
       [](const Advice& a) { return static_cast<std::int64_t>(a.other_results.size()); }},
      {"too_long", "changes given up after several times the work of the run", &Advice::too_long},
      {"not_run", "changes that a limit of the command stopped", &Advice::not_run},
      {"suggestions", suggestion_table(), "a change that makes the run faster",
       "the greatest gain first, at most 3", &Advice::suggestions},
  });
  return table;
}

const schema::Table<ClaimedBound>& claimed_bound_table() {
  using B = ClaimedBound;
  static const schema::Table<B> table({
      {"formula", "as the program writes it; a constant factor is open", &B::formula},
      {"value", "of the formula", &B::value},
      {"ratio", "of the time to it", &B::ratio},
      {"source", "where it is from", &B::source},
  });
  return table;
}

const schema::Table<Explanation>& explanation_table() {
  static const schema::Table<Explanation> table({
      {"units", explained_unit_table(), "a memory unit",
       "the unit with the largest bound first; none of an AGPU and an MMM, which are not timed",
       &Explanation::units},
      {"value_waits", wait_columns().json(), "a line that waits and the line of a read",
       "idle time while warps waited for values, the most first", &Explanation::value_waits,
       schema::Presence::if_any},
      {"tight", schema::or_null(limitation_schema()), &Explanation::tight},
      {"bound", "the largest lower bound of the time (time units)", &Explanation::bound},
      {"claimed_bound", claimed_bound_table(),
       "the program's own lower bound of the time; null: it claims none", &Explanation::claimed},
      {"costliest_line", costly_line_table(), "null: no requests", &Explanation::costliest},
      {"work_line", mmm_line_of_explanation(), "of an MMM: with the most counted operators",
       &Explanation::work_line},
      {"words_line", mmm_line_of_explanation(),
       "of an MMM: with the most words between global and local memory", &Explanation::words_line},
      {"advice", advice_table_of_json(), "changes whose effect was simulated",
       &Explanation::advice},
      {"cuda", explained_cuda_table(), "of a CUDA program: its kernels, launches and source lines",
       &Explanation::cuda, [](const Explanation& e) { return e.cuda.has_value(); }},
  });
  return table;
}

} // namespace

Json explanation_json(const Explanation& explanation) {
  return explanation_table().json(explanation);
}

Json explanation_schema(std::string description) {
  return explanation_table().schema(std::move(description));
}

} // namespace memlane
