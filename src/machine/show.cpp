// Machines shown, as --print-config and as JSON, with the JSON Schemas of both and of machine
// files.
#include "memlane/machine/machine.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace memlane {
namespace {

// --- values and their origins

nlohmann::ordered_json json_of(const KeyValue& value) {
  return std::visit(
      [](const auto& content) -> nlohmann::ordered_json {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::monostate>) {
          return nullptr;
        } else {
          return content;
        }
      },
      value);
}

/// A text of several lines as a list.
nlohmann::ordered_json json_of_lines(const KeyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text || text->find('\n') == std::string::npos) return json_of(value);
  auto list = nlohmann::ordered_json::array();
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    list.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

nlohmann::ordered_json json_of(const MachineKey& key, const KeyValue& value) {
  return key.kind == KeyKind::lines ? json_of_lines(value) : json_of(value);
}

std::string place(Span span, const Sources& sources) {
  const Position position = sources.begin(span);
  return fmt::format("{}:{}:{}", sources.path(span.file), position.line, position.column);
}

std::string origin_text(const Setting& setting, const Sources& sources) {
  switch (setting.origin.kind) {
  case OriginKind::file: return place(setting.origin.span, sources);
  case OriginKind::option: return "--set " + sources.text(setting.origin.span.file);
  case OriginKind::default_value: break;
  }
  return "default";
}

/// Keys about the file are shown only if they have a value.
bool is_shown(const Setting& setting) {
  return setting.key->store || setting.origin.kind != OriginKind::default_value ||
         setting.value.index() != 0;
}

constexpr std::size_t max_value_columns = 40; ///< of a value in config_text

/// The first line of a value, cut at max_value_columns.
std::string value_text(const Setting& setting) {
  const std::string whole = text_of(setting.value);
  std::string text = whole.substr(0, whole.find('\n'));
  if (text.size() == whole.size() && display_width(text) <= max_value_columns) return text;
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (starts && count++ == max_value_columns - 2) break;
  }
  return text.substr(0, end) + " …";
}

std::string padded_to(std::size_t width, const std::string& text) {
  const std::size_t length = display_width(text);
  return text + std::string(length < width ? width - length : 0, ' ');
}

struct ShownSetting {
  const Setting& setting;
  const Sources& sources;

  bool in_file() const { return setting.origin.kind == OriginKind::file; }
  Position position() const { return sources.begin(setting.origin.span); }
};

std::string_view name_of(OriginKind origin) {
  constexpr std::array<std::string_view, 3> names = {"file", "--set", "default"};
  return names[static_cast<std::size_t>(origin)];
}

const schema::Table<ShownSetting>& setting_table() {
  using S = ShownSetting;
  const auto in_file = [](const S& s) { return s.in_file(); };
  static const schema::Table<S> table({
      {"value", schema::Json::object(),
       [](const S& s) { return json_of(*s.setting.key, s.setting.value); }},
      {"from",
       schema::word({name_of(OriginKind::file), name_of(OriginKind::option),
                     name_of(OriginKind::default_value)},
                    "its origin"),
       [](const S& s) { return name_of(s.setting.origin.kind); }},
      {"file", schema::text("the machine file"),
       [](const S& s) { return s.sources.path(s.setting.origin.span.file); }, in_file},
      {"line", schema::count("in the file", 1), [](const S& s) { return s.position().line; },
       in_file},
      {"column", schema::count("in the line", 1), [](const S& s) { return s.position().column; },
       in_file},
      {"text", schema::text("the option's text"),
       [](const S& s) { return s.sources.text(s.setting.origin.span.file); },
       [](const S& s) { return s.setting.origin.kind == OriginKind::option; }},
  });
  return table;
}

// --- schemas

/// The schema of a key's entry in --print-config. Its value may have any type.
nlohmann::ordered_json setting_schema() { return setting_table().schema("a key"); }

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

std::string config_text(const LoadedMachine& machine, const Sources& sources) {
  std::size_t keys = 0, values = 0;
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    keys = std::max(keys, setting.key->path.size());
    values = std::max(values, display_width(value_text(setting)));
  }
  std::string text;
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    text += fmt::format("{}  {}  {}\n", padded_to(keys, std::string(setting.key->path)),
                        padded_to(values, value_text(setting)), origin_text(setting, sources));
  }
  return text;
}

nlohmann::ordered_json config_json(const LoadedMachine& machine, const Sources& sources) {
  auto values = nlohmann::ordered_json::object();
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    values[std::string(setting.key->path)] = setting_table().json({setting, sources});
  }
  return {{"path", machine.path}, {"values", std::move(values)}};
}

nlohmann::ordered_json to_json(const MachineSpec& machine) {
  auto out = nlohmann::ordered_json::object();
  for (const MachineKey& key : machine_keys()) {
    if (!key.fetch || !contains(key.models, machine.model)) continue;
    const KeyValue value = key.fetch(machine);
    const auto* text = std::get_if<std::string>(&value);
    if (text && text->empty()) continue; // name or notes
    const std::size_t dot = key.path.find('.');
    if (dot == std::string_view::npos) {
      out[std::string(key.path)] = json_of(key, value);
    } else {
      out[std::string(key.path.substr(0, dot))][std::string(key.path.substr(dot + 1))] =
          json_of(key, value);
    }
  }
  return out;
}

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
