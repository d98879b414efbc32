// Objects of JSON files as tables. A row of a record is a key: its name, its meaning, what its
// value is, and the member of a T that receives it. One table makes the reader, whose errors have
// places and JSON paths, the JSON Schema, and the list of keys for documents.
#pragma once

#include "memlane/support/decimal.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/result.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace memlane {

/// A file that is being read, and its errors so far.
struct RecordFile {
  Sources* sources = nullptr; ///< not null where a kind of value adds texts
  Diagnostics errors = {};
  std::size_t failures = 0; ///< all errors, also those that are not kept

  static constexpr std::size_t most_errors =
      99; ///< those kept before the one that says that there are more
};

/// A value and where it is. Every function that returns a bool adds an error if it is false.
struct JsonPlace {
  const JsonValue& value;
  RecordFile& file;
  std::string path = ""; ///< `axes.n[2]`; empty: the whole file

  JsonPlace member(const JsonMember& of_value) const {
    return {of_value.value, file, path_of(of_value.key)};
  }
  JsonPlace item(std::size_t k) const {
    return {value.items[k], file, fmt::format("{}[{}]", path, k)};
  }
  /// The member of a key, which is there.
  JsonPlace at(std::string_view key) const {
    return {*find_member(value, key), file, path_of(key)};
  }
  /// Whether this object has the key. `help` is about its value.
  bool has(std::string_view key, std::string_view help) const;
  /// The path of a key of this object.
  std::string path_of(std::string_view key) const;
  /// The first byte: the place of what is missing.
  Span first_byte() const { return {value.span.file, value.span.begin, value.span.begin + 1}; }

  /// Adds an error. After 100 errors, only that there are more.
  void fail(std::string_view message, std::vector<std::string> help = {}) const {
    fail_at(value.span, message, std::move(help));
  }
  void fail_at(Span span, std::string_view message, std::vector<std::string> help = {}) const;
  /// `must be a list, is 3`.
  bool require(bool right, std::string_view what, std::vector<std::string> help = {}) const;
  bool is_a(JsonKind kind, std::string_view what, std::vector<std::string> help = {}) const {
    return require(value.kind == kind, what, std::move(help));
  }
  /// A string that is not empty.
  bool is_text(std::vector<std::string> help = {}) const;
  /// Without control characters.
  bool is_plain() const;
  bool is_line(std::vector<std::string> help = {}) const {
    return is_text(std::move(help)) && is_plain();
  }
  /// Adds errors with their own paths.
  void add(const Diagnostics& errors) const {
    file.failures += errors.size();
    file.errors.insert(file.errors.end(), errors.begin(), errors.end());
  }
  /// Adds the errors of a value with its path, but not to those in other texts.
  template <class V>
  bool check(const Result<V>& result) const {
    if (!result) add_with_path(result.errors());
    return result.ok();
  }

private:
  void add_with_path(Diagnostics errors) const;
};

/// What a value is: its schema, and how it is read. The reader adds errors, and then leaves the
/// result as it is.
template <class V>
struct Kind {
  schema::Json schema;
  std::function<void(const JsonPlace&, V&)> read;
};

namespace kinds {

/// Of strings without control characters.
inline constexpr const char* plain_pattern = "^[^\\u0000-\\u001f\\u007f]*$";

Kind<std::string> string();
/// Not empty.
Kind<std::string> text();
/// The same without control characters.
Kind<std::string> line(std::vector<std::string> help = {});
/// A string or a list of strings, such as paragraphs.
Kind<std::vector<std::string>> lines();
Kind<bool> flag();
/// A whole number.
Kind<std::int64_t> whole(std::int64_t least, std::int64_t most = INT64_MAX);
/// A number with few decimals, exactly.
Kind<Decimal> decimal(std::int64_t least, std::int64_t most);
/// A finite number, 0 or more.
Kind<double> from_zero();
/// One of the words. The result is its index.
Kind<std::size_t> word(std::vector<std::string> words);

/// One of the names of an enumeration's values, in their order.
template <class Enum>
Kind<Enum> choice(std::vector<std::string> words) {
  const Kind<std::size_t> index = word(std::move(words));
  return {index.schema, [index](const JsonPlace& place, Enum& into) {
            auto which = static_cast<std::size_t>(into);
            index.read(place, which);
            into = static_cast<Enum>(which);
          }};
}
/// One of the names from the first value's to `last`'s.
template <class Enum>
Kind<Enum> choice_up_to(Enum last) {
  const std::vector<std::string_view> words = schema::names_up_to(last);
  return choice<Enum>({words.begin(), words.end()});
}

template <class V>
Kind<std::vector<V>> list(Kind<V> one) {
  return {schema::list(one.schema), [one](const JsonPlace& place, std::vector<V>& all) {
            if (!place.is_a(JsonKind::array, "a list")) return;
            for (std::size_t k = 0; k < place.value.items.size(); ++k)
              one.read(place.item(k), all.emplace_back());
          }};
}

/// With at least one item. `help` is for values that are no such list.
template <class V>
Kind<std::vector<V>> some(Kind<V> one, std::vector<std::string> help = {}) {
  Kind<std::vector<V>> all = list(std::move(one));
  all.schema = schema::some(std::move(all.schema["items"]));
  all.read = [read = all.read, help = std::move(help)](const JsonPlace& place,
                                                       std::vector<V>& into) {
    const bool some = place.value.kind == JsonKind::array && !place.value.items.empty();
    if (place.require(some, "a list that is not empty", help)) read(place, into);
  };
  return all;
}

} // namespace kinds

