// Help is true: what it shows can be run.
#include "shell.hpp"
#include "support/catch.hpp"

#include <filesystem>
#include <string>

namespace memlane::test {
namespace {

/// The commands that the general help lists, `help` aside.
std::vector<std::string> command_names(const Playground& playground) {
  std::vector<std::string> names;
  bool in_list = false;
  for (const std::string& line : lines_of(playground.run("memlane help").out)) {
    if (line.rfind("usage:", 0) == 0) in_list = true;
    // Summaries go on in lines that begin with more blanks.
    const bool entry =
        in_list && line.size() > 3 && line.rfind("  ", 0) == 0 && line[2] != '-' && line[2] != ' ';
    if (entry) names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  REQUIRE(names.size() >= 6);
  REQUIRE(names.back() == "help");
  names.pop_back();
  return names;
}

/// The text with each such part replaced.
std::string replaced(std::string text, const std::string& part, const std::string& other) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += other.size())
    text.replace(at, part.size(), other);
  return text;
}

} // namespace

TEST_CASE("list alone lists the programs", "[release]") {
  const Playground playground;
  const Outcome listed = playground.run("memlane list");
  CHECK(listed.status == 0);
  CHECK(listed.out == playground.run("memlane list programs").out);
}

TEST_CASE("every example of every command's help runs", "[release]") {
  const Playground playground;
  // The page is built by Emscripten: any does here.
  std::filesystem::create_directories(playground.folder() + "/build/playground");
  spit(playground.folder() + "/build/playground/playground.html",
       "<!doctype html><script id=\"memlane-setting\"></script>");
  // So is the first program of an exercise by a student, and a measurement by a GPU.
  spit(playground.folder() + "/01_map.lane",
       slurp(MEMLANE_SOURCE_DIR "/tests/exercises/01_map.lane"));
  spit(playground.folder() + "/measured.jsonl",
       slurp(MEMLANE_SOURCE_DIR "/tests/measure/synthetic.jsonl"));
  std::vector<std::string> names = command_names(playground);
  // A group has the examples of its words; their pages have more.
  for (const char* word :
       {"gpu measure", "gpu compare", "gpu fit", "machine from-gpu", "explain relations",
        "results best", "results check", "results diff", "results import", "results merge"})
    names.emplace_back(word);
  for (const std::string& name : names) {
    const Outcome page = playground.run("memlane " + name + " --help");
    CHECK(page.status == 0);
    CHECK(page.out == playground.run("memlane help " + name).out);
    // Each command that a page mentions is one that works as it stands.
    const std::string typed = playground.run("build/release/memlane help " + name).out;
    CHECK(replaced(typed, "build/release/memlane ", "memlane ") == page.out);
    CHECK(typed.find("&& memlane ") == std::string::npos);
    int examples = 0;
    bool in_examples = false;
    for (const std::string& line : lines_of(page.out)) {
      if (in_examples) {
        ++examples;
        const Outcome outcome =
            playground.run("export LD_LIBRARY_PATH=" MEMLANE_TEST_DRIVER "; " + line);
        INFO(line << "\n" << outcome.err);
        CHECK(outcome.status == 0);
        CHECK(!outcome.out.empty());
      }
      if (line == "examples") in_examples = true;
    }
    INFO(name);
    CHECK(examples > 0);
    // An installation has no source tree around it.
    CHECK(page.out.find("tests/") == std::string::npos);
    CHECK(page.out.find("programs/") == std::string::npos);
  }
}

TEST_CASE("the page of a machine has both schedules of blocks") {
  const Playground playground;
  const Outcome page = playground.run("memlane explain machine hmm-rtx3080");
  INFO(page.out);
  CHECK(page.out.find("dynamic: the next block goes to the") != std::string::npos);
}

TEST_CASE("help takes one command and no other word") {
  const Playground playground;
  CHECK(playground.run("memlane help help").out == playground.run("memlane help").out);
  const Outcome group = playground.run("memlane help results dif");
  CHECK(group.status == 2);
  CHECK(group.err.starts_with("error: unknown command 'results dif'\n  help: did you mean 'diff'"));
  const Outcome word = playground.run("memlane help list programs");
  CHECK(word.status == 2);
  CHECK(word.err == "error: unknown command 'list programs'\n"
                    "  help: 'memlane help list' shows its options\n");
}

TEST_CASE("help and version are data, no command at all is a mistake") {
  const Playground playground;
  CHECK(playground.run("memlane --version").out.rfind("memlane ", 0) == 0);
  CHECK(playground.run("memlane --help").out == playground.run("memlane help").out);
  const Outcome nothing = playground.run("memlane");
  CHECK(nothing.status == 2);
  CHECK(nothing.out.empty());
  CHECK(nothing.err == playground.run("memlane help").out);
}

} // namespace memlane::test
