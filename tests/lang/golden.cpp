// Exact messages: every tests/golden/lang/NAME.lane against NAME.expected.
// To write the expected files anew after a change, run this test program with
// MEMLANE_UPDATE_GOLDEN=1 in the environment, and read the difference before you keep it.
#include "support/catch.hpp"
#include "texts.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string messages(const fs::path& path) {
  memlane::Sources sources;
  const auto file = sources.add(path.filename().string(), read(path));
  const auto parsed = memlane::lang::parse_text(sources, file);
  return parsed ? "no error\n" : render(parsed.errors(), sources);
}

} // namespace

TEST_CASE("syntax errors have exactly these messages") {
  const bool update = std::getenv("MEMLANE_UPDATE_GOLDEN") != nullptr;
  std::vector<fs::path> programs;
  for (const auto& entry : fs::directory_iterator(MEMLANE_SOURCE_DIR "/tests/golden/lang"))
    if (entry.path().extension() == ".lane") programs.push_back(entry.path());
  std::sort(programs.begin(), programs.end());
  REQUIRE(programs.size() >= 25);
  for (const fs::path& program : programs) {
    fs::path expected = program;
    expected.replace_extension(".expected");
    if (update) std::ofstream(expected, std::ios::binary) << messages(program);
    INFO(program.filename().string());
    CHECK(messages(program) == read(expected));
  }
}
