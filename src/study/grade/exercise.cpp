// Exercise files: their keys and schema; reads them, and compares them with their check programs.
#include "memlane/study/grade/exercise.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/points/sweep_file.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

namespace memlane::grade {
namespace {

// --- keys

/// What the value of a key is.
enum class ExerciseValue {
  text,     ///< a string
  names,    ///< a list of strings
  points,   ///< a whole number, 0 or more
  positive, ///< a whole number, 1 or more
  number,   ///< a number, 0 or more
  runs,     ///< a list of objects of kind `runs`
  criteria, ///< a list of objects of kind `criterion`
  limits,   ///< an object of kind `limits`
  sweep,    ///< as in a sweep file
};

struct ExerciseKeyRule {
  ExerciseKey key;
  ExerciseValue value = ExerciseValue::text;
  bool required = false;
};

/// One table from which the reader, the schema and the documents are made.
const std::vector<ExerciseKeyRule>& exercise_key_rules() {
  using V = ExerciseValue;
  static const std::vector<ExerciseKeyRule> rules = {
      {{"exercise", "$schema", "of editors"}, V::text},
      {{"exercise", "title", "what it is about, in a few words"}, V::text, true},
      {{"exercise", "results", "memory arrays that must have the contents that the check computes"},
       V::names,
       true},
      {{"exercise", "tolerance",
        "of reals: the largest error relative to max(1, |right value|); 0 if not given"},
       V::number},
      {{"exercise", "runs", "machines, sizes and seeds"}, V::runs, true},
      {{"exercise", "criteria", "what is required, and the points for it"}, V::criteria, true},
      {{"exercise", "limits", "what a program may use"}, V::limits},
      {{"runs", "machines", "as in a sweep file"}, V::sweep, true},
      {{"runs", "axes", "values of parameters and machines, as in a sweep file"}, V::sweep},
      {{"runs", "zip", "axes that advance together, as in a sweep file"}, V::sweep},
      {{"runs", "where", "a condition, as in a sweep file"}, V::sweep},
      {{"runs", "seeds", "of random inputs: how many, or a list; 1 if not given"}, V::sweep},
      {{"criterion", "name",
        "`correct`, `no races`, or the text of claims in the check program, which must hold"},
       V::text,
       true},
      {{"criterion", "points", "for a program that fulfils it in every run"}, V::points, true},
      {{"criterion", "factor", "of claims with O: the largest ratio of count to formula"},
       V::number},
      {{"criterion", "hint", "for programs that do not fulfil it"}, V::text},
      {{"limits", "steps", "instructions of a run; 5000000 if not given"}, V::positive},
      {{"limits", "memory", "bytes of a run's arrays; 268435456 if not given"}, V::positive},
      {{"limits", "seconds", "of all runs together; 60 if not given"}, V::positive},
  };
  return rules;
}

/// Those of one kind of object.
std::vector<ExerciseKeyRule> rules_of(std::string_view object) {
  std::vector<ExerciseKeyRule> rules;
  for (const ExerciseKeyRule& rule : exercise_key_rules())
    if (rule.key.object == object) rules.push_back(rule);
  return rules;
}

// --- their schema

using schema::Json;

Json schema_of_object(std::string_view object);

Json list_of(std::string_view object) {
  return {{"type", "array"}, {"items", schema_of_object(object)}, {"minItems", 1}};
}

Json schema_of_value(const ExerciseKeyRule& rule) {
  switch (rule.value) {
  case ExerciseValue::text: return {{"type", "string"}, {"minLength", 1}};
  case ExerciseValue::names:
    return {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
  case ExerciseValue::points: return {{"type", "integer"}, {"minimum", 0}};
  case ExerciseValue::positive: return {{"type", "integer"}, {"minimum", 1}};
  case ExerciseValue::number: return {{"type", "number"}, {"minimum", 0}};
  case ExerciseValue::runs: return list_of("runs");
  case ExerciseValue::criteria: return list_of("criterion");
  case ExerciseValue::limits: return schema_of_object("limits");
  case ExerciseValue::sweep: return sweep::sweep_schema()["properties"][std::string(rule.key.name)];
  }
  return {};
}

Json schema_of_object(std::string_view object) {
  Json out = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  for (const ExerciseKeyRule& rule : rules_of(object)) {
    const std::string name(rule.key.name);
    out["properties"][name] = schema_of_value(rule);
    out["properties"][name]["description"] = rule.key.meaning;
    if (rule.required) out["required"].push_back(name);
  }
  out["additionalProperties"] = false;
  return out;
}

// --- reading

std::string_view object_word(std::string_view kind) {
  return kind == "exercise" ? "an exercise" : kind == "criterion" ? "a criterion" : kind;
}

std::optional<double> real_number(const JsonValue& value) {
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, code] = std::from_chars(value.text.data(), end, number);
  const bool whole = value.kind == JsonKind::number && code == std::errc() && stop == end;
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string text_in(const JsonValue& object, std::string_view key) {
  const JsonValue* value = find_member(object, key);
  return value ? value->text : std::string();
}

std::int64_t number_in(const JsonValue& object, std::string_view key, std::int64_t standard) {
  const JsonValue* value = find_member(object, key);
  return value ? *whole_number(*value) : standard;
}

std::optional<double> real_in(const JsonValue& object, std::string_view key) {
  const JsonValue* value = find_member(object, key);
  return value ? real_number(*value) : std::nullopt;
}

/// Checks an exercise file against the table of keys, then reads it.
class ExerciseReader {
public:
  ExerciseReader(Sources& sources, ExerciseSpec& exercise)
      : sources_(sources), exercise_(exercise) {}

  void read(const JsonValue& root);
  Diagnostics errors;

private:
  bool fail(Span span, const std::string& path, const std::string& message,
            std::vector<std::string> help = {});
  bool expect(bool right, const JsonValue& value, const std::string& path, std::string_view what);
  bool check(const JsonValue& object, std::string_view kind, const std::string& path);
  bool check_value(const JsonValue& value, const ExerciseKeyRule& rule, const std::string& path);
  bool check_items(const JsonValue& list, std::string_view kind, const std::string& path);
  void read_runs(const JsonValue& runs);
  void read_criteria(const JsonValue& criteria);

  Sources& sources_;
  ExerciseSpec& exercise_;
};

bool ExerciseReader::fail(Span span, const std::string& path, const std::string& message,
                          std::vector<std::string> help) {
  errors.push_back(error_at(span, path.empty() ? message : fmt::format("{}: {}", path, message),
                            std::move(help)));
  return false;
}

bool ExerciseReader::expect(bool right, const JsonValue& value, const std::string& path,
                            std::string_view what) {
  return right || fail(value.span, path, fmt::format("must be {}, is {}", what, describe(value)));
}

bool ExerciseReader::check_items(const JsonValue& list, std::string_view kind,
                                 const std::string& path) {
  bool right = expect(list.kind == JsonKind::array && !list.items.empty(), list, path,
                      "a list that is not empty");
  for (std::size_t i = 0; i < list.items.size(); ++i)
    right = check(list.items[i], kind, fmt::format("{}[{}]", path, i)) && right;
  return right;
}

bool ExerciseReader::check_value(const JsonValue& value, const ExerciseKeyRule& rule,
                                 const std::string& path) {
  switch (rule.value) {
  case ExerciseValue::text:
    return expect(value.kind == JsonKind::string && !value.text.empty(), value, path,
                  "a string that is not empty");
  case ExerciseValue::names: {
    bool right = expect(value.kind == JsonKind::array && !value.items.empty(), value, path,
                        "a list of strings");
    for (const JsonValue& item : value.items)
      right = expect(item.kind == JsonKind::string, item, path, "a list of strings") && right;
    return right;
  }
  case ExerciseValue::points:
    return expect(whole_number(value).value_or(-1) >= 0, value, path,
                  "a whole number that is 0 or more");
  case ExerciseValue::positive:
    return expect(whole_number(value).value_or(0) >= 1, value, path,
                  "a whole number that is 1 or more");
  case ExerciseValue::number:
    return expect(real_number(value).value_or(-1) >= 0, value, path, "a number that is 0 or more");
  case ExerciseValue::runs: return check_items(value, "runs", path);
  case ExerciseValue::criteria: return check_items(value, "criterion", path);
  case ExerciseValue::limits: return check(value, "limits", path);
  case ExerciseValue::sweep: return true; // the reader of sweeps checks it
  }
  return false;
}

bool ExerciseReader::check(const JsonValue& object, std::string_view kind,
                           const std::string& path) {
  if (!expect(object.kind == JsonKind::object, object, path, "an object")) return false;
  const std::vector<ExerciseKeyRule> rules = rules_of(kind);
  std::vector<std::string> names;
  for (const ExerciseKeyRule& rule : rules) names.emplace_back(rule.key.name);
  bool right = true;
  for (const JsonMember& member : object.members) {
    const std::string member_path =
        path.empty() ? shown_key(member.key) : fmt::format("{}.{}", path, shown_key(member.key));
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const ExerciseKeyRule& r) {
      return r.key.name == member.key;
    });
    if (rule != rules.end()) {
      right = check_value(member.value, *rule, member_path) && right;
      continue;
    }
    std::vector<std::string> help = did_you_mean(member.key, names);
    help.push_back(fmt::format("the keys of {} are {}", object_word(kind), fmt::join(names, ", ")));
    right = fail(member.key_span, member_path, "unknown key", std::move(help));
  }
  const Span first_byte{object.span.file, object.span.begin, object.span.begin + 1};
  for (const ExerciseKeyRule& rule : rules)
    if (rule.required && !find_member(object, rule.key.name))
      right = fail(first_byte, path,
                   fmt::format("\"{}\" is missing: {}", rule.key.name, rule.key.meaning));
  return right;
}

/// Each is a sweep of the check program.
void ExerciseReader::read_runs(const JsonValue& runs) {
  for (std::size_t i = 0; i < runs.items.size(); ++i) {
    JsonValue sweep = runs.items[i];
    JsonValue check{JsonKind::string, sweep.span, false, exercise_.name, {}, {}};
    check.text += check_ending;
    JsonValue programs{JsonKind::array, sweep.span, false, "", {check}, {}};
    sweep.members.push_back({"programs", sweep.span, std::move(programs)});
    Result<sweep::SweepSpec> spec = sweep::read_sweep(sources_, sweep, fmt::format("runs[{}]", i));
    if (spec)
      exercise_.runs.push_back(std::move(*spec));
    else
      errors.insert(errors.end(), spec.errors().begin(), spec.errors().end());
  }
}

void ExerciseReader::read_criteria(const JsonValue& criteria) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < criteria.items.size(); ++i) {
    const JsonValue& item = criteria.items[i];
    CriterionSpec criterion;
    criterion.name = text_in(item, "name");
    criterion.points = number_in(item, "points", 0);
    criterion.factor = real_in(item, "factor");
    criterion.hint = text_in(item, "hint");
    criterion.span = find_member(item, "name")->span;
    if (!names.insert(criterion.name).second)
      fail(criterion.span, fmt::format("criteria[{}]", i),
           fmt::format("{} is given twice", in_quotes(criterion.name)));
    exercise_.criteria.push_back(std::move(criterion));
  }
  // These two are judged in every exercise.
  for (const std::string_view name : {no_races, correct})
    if (names.count(std::string(name)) == 0)
      exercise_.criteria.insert(exercise_.criteria.begin(),
                                {std::string(name), 0, std::nullopt, "", criteria.span});
}

