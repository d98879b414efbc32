// JSON objects as tables. A row is a member: its name, the meaning or schema of its value, and the
// value. One table makes both the object and its JSON Schema (draft 2020-12), so that they have the
// same members.
#pragma once

#include "memlane/support/decimal.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace memlane {

/// Lists one after the other, such as the keys or members of parts of an object.
template <class List, class... More>
List together(List all, const More&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}

} // namespace memlane

namespace memlane::schema {

using Json = nlohmann::ordered_json;

// Schemas of values; `meaning` is the description, with its unit; empty: none.

Json typed(const char* type, std::string_view meaning = {});
Json text(std::string_view meaning = {});
Json boolean(std::string_view meaning = {});
Json real(std::string_view meaning = {});
Json integer(std::string_view meaning = {});
Json count(std::string_view meaning, std::int64_t least = 0);
/// One value only.
Json constant(Json value, std::string_view meaning);
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
Json list(Json item, std::string_view meaning = {});
/// With at least one item.
Json some(Json item);
Json any_of(Json first, Json second);
/// Adds a property to the schema of an object.
void add_property(Json& object, const std::string& name, Json value, bool is_required);
using Properties = std::vector<std::pair<std::string, Json>>;
/// An object with all required and any optional properties, and no others.
Json object(std::string_view meaning, const Properties& required, const Properties& optional = {});
/// An object with arbitrary names, such as those of parameters or kernels.
Json map(Json value, std::string_view meaning = {});
/// The value, or null.
Json or_null(Json schema);
/// A schema as a complete document.
Json document(std::string_view title, Json schema);

/// A decimal as a number: 3, or a double that is written as 2.5.
Json json_of(Decimal number);

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

// Tables of all types share their code: it knows what it describes by an address alone. What is
// written for a T, a row of a table or the table, is typed.

/// Calls a getter, a function or a pointer to a member, with what is described; if the getter is
/// for what that points at, with that. (std::invoke and its traits would be compiled for each.)
template <class T, class Get>
decltype(auto) get_from(const T& described, const Get& get) {
  if constexpr (requires { get(described); }) {
    return get(described);
  } else if constexpr (requires { (described.*get)(); }) {
    return (described.*get)();
  } else if constexpr (requires { described.*get; }) {
    return (described.*get);
  } else {
    return get_from(*described, get);
  }
}
template <class T, class Get>
using TypeOf = std::decay_t<decltype(get_from(std::declval<const T&>(), std::declval<Get>()))>;

/// What a getter for a T gives, as `As` turns it into a result, from the address of a T.
template <class As, class T, class Get>
auto from_address(Get get) {
  using Result = std::decay_t<decltype(As()(get_from(std::declval<const T&>(), get)))>;
  if constexpr (std::is_empty_v<Get> && std::is_default_constructible_v<Get>) {
    // A lambda without captures is its type alone: std::function need not keep one of every type.
    return std::function<Result(const void*)>(
        static_cast<Result (*)(const void*)>([](const void* described) -> Result {
          return As()(get_from(*static_cast<const T*>(described), Get()));
        }));
  } else {
    return std::function<Result(const void*)>([get](const void* described) -> Result {
      return As()(get_from(*static_cast<const T*>(described), get));
    });
  }
}
struct AsJson {
  template <class V>
  Json operator()(V&& value) const {
    return json_of_value(std::forward<V>(value));
  }
};
struct AsBool {
  bool operator()(bool value) const { return value; }
};
using JsonOf = std::function<Json(const void* described)>;
using IsPresent = std::function<bool(const void* described)>; ///< empty: always

/// When an object has the member.
enum class Presence { always, if_any }; ///< if_any: not with an empty text, an empty list or null

/// A member of an object that describes something.
struct AnyMember {
  AnyMember(std::string its_name, Json its_schema, JsonOf its_value, IsPresent is_present,
            Presence presence);