enum class Need { optional, required };
constexpr Need required = Need::required;

/// A key of the object that describes a T.
template <class T>
struct RecordKey {
  using Read = std::function<void(const JsonPlace&, T&)>;

  /// `member` is a pointer to a member, or a function from T& to a part of it; the part is a V or
  /// an optional V.
  template <class V, class Part>
  RecordKey(std::string_view its_name, std::string_view its_meaning, Kind<V> kind, Part member,
            Need its_need = Need::optional)
      : RecordKey(
            its_name, its_meaning, kind.schema,
            [kind, member](const JsonPlace& place, T& into) {
              auto& part = std::invoke(member, into);
              if constexpr (std::is_same_v<std::decay_t<decltype(part)>, std::optional<V>>)
                kind.read(place, part.emplace());
              else
                kind.read(place, part);
            },
            its_need) {}
  RecordKey(std::string_view its_name, std::string_view its_meaning, schema::Json its_schema,
            Read its_read, Need its_need = Need::optional)
      : name(its_name), meaning(its_meaning), schema(std::move(its_schema)),
        read(std::move(its_read)), need(its_need) {}
  /// A value that is checked, but not kept.
  template <class V>
  RecordKey(std::string_view its_name, std::string_view its_meaning, Kind<V> kind)
      : RecordKey(its_name, its_meaning, kind.schema, [kind](const JsonPlace& place, T&) {
          V unused{};
          kind.read(place, unused);
        }) {}

  std::string name;
  std::string_view meaning; ///< empty: the schema has it
  schema::Json schema;
  Read read;
  Need need;
};

/// What the reader does with other keys.
enum class Others { refused, ignored };

/// The keys of the object that describes a T.
template <class T>
struct Record {
  std::string_view name;     ///< its name in documents: `sweep`
  std::string_view in_words; ///< its name in messages: `a sweep`
  std::vector<RecordKey<T>> keys;
  /// What is done after the keys have been read without errors; empty: nothing.
  std::function<void(const JsonPlace&, T&)> finish = {};
  schema::Json rules = schema::Json::object(); ///< the schema's further rules
  Others others = Others::refused;

  /// The key of this name, or null.
  const RecordKey<T>* find(std::string_view wanted) const {
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&](const RecordKey<T>& key) { return key.name == wanted; });
    return found == keys.end() ? nullptr : &*found;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const RecordKey<T>& key : keys) all.emplace_back(key.name);
    return all;
  }

  /// `a sweep has the keys …`.
  std::string all_names() const {
    return fmt::format("{} has the keys {}", in_words, fmt::join(names(), ", "));
  }

  /// Reads an object. Adds all independent errors; false if there are any.
  bool read(const JsonPlace& place, T& into) const {
    const std::size_t failures_before = place.file.failures;
    if (place.value.kind != JsonKind::object)
      return place.is_a(JsonKind::object, "an object", {all_names()});
    for (const JsonMember& member : place.value.members) {
      if (const RecordKey<T>* key = find(member.key)) {
        key->read(place.member(member), into);
        continue;
      }
      if (others == Others::ignored) continue;
      std::vector<std::string> help = did_you_mean(member.key, names());
      if (help.empty()) help = {all_names()};
      place.member(member).fail_at(member.key_span, "unknown key", std::move(help));
    }
    for (const RecordKey<T>& key : keys)
      if (key.need == required) place.has(key.name, key.meaning);
    const bool good = place.file.failures == failures_before;
    if (good && finish) finish(place, into);
    return place.file.failures == failures_before;
  }

  schema::Json schema(std::string_view its_meaning = {}) const {
    schema::Json out = schema::typed("object", its_meaning);
    out["properties"] = schema::Json::object();
    for (const RecordKey<T>& key : keys) {
      schema::Json value = {{"description", key.meaning}};
      value.update(key.schema);
      if (!key.meaning.empty()) value["description"] = key.meaning; // instead of its type's
      schema::add_property(out, key.name, std::move(value), key.need == required);
    }
    out["additionalProperties"] = false;
    out.update(rules);
    return out;
  }

  /// Requires that the record outlives the result.
  Kind<T> kind() const {
    return {schema(), [this](const JsonPlace& place, T& into) { read(place, into); }};
  }
};

/// Reads a file in `sources` that is such an object into `into`, which has the defaults. Returns
/// all independent errors, each with its place. Cost: the size of the file.
template <class T>
Result<T> read_record(Sources& sources, std::int32_t file, const Record<T>& record, T into) {
  RecordFile read{&sources};
  const auto root = read_json(sources, file, record.in_words, read.errors);
  if (root) record.read({*root, read}, into);
  if (!read.errors.empty()) return std::move(read.errors);
  return into;
}

/// The JSON Schema (draft 7) of such a file.
template <class T>
schema::Json file_schema(std::string_view title, const Record<T>& record) {
  schema::Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
  out.update(record.schema());
  return out;
}

/// The keys of several records, in display order.
template <class... T>
std::vector<FileKey> keys_of(const Record<T>&... records) {
  std::vector<FileKey> keys;
  const auto add = [&](const auto& record) {
    for (const auto& key : record.keys) keys.push_back({record.name, key.name, key.meaning});
  };
  (add(records), ...);
  return keys;
}

} // namespace memlane
