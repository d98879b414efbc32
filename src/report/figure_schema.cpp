// The JSON Schemas of figure files and lessons.
#include "figure_keys.hpp"

#include "memlane/report/lesson.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/sweep/sweep_file.hpp"

namespace memlane {
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
