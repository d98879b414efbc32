// The programs of the project's `programs`, in whichever folder.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace memlane::test {

struct ShippedProgram {
  std::string name;   ///< `sum`
  std::string folder; ///< `reduction`
  std::string path;   ///< of the file on disk
};

/// Sorted by name.
inline std::vector<ShippedProgram> shipped_programs() {
  namespace fs = std::filesystem;
  const fs::path root = MEMLANE_SOURCE_DIR "/programs";
  std::vector<ShippedProgram> programs;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    // Exercises and programs of lessons are wrong on purpose; those of inputs are run by --input.
    const fs::path folder = path.parent_path().filename();
    if (path.extension() != ".lane" || folder == "exercises" || folder == "lessons" ||
        folder == "inputs")
      continue;
    programs.push_back({path.stem().string(),
                        path.parent_path().lexically_relative(root).generic_string(),
                        path.string()});
  }
  std::sort(programs.begin(), programs.end(),
            [](const ShippedProgram& a, const ShippedProgram& b) { return a.name < b.name; });
  return programs;
}

/// The path of the program with this name; empty if there is none.
inline std::string path_of_shipped(const std::string& name) {
  for (const ShippedProgram& program : shipped_programs())
    if (program.name == name) return program.path;
  return "";
}

} // namespace memlane::test
