#include "shipped_programs.hpp"

#include "files.hpp"
#include "shipped_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// Folders in a folder, sorted. Links to folders count: a folder of `programs` may lie elsewhere.
std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code unknown;
    if (fs::is_directory(entry->path(), unknown)) names.push_back(entry->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Folders whose programs are not shipped as examples: some are wrong on purpose.
constexpr std::string_view lessons_folder = "lessons"; // found by name, since lessons run them
constexpr std::string_view inputs_folder = "inputs";   // found by name, since --input runs them

std::vector<ShippedProgram> programs_in(const std::vector<std::string>& folders) {
  const fs::path root = fs::path(data_home()) / "programs";
  std::vector<ShippedProgram> programs;
  for (const std::string& folder : folders) {
    const fs::path place = folder.empty() ? root : root / folder;
    for (const std::string& name : names_in(place.string(), ".lane"))
      programs.push_back({name, folder, short_path((place / (name + ".lane")).string())});
  }
  return programs;
}

} // namespace

std::vector<ShippedProgram> shipped_programs() {
  std::vector<std::string> folders = folders_in(fs::path(data_home()) / "programs");
  std::erase(folders, lessons_folder);
  std::erase(folders, inputs_folder);
  std::erase(folders, exercises_folder);
  folders.insert(folders.begin(), "");
  return programs_in(folders);
}

std::vector<std::string> shipped_program_names() {
  std::vector<std::string> names;
  for (ShippedProgram& program : shipped_programs()) names.push_back(std::move(program.name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> input_program_names() {
  return names_in((fs::path(data_home()) / "programs" / inputs_folder).string(), ".lane");
}

Result<std::string> find_shipped_program(std::string_view name) {
  std::vector<std::string> paths;
  for (ShippedProgram& program : shipped_programs())
    if (program.name == name) paths.push_back(std::move(program.path));
  if (paths.empty())
    for (ShippedProgram& program :
         programs_in({std::string(lessons_folder), std::string(inputs_folder)}))
      if (program.name == name) paths.push_back(std::move(program.path));
  if (paths.empty()) return std::string();
  if (paths.size() == 1) return std::move(paths.front());
  return error_in("", fmt::format("{} shipped programs are named '{}'", paths.size(), name),
                  {fmt::format("rename one of {}; a command can also name one by its path",
                               fmt::join(paths, ", "))});
}

} // namespace memlane::cli
