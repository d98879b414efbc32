// Every shipped program and every example of the language's page, run as a user runs them.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <filesystem>

namespace memlane::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(MEMLANE_SOURCE_DIR "/programs"))
    if (entry.path().extension() == ".lane") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The first of the machines that can run it, of every model.
Outcome run_somewhere(const Playground& playground, const std::string& program) {
  Outcome outcome;
  for (const char* machine : {"umm-w32", "dmm-w32", "hmm-teaching"}) {
    outcome = playground.run("memlane run " + program + " -m " + machine);
    if (outcome.status != 2) return outcome;
  }
  return outcome;
}

/// The texts between ```KIND and ``` lines.
std::vector<std::string> blocks_of(const std::string& text, const std::string& kind) {
  std::vector<std::string> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (!inside && line == "```" + kind) {
      inside = true;
      blocks.emplace_back();
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

} // namespace

TEST_CASE("every shipped program runs with its defaults, its result right") {
  const Playground playground;
  const auto programs = shipped();
  REQUIRE(programs.size() >= 13);
  for (const std::string& program : programs) {
    const Outcome outcome = run_somewhere(playground, program);
    INFO(program << "\n" << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("\nverify passed\n") != std::string::npos);
  }
}

TEST_CASE("every example of the language's page runs, its result right") {
  const Playground playground;
  const auto examples = blocks_of(slurp(MEMLANE_SOURCE_DIR "/programs/README.md"), "lane");
  REQUIRE(examples.size() >= 5);
  for (const std::string& example : examples) {
    spit(playground.folder() + "/programs/example.lane", example);
    const Outcome outcome = run_somewhere(playground, "programs/example.lane");
    INFO(example << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("\nverify passed\n") != std::string::npos);
  }
}

TEST_CASE("a replayed trace of a shipped program gives the run's own time") {
  const Playground playground;
  for (const char* const program : {"sum -D n=256", "prefix_simple -D n=64", "strided -D s=3"}) {
    for (const char* const machine : {"dmm-teaching", "umm-teaching --set lockstep=true"}) {
      const std::string on = std::string(" -m ") + machine;
      const Outcome run =
          playground.run("memlane run " + std::string(program) + on +
                         " --trace t.jsonl --format csv | cut -d, -f1-40 > run.csv");
      REQUIRE(run.status == 0);
      const auto time_of = [&](const std::string& command) {
        const Outcome outcome =
            playground.run(command + " --format json | grep -m1 '\"time\":' | tr -dc 0-9");
        REQUIRE(!outcome.out.empty());
        return outcome.out;
      };
      CHECK(time_of("memlane run " + std::string(program) + on) ==
            time_of("memlane replay t.jsonl" + on));
    }
  }
}

} // namespace memlane::test
