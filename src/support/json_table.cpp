// Schemas of values, and objects as tables whatever they describe.

#include "memlane/support/json_table.hpp"

namespace memlane::schema {

Json typed(const char* type, std::string_view meaning) {
  if (meaning.empty()) return {{"type", type}};
  return {{"description", meaning}, {"type", type}};
}

Json text(std::string_view meaning) { return typed("string", meaning); }
Json boolean(std::string_view meaning) { return typed("boolean", meaning); }
Json real(std::string_view meaning) { return typed("number", meaning); }
Json integer(std::string_view meaning) { return typed("integer", meaning); }

Json count(std::string_view meaning, std::int64_t least) {
  Json schema = integer(meaning);
  schema["minimum"] = least;
  return schema;
}

Json constant(Json value, std::string_view meaning) {
  return {{"description", meaning}, {"const", std::move(value)}};
}

Json list(Json item, std::string_view meaning) {
  Json schema = typed("array", meaning);
  schema["items"] = std::move(item);
  return schema;
}

Json some(Json item) {
  Json schema = list(std::move(item));
  schema["minItems"] = 1;
  return schema;
}

Json any_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}

void add_property(Json& object, const std::string& name, Json value, bool is_required) {
  object["properties"][name] = std::move(value);
  if (is_required) object["required"].push_back(name);
}

Json object(std::string_view meaning, const Properties& required, const Properties& optional) {
  Json schema = typed("object", meaning);
  schema["properties"] = Json::object();
  for (const auto& [name, value] : required) add_property(schema, name, value, true);
  for (const auto& [name, value] : optional) add_property(schema, name, value, false);
  schema["additionalProperties"] = false;
  return schema;
}

Json map(Json value, std::string_view meaning) {
  Json schema = typed("object", meaning);
  schema["additionalProperties"] = std::move(value);
  return schema;
}

Json or_null(Json schema) {
  if (schema["type"].is_array()) return schema;
  schema["type"] = Json::array({schema["type"], "null"});
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  return schema;
}

Json document(std::string_view title, Json schema) {
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  out.update(schema);
  return out;
}

Json json_of(Decimal number) {
  if (number.millionths % Decimal::one == 0) return number.millionths / Decimal::one;
  return static_cast<double>(number.millionths) / static_cast<double>(Decimal::one);
}

AnyMember::AnyMember(std::string its_name, Json its_schema, JsonOf its_value, IsPresent is_present,
                     Presence presence)
    : name(std::move(its_name)), schema(std::move(its_schema)), present(std::move(is_present)),
      value(std::move(its_value)) {
  if (presence == Presence::if_any)
    present = [get = value](const void* described) {
      const Json json = get(described);
      return !json.empty() && json != Json("");
    };
}

Json AnyTable::json(const void* described) const {
  Json::object_t out;
  out.reserve(members_.size());
  // Names differ: nothing is looked for, and no member is moved.
  for (const AnyMember& member : members_)
    if (!member.present || member.present(described))
      out.emplace_back(member.name, member.value(described));
  return out;
}

Json AnyTable::schema(std::string_view meaning) const {
  Json schema = typed("object", meaning);
  schema["properties"] = Json::object();
  schema["required"] = Json::array();
  for (const AnyMember& member : members_)
    add_property(schema, member.name, member.schema, !member.present);
  schema["additionalProperties"] = false;
  return schema;
}

} // namespace memlane::schema
