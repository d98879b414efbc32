// Figures, lessons and exercises: the shipped ones, found by name, and files of the user's own.
#pragma once

#include "memlane/grade/exercise.hpp"
#include "memlane/study/figures/lesson.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

/// The names of the shipped figures, sorted; numbers in them by their values.
std::vector<std::string> shipped_figures();
/// The figures of these names, each a shipped one's or the path of a file that ends in `.json`;
/// without names all that are shipped, sorted. Errors: unknown names, those of all files.
Result<std::vector<FigureSpec>> load_figures(Sources& sources,
                                             const std::vector<std::string>& names, bool quick);

/// The name of a lesson and its file: `01-banks.json` is the lesson `banks`, the first.
struct LessonFile {
  std::string name;
  std::string path;
};

/// In the order of the lessons.
std::vector<LessonFile> shipped_lessons();
/// The index of the shipped lesson that a name or a number names. An error with the nearest name.
Result<std::size_t> find_lesson(const std::vector<LessonFile>& shipped, const std::string& name);
Result<LessonSpec> load_lesson(Sources& sources, const LessonFile& lesson);

/// A file, else the shipped PTX of this name. Errors: there is neither.
Result<std::string> ptx_path(const std::string& word);

/// The folder of `programs` whose files are exercises and no shipped programs.
inline constexpr std::string_view exercises_folder = "exercises";

/// Names of the shipped exercises, in their order.
std::vector<std::string> exercise_names();
/// The name of the shipped exercise that a name, with or without its number, or a number alone
/// stands for: `map`, `1` and `01_map` are `01_map`; empty: none.
std::string exercise_called(const std::string& word);
/// The path of the program that students complete; empty: no shipped exercise has this name. The
/// number before a name may be left out: `map` is `01_map`.
std::string path_of_exercise(std::string_view name);

/// The file that `memlane grade WORD` is about: the file of this name, with or without `.lane`,
/// else the program of a shipped exercise. An error: there is nothing of this name.
Result<std::string> path_of_graded(const std::string& word);

/// The exercise that `asked` names: a shipped one by name or number, or FOLDER/NAME of a teacher's
/// own. Without it, the exercise that is named like the program's file: a shipped one, else one
/// beside the file.
Result<grade::ExerciseSpec> load_exercise(Sources& sources, const std::optional<std::string>& asked,
                                          const std::string& program);

} // namespace memlane::cli
