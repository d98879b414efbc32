// Expected texts in tests/golden. If the environment variable MEMLANE_UPDATE_GOLDEN is set, a test
// writes the file instead; review the difference before you commit it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace memlane::test {

inline std::filesystem::path golden_path(const std::string& path) {
  return std::filesystem::path(MEMLANE_SOURCE_DIR "/tests/golden") / path;
}

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// The text of tests/golden/<path>, after an update if requested.
inline std::string golden(const std::string& path, const std::string& actual) {
  const std::filesystem::path file = golden_path(path);
  if (std::getenv("MEMLANE_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << actual;
  return contents(file);
}

} // namespace memlane::test
