// Lesson files: the shipped ones, in their order, and one's own.
#pragma once

#include "memlane/study/figures/lesson.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

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

} // namespace memlane::cli
