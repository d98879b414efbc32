// Exact expected texts, kept under tests/golden. With MEMLANE_UPDATE_GOLDEN set in the environment
// a test writes the file anew, to be read and committed.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace memlane::test {

/// The text of tests/golden/<path>; with the environment variable set, first written as `actual`.
inline std::string golden(const std::string& path, const std::string& actual) {
  std::string file = MEMLANE_SOURCE_DIR "/tests/golden/";
  file.append(path);
  if (std::getenv("MEMLANE_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << actual;
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

} // namespace memlane::test
