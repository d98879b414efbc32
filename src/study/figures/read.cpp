// Reads figure files: their keys, and the JSON Schema.
#include "reader.hpp"

#include "memlane/points/sweep_file.hpp"
#include "memlane/store/query.hpp"
#include "memlane/study/figures/paper_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memlane {
namespace {

using Json = nlohmann::ordered_json;

// --- queries, charts, tables

bool is_table_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Whether a key may be a table of queries.
bool names_table(const JsonMember& member, const JsonPlace& place) {
  if (!is_table_name(member.key))
    place.fail_at(member.key_span, "is no name of a table",
                  {"a letter, then letters, digits and _"});
  else if (!sweep::can_name_table(member.key))
    place.fail_at(member.key_span, "is a word of SQL or of stores, no name of a table",
                  {fmt::format("another name, such as {}_1", member.key)});
  else
    return true;
  return false;
}

Json by_table_name(Json value) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z][A-Za-z0-9_]*$"}}},
          {"additionalProperties", std::move(value)}};
}

/// The first word is the default.
template <class Enum>
Kind<Enum> default_first(Kind<Enum> choice) {
  choice.schema["default"] = choice.schema["enum"].front();
  return choice;
}

const Record<ChartAxis>& axis_record() {
  static const Record<ChartAxis> record = {
      "axis",
      "an axis of a chart",
      {{"name", "with its unit", kinds::text(), &ChartAxis::name, required},
       {"scale", "of values; categories are texts",
        default_first(kinds::choice<AxisScale>({"linear", "log2", "log10", "categories"})),
        &ChartAxis::scale}}};
  return record;
}

/// The size of a picture in a paper.
Kind<ChartLook> look_kind() {
  constexpr const char* pattern = "^[0-9.]+(in|mm|cm|pt)?x[0-9.]+(in|mm|cm|pt)?$";
  return {{{"type", "string"}, {"pattern", pattern}}, [](const JsonPlace& place, ChartLook& look) {
            if (!place.is_text()) return;
            const Result<ChartLook> sized = look_of_size("", place.value.text);
            if (!sized)
              return place.fail(sized.errors().front().message, sized.errors().front().help);
            const LegendPlace legend = look.legend;
            look = *sized;
            look.legend = legend;
          }};
}

LegendPlace& legend_place(FigureChart& chart) { return chart.look.legend; }

const Record<FigureChart>& chart_record() {
  using C = FigureChart;
  static const Record<C> record = {
      "chart",
      "a chart",
      {{"title", "above it", kinds::text(), &C::title, required},
       {"caption", "below it", kinds::text(), &C::caption},
       {"x", "the horizontal axis", axis_record().kind(), &C::x, required},
       {"y", "the vertical axis", axis_record().kind(), &C::y, required},
       {"mark", "how points are drawn",
        default_first(kinds::choice<Mark>({"line", "points", "bars"})), &C::mark},
       {"size", "of the picture in a paper, without the title: `3.5inx2.4in`, `88x60mm`",
        look_kind(), &C::look},
       {"legend", "where it stands",
        default_first(kinds::choice<LegendPlace>({"top", "bottom", "none"})), legend_place},
       {"query",
        "a SELECT that gives `x`, `y` and may give `least` and `greatest` (error bars), `series`, "
        "`panel`, `basis` (`model`, `formula`, `measured`, `printed`), `text`, and `key` for a "
        "point's configuration and command",
        query_kind(), &C::query, required}}};
  return record;
}

const Record<FigureTable>& table_record() {
  static const Record<FigureTable> record = {
      "table",
      "a table",
      {{"title", "above it", kinds::text(), &FigureTable::title, required},
       {"query", "a SELECT whose columns are the table's", query_kind(), &FigureTable::query,
        required}}};
  return record;
}

// --- checks

void find_says(const JsonPlace& place, FigureTest& test) {
  if (const JsonValue* says = find_member(place.value, "says")) test.span = says->span;
}

