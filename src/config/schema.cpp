// Generates the JSON Schemas of machine files, effective machines and --print-config.
#include "show.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/support/json_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memlane {
namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const MachineKey& key) {
  Json schema = {{"description", key.meaning}};
  switch (key.kind) {
  case KeyKind::integer:
    schema["type"] = key.nullable != 0 ? Json{"integer", "null"} : Json("integer");
    schema["minimum"] = key.minimum;
    schema["maximum"] = key.maximum;
    break;
  case KeyKind::boolean: schema["type"] = "boolean"; break;
  case KeyKind::choice: schema["enum"] = key.choices; break;
  case KeyKind::text:
    schema["type"] = "string";
    schema["minLength"] = 1;
    schema["pattern"] = "^[^\\u0000-\\u001f\\u007f]*$";
    break;
  case KeyKind::lines:
    schema["type"] = Json{"string", "array"};
    schema["pattern"] = "^[^\\u0000-\\u001f\\u007f]*$";
    schema["items"] = {{"type", "string"}, {"pattern", "^[^\\u0000-\\u001f\\u007f]*$"}};
    break;
  }
  if (const auto* number = std::get_if<std::int64_t>(&key.default_value))
    schema["default"] = *number;
  if (const auto* flag = std::get_if<bool>(&key.default_value)) schema["default"] = *flag;
  if (const auto* text = std::get_if<std::string>(&key.default_value)) schema["default"] = *text;
  return schema;
}

/// Calls visit(group, name, key); the group is empty at the top level.
template <class Visit>
void for_each_key(const Visit& visit) {
  for (const MachineKey& key : machine_keys()) {
    const std::size_t dot = key.path.find('.');
    const bool inner = dot != std::string_view::npos;
    visit(std::string(inner ? key.path.substr(0, dot) : ""),
          std::string(inner ? key.path.substr(dot + 1) : key.path), key);
  }
}

/// Of all keys, or only of those in specifications.
Json all_properties(bool specification_only) {
  Json properties = Json::object();
  for_each_key([&](const std::string& group, const std::string& name, const MachineKey& key) {
    if (specification_only && (!key.fetch)) return;
    if (group.empty()) {
      properties[name] = schema_of(key);
      return;
    }
    Json& object = properties[group];
    object["type"] = "object";
    object["additionalProperties"] = false;
    object["properties"][name] = schema_of(key);
  });
  return properties;
}

/// Keys and nulls that a file of this model must not have, whatever it extends.
Json forbidden(Model model) {
  Json properties = Json::object();
  for_each_key([&](const std::string& group, const std::string& name, const MachineKey& key) {
    const bool has = contains(key.models, model);
    const bool no_null = has && key.nullable != 0 && !contains(key.nullable, model);
    if (has && !no_null) return;
    const Json rule = has ? Json{{"type", "integer"}} : Json(false);
    if (group.empty()) {
      properties[name] = rule;
    } else if (!contains(models_of_group(group), model)) {
      properties[group] = false;
    } else {
      properties[group]["properties"][name] = rule;
    }
  });
  return {{"properties", std::move(properties)}};
}

/// Keys that a file of this model must have if it extends no other.
Json required(Model model) {
  Json rule = {{"required", Json::array()}};
  for (const MachineKey& key : machine_keys()) {
    const std::size_t dot = key.path.find('.');
    if (!contains(key.required, model)) continue;
    if (dot == std::string_view::npos) {
      rule["required"].push_back(key.path);
    } else {
      rule["properties"][std::string(key.path.substr(0, dot))]["required"].push_back(
          key.path.substr(dot + 1));
    }
  }
  for (std::string_view group : machine_key_groups()) {
    if (contains(models_requiring_group(group), model)) rule["required"].push_back(group);
  }
  return rule;
}

Json is_of(Model model) {
  return {{"required", {"model"}}, {"properties", {{"model", {{"const", name_of(model)}}}}}};
}

/// An effective machine has every value, but name and notes only if a file has them.
Json every_value(Model model) {
  Json rule = forbidden(model);
  rule["required"] = Json::array();
  for_each_key([&](const std::string& group, const std::string& name, const MachineKey& key) {
    const bool text = key.kind == KeyKind::text || key.kind == KeyKind::lines;
    if (!key.fetch || !contains(key.models, model) || text) return;
    Json& required = group.empty() ? rule["required"] : rule["properties"][group]["required"];
    required.push_back(name);
  });
  for (std::string_view group : machine_key_groups())
    if (contains(models_of_group(group), model)) rule["required"].push_back(group);
  return rule;
}

/// In --print-config; null: no value.
Json shown_value(const MachineKey& key) {
  return {{"description", key.meaning}, {"anyOf", {schema_of(key), {{"type", "null"}}}}};
}

} // namespace

nlohmann::ordered_json effective_machine_schema() {
  Json out = schema::typed("object", "the machine, every value written");
  out["properties"] = all_properties(true);
  out["required"] = {"model"};
  out["additionalProperties"] = false;
  for (Model model : all_models())
    out["allOf"].push_back({{"if", is_of(model)}, {"then", every_value(model)}});
  return out;
}

nlohmann::ordered_json config_schema() {
  Json values = schema::typed("object", "by key: the effective value and its origin");
  for (const MachineKey& key : machine_keys()) {
    Json& value = values["properties"][std::string(key.path)];
    value = setting_schema();
    value["properties"]["value"] = shown_value(key);
  }
  values["additionalProperties"] = false;
  Json out = schema::typed("object", "what run --print-config --format json prints");
  out["properties"] = {{"path", schema::text("the machine's own file")},
                       {"values", std::move(values)}};
  out["required"] = {"path", "values"};
  out["additionalProperties"] = false;
  return schema::document("The values of a machine and their origins", std::move(out));
}

nlohmann::ordered_json machine_schema() {
  Json rules = Json::array();
  const Json extends = {{"required", {"extends"}}};
  for (Model model : all_models()) {
    const Json is_model = is_of(model);
    rules.push_back({{"if", is_model}, {"then", forbidden(model)}});
    rules.push_back(
        {{"if", {{"allOf", {is_model, {{"not", extends}}}}}}, {"then", required(model)}});
  }
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", "A machine of memlane"},
          {"type", "object"},
          {"properties", all_properties(false)},
          {"additionalProperties", false},
          {"anyOf", {{{"required", {"model"}}}, extends}},
          {"allOf", std::move(rules)}};
}

} // namespace memlane
