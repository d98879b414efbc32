// Machine files for tests, from memory or a folder of the source tree.
#pragma once

#include "memlane/machine/machine.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

namespace memlane::test {

inline std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// Paths are relative to a folder, so that messages do not depend on its place.
inline MachineFiles files_in(const std::string& folder) {
  MachineFiles files;
  files.read = [folder](const std::string& path) -> Result<std::string> {
    auto text = text_of_file(folder + "/" + path);
    if (text) return *text;
    return error_in("", "cannot read '" + path + "': No such file or directory");
  };
  return files;
}

inline MachineFiles files_of(std::map<std::string, std::string> texts) {
  MachineFiles files;
  files.read = [texts](const std::string& path) -> Result<std::string> {
    const auto found = texts.find(path);
    if (found != texts.end()) return found->second;
    return error_in("", "cannot read '" + path + "': No such file or directory");
  };
  return files;
}

} // namespace memlane::test
