// Validates JSON against the subset of JSON Schema (draft 7) that machine_schema() and
// sweep_schema() use; throws on any other keyword.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

namespace memlane::test {

using Json = nlohmann::json;

inline bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "number") return value.is_number();
  if (type != "integer") throw std::logic_error("type " + type);
  if (value.is_number_integer()) return true; // 4.0 is an integer to JSON Schema
  return value.is_number() && value.get<double>() == std::floor(value.get<double>());
}

inline void check_keywords(const Json& schema) {
  static const std::set<std::string> known = {
      "$schema",  "title",    "description",   "default",      "type",
      "enum",     "const",    "minimum",       "maximum",      "minLength",
      "pattern",  "items",    "required",      "properties",   "additionalProperties",
      "allOf",    "anyOf",    "not",           "if",           "then",
      "minItems", "maxItems", "minProperties", "maxProperties"};
  for (const auto& [word, rule] : schema.items()) {
    if (known.count(word) == 0) throw std::logic_error("unknown keyword " + word);
  }
}

inline bool valid(const Json& schema, const Json& value);

/// Whether a list or an object has as many items as the keywords allow.
inline bool has_size(const Json& schema, const Json& value, const char* least, const char* most) {
  return value.size() >= schema.value(least, std::size_t{0}) &&
         value.size() <= schema.value(most, value.size());
}

inline bool valid_object(const Json& schema, const Json& value) {
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) return false;
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, member] : value.items()) {
    if (properties.contains(name)) {
      if (!valid(properties[name], member)) return false;
    } else if (schema.contains("additionalProperties") &&
               !valid(schema["additionalProperties"], member)) {
      return false;
    }
  }
  return has_size(schema, value, "minProperties", "maxProperties");
}

inline bool valid_scalar(const Json& schema, const Json& value) {
  if (value.is_number()) {
    if (schema.contains("minimum") && value < schema["minimum"]) return false;
    if (schema.contains("maximum") && value > schema["maximum"]) return false;
  }
  if (value.is_string()) {
    const std::string text = value;
    if (text.size() < schema.value("minLength", std::size_t{0})) return false;
    const std::string plain =
        "^[^\\u0000-\\u001f\\u007f]*$"; // of bytes that std::regex does not take
    if (schema.contains("pattern") && schema["pattern"] != plain) {
      if (!std::regex_search(text, std::regex(schema["pattern"].get<std::string>()))) return false;
    } else if (schema.contains("pattern")) {
      for (char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
      }
    }
  }
  return true;
}

inline bool valid_combination(const Json& schema, const Json& value) {
  for (const Json& part : schema.value("allOf", Json::array())) {
    if (!valid(part, value)) return false;
  }
  bool any = !schema.contains("anyOf");
  for (const Json& part : schema.value("anyOf", Json::array())) any = any || valid(part, value);
  if (!any) return false;
  if (schema.contains("not") && valid(schema["not"], value)) return false;
  return !schema.contains("if") || !valid(schema["if"], value) || valid(schema["then"], value);
}

inline bool valid(const Json& schema, const Json& value) {
  if (schema.is_boolean()) return schema.get<bool>();
  check_keywords(schema);
  if (schema.contains("type")) {
    const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
    bool any = false;
    for (const Json& type : types) any = any || has_type(value, type);
    if (!any) return false;
  }
  if (schema.contains("enum")) {
    bool any = false;
    for (const Json& choice : schema["enum"]) any = any || choice == value;
    if (!any) return false;
  }
  if (schema.contains("const") && schema["const"] != value) return false;
  if (value.is_object() && !valid_object(schema, value)) return false;
  if (value.is_array() && schema.contains("items")) {
    for (const Json& item : value) {
      if (!valid(schema["items"], item)) return false;
    }
  }
  if (value.is_array() && !has_size(schema, value, "minItems", "maxItems")) return false;
  return valid_scalar(schema, value) && valid_combination(schema, value);
}

} // namespace memlane::test