void ExerciseReader::read(const JsonValue& root) {
  if (!check(root, "exercise", "")) return;
  exercise_.title = text_in(root, "title");
  for (const JsonValue& name : find_member(root, "results")->items) {
    exercise_.results.push_back(name.text);
    exercise_.result_spans.push_back(name.span);
  }
  exercise_.tolerance = real_in(root, "tolerance").value_or(0);
  read_runs(*find_member(root, "runs"));
  read_criteria(*find_member(root, "criteria"));
  if (const JsonValue* limits = find_member(root, "limits")) {
    GradeLimits& into = exercise_.limits;
    into.steps = number_in(*limits, "steps", into.steps);
    into.memory = number_in(*limits, "memory", into.memory);
    into.seconds = number_in(*limits, "seconds", into.seconds);
  }
}

/// Whether the criterion fits the claims of its name.
Status check_factor(const CriterionSpec& criterion, const std::vector<lang::ClaimDecl>& claims) {
  for (const lang::ClaimDecl& claim : claims) {
    if (claim.source != criterion.name) continue;
    if (claim.kind == lang::ClaimKind::big_o && !criterion.factor)
      return error_at(criterion.span, "its claim is an O: a \"factor\" is missing",
                      {"\"factor\": 2 accepts up to twice the formula"});
    if (is_exact(claim.kind) && criterion.factor)
      return error_at(criterion.span, "its claim is exact and needs no \"factor\"");
    if (claim.kind != lang::ClaimKind::big_o && !is_exact(claim.kind))
      return error_at(claim.span, "a criterion is a claim with ==, <=, >= or O");
  }
  return Done{};
}

} // namespace

