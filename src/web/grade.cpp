// Exercises in a page: what they ask for, and a program's grade.
#include "question.hpp"

#include "memlane/grade/handed_in.hpp"
#include "memlane/grade/result_string.hpp"
#include "memlane/points/definitions.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::web {
namespace {

std::string text_of(const Shipped& shipped, const std::string& path) {
  const auto file = shipped.files.find(path);
  return file == shipped.files.end() ? std::string() : file->second;
}

Result<grade::ExerciseSpec> read_named(const Shipped& shipped, const std::string& name,
                                       Sources& sources) {
  const auto known = shipped_in(shipped, exercise_folder, grade::exercise_ending);
  const auto found = known.find(name);
  if (found != known.end())
    return grade::read_exercise(sources,
                                sources.add(found->second, text_of(shipped, found->second)), name);
  std::vector<std::string> names;
  for (const auto& [other, path] : known) names.push_back(other);
  return error_in("exercise", fmt::format("there is no exercise {}", in_quotes(name)),
                  did_you_mean(name, names));
}

/// The machine of its first run; empty: it is made of several.
std::string first_machine(const grade::ExerciseSpec& exercise) {
  const auto& machines = exercise.runs.front().machines;
  return machines.empty() || !machines.front().overrides.empty() ? "" : machines.front().name;
}

Json criteria_json(const grade::ExerciseSpec& exercise) {
  Json all = Json::array();
  for (const grade::CriterionSpec& criterion : exercise.criteria)
    all.push_back(
        {{"name", criterion.name}, {"points", criterion.points}, {"hint", criterion.hint}});
  return all;
}

/// What the skeleton's description says.
std::string task_of(const Shipped& shipped, const std::string& path) {
  Sources sources;
  const std::int32_t file = sources.add(path, text_of(shipped, path));
  const auto text = sweep::read_program(sources, {file, used_programs(shipped, sources)}, {});
  return text ? text->program.doc : std::string();
}

/// What the comment at the begin of a CUDA source says.
std::string task_of_source(std::string_view text) {
  std::string task;
  while (text.starts_with("//")) {
    std::string_view line = text.substr(2, text.find('\n') - 2);
    if (line.starts_with(' ')) line.remove_prefix(1);
    task += std::string(line) + '\n';
    text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  }
  return task;
}

/// The launches of its first run; none where that is no run of the page.
std::vector<std::string> first_launches(const Shipped& shipped, const grade::ExerciseSpec& exercise,
                                        Sources& sources) {
  const std::string path = grade::check_of(exercise);
  const std::int32_t file = sources.add(path, text_of(shipped, path));
  const Result<CheckedProgram> check =
      sweep::check_program(sources, {file, used_programs(shipped, sources)}, {});
  const Result<LoadedMachine> machine =
      load_machine(sources, first_machine(exercise), {}, machine_files(shipped));
  if (!check || !machine) return {};
  std::vector<std::string> definitions;
  for (const auto& group : exercise.runs.front().axes)
    for (const sweep::SweepAxis& axis : group)
      definitions.push_back(axis.name + "=" + axis.value(0));
  sweep::Point point = sweep::point_of({}, *check, machine->spec);
  if (!sweep::bind_values(point, definitions, sources)) return {};
  Result<std::vector<std::string>> texts =
      grade::launch_texts(exercise, *point.code, machine->spec, sources);
  return texts ? std::move(*texts) : std::vector<std::string>();
}

/// The grade as it is asked for.
struct Asked {
  const Shipped& shipped;
  Sources& sources;
  std::string path, text; ///< of the program
};

Result<CheckedProgram> read_check(const Asked& asked, const std::string& path) {
  const std::int32_t file = asked.sources.add(path, text_of(asked.shipped, path));
  return sweep::check_program(asked.sources, {file, used_programs(asked.shipped, asked.sources)},
                              {});
}

Result<std::optional<grade::HandedIn>> read_skeleton(const Asked& asked, const std::string& path) {
  if (!asked.shipped.files.contains(path)) return std::optional<grade::HandedIn>();
  return std::optional(grade::handed_in(asked.sources, path, text_of(asked.shipped, path)));
}

/// Of the program, or of its first run that has any.
Diagnostics messages_of(const grade::GradeResult& result) {
  if (!result.errors.empty()) return result.errors;
  for (const grade::GradedRun& run : result.runs)
    if (!run.messages.empty()) return {run.messages.front()};
  return {};
}

} // namespace

Json exercises(const Shipped& shipped) {
  Json all = Json::array();
  for (const auto& [name, file] : shipped_in(shipped, exercise_folder, grade::exercise_ending)) {
    Sources sources;
    const Result<grade::ExerciseSpec> exercise = read_named(shipped, name, sources);
    if (!exercise) continue;
    const std::string path = grade::skeleton_of(*exercise);
    const bool is_cuda = grade::is_cuda(path);
    const std::string source = path.substr(0, path.rfind('.')) + ".cu";
    all.push_back(
        {{"name", name},
         {"title", exercise->title},
         {"path", path},
         {"task", is_cuda ? task_of_source(text_of(shipped, source)) : task_of(shipped, path)},
         {"launches",
          is_cuda ? first_launches(shipped, *exercise, sources) : std::vector<std::string>()},
         {"source", is_cuda ? text_of(shipped, source) : std::string()},
         {"machine", first_machine(*exercise)},
         {"seconds", exercise->limits.seconds},
         {"criteria", criteria_json(*exercise)}});
  }
  return all;
}

Json grade_asked(const Shipped& shipped, const Json& question, const std::function<Stop()>& check) {
  Sources sources;
  Result<grade::ExerciseSpec> exercise =
      read_named(shipped, text_in(question, "exercise"), sources);
  if (!exercise) return {{"errors", errors_json(exercise.errors(), sources)}};
  std::string path = text_in(question, "path");
  if (path.empty()) path = exercise->name + grade::ending_of(*exercise);
  if (const Status fits = grade::check_kind(*exercise, path); !fits)
    return {{"errors", errors_json(fits.errors(), sources)}};
  const Asked asked{shipped, sources, path, text_in(question, "text")};

  grade::ToGrade what;
  what.exercise = &*exercise;
  what.check = [&](const std::string& file) { return read_check(asked, file); };
  what.machine = [&](const std::string& name, const std::vector<std::string>& overrides) {
    return load_machine(sources, name, overrides, machine_files(shipped));
  };
  std::int32_t own = -1; // its number in the sources
  what.file = [&]() -> Result<grade::HandedIn> {
    own = sources.count();
    return grade::handed_in(sources, asked.path, asked.text);
  };
  what.skeleton = [&](const std::string& file) { return read_skeleton(asked, file); };
  what.stop = check;
  what.more_seed =
      static_cast<std::uint64_t>(std::max<std::int64_t>(number_in(question, "seed", 0), 0));
  const Result<grade::GradeResult> result = grade::grade(what, sources);
  if (!result)
    return {{"errors", errors_json(with_way_out(result.errors(), question), sources, own)}};
  const Result<grade::ResultParts> line = grade::result_parts(*result, shipped.version);
  return {{"errors", errors_json(messages_of(*result), sources, own)},
          {"grade", grade::grade_json(*result, sources, shipped.version)},
          {"result", line ? Json{line->head, line->text, line->tail} : Json(nullptr)}};
}

} // namespace memlane::web
