// The documents are true: their commands run, the screens they show are what the tool prints, and
// the definition's examples have the counts that it gives.
#include "cli/shell.hpp"
#include "markdown.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace memlane::test {
namespace {

std::string page(const std::string& path) {
  return slurp(std::string(MEMLANE_SOURCE_DIR) + "/" + path);
}

const char* const definition = "configs/README.md";

/// A test of the documents does not build: it asks whether the script knows the word.
bool is_bootstrap(const std::string& line) { return line.rfind("./bootstrap.sh ", 0) == 0; }

/// A command of a console block, and what it prints.
struct Screen {
  std::string command;
  Lines printed;
};

Lines without_empty_end(Lines lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<Screen> screens_of(const std::string& text) {
  std::vector<Screen> screens;
  for (const Lines& block : blocks_of(text, "console")) {
    REQUIRE(!block.empty());
    REQUIRE(block.front().rfind("$ ", 0) == 0);
    for (const std::string& line : block) {
      if (line.rfind("$ ", 0) == 0) {
        screens.push_back({line.substr(2), {}});
      } else {
        screens.back().printed.push_back(line);
      }
    }
  }
  return screens;
}

void check_screen(const Playground& playground, const std::string& command, const Lines& shown) {
  const Outcome outcome = playground.run(command);
  INFO(command);
  CHECK(without_empty_end(lines_of(outcome.out + outcome.err)) == without_empty_end(shown));
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// `/// turns.lane: …` names the file of an example; an example without a name has none.
std::string file_of(const Lines& example) {
  const std::string begin = "/// ", end = ".lane:";
  if (example.empty() || example.front().rfind(begin, 0) != 0) return "";
  const std::size_t at = example.front().find(end);
  if (at == std::string::npos) return "";
  return example.front().substr(begin.size(), at + end.size() - 1 - begin.size());
}

/// Puts the named examples of a page into the folder; returns the names.
std::vector<std::string> write_examples(const Playground& playground, const std::string& text) {
  std::vector<std::string> names;
  for (const Lines& example : blocks_of(text, "lane")) {
    const std::string name = file_of(example);
    if (name.empty()) continue;
    spit(playground.folder() + "/" + name, joined(example));
    names.push_back(name);
  }
  return names;
}

/// The count of a result: of the run, or summed over its memory units.
std::int64_t count_in(const nlohmann::json& counts, const std::string& name) {
  if (counts.contains(name)) return counts.at(name).get<std::int64_t>();
  std::int64_t sum = 0;
  bool found = false;
  for (const char* kind : {"global", "shared"}) { // requests pass own ports besides
    for (const auto& unit : counts.at("units").value(kind, nlohmann::json::array())) {
      if (!unit.contains(name)) continue;
      found = true;
      sum += unit.at(name).get<std::int64_t>();
    }
  }
  INFO(name);
  REQUIRE(found);
  return sum;
}

/// `command`: `memlane run …` or `memlane ptx …`.
nlohmann::json counts_of(const Playground& playground, const std::string& command) {
  const Outcome outcome = playground.run(command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out).at("counts");
}

/// Tables headed `memlane run` or `memlane ptx`: each row is a run, and what it counts.
std::vector<Table> run_tables_of(const std::string& text) {
  std::vector<Table> tables = tables_of(text);
  std::erase_if(tables, [](const Table& table) {
    const std::string& head = table.front().front();
    return head != "`memlane run`" && head != "`memlane ptx`";
  });
  return tables;
}

/// The command of a row of such a table.
std::string command_of(const Table& table, std::size_t row) {
  return without_quotes(table.front().front()) + " " + without_quotes(table[row].front());
}

/// The program of a row of counted operators: the statements in a kernel of one warp.
std::string counting_program(const std::string& statements, const std::string& function) {
  return "memory a[16], q[16]: int = index + 1\nmemory c[40]: int\n" + function +
         "\nkernel k() { shared s[8]: int  " + statements +
         " }\nmain { launch k() threads=4 }\nverify { assert true }\n";
}

} // namespace

namespace {

/// The pages whose commands are run beside those of the README.
const std::vector<std::string>& other_pages() {
  static const std::vector<std::string> pages = {
      "programs/README-commands.md", "programs/README-cuda.md",    "programs/README-engines.md",
      "programs/README-traces.md",   "configs/README-sweeps.md",   "programs/README-timelines.md",
      "programs/README-tour.md",     "programs/README-kernels.md", "configs/README-gpus.md",
      "tests/conformance/README.md",
  };
  return pages;
}

/// Runs the sh blocks of a page; returns how many lines are the script's.
int run_blocks(const Playground& playground, const std::string& path) {
  int bootstraps = 0;
  for (const auto& block : blocks_of(page(path), "sh")) {
    for (const std::string& line : block) {
      const bool bootstrap = is_bootstrap(line);
      bootstraps += bootstrap;
      const Outcome outcome =
          playground.run(bootstrap ? line.substr(0, line.find_first_of("#")) + " --help" : line);
      INFO(path << ": " << line << "\n" << outcome.err);
      CHECK(outcome.status == 0);
    }
  }
  return bootstraps;
}

/// The pictures of a page are those that its commands drew.
void check_pictures(const Playground& playground, const std::string& path, const Lines& pictures) {
  for (const std::string& picture : pictures) {
    const std::string file = fmt::format("configs/pictures/{}.svg", picture);
    CHECK(page(path).find(file + ")") != std::string::npos);
    const std::string drawn = slurp(fmt::format("{}/build/{}.svg", playground.folder(), picture));
    if (std::getenv("MEMLANE_UPDATE_GOLDEN") != nullptr)
      spit(std::string(MEMLANE_SOURCE_DIR) + "/" + file, drawn);
    INFO(file);
    CHECK((page(file) == drawn));
  }
}

} // namespace

TEST_CASE("every sh block of the README runs", "[release]") {
  const Playground playground;
  write_examples(playground, page("README.md"));
  CHECK(run_blocks(playground, "README.md") >= 2);
  check_pictures(playground, "README.md", {"stride"});
}

TEST_CASE("every sh block of the other pages runs", "[release]") {
  for (const std::string& path : other_pages()) {
    const Playground playground;
    run_blocks(playground, path);
    if (path == "programs/README-tour.md") check_pictures(playground, path, {"threads", "sums"});
  }
}

TEST_CASE("every console block of the README is what the tool prints") {
  const Playground playground;
  write_examples(playground, page("README.md"));
  const auto screens = screens_of(page("README.md"));
  REQUIRE(screens.size() >= 2);
  for (const Screen& screen : screens) check_screen(playground, screen.command, screen.printed);
}

TEST_CASE("every console block of the other pages is what the tool prints", "[release]") {
  std::size_t count = 0;
  for (const std::string& path : other_pages()) {
    const Playground playground;
    for (const Screen& screen : screens_of(page(path))) {
      check_screen(playground, screen.command, screen.printed);
      ++count;
    }
  }
  CHECK(count >= 6);
}

TEST_CASE("every console block of the AGPU's page is what the tool prints", "[release]") {
  const Playground playground;
  const auto screens = screens_of(page("programs/README-agpu.md"));
  REQUIRE(screens.size() >= 4);
  for (const Screen& screen : screens) check_screen(playground, screen.command, screen.printed);
}

TEST_CASE("every console block of the definition is what both engines print") {
  const Playground playground;
  const std::string text = page(definition);
  write_examples(playground, text);
  const auto screens = screens_of(text);
  REQUIRE(screens.size() >= 3);
  const std::string run = "memlane run ";
  for (const Screen& screen : screens) {
    check_screen(playground, screen.command, screen.printed);
    REQUIRE(screen.command.rfind(run, 0) == 0);
    check_screen(playground, run + "--engine reference " + screen.command.substr(run.size()),
                 screen.printed);
  }
}

TEST_CASE("every run of the definition has the counts that it gives, on both engines",
          "[release]") {
  const Playground playground;
  const std::string text = page(definition);
  write_examples(playground, text);
  std::size_t runs = 0;
  for (const Table& table : run_tables_of(text)) {
    for (std::size_t row = 1; row < table.size(); ++row) {
      const std::string command = command_of(table, row);
      REQUIRE(table[row].size() == table.front().size());
      for (const char* const engine : {"", " --engine reference"}) {
        const nlohmann::json counts = counts_of(playground, command + engine);
        for (std::size_t column = 1; column < table[row].size(); ++column) {
          if (table.front()[column] == "source") continue;
          INFO(command << engine << ": " << table.front()[column]);
          CHECK(std::to_string(count_in(counts, table.front()[column])) == table[row][column]);
        }
      }
      ++runs;
    }
  }
  CHECK(runs >= 30);
}

TEST_CASE("every example of the definition is run by a table or a console block", "[release]") {
  const Playground playground;
  const std::string text = page(definition);
  std::string commands;
  for (const Screen& screen : screens_of(text)) commands += screen.command + "\n";
  for (const Table& table : run_tables_of(text)) {
    for (std::size_t row = 1; row < table.size(); ++row) commands += command_of(table, row) + "\n";
  }
  const auto names = write_examples(playground, text);
  CHECK(names.size() == blocks_of(text, "lane").size());
  REQUIRE(names.size() >= 10);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(commands.find("memlane run " + name + " ") != std::string::npos);
  }
}

TEST_CASE("the definition's table of counted operators") {
  const Playground playground;
  int rows = 0;
  for (const Table& table : tables_of(page(definition))) {
    if (table.front().back() != "counted operators") continue;
    for (std::size_t row = 1; row < table.size(); ++row) {
      const std::string with = ", with ";
      const std::string& cell = table[row].front();
      const std::size_t at = cell.find(with);
      const std::string statements = without_quotes(cell.substr(0, at));
      const std::string function =
          at == std::string::npos ? "" : without_quotes(cell.substr(at + with.size()));
      spit(playground.folder() + "/counted.lane", counting_program(statements, function));
      for (const char* const engine : {"", " --engine reference"}) {
        const auto counts = counts_of(
            playground, std::string("memlane run counted.lane -m agpu-teaching") + engine);
        INFO(cell << engine);
        CHECK(std::to_string(count_in(counts, "time")) == table[row][1]);
        CHECK(std::to_string(count_in(counts.at("agpu"), "io")) == table[row][2]);
        CHECK(std::to_string(count_in(counts, "instructions")) == table[row][3]);
      }
      ++rows;
    }
  }
  CHECK(rows >= 10);
}

TEST_CASE("every example of the language's page runs, its result right", "[release]") {
  const Playground playground;
  const auto examples = blocks_of(page("programs/README.md"), "lane");
  REQUIRE(examples.size() >= 5);
  for (const Lines& example : examples) {
    spit(playground.folder() + "/page.lane", joined(example)); // `programs` is the project's own
    const Outcome outcome = playground.run("memlane run page.lane");
    INFO(joined(example) << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("\nverify passed\n") != std::string::npos);
  }
  const bool shipped = std::any_of(examples.begin(), examples.end(), [](const Lines& example) {
    return joined(example) == page("programs/reduction/example.lane");
  });
  CHECK(shipped);
}

} // namespace memlane::test
