// Exercise files: their keys and schema; reads them, and compares them with their check programs.
#include "memlane/grade/exercise.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/points/sweep_file.hpp"
#include "memlane/support/json_record.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace memlane::grade {
namespace {

using Json = nlohmann::ordered_json;

const Record<CriterionSpec>& criterion_record() {
  using C = CriterionSpec;
  static const Record<C> record = {
      "criterion",
      "a criterion",
      {{"name",
        "`correct`, `no races`, or the text of claims in the check program, which must hold",
        kinds::text().schema,
        [](const JsonPlace& place, C& criterion) {
          if (place.is_text()) criterion.name = place.value.text;
          criterion.span = place.value.span;
        },
        required},
       {"points", "for a program that fulfils it in every run", kinds::whole(0), &C::points,
        required},
       {"factor", "of claims with O: the largest ratio of count to formula", kinds::from_zero(),
        &C::factor},
       {"hint", "for programs that do not fulfil it", kinds::text(), &C::hint}}};
  return record;
}

void read_criteria(const JsonPlace& place, ExerciseSpec& exercise) {
  kinds::some(criterion_record().kind()).read(place, exercise.criteria);
  std::set<std::string> names;
  for (std::size_t k = 0; k < exercise.criteria.size(); ++k) {
    const CriterionSpec& criterion = exercise.criteria[k];
    if (!criterion.name.empty() && !names.insert(criterion.name).second)
      place.item(k).fail_at(criterion.span,
                            fmt::format("{} is given twice", in_quotes(criterion.name)));
  }
  // These two are judged in every exercise.
  for (const std::string_view name : {no_races, correct})
    if (names.count(std::string(name)) == 0)
      exercise.criteria.insert(exercise.criteria.begin(),
                               {std::string(name), 0, std::nullopt, "", place.value.span});
}

/// A key whose value the reader of sweeps reads.
RecordKey<sweep::SweepSpec> of_sweep(std::string_view name, std::string_view meaning,
                                     Need need = Need::optional) {
  static const Json properties = sweep::sweep_schema()["properties"];
  return {name, meaning, properties.at(std::string(name)),
          [](const JsonPlace&, sweep::SweepSpec&) {}, need};
}

const Record<sweep::SweepSpec>& runs_record() {
  static const Record<sweep::SweepSpec> record = {
      "runs",
      "an entry of runs",
      {of_sweep("machines", "as in a sweep file", required),
       of_sweep("axes", "values of parameters and machines, as in a sweep file"),
       of_sweep("zip", "axes that advance together, as in a sweep file"),
       of_sweep("where", "a condition, as in a sweep file"),
       of_sweep("seeds", "of random inputs: how many, or a list; 1 if not given")}};
  return record;
}

/// Each is a sweep of the check program.
void read_runs(const JsonPlace& place, ExerciseSpec& exercise) {
  const std::size_t failures_before = place.file.failures;
  kinds::some(runs_record().kind()).read(place, exercise.runs);
  if (place.file.failures > failures_before) return;
  for (std::size_t k = 0; k < exercise.runs.size(); ++k) {
    JsonValue sweep = place.value.items[k];
    const JsonValue check{
        JsonKind::string, sweep.span, false, exercise.name + std::string(check_ending), {}, {}};
    JsonValue programs{JsonKind::array, sweep.span, false, "", {check}, {}};
    sweep.members.push_back({"programs", sweep.span, std::move(programs)});
    Result<sweep::SweepSpec> spec =
        sweep::read_sweep(*place.file.sources, sweep, place.item(k).path);
    if (spec)
      exercise.runs[k] = std::move(*spec);
    else
      place.add(spec.errors());
  }
}

const Record<GradeLimits>& limits_record() {
  using L = GradeLimits;
  static const Record<L> record = {
      "limits",
      "the object limits",
      {{"steps", "instructions of a run; 5000000 if not given", kinds::whole(1), &L::steps},
       {"memory", "bytes of a run's arrays; 268435456 if not given", kinds::whole(1), &L::memory},
       {"seconds", "of all runs together; 60 if not given", kinds::whole(1), &L::seconds}}};
  return record;
}

const Record<FalseSolution>& false_record() {
  using F = FalseSolution;
  static const Record<F> record = {
      "false_solution",
      "an entry of false_solutions",
      {{"file", "its path, relative to the exercise file", kinds::text(), &F::file, required},
       {"lacks", "all criteria that its runs show not to be fulfilled", kinds::some(kinds::text()),
        &F::lacks, required}}};
  return record;
}

void read_results(const JsonPlace& place, ExerciseSpec& exercise) {
  const bool some = place.value.kind == JsonKind::array && !place.value.items.empty();
  if (!place.require(some, "a list of strings")) return;
  for (std::size_t k = 0; k < place.value.items.size(); ++k) {
    if (!place.item(k).is_a(JsonKind::string, "a string")) continue;
    exercise.results.push_back(place.value.items[k].text);
    exercise.result_spans.push_back(place.value.items[k].span);
  }
}

/// A key that students do not get: a schema's word for it.
constexpr const char* teachers_word = "writeOnly";

template <class V>
Kind<V> of_teachers(Kind<V> kind) {
  kind.schema[teachers_word] = true;
  return kind;
}

const Record<ExerciseSpec>& exercise_record() {
  using E = ExerciseSpec;
  static const Record<E> record = {
      "exercise",
      "an exercise",
      {{"$schema", "of editors", of_teachers(kinds::text())},
       {"title", "what it is about, in a few words", kinds::text(), &E::title, required},
       {"results",
        "memory arrays that must have the contents that the check computes",
        {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}},
        read_results,
        required},
       {"cuda",
        "asks for CUDA kernels instead of a program: how they are launched, in order, as in "
        "`k<<<n/32, 32>>>(a, c, n)`, with memory arrays and integer parameters of the check",
        kinds::some(kinds::text()), &E::launches},
       {"tolerance",
        "of reals: the largest error relative to max(1, |right value|); 0 if not given",
        kinds::from_zero(), &E::tolerance},
       {"runs", "machines, sizes and seeds", kinds::some(runs_record().kind()).schema, read_runs,
        required},
       {"criteria", "what is required, and the points for it",
        kinds::some(criterion_record().kind()).schema, read_criteria, required},
       {"limits", "what a program may use", limits_record().kind(), &E::limits},
       {"solution", "a program that has all points, for `grade --check`",
        of_teachers(kinds::text()), &E::solution},
       {"false_solutions", "programs that must not pass, for `grade --check`",
        of_teachers(kinds::some(false_record().kind())), &E::false_solutions}}};
  return record;
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

std::vector<FileKey> exercise_keys() {
  return keys_of(exercise_record(), runs_record(), criterion_record(), limits_record(),
                 false_record());
}

Json exercise_schema() { return file_schema("An exercise of memlane", exercise_record()); }

std::string as_handed_out(const std::string& text) {
  Json json = Json::parse(text);
  const Json schema = exercise_schema();
  for (const auto& [key, value] : schema.at("properties").items())
    if (value.value(teachers_word, false)) json.erase(key);
  return json.dump(2) + "\n";
}

Result<ExerciseSpec> read_exercise(Sources& sources, std::int32_t file, const std::string& name) {
  ExerciseSpec exercise;
  exercise.name = name;
  exercise.path = sources.path(file);
  return read_record(sources, file, exercise_record(), std::move(exercise));
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
  for (const FalseSolution& solution : exercise.false_solutions)
    for (const std::string& name : solution.lacks)
      if (criteria.count(name) == 0)
        errors.add(error_in(
            exercise.path,
            fmt::format("{} lacks {}, which is no criterion", solution.file, in_quotes(name)),
            did_you_mean(name, {criteria.begin(), criteria.end()})));
  for (const lang::ClaimDecl& claim : claims)
    if (criteria.count(claim.source) == 0)
      errors.add(error_at(
          claim.span, fmt::format("no criterion of {} has the name of this claim", exercise.path),
          {fmt::format("add {{ \"name\": \"{}\", \"points\": 1 }}", claim.source)}));
  return errors.status();
}

} // namespace memlane::grade
