// Reads sweep files. One table for each object has its keys, their schemas and how they are read.
#include "memlane/sweep/sweep_file.hpp"

#include "axis_values.hpp"

#include "memlane/support/json_table.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace memlane::sweep {
namespace {

using schema::Json;

/// Reads one sweep; collects its errors.
class SweepFileReader {
public:
  SweepFileReader(Sources& sources, std::int32_t file)
      : sources_(sources), folder_(std::filesystem::path(sources.path(file)).parent_path()) {}

  Result<SweepSpec> read(const JsonValue& sweep, const std::string& path);

  // How the values of keys are read; `path` is the JSON path of the value.
  void ignore(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void name(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void description(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void programs(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void machines(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void axes(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void zip(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void where(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void seeds(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void timing_only(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void verify(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void allow_races(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void inputs(const JsonValue& value, const std::string& path, SweepSpec& sweep);
  void program_name(const JsonValue& value, const std::string& path, SweptProgram& program);
  void program_layouts(const JsonValue& value, const std::string& path, SweptProgram& program);
  void program_fns(const JsonValue& value, const std::string& path, SweptProgram& program);
  void program_types(const JsonValue& value, const std::string& path, SweptProgram& program);
  void parameters(const JsonValue& value, const std::string& path, SweptProgram& program);
  void machine_name(const JsonValue& value, const std::string& path, SweptMachine& machine);
  void machine_values(const JsonValue& value, const std::string& path, SweptMachine& machine);
  void axis_values(const JsonValue& value, const std::string& path, SweepAxis& axis);
  void axis_range(const JsonValue& value, const std::string& path, SweepAxis& axis);
  void axis_pow2(const JsonValue& value, const std::string& path, SweepAxis& axis);

private:
  template <class T>
  void object(const JsonValue& value, const std::string& path, T& into);
  void fail(Span place, const std::string& path, const std::string& message,
            std::vector<std::string> help = {});
  bool is_a(JsonKind kind, const JsonValue& value, const std::string& path, std::string_view what,
            std::string help = "");
  bool is_text(const JsonValue& value, const std::string& path, std::string help = "");
  void flag(const JsonValue& value, const std::string& path, bool& into);
  PlacedText placed(const JsonValue& value, const std::string& path);
  std::string beside_file(const std::string& name, std::string_view ending) const;
  SweepAxis axis_named(const JsonMember& member, const std::string& path);
  SweepAxis axis(const JsonMember& member, const std::string& path);
  void value_of(const JsonValue& value, const std::string& path, SweepAxis& axis);
  std::vector<std::int64_t> numbers(const JsonValue& value, const std::string& path,
                                    std::size_t most);
  void check_lengths(const std::vector<SweepAxis>& group, const std::string& path);
  void check_once(const SweepSpec& sweep);
  template <class Item>
  void check_distinct(const std::vector<Item>& items, const std::string& path);

  Sources& sources_;
  std::filesystem::path folder_; ///< of the file
  ErrorCollector errors_;
};

/// A key of an object that describes a T.
template <class T>
struct FileKey {
  std::string_view name;
  std::string_view meaning;
  Json schema;
  void (SweepFileReader::*read)(const JsonValue&, const std::string&, T&);
  bool required = false;
};

/// The keys of the object that describes a T, and what it is called.
template <class T>
struct FileObject {
  std::string_view name;    ///< in documents
  std::string_view article; ///< in messages: `a sweep`
  std::vector<FileKey<T>> keys;
};

Json any_of(std::vector<Json> choices) { return {{"anyOf", std::move(choices)}}; }
Json nonempty(Json list) {
  list["minItems"] = 1;
  return list;
}
Json nonempty_map(Json value, std::string_view meaning) {
  Json map = schema::map(std::move(value), meaning);
  map["minProperties"] = 1;
  return map;
}
/// A number, or an expression of the language.
Json value_schema() { return {{"type", Json{"number", "string", "boolean"}}}; }
Json number_schema() { return {{"type", Json{"integer", "string"}}}; }
Json texts_by_name(std::string_view meaning) {
  return schema::map({{"type", "string"}, {"minLength", 1}}, meaning);
}

template <class T>
Json object_schema(const FileObject<T>& object, std::string_view meaning) {
  schema::Properties required, optional;
  for (const FileKey<T>& key : object.keys) {
    Json value = {{"description", key.meaning}};
    value.update(key.schema);
    value["description"] = key.meaning;
    (key.required ? required : optional).emplace_back(std::string(key.name), std::move(value));
  }
  return schema::object(meaning, required, optional);
}

template <class T>
const FileObject<T>& file_object();

template <>
const FileObject<SweepAxis>& file_object() {
  using R = SweepFileReader;
  static const FileObject<SweepAxis> object = {
      "axis",
      "the values of an axis",
      {{"values", "the values, each a number, true, false, or an expression in quotes: \"n/2\"",
        nonempty(schema::list({{"type", Json{"number", "string", "boolean", "null"}}}, "")),
        &R::axis_values},
       {"range", "whole numbers [first, last] or [first, last, step]; both ends are included",
        [] {
          Json list = schema::list(number_schema(), "");
          list["minItems"] = 2, list["maxItems"] = 3;
          return list;
        }(),
        &R::axis_range},
       {"pow2", "[first, last]: each value is twice the one before; both ends are included",
        [] {
          Json list = schema::list(number_schema(), "");
          list["minItems"] = 2, list["maxItems"] = 2;
          return list;
        }(),
        &R::axis_pow2}}};
  return object;
}

Json axis_schema() {
  Json object = object_schema(file_object<SweepAxis>(), "a range, or values");
  object["minProperties"] = 1, object["maxProperties"] = 1;
  return any_of({file_object<SweepAxis>().keys.front().schema, object});
}

Json axes_schema() {
  Json axes = schema::map(axis_schema(), "");
  return axes;
}

template <>
const FileObject<SweptProgram>& file_object() {
  using R = SweepFileReader;
  static const FileObject<SweptProgram> object = {
      "program",
      "a program of a sweep",
      {{"program",
        "a shipped program's name, or a path that is relative to the file",
        {{"type", "string"}, {"minLength", 1}},
        &R::program_name,
        true},
       {"layout", "layouts by array, as --layout: { \"t\": \"padded(1)\" }", texts_by_name(""),
        &R::program_layouts},
       {"fn", "fns by name, as --fn: { \"combine\": \"(x, y) = max(x, y)\" }", texts_by_name(""),
        &R::program_fns},
       {"type", "types by name, as --type: { \"value\": \"float\" }", texts_by_name(""),
        &R::program_types},
       {"parameters", "values of parameters for this program alone, as -D: { \"n\": \"2^10\" }",
        schema::map(value_schema(), ""), &R::parameters}}};
  return object;
}

template <>
const FileObject<SweptMachine>& file_object() {
  using R = SweepFileReader;
  static const FileObject<SweptMachine> object = {
      "machine",
      "a machine of a sweep",
      {{"machine",
        "a shipped machine's name, or a path that is relative to the file",
        {{"type", "string"}, {"minLength", 1}},
        &R::machine_name,
        true},
       {"set", "values of the machine, as --set: { \"shared.latency\": 5 }",
        schema::map({{"type", Json{"integer", "string", "boolean", "null"}}}, ""),
        &R::machine_values}}};
  return object;
}

Json names_or(Json object) {
  Json name = {{"type", "string"}, {"minLength", 1}};
  return nonempty(schema::list(any_of({name, std::move(object)}), ""));
}

constexpr std::int64_t most_seeds = 1'000'000;

Json seeds_schema() {
  Json seed = {{"type", "integer"}, {"minimum", 0}};
  Json number = {{"type", "integer"}, {"minimum", 1}, {"maximum", most_seeds}};
  return any_of({number, nonempty(schema::list(seed, ""))});
}

template <>
const FileObject<SweepSpec>& file_object() {
  using R = SweepFileReader;
  static const FileObject<SweepSpec> object = {
      "sweep",
      "a sweep",
      {{"$schema", "the JSON Schema of the file, for editors", {{"type", "string"}}, &R::ignore},
       {"name",
        "of the sweep; default: the file's name",
        {{"type", "string"}, {"minLength", 1}},
        &R::name},
       {"description", "what the sweep shows", {{"type", "string"}}, &R::description},
       {"programs", "names, paths, or objects with a program's own values",
        names_or(object_schema(file_object<SweptProgram>(), "")), &R::programs, true},
       {"machines", "names, paths, or objects with a machine's own values",
        names_or(object_schema(file_object<SweptMachine>(), "")), &R::machines, true},
       {"axes", "what varies, and its values; every combination is a point", axes_schema(),
        &R::axes},
       {"zip", "groups of axes that advance together; their lists have equal lengths",
        schema::list(nonempty_map(axis_schema(), ""), ""), &R::zip},
       {"where",
        "a condition over parameters and the machine: only points with it run",
        {{"type", "string"}, {"minLength", 1}},
        &R::where},
       {"seeds", "N runs of each point, with seeds 1 to N, or a list of seeds; default: 1",
        seeds_schema(), &R::seeds},
       {"timing_only",
        "time without data, as --timing-only; default: false",
        {{"type", "boolean"}},
        &R::timing_only},
       {"verify",
        "false: results are not checked, as with --no-verify; default: true",
        {{"type", "boolean"}},
        &R::verify},
       {"allow_races",
        "true: races are counted, as with --allow-races; default: false",
        {{"type", "boolean"}},
        &R::allow_races},
       {"inputs", "files by array, as --input; paths are relative to the file", texts_by_name(""),
        &R::inputs}}};
  return object;
}

template <class T>
std::string key_names(const FileObject<T>& object) {
  std::string names;
  for (const auto& key : object.keys)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", key.name);
  return names;
}

std::string inside(const std::string& path, std::string_view key) {
  return path.empty() ? shown_key(key) : fmt::format("{}.{}", path, shown_key(key));
}
std::string inside(const std::string& path, std::size_t item) {
  return fmt::format("{}[{}]", path, item);
}

void SweepFileReader::fail(Span place, const std::string& path, const std::string& message,
                           std::vector<std::string> help) {
  errors_.add(error_at(place, path.empty() ? message : path + ": " + message, std::move(help)));
}

bool SweepFileReader::is_a(JsonKind kind, const JsonValue& value, const std::string& path,
                           std::string_view what, std::string help) {
  if (value.kind == kind) return true;
  fail(value.span, path, fmt::format("must be {}, is {}", what, describe(value)),
       help.empty() ? std::vector<std::string>() : std::vector{std::move(help)});
  return false;
}

bool SweepFileReader::is_text(const JsonValue& value, const std::string& path, std::string help) {
  if (!is_a(JsonKind::string, value, path, "a string", std::move(help))) return false;
  const bool plain = !has_control(value.text);
  if (value.text.empty()) fail(value.span, path, "must not be empty");
  if (!plain) fail(value.span, path, "has a line end or another control character");
  return plain && !value.text.empty();
}

void SweepFileReader::flag(const JsonValue& value, const std::string& path, bool& into) {
  if (is_a(JsonKind::boolean, value, path, "true or false")) into = value.boolean;
}

/// Reads the members of an object with the table of its keys.
template <class T>
void SweepFileReader::object(const JsonValue& value, const std::string& path, T& into) {
  const FileObject<T>& table = file_object<T>();
  if (!is_a(JsonKind::object, value, path, "an object",
            fmt::format("{} has the keys {}", table.article, key_names(table))))
    return;
  std::vector<std::string> names;
  for (const FileKey<T>& key : table.keys) names.emplace_back(key.name);
  for (const JsonMember& member : value.members) {
    const auto key = std::find_if(table.keys.begin(), table.keys.end(),
                                  [&](const FileKey<T>& k) { return k.name == member.key; });
    if (key != table.keys.end()) {
      (this->*key->read)(member.value, inside(path, member.key), into);
      continue;
    }
    std::vector<std::string> help = did_you_mean(member.key, names);
    if (help.empty()) help = {fmt::format("{} has the keys {}", table.article, key_names(table))};
    fail(member.key_span, inside(path, member.key), "unknown key", std::move(help));
  }
  for (const FileKey<T>& key : table.keys)
    if (key.required && !find_member(value, key.name))
      fail({value.span.file, value.span.begin, value.span.begin + 1}, inside(path, key.name),
           "is missing", {std::string(key.meaning)});
}

/// The text of a value with its place. A string with escapes becomes a text of its own, in which
/// places are those of its characters.
PlacedText SweepFileReader::placed(const JsonValue& value, const std::string& path) {
  if (value.kind == JsonKind::boolean) return {value.boolean ? "true" : "false", value.span};
  if (value.kind == JsonKind::null) return {"null", value.span};
  Span span = value.span;
  if (value.kind == JsonKind::string) span.begin += 1, span.end -= 1;
  if (sources_.text(span) == value.text) return {value.text, span};
  const std::int32_t own =
      sources_.add(fmt::format("{}: {}", sources_.path(span.file), path), value.text);
  return {value.text, {own, 0, static_cast<std::uint32_t>(value.text.size())}};
}

/// A path of the file, as this process reads it; other names stay.
std::string SweepFileReader::beside_file(const std::string& name, std::string_view ending) const {
  const std::filesystem::path path(name);
  if (name.find('/') == std::string::npos && !name.ends_with(ending)) return name;
  if (path.is_absolute() || folder_.empty()) return name;
  return (folder_ / path).lexically_normal().generic_string();
}

void SweepFileReader::ignore(const JsonValue& value, const std::string& path, SweepSpec&) {
  is_text(value, path);
}
void SweepFileReader::name(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (is_text(value, path)) sweep.name = value.text;
}
void SweepFileReader::description(const JsonValue& value, const std::string& path,
                                  SweepSpec& sweep) {
  if (is_text(value, path)) sweep.description = value.text;
}

void SweepFileReader::program_name(const JsonValue& value, const std::string& path,
                                   SweptProgram& program) {
  if (!is_text(value, path)) return;
  program.name = beside_file(value.text, ".lane");
  program.span = value.span;
}

void SweepFileReader::program_layouts(const JsonValue& value, const std::string& path,
                                      SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const auto& [name, key_span, text] : value.members)
    if (is_text(text, inside(path, name)))
      program.replaced.emplace_back("layout", fmt::format("{}={}", name, text.text));
}

void SweepFileReader::program_types(const JsonValue& value, const std::string& path,
                                    SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const auto& [name, key_span, text] : value.members)
    if (is_text(text, inside(path, name)))
      program.replaced.emplace_back("type", fmt::format("{}={}", name, text.text));
}

constexpr const char* fn_form = "write the fn without its name: \"(x, y) = max(x, y)\"";

void SweepFileReader::program_fns(const JsonValue& value, const std::string& path,
                                  SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const auto& [name, key_span, text] : value.members) {
    if (!is_text(text, inside(path, name), fn_form)) continue;
    if (text.text.front() != '(' && text.text.front() != '=')
      fail(text.span, inside(path, name), "does not begin with the fn's parameters", {fn_form});
    program.replaced.emplace_back("fn", name + (text.text.front() == '=' ? " " : "") + text.text);
  }
}

void SweepFileReader::parameters(const JsonValue& value, const std::string& path,
                                 SweptProgram& program) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const JsonMember& member : value.members) {
    const JsonValue& given = member.value;
    const std::string own = inside(path, member.key);
    const bool plain = given.kind == JsonKind::number || given.kind == JsonKind::boolean;
    if (!plain && !is_text(given, own, "a number, true, false, or an expression in quotes"))
      continue;
    const PlacedText text = placed(given, own);
    program.definitions.push_back({member.key, text.text, text.span});
  }
}

void SweepFileReader::programs(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::array, value, path, "a list", "write [\"sum\"]")) return;
  if (value.items.empty()) fail(value.span, path, "is empty", {"name a program: [\"sum\"]"});
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    SweptProgram program;
    program.span = item.span;
    if (item.kind == JsonKind::string) {
      program_name(item, inside(path, k), program);
    } else {
      object(item, inside(path, k), program);
      // As a command's options are applied: fns, types, layouts.
      std::stable_sort(program.replaced.begin(), program.replaced.end(),
                       [](const auto& a, const auto& b) {
                         constexpr std::string_view order = "fn type layout";
                         return order.find(a.first) < order.find(b.first);
                       });
    }
    sweep.programs.push_back(std::move(program));
  }
  check_distinct(sweep.programs, path);
}

void SweepFileReader::machine_name(const JsonValue& value, const std::string& path,
                                   SweptMachine& machine) {
  if (!is_text(value, path)) return;
  machine.name = beside_file(value.text, ".json");
  machine.span = value.span;
}

void SweepFileReader::machine_values(const JsonValue& value, const std::string& path,
                                     SweptMachine& machine) {
  if (!is_a(JsonKind::object, value, path, "an object")) return;
  for (const JsonMember& member : value.members) {
    const JsonKind kind = member.value.kind;
    const std::string own = inside(path, member.key);
    if (kind == JsonKind::object || kind == JsonKind::array) {
      fail(member.value.span, own, fmt::format("must be one value, is {}", describe(member.value)),
           {"write keys as --set takes them: \"shared.latency\": 5"});
      continue;
    }
    machine.overrides.push_back(fmt::format("{}={}", member.key, placed(member.value, own).text));
  }
}

void SweepFileReader::machines(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::array, value, path, "a list", "write [\"umm-w32\"]")) return;
  if (value.items.empty()) fail(value.span, path, "is empty", {"name a machine: [\"umm-w32\"]"});
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    SweptMachine machine;
    machine.span = item.span;
    if (item.kind == JsonKind::string) {
      machine_name(item, inside(path, k), machine);
    } else {
      object(item, inside(path, k), machine);
    }
    sweep.machines.push_back(std::move(machine));
  }
  check_distinct(sweep.machines, path);
}

template <class Item>
void SweepFileReader::check_distinct(const std::vector<Item>& items, const std::string& path) {
  for (std::size_t k = 1; k < items.size(); ++k)
    if (!items[k].name.empty() &&
        std::find(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(k), items[k]) !=
            items.begin() + static_cast<std::ptrdiff_t>(k))
      fail(items[k].span, inside(path, k), fmt::format("{} is listed twice", items[k].name),
           {"leave one out"});
}

/// An axis without values.
SweepAxis SweepFileReader::axis_named(const JsonMember& member, const std::string& path) {
  SweepAxis axis;
  axis.name = member.key;
  axis.span = member.key_span;
  const std::size_t blank = member.key.find(' ');
  if (blank == std::string::npos) {
    if (axis.name.empty()) fail(axis.span, path, "has no name");
    return axis;
  }
  const std::string prefix = member.key.substr(0, blank);
  axis.name = member.key.substr(blank + 1);
  if (prefix == "layout") {
    axis.kind = AxisKind::layout;
  } else if (prefix == "fn") {
    axis.kind = AxisKind::fn;
  } else if (prefix == "type") {
    axis.kind = AxisKind::type;
  } else {
    fail(axis.span, path, "unknown kind of axis",
         {"an axis is a parameter (n), a key of the machine (shared.latency), \"layout t\", "
          "\"fn combine\" or \"type value\""});
  }
  return axis;
}

void SweepFileReader::value_of(const JsonValue& value, const std::string& path, SweepAxis& axis) {
  const bool words = axis.kind != AxisKind::named && axis.kind != AxisKind::machine_key;
  const bool nested = value.kind == JsonKind::array || value.kind == JsonKind::object;
  if (nested || (words && value.kind != JsonKind::string)) {
    fail(value.span, path,
         fmt::format("must be {}, is {}", words ? "a string" : "one value", describe(value)));
    return;
  }
  if (value.kind == JsonKind::string && !is_text(value, path)) return;
  const bool headless = value.text.front() == '(' || value.text.front() == '=';
  if (axis.kind == AxisKind::fn && !headless)
    fail(value.span, path, "does not begin with the fn's parameters", {fn_form});
  PlacedText text = placed(value, path);
  axis.add({std::move(text.text), text.span});
}

void SweepFileReader::axis_values(const JsonValue& value, const std::string& path,
                                  SweepAxis& axis) {
  if (!is_a(JsonKind::array, value, path, "a list",
            "write [32, 64], or { \"range\": [1, 33, 2] } or { \"pow2\": [1, 1024] }"))
    return;
  if (value.items.empty()) fail(value.span, path, "has no values", {"leave the axis out"});
  for (std::size_t k = 0; k < value.items.size(); ++k)
    value_of(value.items[k], inside(path, k), axis);
}

/// The whole numbers of a list with 2 to `most`; none after an error.
std::vector<std::int64_t> SweepFileReader::numbers(const JsonValue& value, const std::string& path,
                                                   std::size_t most) {
  const std::string form = most == 2 ? "[first, last]" : "[first, last] or [first, last, step]";
  if (!is_a(JsonKind::array, value, path, "a list", "write " + form)) return {};
  if (value.items.size() < 2 || value.items.size() > most) {
    fail(value.span, path, fmt::format("has {} numbers", value.items.size()), {"write " + form});
    return {};
  }
  constexpr std::array names = {"the beginning of a range", "the end of a range",
                                "the step of a range"};
  std::vector<std::int64_t> all;
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    const std::string own = inside(path, k);
    if (item.kind != JsonKind::number &&
        !is_text(item, own, "a whole number, or an expression in quotes: \"2^20\""))
      continue;
    std::int64_t number = 0;
    if (errors_.take(placed_number(sources_, placed(item, own), names.at(k)), number))
      all.push_back(number);
  }
  return all.size() == value.items.size() ? all : std::vector<std::int64_t>();
}

void SweepFileReader::axis_range(const JsonValue& value, const std::string& path, SweepAxis& axis) {
  const std::vector<std::int64_t> given = numbers(value, path, 3);
  if (given.empty()) return;
  const auto range = steps_of(given[0], given[1], given.size() > 2 ? given[2] : 1, value.span);
  if (errors_.check(range))
    axis.add({std::string(sources_.text(value.span)), value.span, range->first}, range->second);
}

void SweepFileReader::axis_pow2(const JsonValue& value, const std::string& path, SweepAxis& axis) {
  const std::vector<std::int64_t> given = numbers(value, path, 2);
  if (given.empty()) return;
  const auto range = doubles_of(given[0], given[1], value.span);
  if (errors_.check(range))
    axis.add({std::string(sources_.text(value.span)), value.span, range->first}, range->second);
}

SweepAxis SweepFileReader::axis(const JsonMember& member, const std::string& path) {
  SweepAxis axis = axis_named(member, path);
  if (member.value.kind != JsonKind::object) {
    axis_values(member.value, path, axis);
    return axis;
  }
  object(member.value, path, axis);
  if (member.value.members.size() != 1)
    fail(member.value.span, path, "needs one of values, range and pow2");
  const bool counted = axis.parts.size() == 1 && axis.parts.front().numbers;
  if (counted && axis.kind != AxisKind::named && axis.kind != AxisKind::machine_key)
    fail(member.value.span, path, "is no number", {"list the values"});
  return axis;
}

void SweepFileReader::axes(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::object, value, path, "an object", "write { \"n\": [1024, 2048] }")) return;
  for (const JsonMember& member : value.members) {
    SweepAxis one = axis(member, inside(path, member.key));
    if (one.size == 0) continue;
    errors_.check(check_repetitions(one));
    sweep.axes.push_back({std::move(one)});
  }
}