std::vector<ExerciseKey> exercise_keys() {
  std::vector<ExerciseKey> keys;
  for (const ExerciseKeyRule& rule : exercise_key_rules()) keys.push_back(rule.key);
  return keys;
}

nlohmann::ordered_json exercise_schema() {
  Json out = {{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "An exercise of memlane"}};
  out.update(schema_of_object("exercise"));
  return out;
}

Result<ExerciseSpec> read_exercise(Sources& sources, std::int32_t file, const std::string& name) {
  ExerciseSpec exercise;
  exercise.name = name;
  exercise.path = sources.path(file);
  ExerciseReader reader(sources, exercise);
  const auto root = read_json(sources, file, "an exercise", reader.errors);
  if (root) reader.read(*root);
  if (!reader.errors.empty()) return reader.errors;
  return exercise;
}

Status check_exercise(const ExerciseSpec& exercise, const CheckedProgram& check) {
  ErrorCollector errors;
  std::vector<std::string> arrays;
  for (const lang::ArraySymbol& array : check.checked.arrays)
    if (array.kind == lang::ArrayKind::memory) arrays.push_back(array.name);
  for (std::size_t i = 0; i < exercise.results.size(); ++i) {
    const std::string& name = exercise.results[i];
    if (std::find(arrays.begin(), arrays.end(), name) != arrays.end()) continue;
    std::vector<std::string> help = did_you_mean(name, arrays);
    help.push_back(fmt::format("its memory arrays are {}", fmt::join(arrays, ", ")));
    errors.add(error_at(exercise.result_spans[i],
                        fmt::format("{} has no memory array {}", check.info.path, name),
                        std::move(help)));
  }
  std::set<std::string> criteria;
  const std::vector<lang::ClaimDecl>& claims = check.checked.program.claims;
  std::vector<std::string> texts = {std::string(correct), std::string(no_races)};
  for (const lang::ClaimDecl& claim : claims) texts.push_back(claim.source);
  for (const CriterionSpec& criterion : exercise.criteria) {
    criteria.insert(criterion.name);
    if (std::find(texts.begin(), texts.end(), criterion.name) == texts.end()) {
      std::vector<std::string> help = did_you_mean(criterion.name, texts);
      help.push_back(
          fmt::format("write one in {}: claim time <= … \"{}\"", check.info.path, criterion.name));
      errors.add(error_at(criterion.span, "no claim has this text", std::move(help)));
    }
    errors.check(check_factor(criterion, claims));
  }
  for (const lang::ClaimDecl& claim : claims)
    if (criteria.count(claim.source) == 0)
      errors.add(error_at(
          claim.span, fmt::format("no criterion of {} has the name of this claim", exercise.path),
          {fmt::format("add {{ \"name\": \"{}\", \"points\": 1 }}", claim.source)}));
  return errors.status();
}

} // namespace memlane::grade
