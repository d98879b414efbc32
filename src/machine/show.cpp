// Machines shown, as --print-config and as JSON, with the JSON Schemas of both and of machine
// files.
#include "check.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane {
namespace {

// --- values and their origins

using schema::Json;

/// A text of several lines as a list.
Json json_of(const MachineKey& key, const KeyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (key.kind != KeyKind::lines || !text || text->find('\n') == std::string::npos)
    return json_of(value);
  auto list = Json::array();
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    list.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
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

Json schema_of(const MachineKey& key) {
  Json schema = {{"description", key.meaning}};
  schema.update(kind_of(key).schema);
  if (key.nullable != 0) schema = schema::or_null(std::move(schema));
  if (key.default_value.index() != 0) schema["default"] = json_of(key.default_value);
  return schema;
}

/// The entry of a key among the properties of a file.
Json& entry_of(const MachineKey& key, Json& properties) {
  const std::string name(key.name());
  if (key.group().empty()) return properties[name];
  return properties[std::string(key.group())]["properties"][name];
}

/// Of all keys, or only of those in specifications.
Json all_properties(bool specification_only) {
  Json properties = Json::object();
  for (const MachineKey& key : machine_keys()) {
    if (specification_only && !key.fetch) continue;
    if (!key.group().empty())
      properties[std::string(key.group())].update(
          {{"type", "object"}, {"additionalProperties", false}});
    entry_of(key, properties) = schema_of(key);
  }
  return properties;
}

/// Keys and nulls that a file of this model must not have, whatever it extends.
Json forbidden(Model model) {
  Json properties = Json::object();
  for (const MachineKey& key : machine_keys()) {
    const bool has = contains(key.models, model);
    if (!key.group().empty() && !contains(models_of_group(key.group()), model))
      properties[std::string(key.group())] = false;
    else if (!has)
      entry_of(key, properties) = false;
    else if (key.nullable != 0 && !contains(key.nullable, model))
      entry_of(key, properties) = {{"type", "integer"}};
  }
  return {{"properties", std::move(properties)}};
}

/// Adds the keys of a set of models, and their groups, to those that a file must have.
template <class Belongs>
void require_keys(Json& rule, const Belongs& belongs) {
  rule["required"] = Json::array();
  std::vector<std::string> groups;
  for (const MachineKey& key : machine_keys()) {
    if (!belongs(key)) continue;
    const std::string group(key.group());
    Json& required = group.empty() ? rule["required"] : rule["properties"][group]["required"];
    required.push_back(key.name());
    if (!group.empty() && (groups.empty() || groups.back() != group)) groups.push_back(group);
  }
  for (const std::string& group : groups) rule["required"].push_back(group);
}

Json is_of(Model model) {
  return {{"required", {"model"}}, {"properties", {{"model", {{"const", name_of(model)}}}}}};
}

/// Keys that a file of this model must have if it extends no other.
Json needed(Model model) {
  Json rule = Json::object();
  require_keys(rule, [&](const MachineKey& key) { return contains(key.required(), model); });
  return rule;
}

/// An effective machine has every value, but name and notes only if a file has them.
Json every_value(Model model) {
  Json rule = forbidden(model);
  require_keys(rule, [&](const MachineKey& key) {
    return key.fetch && !key.per_file() && contains(key.models, model);
  });
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

Json config_json(const LoadedMachine& machine, const Sources& sources) {
  auto values = Json::object();
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    values[std::string(setting.key->path)] = setting_table().json({setting, sources});
  }
  return {{"path", machine.path}, {"values", std::move(values)}};
}

Json to_json(const MachineSpec& machine) {
  auto out = Json::object();
  for (const MachineKey& key : machine_keys()) {
    if (!key.fetch || !contains(key.models, machine.model)) continue;
    const KeyValue value = key.fetch(machine);
    const auto* text = std::get_if<std::string>(&value);
    if (text && text->empty()) continue; // name or notes
    const std::string name(key.name());
    Json& object = key.group().empty() ? out : out[std::string(key.group())];
    object[name] = json_of(key, value);
  }
  return out;
}

Json effective_machine_schema() {
  Json out = schema::typed("object", "the machine, every value written");
  out["properties"] = all_properties(true);
  out["required"] = {"model"};
  out["additionalProperties"] = false;
  for (Model model : all_models())
    out["allOf"].push_back({{"if", is_of(model)}, {"then", every_value(model)}});
  return out;
}

Json config_schema() {
  schema::Properties values;
  for (const MachineKey& key : machine_keys()) {
    Json& value = values.emplace_back(key.path, setting_table().schema("a key")).second;
    value["properties"]["value"] = shown_value(key);
  }
  Json by_key = schema::object("by key: the effective value and its origin", {}, values);
  return schema::document("The values of a machine and their origins",
                          schema::object("what run --print-config --format json prints",
                                         {{"path", schema::text("the machine's own file")},
                                          {"values", std::move(by_key)}}));
}

Json machine_schema() {
  Json rules = Json::array();
  const Json extends = {{"required", {"extends"}}};
  for (Model model : all_models()) {
    const Json is_model = is_of(model);
    rules.push_back({{"if", is_model}, {"then", forbidden(model)}});
    rules.push_back({{"if", {{"allOf", {is_model, {{"not", extends}}}}}}, {"then", needed(model)}});
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