void SweepFileReader::check_lengths(const std::vector<SweepAxis>& group, const std::string& path) {
  for (const SweepAxis& other : group)
    if (other.size != group.front().size)
      fail(other.span, path,
           fmt::format("{} has {} values, {} has {}", other.title(), other.size,
                       group.front().title(), group.front().size),
           {"axes of a group advance together: give them equally many values"});
}

void SweepFileReader::zip(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::array, value, path, "a list",
            "write [{ \"n\": [1024, 4096], \"p\": [32, 64] }]"))
    return;
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    const std::string own = inside(path, k);
    if (!is_a(JsonKind::object, item, own, "an object")) continue;
    if (item.members.empty()) fail(item.span, own, "has no axes");
    std::vector<SweepAxis> group;
    for (const JsonMember& member : item.members) {
      SweepAxis one = axis(member, inside(own, member.key));
      if (one.size > 0) group.push_back(std::move(one));
    }
    if (group.empty() || group.size() < item.members.size()) continue;
    check_lengths(group, own);
    sweep.axes.push_back(std::move(group));
  }
}

void SweepFileReader::where(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_text(value, path, "a condition in quotes: \"m*m <= capacity\"")) return;
  const PlacedText text = placed(value, path);
  sweep.where = text.text;
  sweep.where_span = text.span;
}

