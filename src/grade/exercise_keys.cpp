#include "exercise_keys.hpp"

#include "memlane/support/json_table.hpp"
#include "memlane/sweep/sweep_file.hpp"

namespace memlane::grade {

const std::vector<ExerciseKeyRule>& exercise_key_rules() {
  using V = ExerciseValue;
  static const std::vector<ExerciseKeyRule> rules = {
      {{"exercise", "$schema", "of editors"}, V::text},
      {{"exercise", "title", "what it is about, in a few words"}, V::text, true},
      {{"exercise", "results", "memory arrays that must have the contents that the check computes"},
       V::names,
       true},
      {{"exercise", "tolerance",
        "of reals: the largest error relative to max(1, |right value|); 0 if not given"},
       V::number},
      {{"exercise", "runs", "machines, sizes and seeds"}, V::runs, true},
      {{"exercise", "criteria", "what is required, and the points for it"}, V::criteria, true},
      {{"exercise", "limits", "what a program may use"}, V::limits},
      {{"runs", "machines", "as in a sweep file"}, V::sweep, true},
      {{"runs", "axes", "values of parameters and machines, as in a sweep file"}, V::sweep},
      {{"runs", "zip", "axes that advance together, as in a sweep file"}, V::sweep},
      {{"runs", "where", "a condition, as in a sweep file"}, V::sweep},
      {{"runs", "seeds", "of random inputs: how many, or a list; 1 if not given"}, V::sweep},
      {{"criterion", "name",
        "`correct`, `no races`, or the text of claims in the check program, which must hold"},
       V::text,
       true},
      {{"criterion", "points", "for a program that fulfils it in every run"}, V::points, true},
      {{"criterion", "factor", "of claims with O: the largest ratio of count to formula"},
       V::number},
      {{"criterion", "hint", "for programs that do not fulfil it"}, V::text},
      {{"limits", "steps", "instructions of a run; 5000000 if not given"}, V::positive},
      {{"limits", "memory", "bytes of a run's arrays; 268435456 if not given"}, V::positive},
      {{"limits", "seconds", "of all runs together; 60 if not given"}, V::positive},
  };
  return rules;
}

std::vector<ExerciseKeyRule> rules_of(std::string_view object) {
  std::vector<ExerciseKeyRule> rules;
  for (const ExerciseKeyRule& rule : exercise_key_rules())
    if (rule.key.object == object) rules.push_back(rule);
  return rules;
}

std::vector<ExerciseKey> exercise_keys() {
  std::vector<ExerciseKey> keys;
  for (const ExerciseKeyRule& rule : exercise_key_rules()) keys.push_back(rule.key);
  return keys;
}

namespace {

using schema::Json;

Json schema_of_object(std::string_view object);

Json list_of(std::string_view object) {
  return {{"type", "array"}, {"items", schema_of_object(object)}, {"minItems", 1}};
}

Json schema_of_value(const ExerciseKeyRule& rule) {
  switch (rule.value) {
  case ExerciseValue::text: return {{"type", "string"}, {"minLength", 1}};
  case ExerciseValue::names:
    return {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
  case ExerciseValue::points: return {{"type", "integer"}, {"minimum", 0}};
  case ExerciseValue::positive: return {{"type", "integer"}, {"minimum", 1}};
  case ExerciseValue::number: return {{"type", "number"}, {"minimum", 0}};
  case ExerciseValue::runs: return list_of("runs");
  case ExerciseValue::criteria: return list_of("criterion");
  case ExerciseValue::limits: return schema_of_object("limits");
  case ExerciseValue::sweep: return sweep::sweep_schema()["properties"][std::string(rule.key.name)];
  }
  return {};
}

Json schema_of_object(std::string_view object) {
  Json out = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  for (const ExerciseKeyRule& rule : rules_of(object)) {
    const std::string name(rule.key.name);
    out["properties"][name] = schema_of_value(rule);
    out["properties"][name]["description"] = rule.key.meaning;
    if (rule.required) out["required"].push_back(name);
  }
  out["additionalProperties"] = false;
  return out;
}

} // namespace

nlohmann::ordered_json exercise_schema() {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "An exercise of memlane"}};
  out.update(schema_of_object("exercise"));
  return out;
}

} // namespace memlane::grade
