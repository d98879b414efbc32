#include "shipped_files.hpp"

#include "arguments.hpp"
#include "files.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

fs::path shipped_folder(std::string_view folder) { return fs::path(data_home()) / folder; }

// --- Figures.

constexpr std::size_t most_figure_bytes = std::size_t{4} << 20;

/// Whether a name comes before another: numbers in them by their values, 6.9 before 6.10.
bool comes_before(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  };
  while (!a.empty() && !b.empty()) {
    const std::string_view x = digits(a), y = digits(b);
    if (x.empty() || y.empty()) {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1), b.remove_prefix(1);
    } else {
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(x.size()), b.remove_prefix(y.size());
    }
  }
  return a.size() < b.size();
}

Result<std::string> path_of_figure(const std::string& name,
                                   const std::vector<std::string>& shipped) {
  if (fs::path(name).extension() == ".json") return name;
  if (std::find(shipped.begin(), shipped.end(), name) != shipped.end())
    return short_path((shipped_folder("configs/figures") / (name + ".json")).string());
  std::vector<std::string> help = did_you_mean(name, shipped);
  help.push_back(fmt::format("shipped figures: {}", fmt::join(shipped, ", ")));
  help.push_back("name a figure file of your own by its path, which ends in .json");
  return error_in("--only", fmt::format("unknown figure '{}'", name), std::move(help));
}

} // namespace

std::vector<std::string> shipped_figures() {
  std::vector<std::string> names = names_in(shipped_folder("configs/figures").string(), ".json");
  std::sort(names.begin(), names.end(), comes_before);
  return names;
}

Result<std::vector<FigureSpec>> load_figures(Sources& sources,
                                             const std::vector<std::string>& names, bool quick) {
  const std::vector<std::string> shipped = shipped_figures();
  if (names.empty() && shipped.empty()) return nothing_shipped("figures");
  ErrorCollector errors;
  std::vector<FigureSpec> figures;
  for (const std::string& name : names.empty() ? shipped : names) {
    const auto same = std::count(names.begin(), names.end(), name);
    if (same > 1) {
      errors.add(error_in("--only", fmt::format("'{}' is given {} times", name, same)));
      break;
    }
    std::string path, text;
    if (!errors.take(path_of_figure(name, shipped), path)) continue;
    if (!errors.take(read_file(path, most_figure_bytes, {}, sources.limits()), text)) continue;
    const std::int32_t file = sources.add(path, std::move(text));
    Result<FigureSpec> figure = read_figure(sources, file, fs::path(path).stem().string(), quick);
    if (!errors.check(figure)) continue;
    figure->shipped = fs::path(name).extension() != ".json";
    figures.push_back(std::move(*figure));
  }
  if (!errors.ok()) return errors.errors();
  return figures;
}

// --- Lessons.

namespace {

constexpr std::size_t most_lesson_bytes = std::size_t{1} << 20;

/// `banks` of `01-banks`: digits and the hyphen give the order.
std::string name_of_lesson(const std::string& stem) {
  const std::size_t digits = stem.find_first_not_of("0123456789");
  return digits > 0 && digits != std::string::npos && stem[digits] == '-' ? stem.substr(digits + 1)
                                                                          : stem;
}

} // namespace

std::vector<LessonFile> shipped_lessons() {
  std::vector<LessonFile> lessons;
  for (const std::string& stem : names_in(shipped_folder("configs/lessons").string(), ".json"))
    lessons.push_back(
        {name_of_lesson(stem),
         short_path((shipped_folder("configs/lessons") / (stem + ".json")).string())});
  return lessons;
}

Result<std::size_t> find_lesson(const std::vector<LessonFile>& shipped, const std::string& name) {
  if (shipped.empty()) return nothing_shipped("demos");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    if (shipped[i].name == name || std::to_string(i + 1) == name) return i;
    names.push_back(shipped[i].name);
  }
  std::vector<std::string> help = did_you_mean(name, names);
  help.push_back(
      fmt::format("'memlane demo' lists them: a name or a number from 1 to {}", shipped.size()));
  help.emplace_back("name a lesson of your own by its path, which ends in .json");
  return error_in("", fmt::format("no lesson is named '{}'", name), std::move(help));
}

Result<LessonSpec> load_lesson(Sources& sources, const LessonFile& lesson) {
  Result<std::string> text = read_file(lesson.path, most_lesson_bytes,
                                       {"a lesson file is not that large"}, sources.limits());
  if (!text) return text.errors();
  return read_lesson(sources, sources.add(lesson.path, std::move(*text)), lesson.name);
}

// --- CUDA.

Result<std::string> ptx_path(const std::string& word) {
  std::error_code code;
  if (fs::is_directory(word, code))
    return error_in("", fmt::format("'{}' is a folder, no PTX file", word),
                    {"name a .ptx file in it, or a .cu file, which nvcc compiles"});
  const Status there = is_there(word);
  const fs::path shipped = shipped_folder("programs/cuda") / word;
  if (there || !fs::is_regular_file(shipped, code)) return there ? Result(word) : there.errors();
  return short_path(shipped.string());
}

// --- Exercises.

namespace {

constexpr std::size_t most_exercise_bytes = std::size_t{1} << 20;

/// `map` of `01_map`.
std::string_view without_number(std::string_view name) {
  const std::size_t letter = name.find_first_not_of("0123456789_");
  return letter == std::string_view::npos ? name : name.substr(letter);
}

/// `01_map` of `01_map-2` and `01_map (2)`: how the playground and browsers name copies of a file.
std::string_view without_copy(std::string_view name) {
  const bool closed = name.ends_with(')');
  const std::string_view mark = closed ? " (" : "-";
  const std::size_t end = name.find_last_not_of("0123456789", name.size() - (closed ? 2 : 1)) + 1;
  return name.substr(0, end).ends_with(mark) ? name.substr(0, end - mark.size()) : name;
}

/// The whole name of a shipped exercise; empty: there is none.
std::string shipped_name(std::string_view name) {
  name = without_copy(name);
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
       {grade::exercise_ending, grade::check_ending, std::string_view(".lane"),
        std::string_view(".cu"), std::string_view(".ptx")})
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
        (shipped_folder("programs/exercises") / (name + std::string(grade::exercise_ending)))
            .string());
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
  for (std::string& name : names_in(shipped_folder("programs/exercises").string(), ".json")) {
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
  if (known.empty()) return "";
  const fs::path folder = shipped_folder("programs/exercises");
  std::error_code code;
  const bool kernels = fs::exists(folder / (known + ".cu"), code);
  return short_path((folder / (known + (kernels ? ".cu" : ".lane"))).string());
}

Result<std::string> path_of_graded(const std::string& word) {
  std::error_code code;
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
