// JSON objects as tables. A row is a member: its name, the schema of its value, and the value. One
// table makes both the object and its JSON Schema (draft 2020-12), so that they have the same
// members.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::schema {

using Json = nlohmann::ordered_json;

// Schemas of values; `meaning` is the description, with its unit.

inline Json typed(const char* type, std::string_view meaning) {
  return {{"description", meaning}, {"type", type}};
}
inline Json text(std::string_view meaning) { return typed("string", meaning); }
inline Json boolean(std::string_view meaning) { return typed("boolean", meaning); }
inline Json real(std::string_view meaning) { return typed("number", meaning); }
inline Json integer(std::string_view meaning) { return typed("integer", meaning); }
inline Json count(std::string_view meaning, std::int64_t least = 0) {
  Json schema = integer(meaning);
  schema["minimum"] = least;
  return schema;
}
/// One value only.
inline Json constant(Json value, std::string_view meaning) {
  return {{"description", meaning}, {"const", std::move(value)}};
}
/// One of some words.
inline Json word(const std::vector<std::string_view>& words, std::string_view meaning) {
  Json schema = text(meaning);
  for (std::string_view word : words) schema["enum"].push_back(word);
  return schema;
}
/// The names of an enumeration's values, from its first to `last`.
template <class Enum>
std::vector<std::string_view> names_up_to(Enum last) {
  std::vector<std::string_view> names;
  for (int value = 0; value <= static_cast<int>(last); ++value)
    names.push_back(name_of(static_cast<Enum>(value)));
  return names;
}
inline Json list(Json item, std::string_view meaning) {
  Json schema = typed("array", meaning);
  schema["items"] = std::move(item);
  return schema;
}
using Properties = std::vector<std::pair<std::string, Json>>;
template <class... More>
Properties together(Properties all, const More&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}
/// An object with all required and any optional properties, and no others.
inline Json object(std::string_view meaning, const Properties& required,
                   const Properties& optional = {}) {
  Json schema = typed("object", meaning);
  for (const auto& [name, value] : required) {
    schema["properties"][name] = value;
    schema["required"].push_back(name);
  }
  for (const auto& [name, value] : optional) schema["properties"][name] = value;
  schema["additionalProperties"] = false;
  return schema;
}
/// An object with arbitrary names, such as those of parameters or kernels.
inline Json map(Json value, std::string_view meaning) {
  Json schema = typed("object", meaning);
  schema["additionalProperties"] = std::move(value);
  return schema;
}
/// The value, or null.
inline Json or_null(Json schema) {
  schema["type"] = Json::array({schema["type"], "null"});
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  return schema;
}
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A member of the object that describes a T.
template <class T>
struct Member {
  Member(std::string its_name, Json its_schema, std::function<Json(const T&)> its_value,
         std::function<bool(const T&)> is_present = {})
      : name(std::move(its_name)), schema(std::move(its_schema)), value(std::move(its_value)),
        present(std::move(is_present)) {}

  std::string name;
  Json schema;
  std::function<Json(const T&)> value;
  std::function<bool(const T&)> present; ///< empty: always
};

/// The members of the object that describes a T, in output order.
template <class T>
class Table {
public:
  Table(std::vector<Member<T>> members) : members_(std::move(members)) {}

  /// Appends members.
  Table& add(std::vector<Member<T>> more) {
    for (Member<T>& member : more) members_.push_back(std::move(member));
    return *this;
  }

  Json json(const T& described) const {
    auto out = Json::object();
    for (const Member<T>& member : members_)
      if (!member.present || member.present(described)) out[member.name] = member.value(described);
    return out;
  }

  template <class List>
  Json json_of_all(const List& all) const {
    auto out = Json::array();
    for (const T& described : all) out.push_back(json(described));
    return out;
  }

  Json schema(std::string_view meaning) const {
    Json schema = typed("object", meaning);
    schema["properties"] = Json::object();
    schema["required"] = Json::array();
    for (const Member<T>& member : members_) {
      schema["properties"][member.name] = member.schema;
      if (!member.present) schema["required"].push_back(member.name);
    }
    schema["additionalProperties"] = false;
    return schema;
  }

private:
  std::vector<Member<T>> members_;
};

/// A schema as a complete document.
inline Json document(std::string_view title, Json schema) {
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  out.update(schema);
  return out;
}

} // namespace memlane::schema