const Record<FigureTest>& keyed_record() {
  using T = FigureTest;
  static const Record<T> record = {
      "check with keys",
      "a finding, judged again",
      {{"query", "as the check's, over a sweep on a machine with the keys of the GPU", query_kind(),
        &T::query, required},
       {"says", "as the check's", kinds::text(), &T::says, required},
       {"otherwise", "as the check's", kinds::text(), &T::otherwise}},
      find_says};
  return record;
}

void finish_check(const JsonPlace& place, FigureCheck& check) {
  find_says(place, check);
  if (check.query && !check.cannot_say.empty())
    place.fail_at(place.first_byte(), "has both a \"query\" and \"cannot_say\"",
                  {"leave one out: \"cannot_say\" is for what no query can decide"});
  else if (!check.query && check.cannot_say.empty())
    place.fail_at(place.first_byte(), "has neither a \"query\" nor \"cannot_say\"",
                  {"add \"query\", a SELECT with the column shown, and \"says\"",
                   "or \"cannot_say\": why the model cannot decide it"});
  else if (check.query && check.says.empty())
    place.fail_at(place.first_byte(), "\"says\" is missing: the model's numbers in a sentence, "
                                      "such as \"crosses at {n}\"");
}

const Record<FigureCheck>& check_record() {
  using C = FigureCheck;
  static const Record<C> record = {
      "check",
      "a check",
      {{"finding", "what the paper says", kinds::text(), &C::finding, required},
       {"query",
        "a SELECT that gives one row with `shown`, 1 or 0, and the numbers of the sentences",
        query_kind(), &C::query},
       {"says", "the model's numbers in a sentence; `{n}` is the column n", kinds::text(),
        &C::says},
       {"otherwise", "added where the model does not show it: why", kinds::text(), &C::otherwise},
       {"cannot_say", "in place of a query: why the model cannot say", kinds::text(),
        &C::cannot_say},
       {"must_hold", "exact numbers: exit status 1 if the model does not show it", kinds::flag(),
        &C::must_hold},
       {"full_only", "needs the sizes of the full sweeps; `--quick` cannot say", kinds::flag(),
        &C::full_only},
       {"with_keys", "the finding, judged again with the keys of the GPU that measured it",
        keyed_record().kind(), &C::with_keys}},
      finish_check,
      {{"oneOf",
        Json::array({{{"required", {"query", "says"}}}, {{"required", {"cannot_say"}}}})}}};
  return record;
}

// --- sweeps

/// What a sweep of a figure has besides the keys of sweeps.
struct OwnKeys {
  JsonValue quick;  ///< an object, or null
  JsonValue beyond; ///< the axes of the continuation
  std::optional<sweep::Continuation> continuation;
};

const Json& keys_of_sweeps() {
  static const Json properties = sweep::sweep_schema()["properties"];
  return properties;
}

/// Keeps an object for the reader of sweeps.
void keep_object(const JsonPlace& place, JsonValue& into) {
  if (!place.is_a(JsonKind::object, "an object")) return;
  if (place.value.members.empty())
    place.fail("has no key, and needs at least one");
  else
    into = place.value;
}

void read_counts(const JsonPlace& place, OwnKeys& keys) {
  JsonValue counts;
  keep_object(place, counts);
  for (const JsonMember& count : counts.members)
    if (place.member(count).is_a(JsonKind::string, "the beginning of a claim"))
      keys.continuation->counts.emplace_back(count.key, count.value.text);
}

