// Exact expected texts, kept under tests/golden. With MEMLANE_UPDATE_GOLDEN set in the environment
// a test writes the file anew, to be read and committed.
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

/// The text of tests/golden/<path>; with the environment variable set, first written as `actual`.
inline std::string golden(const std::string& path, const std::string& actual) {
  const std::filesystem::path file = golden_path(path);
  if (std::getenv("MEMLANE_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << actual;
  return contents(file);
}

} // namespace memlane::test