  std::string name;
  Json schema;
  IsPresent present;
  JsonOf value;
};

/// The value of a member, by a getter for a T.
template <class T>
struct ValueOf {
  template <class Get>
  ValueOf(Get get) : value(from_address<AsJson, T>(std::move(get))) {}
  JsonOf value;
};
/// The same, with the schema of the type that the getter returns.
template <class T>
struct TypedValueOf {
  template <class Get>
  TypedValueOf(Get get)
      : value(from_address<AsJson, T>(std::move(get))), schema(schema_of_type<TypeOf<T, Get>>) {}
  JsonOf value;
  Json (*schema)(std::string_view meaning);
};
/// When an object that describes a T has a member.
template <class T>
struct PresenceOf {
  PresenceOf(Presence its_presence = Presence::always) : presence(its_presence) {}
  template <class Is>
  PresenceOf(Is is) : present(from_address<AsBool, T>(std::move(is))) {}
  IsPresent present;
  Presence presence = Presence::always;
};

template <class T>
class Table;

/// A member of the object that describes a T.
template <class T>
struct Member : AnyMember {
  Member(std::string its_name, Json its_schema, ValueOf<T> its_value, PresenceOf<T> is = {})
      : AnyMember(std::move(its_name), std::move(its_schema), std::move(its_value.value),
                  std::move(is.present), is.presence) {}
  Member(std::string its_name, const char* meaning, TypedValueOf<T> its_value,
         PresenceOf<T> is = {})
      : AnyMember(std::move(its_name), its_value.schema(meaning), std::move(its_value.value),
                  std::move(is.present), is.presence) {}
  /// An object that the table describes, or null if the getter's type is optional.
  template <class U, class Get>
  Member(std::string its_name, const Table<U>& table, const char* meaning, Get get,
         PresenceOf<T> is = {});
  /// A list of such objects.
  template <class U, class Get>
  Member(std::string its_name, const Table<U>& table, const char* item, const char* meaning,
         Get get, PresenceOf<T> is = {});
};

/// Parts of one type, such as the members for a T, in one vector for all types.
template <class One, class Any>
class ListOf : public std::vector<Any> {
public:
  ListOf() = default;
  ListOf(std::initializer_list<One> all) {
    this->reserve(all.size());
    for (const One& one : all) std::vector<Any>::push_back(one);
  }
  using std::vector<Any>::push_back;
  void push_back(One one) { push_back(static_cast<Any&&>(one)); }
};
template <class T>
using Members = ListOf<Member<T>, AnyMember>;

/// The members of an object, in output order.
class AnyTable {
public:
  explicit AnyTable(std::vector<AnyMember> members) : members_(std::move(members)) {}
  Json json(const void* described) const;
  Json schema(std::string_view meaning) const;

private:
  std::vector<AnyMember> members_;
};

/// The members of the object that describes a T.
template <class T>
class Table {
public:
  Table(Members<T> members, const Members<T>& more = {}, const Members<T>& last = {})
      : table_(together(std::move(members), more, last)) {}
  explicit Table(AnyTable table) : table_(std::move(table)) {}

  Json json(const T& described) const { return table_.json(&described); }
  template <class List>
  Json json_of_all(const List& all) const {
    auto out = Json::array();
    for (const T& described : all) out.push_back(json(described));
    return out;
  }
  Json schema(std::string_view meaning) const { return table_.schema(meaning); }

private:
  AnyTable table_;
};

template <class T>
template <class U, class Get>
Member<T>::Member(std::string its_name, const Table<U>& table, const char* meaning, Get get,
                  PresenceOf<T> is)
    : Member(
          std::move(its_name),
          is_optional<TypeOf<T, Get>> ? or_null(table.schema(meaning)) : table.schema(meaning),
          [&table, get](const T& described) {
            const auto& part = get_from(described, get);
            if constexpr (is_optional<TypeOf<T, Get>>)
              return part ? table.json(*part) : Json(nullptr);
            else
              return table.json(part);
          },
          std::move(is)) {}

template <class T>
template <class U, class Get>
Member<T>::Member(std::string its_name, const Table<U>& table, const char* item,
                  const char* meaning, Get get, PresenceOf<T> is)
    : Member(
          std::move(its_name), list(table.schema(item), meaning),
          [&table, get](const T& described) { return table.json_of_all(get_from(described, get)); },
          std::move(is)) {}

} // namespace memlane::schema
