#include "exercise_files.hpp"

#include "arguments.hpp"
#include "files.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_exercise_bytes = std::size_t{1} << 20;

fs::path shipped_exercises() { return fs::path(data_home()) / "programs" / exercises_folder; }

/// `map` of `01_map`.
std::string_view without_number(std::string_view name) {
  const std::size_t letter = name.find_first_not_of("0123456789_");
  return letter == std::string_view::npos ? name : name.substr(letter);
}

/// The whole name of a shipped exercise; empty: there is none.
std::string shipped_name(std::string_view name) {
  for (std::string& known : exercise_names())
    if (known == name || without_number(known) == name) return std::move(known);
  return "";
}

/// The same of its number: `3` or `03` is `03_guards`.
std::string numbered_name(std::string_view number) {
  const auto wanted = number_of<std::size_t>(number);
  if (!wanted) return "";
  for (std::string& known : exercise_names())
    if (number_of<std::size_t>(known.substr(0, known.find('_'))) == wanted) return std::move(known);
  return "";
}

std::vector<std::string> suggested_exercises(const std::string& word) {
  std::vector<std::string> known = exercise_names();
  for (const std::string& whole : exercise_names()) known.emplace_back(without_number(whole));
  return did_you_mean(word, known);
}

std::string way_to_list() {
  return fmt::format("'memlane list exercises' lists the shipped ones: a name or a number from 1 "
                     "to {}",
                     exercise_names().size());
}

bool is_file(const std::string& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

/// FOLDER/NAME, with or without an ending, as the path of NAME.grade.json.
std::string own_path(std::string path) {
  for (const std::string_view ending :
       {grade::exercise_ending, grade::check_ending, std::string_view(".lane")})
    if (path.ends_with(ending)) {
      path.resize(path.size() - ending.size());
      break;
    }
  return path + std::string(grade::exercise_ending);
}

/// The path of the exercise's file, or why there is none.
Result<std::string> find_exercise(const std::optional<std::string>& asked,
                                  const std::string& program) {
  const auto shipped_path = [](const std::string& name) {
    return short_path(
        (shipped_exercises() / (name + std::string(grade::exercise_ending))).string());
  };
  const std::string place = asked ? "--exercise" : "";
  const std::string name = asked ? *asked : fs::path(program).stem().string();
  const bool is_path = asked && asked->find('/') != std::string::npos;
  const std::string known = asked ? exercise_called(name) : shipped_name(name);
  if (!is_path && !known.empty()) return shipped_path(known);
  const std::string own = own_path(asked ? *asked : program);
  if (is_file(own)) return own;
  std::vector<std::string> help = suggested_exercises(name);
  if (!asked) help.emplace_back("--exercise NAME says which exercise the file is for");
  help.push_back(way_to_list());
  help.push_back(fmt::format("one of your own has a file NAME{} and is given as FOLDER/NAME",
                             grade::exercise_ending));
  return error_in(place,
                  asked ? fmt::format("there is no exercise '{}'", name)
                        : fmt::format("'{}' is not named like an exercise", program),
                  std::move(help));
}

} // namespace

std::vector<std::string> exercise_names() {
  std::vector<std::string> names;
  constexpr std::string_view stem_ending = ".grade"; // names_in takes the last ending away
  for (std::string& name : names_in(shipped_exercises().string(), ".json")) {
    if (!name.ends_with(stem_ending)) continue;
    name.resize(name.size() - stem_ending.size());
    names.push_back(std::move(name));
  }
  return names;
}

std::string exercise_called(const std::string& word) {
  std::string known = shipped_name(word);
  return known.empty() ? numbered_name(word) : known;
}

std::string path_of_exercise(std::string_view name) {
  const std::string known = shipped_name(name);
  return known.empty() ? "" : short_path((shipped_exercises() / (known + ".lane")).string());
}

Result<std::string> path_of_graded(const std::string& word) {
  std::error_code code;
  if (fs::is_directory(word, code)) {
    const std::vector<std::string> files = names_in(word, ".lane");
    const auto file = std::find_if(files.begin(), files.end(), [](const std::string& name) {
      return !(name + ".lane").ends_with(grade::check_ending);
    });
    const std::string one = file == files.end() ? "FILE.lane" : *file + ".lane";
    return error_in("", fmt::format("'{}' is a directory", word),
                    {fmt::format("name one of its files: {}", (fs::path(word) / one).string())});
  }
  const bool standard_input = word == "-";
  if (standard_input || fs::exists(word, code)) return word;
  const bool is_path = word.find('/') != std::string::npos || word.ends_with(".lane");
  // A file of the student's comes before the skeleton of that name.
  const std::string known = is_path ? "" : exercise_called(word);
  for (const std::string& name : {word, known})
    if (!is_path && !name.empty() && is_file(name + ".lane")) return name + ".lane";
  if (!known.empty()) return path_of_exercise(known);
  if (const Status there = is_there(word); is_path && !there) {
    Diagnostics errors = there.errors();
    errors.back().help.emplace_back(
        "grade takes the file of your program; 'memlane list exercises' lists the exercises");
    return errors;
  }
  std::vector<std::string> help = suggested_exercises(word);
  help.push_back(way_to_list());
  return error_in("", fmt::format("there is no file '{}' and no exercise of this name", word),
                  std::move(help));
}

Result<grade::ExerciseSpec> load_exercise(Sources& sources, const std::optional<std::string>& asked,
                                          const std::string& program) {
  const Result<std::string> path = find_exercise(asked, program);
  if (!path) return path.errors();
  Result<std::string> text = read_file(
      *path, most_exercise_bytes, {"the file of an exercise is not that large"}, sources.limits());
  if (!text) return text.errors();
  const std::int32_t file = sources.add(*path, std::move(*text));
  std::string name = fs::path(*path).filename().string();
  name.resize(name.size() - grade::exercise_ending.size());
  return grade::read_exercise(sources, file, name);
}

} // namespace memlane::cli
