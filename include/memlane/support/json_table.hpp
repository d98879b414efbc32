// JSON objects as tables. A row is a member: its name, the meaning or schema of its value, and the
// value. One table makes both the object and its JSON Schema (draft 2020-12), so that they have the
// same members.
#pragma once

#include "memlane/support/decimal.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// Lists one after the other, such as the keys or members of parts of an object.
template <class V, class... More>
std::vector<V> together(std::vector<V> all, const More&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}

} // namespace memlane

namespace memlane::schema {

using Json = nlohmann::ordered_json;

// Schemas of values; `meaning` is the description, with its unit; empty: none.

inline Json typed(const char* type, std::string_view meaning = {}) {
  if (meaning.empty()) return {{"type", type}};
  return {{"description", meaning}, {"type", type}};
}
inline Json text(std::string_view meaning = {}) { return typed("string", meaning); }
inline Json boolean(std::string_view meaning = {}) { return typed("boolean", meaning); }
inline Json real(std::string_view meaning = {}) { return typed("number", meaning); }
inline Json integer(std::string_view meaning = {}) { return typed("integer", meaning); }
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
template <class Word = std::string_view>
Json word(const std::vector<Word>& words, std::string_view meaning) {
  Json schema = text(meaning);
  schema["enum"] = words;
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
inline Json list(Json item, std::string_view meaning = {}) {
  Json schema = typed("array", meaning);
  schema["items"] = std::move(item);
  return schema;
}
/// With at least one item.
inline Json some(Json item) {
  Json schema = list(std::move(item));
  schema["minItems"] = 1;
  return schema;
}
inline Json any_of(Json first, Json second) {
  return {{"anyOf", Json::array({std::move(first), std::move(second)})}};
}
/// Adds a property to the schema of an object.
inline void add_property(Json& object, const std::string& name, Json value, bool is_required) {
  object["properties"][name] = std::move(value);
  if (is_required) object["required"].push_back(name);
}
using Properties = std::vector<std::pair<std::string, Json>>;
/// An object with all required and any optional properties, and no others.
inline Json object(std::string_view meaning, const Properties& required,
                   const Properties& optional = {}) {
  Json schema = typed("object", meaning);
  schema["properties"] = Json::object();
  for (const auto& [name, value] : required) add_property(schema, name, value, true);
  for (const auto& [name, value] : optional) add_property(schema, name, value, false);
  schema["additionalProperties"] = false;
  return schema;
}
/// An object with arbitrary names, such as those of parameters or kernels.
inline Json map(Json value, std::string_view meaning = {}) {
  Json schema = typed("object", meaning);
  schema["additionalProperties"] = std::move(value);
  return schema;
}
/// The value, or null.
inline Json or_null(Json schema) {
  if (schema["type"].is_array()) return schema;
  schema["type"] = Json::array({schema["type"], "null"});
  if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  return schema;
}

/// A decimal as a number: 3, or a double that is written as 2.5.
inline Json json_of(Decimal number) {
  if (number.millionths % Decimal::one == 0) return number.millionths / Decimal::one;
  return static_cast<double>(number.millionths) / static_cast<double>(Decimal::one);
}

// The JSON of a C++ value and the schema of its type. JSON has no infinity and no NaN: null stands
// for both, and for an optional value that is missing. A value of an enumeration is its name.

template <class V>
inline constexpr bool is_optional = false;
template <class V>
inline constexpr bool is_optional<std::optional<V>> = true;

template <class V>
Json schema_of_type(std::string_view meaning) {
  if constexpr (is_optional<V>) {
    return or_null(schema_of_type<typename V::value_type>(meaning));
  } else if constexpr (std::is_same_v<V, bool>) {
    return boolean(meaning);
  } else if constexpr (std::is_integral_v<V>) {
    return count(meaning);
  } else if constexpr (std::is_floating_point_v<V>) {
    return or_null(real(meaning));
  } else {
    static_assert(std::is_convertible_v<V, std::string_view>, "the type does not say its schema");
    return text(meaning);
  }
}

template <class V>
Json json_of_value(const V& value) {
  if constexpr (is_optional<V>) {
    return value ? json_of_value(*value) : Json(nullptr);
  } else if constexpr (std::is_floating_point_v<V>) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  } else if constexpr (std::is_enum_v<V>) {
    return Json(name_of(value));
  } else {
    return Json(value);
  }
}

/// A large list is not copied.
inline Json json_of_value(Json&& value) { return std::move(value); }

template <class T>
class Table;

/// Calls a getter, a function or a pointer to a member, with what is described; if the getter is
/// for what that points at, with that.
template <class T, class Get>
decltype(auto) get_from(const T& described, const Get& get) {
  if constexpr (std::is_invocable_v<const Get&, const T&>) {
    return std::invoke(get, described);
  } else {
    return std::invoke(get, *described);
  }
}
template <class T, class Get>
using TypeOf = std::decay_t<decltype(get_from(std::declval<const T&>(), std::declval<Get>()))>;

/// When an object has the member.
enum class Presence { always, if_any }; ///< if_any: not with an empty text, an empty list or null

/// A member of the object that describes a T.
template <class T>
struct Member {
  using Present = std::function<bool(const T&)>; ///< empty: always