const Record<OwnKeys>& continue_record() {
  static const Record<OwnKeys> record = {
      "continue",
      "the continuation of a sweep",
      {{"along", "the axis that has other values there", kinds::text().schema,
        [](const JsonPlace& place, OwnKeys& keys) {
          if (place.is_text()) keys.continuation->along = place.value.text;
          keys.continuation->span = place.value.span;
        },
        required},
       {"axes", "the values of that axis, as the sweep writes axes", keys_of_sweeps()["axes"],
        [](const JsonPlace& place, OwnKeys& keys) { keep_object(place, keys.beyond); }, required},
       {"counts",
        "columns, each with the beginning of the claim whose right side gives it",
        {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", {{"type", "string"}}}},
        read_counts,
        required}}};
  return record;
}

const Record<OwnKeys>& own_record() {
  static const Record<OwnKeys> record = {
      "sweep",
      "a sweep of a figure",
      {{"quick",
        "keys of the sweep with other values for `--quick`",
        {{"type", "object"},
         {"minProperties", 1},
         {"properties", keys_of_sweeps()},
         {"additionalProperties", false}},
        [](const JsonPlace& place, OwnKeys& keys) { keep_object(place, keys.quick); }},
       {"continue", "points beyond those that are run, by the formulas of claims",
        continue_record().schema(), [](const JsonPlace& place, OwnKeys& keys) {
          keys.continuation.emplace();
          continue_record().read(place, keys);
        }}}};
  return record;
}

/// Puts members in place of those with the same keys, or behind the others.
void replace_members(JsonValue& object, const JsonValue& others) {
  for (const JsonMember& member : others.members) {
    const auto own = std::find_if(object.members.begin(), object.members.end(),
                                  [&](const JsonMember& m) { return m.key == member.key; });
    if (own == object.members.end())
      object.members.push_back(member);
    else
      *own = member;
  }
}

/// The sweep with the keys of another in place of its own; `axes` axis by axis.
JsonValue replaced(JsonValue sweep, const JsonValue& other) {
  JsonValue others = other;
  for (JsonMember& member : others.members) {
    const JsonValue* own = find_member(sweep, member.key);
    if (member.key != "axes" || !own || own->kind != JsonKind::object) continue;
    JsonValue axes = *own;
    replace_members(axes, member.value);
    member.value = std::move(axes);
  }
  replace_members(sweep, others);
  return sweep;
}

std::optional<sweep::SweepSpec> read_spec(const JsonPlace& place, const std::string& name) {
  Result<sweep::SweepSpec> spec = sweep::read_sweep(*place.file.sources, place.value, place.path);
  if (!spec) {
    place.add(spec.errors());
    return std::nullopt;
  }
  spec->name = name;
  return std::move(*spec);
}

void read_sweep(const JsonMember& member, const JsonPlace& place, FigureSpec& figure) {
  if (!names_table(member, place) || !place.is_a(JsonKind::object, "an object")) return;
  JsonValue whole = place.value, own = place.value;
  const auto is_own = [](const JsonMember& m) { return own_record().find(m.key) != nullptr; };
  std::erase_if(whole.members, is_own);
  std::erase_if(own.members, [&](const JsonMember& m) { return !is_own(m); });
  OwnKeys keys;
  if (!own_record().read({own, place.file, place.path}, keys)) return;
  if (figure.quick) whole = replaced(std::move(whole), keys.quick);
  const std::string name = fmt::format("{}.{}", figure.name, member.key);
  auto spec = read_spec({whole, place.file, place.path}, name);
  if (!spec) return;
  if (keys.continuation) {
    JsonMember axes{"axes", keys.beyond.span, keys.beyond};
    JsonValue further{JsonKind::object, keys.beyond.span, false, "", {}, {std::move(axes)}};
    whole = replaced(std::move(whole), further);
    auto beyond = read_spec({whole, place.file, place.path + ".continue"}, name);
    if (!beyond) return;
    keys.continuation->beyond = std::move(*beyond);
  }
  figure.sweeps.push_back(
      {std::move(*spec), member.key, member.key_span, std::move(keys.continuation)});
}

const Record<FigureSpec>& figure_record() {
  using F = FigureSpec;
  static const Record<F> record = {
      "figure",
      "a figure",
      {{"$schema", "of editors", kinds::text()},
       {"title", "what it shows, in a few words", kinds::text(), &F::title, required},
       {"source", "the paper and its number there", kinds::text(), &F::source, required},
       {"measured", "what the paper measured, in words and numbers; a paragraph each",
        kinds::lines(), &F::measured},
       {"model", "what is simulated in its place, and what differs; a paragraph each",
        kinds::lines(), &F::model},
       {"sweeps",
        "sweeps by the name of their table in queries: a letter, then letters, digits and _",
        sweeps_schema(), read_sweeps, required},
       {"views", "queries by name, which the other queries may read as tables", views_kind(),
        &F::views},
       {"charts", "what is drawn", charts_kind(), &F::charts},
       {"tables", "what is printed in rows", tables_kind(), &F::tables},
       {"checks", "whether the model shows what was measured", kinds::list(check_record().kind()),
        &F::checks}},
      check_table_names};
  return record;
}

} // namespace