void SweepFileReader::seeds(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  const auto number = whole_number(value);
  if (number && *number >= 1 && *number <= most_seeds) {
    sweep.seeds.resize(static_cast<std::size_t>(*number));
    for (std::size_t k = 0; k < sweep.seeds.size(); ++k) sweep.seeds[k] = k + 1;
    return;
  }
  if (value.kind != JsonKind::array || value.items.empty()) {
    fail(value.span, path,
         fmt::format("must be a number from 1 to {} or a list of seeds, is {}", most_seeds,
                     value.kind == JsonKind::array ? "an empty list" : describe(value)));
    return;
  }
  sweep.seeds.clear();
  std::set<std::uint64_t> seen;
  for (std::size_t k = 0; k < value.items.size(); ++k) {
    const JsonValue& item = value.items[k];
    const auto seed = whole_number(item);
    if (!seed || *seed < 0) {
      fail(item.span, inside(path, k),
           fmt::format("must be a whole number from 0 on, is {}", describe(item)));
      continue;
    }
    const auto own = static_cast<std::uint64_t>(*seed);
    if (!seen.insert(own).second)
      fail(item.span, inside(path, k), fmt::format("seed {} is listed twice", own));
    sweep.seeds.push_back(own);
  }
}

void SweepFileReader::timing_only(const JsonValue& value, const std::string& path,
                                  SweepSpec& sweep) {
  flag(value, path, sweep.timing_only);
}
void SweepFileReader::verify(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  flag(value, path, sweep.verify);
}
void SweepFileReader::allow_races(const JsonValue& value, const std::string& path,
                                  SweepSpec& sweep) {
  flag(value, path, sweep.allow_races);
}

