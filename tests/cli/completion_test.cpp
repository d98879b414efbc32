// Completion: what can stand at the cursor, and the script of bash that asks for it.
#include "shell.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::test {
namespace {

/// The candidates for the end of a command line, without what is said about them.
std::vector<std::string> candidates(const Playground& playground, const std::string& line) {
  const Outcome outcome = playground.run("memlane completion --line -- " + line);
  INFO(line << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  std::vector<std::string> words = lines_of(outcome.out);
  for (std::string& word : words) word = word.substr(0, word.find('\t'));
  return words;
}

using Words = std::vector<std::string>;

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What bash would offer: COMP_WORDS is the line as bash cuts it, at `=` and `:` too.
std::string in_bash(const Playground& playground, const std::string& line,
                    const std::string& words) {
  spit(playground.folder() + "/ask.sh",
       "source <(memlane completion bash)\n"
       "complete -p memlane\n"
       "COMP_LINE='" +
           line + "'\nCOMP_POINT=${#COMP_LINE}\nCOMP_WORDS=(" + words +
           ")\n"
           "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\nCOMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'\n"
           "_memlane\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const Outcome outcome = playground.run("bash ask.sh");
  INFO(line << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  const std::string registered = "complete -F _memlane memlane\n";
  REQUIRE(outcome.out.rfind(registered, 0) == 0);
  return outcome.out.substr(registered.size());
}

} // namespace

TEST_CASE("completion knows commands, options, their values, and words of groups", "[release]") {
  const Playground playground;
  CHECK(candidates(playground, "ver") == Words{"verify"});
  CHECK(candidates(playground, "help emi") == Words{"emit-cuda"});
  CHECK(candidates(playground, "gpu m") == Words{"measure"});
  CHECK(candidates(playground, "run sum --form") == Words{"--format"});
  CHECK(candidates(playground, "run sum --format m") == Words{"markdown"});
  CHECK(candidates(playground, "run sum --format=m") == Words{"--format=markdown"});
  CHECK(candidates(playground, "run sum --engine ''") == Words{"fast", "reference", "auto"});
  CHECK(candidates(playground, "run sum --color al") == Words{"always"});
  CHECK(candidates(playground, "explain sch") == Words{"schema"});
  CHECK(candidates(playground, "explain schema verify-") == Words{"verify-line"});
  CHECK(has(candidates(playground, "figures --only 004-fig"), "004-fig4"));
  CHECK(candidates(playground, "no_command ''").empty());
  CHECK(candidates(playground, "run sum --seed ''").empty());
}

TEST_CASE("an option that may be given once is not offered again") {
  const Playground playground;
  CHECK(!has(candidates(playground, "run sum -m dmm-w32 --"), "--machine"));
  CHECK(has(candidates(playground, "compare sum -m dmm-w32 --"), "--machine"));
}

TEST_CASE("completion asks the programs and machines that are there", "[release]") {
  const Playground playground;
  CHECK(has(candidates(playground, "run scan_"), "scan_blocks"));
  CHECK(has(candidates(playground, "list programs sc"), "scan"));
  CHECK(has(candidates(playground, "run sum -m umm-"), "umm-w32"));
  CHECK(has(candidates(playground, "run sum -D ''"), "n="));
  CHECK(candidates(playground, "run transpose --layout ''") == Words{"a=", "c=", "t="});
  CHECK(candidates(playground, "run transpose --input ''") == Words{"a=", "c="});
  CHECK(candidates(playground, "run transpose --input a=").back() == ":files a=");
  const Words keys = candidates(playground, "run sum -m hmm-teaching --set shared.");
  CHECK(has(keys, "shared.latency="));
  CHECK(!has(candidates(playground, "run sum -m umm-w32 --set ''"), "shared.latency="));
  spit(playground.folder() + "/own.lane",
       "param cells: int = 4\nmemory a[cells]: int = 0\nmain { }\nverify { assert true }\n");
  CHECK(candidates(playground, "run own.lane -D ''") == Words{"cells="});
  spit(playground.folder() + "/bad.lane", "param cells int\n");
  CHECK(candidates(playground, "run bad.lane -D ''").empty());
}

TEST_CASE("every command has something for its first word, or says that files stand there",
          "[release]") {
  const Playground playground;
  for (const std::string& line : candidates(playground, "''")) {
    if (line == "figures" || line == "bank" || line == "playground" || line.rfind('-', 0) == 0)
      continue; // takes only options, or an expression
    INFO(line);
    CHECK(!candidates(playground, line + " ''").empty());
  }
}

TEST_CASE("the script of bash completes what bash hands it", "[release]") {
  const Playground playground;
  CHECK(in_bash(playground, "memlane repl", "memlane repl") == "replay\n");
  CHECK(in_bash(playground, "memlane run scan_bl", "memlane run scan_bl") == "scan_blocks\n");
  CHECK(in_bash(playground, "memlane run sum --engine=re", "memlane run sum --engine = re") ==
        "reference\n");
  CHECK(in_bash(playground, "memlane run transpose --layout c",
                "memlane run transpose --layout c") == "c=\n");
  spit(playground.folder() + "/some numbers.txt", "1 2\n");
  CHECK(in_bash(playground, "memlane run sum --input a=some", "memlane run sum --input a = some") ==
        "some numbers.txt\n");
  CHECK(in_bash(playground, "memlane run programs/red", "memlane run programs/red") ==
        "programs/reduction\n");
  CHECK(in_bash(playground, "build/release/memlane emit", "build/release/memlane emit") ==
        "emit-cuda\n");
}

TEST_CASE("the manual page has every command and option, and only texts of help", "[release]") {
  const Playground playground;
  const std::string page = playground.run("memlane help --man").out;
  REQUIRE(page.rfind(".TH MEMLANE 1", 0) == 0);
  int options = 0;
  for (const std::string& command : candidates(playground, "''")) {
    if (command == "help" || command.rfind('-', 0) == 0) continue;
    std::string name = command;
    for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2)
      name.insert(at, "\\");
    INFO(command);
    const std::size_t begin = page.find(fmt::format("\n.SS \"memlane {}\"\n", name));
    REQUIRE(begin != std::string::npos);
    for (std::string option : candidates(playground, command + " --")) {
      if (option == "--color" || option == "--help") continue; // said once for all
      for (std::size_t at = 0; (at = option.find('-', at)) != std::string::npos; at += 2)
        option.insert(at, "\\");
      INFO(option);
      CHECK(page.find("\\fB" + option + "\\fR", begin) != std::string::npos);
      ++options;
    }
  }
  CHECK(options > 100);
  for (const std::string& line : lines_of(page)) {
    INFO(line);
    CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

} // namespace memlane::test
