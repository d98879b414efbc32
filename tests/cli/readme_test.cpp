// The README is true: its commands run, and the screens it shows are what the tool prints.
#include "shell.hpp"
#include "support/catch.hpp"

#include <string>

namespace memlane::test {
namespace {

/// The lines of every fenced block of a kind, a list each.
std::vector<std::vector<std::string>> blocks_of(const std::string& text, const std::string& kind) {
  std::vector<std::vector<std::string>> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back().push_back(line);
    } else if (line == "```" + kind) {
      inside = true;
      blocks.emplace_back();
    }
  }
  return blocks;
}

std::string readme() { return slurp(std::string(MEMLANE_SOURCE_DIR) + "/README.md"); }

/// Building is not the matter of a test of the README: that the script knows the word is.
bool is_bootstrap(const std::string& line) { return line.rfind("./bootstrap.sh ", 0) == 0; }

} // namespace

TEST_CASE("every sh block of the README runs") {
  const Playground playground;
  const auto blocks = blocks_of(readme(), "sh");
  REQUIRE(blocks.size() >= 2);
  int bootstraps = 0;
  for (const auto& block : blocks) {
    for (const std::string& line : block) {
      const bool bootstrap = is_bootstrap(line);
      bootstraps += bootstrap;
      const Outcome outcome =
          playground.run(bootstrap ? line.substr(0, line.find_first_of("#")) + " --help" : line);
      INFO(line << "\n" << outcome.err);
      CHECK(outcome.status == 0);
    }
  }
  CHECK(bootstraps >= 2);
}

TEST_CASE("every console block of the README is what the tool prints") {
  const Playground playground;
  const auto blocks = blocks_of(readme(), "console");
  REQUIRE(blocks.size() >= 3);
  for (const auto& block : blocks) {
    REQUIRE(!block.empty());
    REQUIRE(block.front().rfind("$ ", 0) == 0);
    const std::string command = block.front().substr(2);
    const Outcome outcome = playground.run(command);
    const std::vector<std::string> printed = lines_of(outcome.out + outcome.err);
    const std::vector<std::string> shown(block.begin() + 1, block.end());
    INFO(command);
    REQUIRE(printed == shown);
  }
}

} // namespace memlane::test
