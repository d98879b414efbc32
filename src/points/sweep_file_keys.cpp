// The keys of sweep files: their meanings, schemas, and the functions that read them.
#include "sweep_file_reader.hpp"

namespace memlane::sweep {
namespace {

using schema::Json;
using R = SweepFileReader;

Json any_of(std::vector<Json> choices) { return {{"anyOf", std::move(choices)}}; }
Json listed(Json item) { return {{"type", "array"}, {"items", std::move(item)}, {"minItems", 1}}; }
Json listed(Json item, int least, int most) {
  return {{"type", "array"}, {"items", std::move(item)}, {"minItems", least}, {"maxItems", most}};
}
Json by_name(Json value) {
  return {{"type", "object"}, {"additionalProperties", std::move(value)}};
}
/// Of one line.
Json plain_text() {
  return {{"type", "string"}, {"minLength", 1}, {"pattern", "^[^\\u0000-\\u001f\\u007f]*$"}};
}
Json flag() { return {{"type", "boolean"}}; }
/// A number, or an expression of the language.
Json value_schema() { return any_of({{{"type", Json{"number", "boolean"}}}, plain_text()}); }
Json number_schema() { return any_of({{{"type", "integer"}}, plain_text()}); }

template <class T>
Json schema_of() {
  const FileObject<T>& object = file_object<T>();
  Json out = {{"type", "object"}, {"properties", Json::object()}};
  for (const FileKey<T>& key : object.keys) {
    Json& value = out["properties"][std::string(key.name)];
    value = {{"description", key.meaning}};
    value.update(key.schema);
    if (key.required) out["required"].push_back(key.name);
  }
  out["additionalProperties"] = false;
  return out;
}

Json axis_schema() {
  Json object = schema_of<SweepAxis>();
  object["minProperties"] = 1, object["maxProperties"] = 1;
  return any_of({file_object<SweepAxis>().keys.front().schema, object});
}

Json seeds_schema() {
  Json seed = {{"type", "integer"}, {"minimum", 0}};
  Json number = {{"type", "integer"}, {"minimum", 1}, {"maximum", most_seeds}};
  return any_of({number, listed(seed)});
}

template <class T>
void add_keys(std::vector<SweepFileKey>& all) {
  const FileObject<T>& object = file_object<T>();
  for (const FileKey<T>& key : object.keys) all.push_back({object.name, key.name, key.meaning});
}

} // namespace

template <>
const FileObject<SweepAxis>& file_object() {
  static const FileObject<SweepAxis> object = {
      "axis",
      "the values of an axis",
      {{"values", "the values, each a number, true, false, or an expression in quotes: \"n/2\"",
        listed(any_of({{{"type", Json{"number", "boolean", "null"}}}, plain_text()})),
        &R::axis_values},
       {"range", "whole numbers [first, last] or [first, last, step]; both ends are included",
        listed(number_schema(), 2, 3), &R::axis_range},
       {"pow2", "[first, last]: each value is twice the one before; both ends are included",
        listed(number_schema(), 2, 2), &R::axis_pow2}}};
  return object;
}

template <>
const FileObject<SweptProgram>& file_object() {
  static const FileObject<SweptProgram> object = {
      "program",
      "a program of a sweep",
      {{"program", "a shipped program's name, or a path that is relative to the file", plain_text(),
        &R::program_name, true},
       {"layout", "layouts by array, as --layout: { \"t\": \"padded(1)\" }", by_name(plain_text()),
        &R::program_layouts},
       {"fn", "fns by name, as --fn: { \"combine\": \"(x, y) = max(x, y)\" }",
        by_name(plain_text()), &R::program_fns},
       {"type", "types by name, as --type: { \"value\": \"float\" }", by_name(plain_text()),
        &R::program_types},
       {"parameters", "values of parameters for this program alone, as -D: { \"n\": \"2^10\" }",
        by_name(value_schema()), &R::parameters}}};
  return object;
}

template <>
const FileObject<SweptMachine>& file_object() {
  static const FileObject<SweptMachine> object = {
      "machine",
      "a machine of a sweep",
      {{"machine", "a shipped machine's name, or a path that is relative to the file", plain_text(),
        &R::machine_name, true},
       {"set", "values of the machine, as --set: { \"shared.latency\": 5 }",
        by_name({{"type", Json{"number", "string", "boolean", "null"}}}), &R::machine_values}}};
  return object;
}

template <>
const FileObject<SweepSpec>& file_object() {
  static const FileObject<SweepSpec> object = {
      "sweep",
      "a sweep",
      {{"$schema", "the JSON Schema of the file, for editors", plain_text(), &R::ignore},
       {"name", "of the sweep; default: the file's name", plain_text(), &R::name},
       {"description", "what the sweep shows", plain_text(), &R::description},
       {"programs", "names, paths, or objects with values for one program",
        listed(any_of({plain_text(), schema_of<SweptProgram>()})), &R::programs, true},
       {"machines", "names, paths, or objects with values for one machine",
        listed(any_of({plain_text(), schema_of<SweptMachine>()})), &R::machines, true},
       {"axes", "what varies, and its values; every combination is a point", by_name(axis_schema()),
        &R::axes},
       {"zip", "groups of axes that advance together; their lists have equal lengths",
        [] {
          Json group = by_name(axis_schema());
          group["minProperties"] = 1;
          return Json{{"type", "array"}, {"items", std::move(group)}};
        }(),
        &R::zip},
       {"where", "a condition over parameters and the machine; only points with it run",
        plain_text(), &R::where},
       {"seeds", "N runs of each point, with seeds 1 to N, or a list of seeds; default: 1",
        seeds_schema(), &R::seeds},
       {"timing_only", "time without data, as --timing-only; default: false", flag(),
        &R::timing_only},
       {"verify", "false: results are not checked, as with --no-verify; default: true", flag(),
        &R::verify},
       {"allow_races", "true: races are counted, as with --allow-races; default: false", flag(),
        &R::allow_races},
       {"pram", "true: what a PRAM does is counted, as with --pram; default: false", flag(),
        &R::pram},
       {"prices", "prices on other models, as a file of prices has them: { \"io\": {} }",
        price_object_schema(), &R::prices},
       {"inputs",
        "files or programs by array, as --input; paths are relative to the file. Several of "
        "them are an axis: \"input a\"",
        by_name(plain_text()), &R::inputs}}};
  return object;
}

std::vector<SweepFileKey> sweep_file_keys() {
  std::vector<SweepFileKey> keys;
  add_keys<SweepSpec>(keys);
  add_keys<SweptProgram>(keys);
  add_keys<SweptMachine>(keys);
  add_keys<SweepAxis>(keys);
  return keys;
}

nlohmann::ordered_json sweep_schema() {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "A sweep of memlane"}};
  out.update(schema_of<SweepSpec>());
  return out;
}

} // namespace memlane::sweep
