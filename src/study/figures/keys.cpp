// The keys of figure files and lessons, and their JSON Schemas.
#include "reader.hpp"

#include "memlane/points/sweep_file.hpp"
#include "memlane/study/figures/lesson.hpp"
#include "memlane/support/json_table.hpp"

namespace memlane {

const std::vector<FigureKeyRule>& figure_key_rules() {
  using V = FigureValue;
  static const std::vector<FigureKeyRule> rules = {
      {{"figure", "$schema", "of editors"}, V::text},
      {{"figure", "title", "what it shows, in a few words"}, V::text, true},
      {{"figure", "source", "the paper and its number there"}, V::text, true},
      {{"figure", "measured", "what the paper measured, in words and numbers; a paragraph each"},
       V::lines,
       true},
      {{"figure", "model", "what is simulated in its place, and what differs; a paragraph each"},
       V::lines},
      {{"figure", "sweeps",
        "sweeps by the name of their table in queries: a letter, then letters, digits and _"},
       V::sweeps,
       true},
      {{"figure", "views", "queries by name, which the other queries may read as tables"},
       V::queries},
      {{"figure", "charts", "what is drawn"}, V::objects},
      {{"figure", "tables", "what is printed in rows"}, V::objects},
      {{"figure", "checks", "whether the model shows what was measured"}, V::objects, true},
      {{"sweep", "quick", "keys of the sweep with other values for `--quick`"}, V::sweep},
      {{"sweep", "continue", "points beyond those that are run, by the formulas of claims"},
       V::continued},
      {{"continue", "along", "the axis that has other values there"}, V::text, true},
      {{"continue", "axes", "the values of that axis, as the sweep writes axes"}, V::sweep, true},
      {{"continue", "counts",
        "columns, each with the beginning of the claim whose right side gives it"},
       V::counts,
       true},
      {{"chart", "title", "above it"}, V::text, true},
      {{"chart", "caption", "below it"}, V::text},
      {{"chart", "x", "the horizontal axis"}, V::axis, true},
      {{"chart", "y", "the vertical axis"}, V::axis, true},
      {{"chart", "mark", "how points are drawn"}, V::mark},
      {{"chart", "query",
        "a SELECT that gives `x`, `y` and may give `series`, `panel`, `basis` (`model`, `formula`, "
        "`measured`, `printed`), `text`, and `key` for a point's configuration and command"},
       V::query,
       true},
      {{"axis", "name", "with its unit"}, V::text, true},
      {{"axis", "scale", "of values; categories are texts"}, V::scale},
      {{"table", "title", "above it"}, V::text, true},
      {{"table", "query", "a SELECT whose columns are the table's"}, V::query, true},
      {{"check", "finding", "what the paper says"}, V::text, true},
      {{"check", "query",
        "a SELECT that gives one row with `shown`, 1 or 0, and the numbers of the sentences"},
       V::query},
      {{"check", "says", "the model's numbers in a sentence; `{n}` is the column n"}, V::text},
      {{"check", "otherwise", "added where the model does not show it: why"}, V::text},
      {{"check", "cannot_say", "in place of a query: why the model cannot say"}, V::text},
      {{"check", "must_hold", "exact numbers: exit status 1 if the model does not show it"},
       V::boolean},
      {{"check", "full_only", "needs the sizes of the full sweeps; `--quick` cannot say"},
       V::boolean},
      {{"lesson", "$schema", "of editors"}, V::text},
      {{"lesson", "title", "what it is about, in a few words"}, V::text, true},
      {{"lesson", "about", "a line for the list of lessons"}, V::text, true},
      {{"lesson", "text", "what is explained before the question; a paragraph each"},
       V::lines,
       true},
      {{"lesson", "program", "a program whose kernels are shown"}, V::text},
      {{"lesson", "question", "about the runs"}, V::text, true},
      {{"lesson", "choices", "answers to choose from"}, V::objects, true},
      {{"lesson", "sweeps", "the runs, as a figure has them"}, V::sweeps, true},
      {{"lesson", "watched",
        "runs with `--watch`, each the words behind `memlane run`; their last values are the view "
        "`watched`: `run`, the number of the run from 1, `element` (`y[4]`), `value`"},
       V::lines},
      {{"lesson", "views", "as of a figure"}, V::queries},
      {{"lesson", "numbers",
        "a SELECT that gives one row: `right`, the number of the right choice, from 1, and the "
        "numbers that texts name in braces, `{n}`"},
       V::query,
       true},
      {{"lesson", "tables", "as of a figure"}, V::objects},
      {{"lesson", "charts", "as of a figure; for pages"}, V::objects},
      {{"lesson", "timelines",
        "runs whose time charts are shown, each the words behind `memlane timeline`; pages play "
        "them"},
       V::lines},
      {{"lesson", "answer", "three sentences, a paragraph each or together"}, V::lines, true},
      {{"lesson", "try", "commands to go on with"}, V::lines},
      {{"choice", "text", "the choice"}, V::text, true},
      {{"choice", "why", "why it is right or wrong"}, V::text, true},
  };
  return rules;
}

std::vector<FigureKeyRule> rules_of_object(std::string_view object) {
  std::vector<FigureKeyRule> rules;
  for (const FigureKeyRule& rule : figure_key_rules())
    if (rule.key.object == object) rules.push_back(rule);
  return rules;
}

std::vector<FigureKey> figure_keys() {
  std::vector<FigureKey> keys;
  for (const FigureKeyRule& rule : figure_key_rules())
    if (rule.key.object != "lesson" && rule.key.object != "choice") keys.push_back(rule.key);
  return keys;
}

std::vector<FigureKey> lesson_keys() {
  std::vector<FigureKey> keys;
  for (const char* object : {"lesson", "choice"})
    for (const FigureKeyRule& rule : rules_of_object(object)) keys.push_back(rule.key);
  return keys;
}

const std::vector<std::string>& scale_words() {
  static const std::vector<std::string> words = {"linear", "log2", "log10", "categories"};
  return words;
}

const std::vector<std::string>& mark_words() {
  static const std::vector<std::string> words = {"line", "points", "bars"};
  return words;
}

// --- the schemas

namespace {

using schema::Json;

Json described(Json schema, std::string_view meaning) {
  schema["description"] = meaning;
  return schema;
}

Json lines_schema() {
  return {{"type", Json{"string", "array"}}, {"items", {{"type", "string"}}}, {"minItems", 1}};
}

Json words_schema(const std::vector<std::string>& words) {
  return {{"enum", words}, {"default", words.front()}};
}

Json object_schema_of(std::string_view object);

/// A sweep with the keys that only figures have; those of sweeps are in sweep.schema.json.
Json sweep_in_figure() {
  Json sweep = {{"type", "object"}, {"properties", sweep::sweep_schema()["properties"]}};
  const Json own = object_schema_of("sweep");
  sweep["properties"].update(own["properties"]);
  sweep["required"] = {"programs", "machines"};
  sweep["additionalProperties"] = false;
  return sweep;
}

Json by_table_name(Json value) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z][A-Za-z0-9_]*$"}}},
          {"additionalProperties", std::move(value)}};
}

