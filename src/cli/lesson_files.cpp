#include "lesson_files.hpp"

#include "arguments.hpp"
#include "files.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace memlane::cli {
namespace {

constexpr std::size_t most_lesson_bytes = std::size_t{1} << 20;

std::filesystem::path lessons_folder() {
  return std::filesystem::path(data_home()) / "configs" / "lessons";
}

/// `banks` of `01-banks`: digits and the hyphen give the order.
std::string name_of_file(const std::string& stem) {
  const std::size_t digits = stem.find_first_not_of("0123456789");
  return digits > 0 && digits != std::string::npos && stem[digits] == '-' ? stem.substr(digits + 1)
                                                                          : stem;
}

} // namespace

std::vector<LessonFile> shipped_lessons() {
  std::vector<LessonFile> lessons;
  for (const std::string& stem : names_in(lessons_folder().string(), ".json"))
    lessons.push_back(
        {name_of_file(stem), short_path((lessons_folder() / (stem + ".json")).string())});
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

} // namespace memlane::cli
