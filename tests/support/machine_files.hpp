// Machine files on disk, as the command line reads them.
#pragma once

#include "memlane/machine/machine.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace memlane::test {

inline Result<std::string> read_machine_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return error_in("", "cannot read '" + path + "'");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline MachineFiles machine_files_on_disk(const std::string& directory) {
  MachineFiles files{read_machine_file, directory, {}};
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".json") files.shipped.push_back(entry.path().stem().string());
  std::sort(files.shipped.begin(), files.shipped.end());
  return files;
}

} // namespace memlane::test