Json value_schema_of(const FigureKeyRule& rule) {
  switch (rule.value) {
  case FigureValue::text: return {{"type", "string"}, {"minLength", 1}};
  case FigureValue::lines:
  case FigureValue::query: return lines_schema();
  case FigureValue::boolean: return {{"type", "boolean"}};
  case FigureValue::scale: return words_schema(scale_words());
  case FigureValue::mark: return words_schema(mark_words());
  case FigureValue::axis: return object_schema_of("axis");
  case FigureValue::continued: return object_schema_of("continue");
  case FigureValue::sweeps: {
    Json sweeps = by_table_name(sweep_in_figure());
    sweeps["minProperties"] = 1;
    return sweeps;
  }
  case FigureValue::queries: return by_table_name(lines_schema());
  case FigureValue::sweep:
    if (rule.key.name == "axes") return sweep::sweep_schema()["properties"]["axes"];
    return {{"type", "object"},
            {"minProperties", 1},
            {"properties", sweep::sweep_schema()["properties"]},
            {"additionalProperties", false}};
  case FigureValue::counts:
    return {
        {"type", "object"}, {"minProperties", 1}, {"additionalProperties", {{"type", "string"}}}};
  case FigureValue::objects:
    return {{"type", "array"},
            {"items", object_schema_of(rule.key.name.substr(0, rule.key.name.size() - 1))}};
  }
  return {};
}

Json object_schema_of(std::string_view object) {
  Json out = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  for (const FigureKeyRule& rule : rules_of_object(object)) {
    const std::string name(rule.key.name);
    out["properties"][name] = described(value_schema_of(rule), rule.key.meaning);
    if (rule.required) out["required"].push_back(name);
  }
  out["additionalProperties"] = false;
  if (object == "check")
    out["oneOf"] = {{{"required", {"query", "says"}}}, {{"required", {"cannot_say"}}}};
  return out;
}

} // namespace

nlohmann::ordered_json figure_schema() {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "A figure of memlane"}};
  out.update(object_schema_of("figure"));
  return out;
}

nlohmann::ordered_json lesson_schema() {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "A lesson of memlane"}};
  out.update(object_schema_of("lesson"));
  return out;
}

} // namespace memlane
