// Every bad machine file of tests/golden/config against its exact messages (NAME.expected).
// NAME.set, where there is one, holds the `--set` texts, one a line. With the environment variable
// MEMLANE_UPDATE_GOLDEN set, the expected files are written anew, to be read and committed.
#include "files.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace memlane;

namespace {

const std::string folder = std::string(MEMLANE_SOURCE_DIR) + "/tests/golden/config";

std::vector<std::string> names_of_cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

} // namespace

TEST_CASE("bad machine files give their exact messages") {
  const auto names = names_of_cases();
  REQUIRE(names.size() >= 60);
  const bool update = std::getenv("MEMLANE_UPDATE_GOLDEN") != nullptr;
  for (const std::string& name : names) {
    INFO(name);
    Sources sources;
    const auto overrides = test::text_of_file(folder + "/" + name + ".set");
    const auto machine = load_machine(sources, name + ".json", lines_of(overrides.value_or("")),
                                      test::files_in(folder));
    REQUIRE_FALSE(machine.ok());
    const std::string messages = render(machine.errors(), sources);
    const std::string expected_path = folder + "/" + name + ".expected";
    if (update) std::ofstream(expected_path, std::ios::binary) << messages;
    CHECK(messages == test::text_of_file(expected_path).value_or("(no such file)"));
  }
}
