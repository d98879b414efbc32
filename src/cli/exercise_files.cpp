#include "exercise_files.hpp"

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
  if (!is_path)
    if (const std::string known = shipped_name(name); !known.empty()) return shipped_path(known);
  const std::string own = own_path(asked ? *asked : program);
  if (is_file(own)) return own;
  std::vector<std::string> known = exercise_names();
  for (const std::string& whole : exercise_names()) known.emplace_back(without_number(whole));
  std::vector<std::string> help = did_you_mean(name, known);
  if (!asked) help.emplace_back("--exercise NAME says which exercise the file is for");
  help.emplace_back("'memlane list exercises' lists the shipped ones");
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

std::string path_of_exercise(std::string_view name) {
  const std::string known = shipped_name(name);
  return known.empty() ? "" : short_path((shipped_exercises() / (known + ".lane")).string());
}

Result<grade::ExerciseSpec> load_exercise(Sources& sources, const std::optional<std::string>& asked,
                                          const std::string& program) {
  const Result<std::string> path = find_exercise(asked, program);
  if (!path) return path.errors();
  Result<std::string> text =
      read_file(*path, most_exercise_bytes, {"the file of an exercise is not that large"});
  if (!text) return text.errors();
  const std::int32_t file = sources.add(*path, std::move(*text));
  std::string name = fs::path(*path).filename().string();
  name.resize(name.size() - grade::exercise_ending.size());
  return grade::read_exercise(sources, file, name);
}

} // namespace memlane::cli