void SweepFileReader::inputs(const JsonValue& value, const std::string& path, SweepSpec& sweep) {
  if (!is_a(JsonKind::object, value, path, "an object", "write { \"a\": \"a.csv\" }")) return;
  for (const JsonMember& member : value.members)
    if (is_text(member.value, inside(path, member.key)))
      sweep.inputs.push_back({member.key, beside_file(member.value.text, ""), member.value.span});
}

/// Each axis once.
void SweepFileReader::check_once(const SweepSpec& sweep) {
  std::set<std::string> seen;
  for (const auto& group : sweep.axes)
    for (const SweepAxis& one : group)
      if (!seen.insert(one.title()).second)
        fail(one.span, "", fmt::format("{} is an axis twice", one.title()), {"leave one out"});
}

Result<SweepSpec> SweepFileReader::read(const JsonValue& value, const std::string& path) {
  SweepSpec sweep;
  sweep.name = std::filesystem::path(sources_.path(value.span.file)).stem().generic_string();
  object(value, path, sweep);
  check_once(sweep);
  if (errors_.ok()) errors_.check(check_size(sweep));
  if (!errors_.ok()) return errors_.errors();
  return sweep;
}

template <class T>
void add_keys(std::vector<SweepFileKey>& all) {
  const FileObject<T>& object = file_object<T>();
  for (const FileKey<T>& key : object.keys) all.push_back({object.name, key.name, key.meaning});
}

} // namespace

std::vector<SweepFileKey> sweep_file_keys() {
  std::vector<SweepFileKey> keys;
  add_keys<SweepSpec>(keys);
  add_keys<SweptProgram>(keys);
  add_keys<SweptMachine>(keys);
  add_keys<SweepAxis>(keys);
  return keys;
}

Result<SweepSpec> read_sweep_file(Sources& sources, std::int32_t file) {
  Diagnostics errors;
  const std::optional<JsonValue> root = read_json(sources, file, "a sweep", errors);
  if (!root) return errors;
  Result<SweepSpec> sweep = read_sweep(sources, *root, "");
  if (errors.empty()) return sweep;
  if (!sweep) errors.insert(errors.end(), sweep.errors().begin(), sweep.errors().end());
  return errors;
}

Result<SweepSpec> read_sweep(Sources& sources, const JsonValue& sweep, const std::string& path) {
  return SweepFileReader(sources, sweep.span.file).read(sweep, path);
}

nlohmann::ordered_json sweep_schema() {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "A sweep of memlane"}};
  out.update(object_schema(file_object<SweepSpec>(), "programs, machines and what varies"));
  return out;
}

} // namespace memlane::sweep