Kind<FigureQuery> query_kind() {
  return {kinds::lines().schema, [](const JsonPlace& place, FigureQuery& query) {
            std::vector<std::string> lines;
            kinds::lines().read(place, lines);
            query = {fmt::format("{}", fmt::join(lines, "\n")), place.value.span};
            if (!lines.empty() && query.sql.find_first_not_of(" \t\r\n") == std::string::npos)
              place.fail("is empty", {"write a SELECT"});
          }};
}

Kind<std::vector<FigureView>> views_kind() {
  return {by_table_name(kinds::lines().schema),
          [](const JsonPlace& place, std::vector<FigureView>& views) {
            if (!place.is_a(JsonKind::object, "an object")) return;
            for (const JsonMember& member : place.value.members) {
              FigureView& view = views.emplace_back(FigureView{member.key, {}, member.key_span});
              query_kind().read(place.member(member), view.query);
              names_table(member, place.member(member));
            }
          }};
}

Kind<std::vector<FigureChart>> charts_kind() { return kinds::list(chart_record().kind()); }
Kind<std::vector<FigureTable>> tables_kind() { return kinds::list(table_record().kind()); }

/// A sweep has its own keys and those of sweep.schema.json.
Json sweeps_schema() {
  Json properties = keys_of_sweeps();
  properties.update(own_record().schema()["properties"]);
  Json sweeps = by_table_name({{"type", "object"},
                               {"properties", std::move(properties)},
                               {"required", {"programs", "machines"}},
                               {"additionalProperties", false}});
  sweeps["minProperties"] = 1;
  return sweeps;
}

void read_sweeps(const JsonPlace& place, FigureSpec& figure) {
  JsonValue sweeps;
  keep_object(place, sweeps);
  for (const JsonMember& member : sweeps.members) read_sweep(member, place.member(member), figure);
}

void check_table_names(const JsonPlace& place, const FigureSpec& figure) {
  std::map<std::string, std::string> known; // what has the name, in small letters
  const auto add = [&](const char* what, const std::string& name, Span span) {
    std::string small = name;
    for (char& c : small)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const auto [other, is_new] = known.emplace(small, fmt::format("{} {}", what, name));
    if (is_new) return;
    const JsonPlace named{place.value, place.file, fmt::format("{}s.{}", what, name)};
    named.fail_at(span, fmt::format("queries could not tell it from the {}", other->second),
                  {"give each sweep and view another name; SQL does not tell capitals from small "
                   "letters"});
  };
  for (const FigureSweep& sweep : figure.sweeps) add("sweep", sweep.table, sweep.span);
  for (const FigureView& view : figure.views) add("view", view.name, view.span);
}

Result<FigureSpec> read_figure(Sources& sources, std::int32_t file, const std::string& name,
                               bool quick) {
  FigureSpec figure;
  figure.name = name;
  figure.quick = quick;
  return read_record(sources, file, figure_record(), std::move(figure));
}

std::vector<FileKey> figure_keys() {
  return keys_of(figure_record(), own_record(), continue_record(), chart_record(), axis_record(),
                 table_record(), check_record());
}

Json figure_schema() { return file_schema("A figure of memlane", figure_record()); }

} // namespace memlane