  template <class Get>
  Member(std::string its_name, Json its_schema, Get get, Present is_present = {})
      : name(std::move(its_name)), schema(std::move(its_schema)), present(std::move(is_present)),
        value([get](const T& described) { return json_of_value(get_from(described, get)); }) {}
  template <class Get>
  Member(std::string its_name, Json its_schema, Get get, Presence presence)
      : Member(std::move(its_name), std::move(its_schema), get) {
    if (presence == Presence::if_any)
      present = [get](const T& described) {
        const Json json = json_of_value(get_from(described, get));
        return !json.empty() && json != Json("");
      };
  }
  /// The type that `get` returns determines the schema.
  template <class Get, class... If>
  Member(std::string its_name, const char* meaning, Get get, If... presence)
      : Member(std::move(its_name), schema_of_type<TypeOf<T, Get>>(meaning), get,
               std::move(presence)...) {}
  /// An object that the table describes, or null if the getter's type is optional.
  template <class U, class Get>
  Member(std::string its_name, const Table<U>& table, const char* meaning, Get get,
         Present is_present = {});
  /// A list of such objects.
  template <class U, class Get>
  Member(std::string its_name, const Table<U>& table, const char* item, const char* meaning,
         Get get, Presence presence = Presence::always);

  std::string name;
  Json schema;
  Present present;
  std::function<Json(const T&)> value;
};

/// The members of the object that describes a T, in output order.
template <class T>
class Table {
public:
  using Members = std::vector<Member<T>>;
  Table(Members members, const Members& more = {}, const Members& last = {})
      : members_(std::move(members)) {
    for (const Members* next : {&more, &last})
      members_.insert(members_.end(), next->begin(), next->end());
  }

  Json json(const T& described) const {
    auto out = Json::object();
    for (const Member<T>& member : members_)
      if (!member.present || member.present(described)) out[member.name] = member.value(described);
    return out;
  }

  const Members& members() const { return members_; }

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
    for (const Member<T>& member : members_)
      add_property(schema, member.name, member.schema, !member.present);
    schema["additionalProperties"] = false;
    return schema;
  }

private:
  Members members_;
};

template <class T>
template <class U, class Get>
Member<T>::Member(std::string its_name, const Table<U>& table, const char* meaning, Get get,
                  Present is_present)
    : name(std::move(its_name)), schema(table.schema(meaning)), present(std::move(is_present)) {
  if constexpr (is_optional<TypeOf<T, Get>>) schema = or_null(schema);
  value = [&table, get](const T& described) {
    const auto& part = get_from(described, get);
    if constexpr (is_optional<TypeOf<T, Get>>)
      return part ? table.json(*part) : Json(nullptr);
    else
      return table.json(part);
  };
}

template <class T>
template <class U, class Get>
Member<T>::Member(std::string its_name, const Table<U>& table, const char* item,
                  const char* meaning, Get get, Presence presence)
    : Member(
          std::move(its_name), list(table.schema(item), meaning),
          [&table, get](const T& described) { return table.json_of_all(get_from(described, get)); },
          presence) {}

/// A schema as a complete document.
inline Json document(std::string_view title, Json schema) {
  Json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  out.update(schema);
  return out;
}

} // namespace memlane::schema
