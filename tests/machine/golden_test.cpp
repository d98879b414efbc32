// Compares the messages about each bad machine file NAME.json of tests/golden/config with
// NAME.expected. An optional NAME.set has `--set` texts, one on each line.
#include "files.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

#include <algorithm>
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

TEST_CASE("messages about bad machine files") {
  const auto names = names_of_cases();
  REQUIRE(names.size() >= 60);
  for (const std::string& name : names) {
    INFO(name);
    Sources sources;
    const auto overrides = test::text_of_file(folder + "/" + name + ".set");
    const auto machine = load_machine(sources, name + ".json", lines_of(overrides.value_or("")),
                                      test::files_in(folder));
    REQUIRE_FALSE(machine.ok());
    const std::string messages = render(machine.errors(), sources);
    CHECK(messages == test::golden("config/" + name + ".expected", messages));
  }
}
