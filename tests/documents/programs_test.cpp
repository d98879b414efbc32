// The shipped programs and their table in programs/README.md.
#include "cli/shell.hpp"
#include "documents/markdown.hpp"
#include "support/catch.hpp"
#include "support/shipped_programs.hpp"

#include <set>
#include <utility>

namespace memlane::test {

TEST_CASE("no two shipped programs have the same name, in whatever folders") {
  std::set<std::string> names;
  for (const ShippedProgram& program : shipped_programs()) {
    INFO(program.path);
    CHECK(names.insert(program.name).second);
    CHECK(program.folder.find('/') == std::string::npos); // `memlane` reads one level of folders
  }
  CHECK(names.size() > 20);
}

TEST_CASE("the language's page has a row for each shipped program, with its folder") {
  std::set<std::pair<std::string, std::string>> shipped, listed;
  for (const ShippedProgram& program : shipped_programs())
    shipped.emplace(program.folder, program.name);
  for (const Table& table : tables_of(slurp(MEMLANE_SOURCE_DIR "/programs/README.md"))) {
    if (table.front().size() < 2 || table.front()[0] != "folder") continue;
    for (std::size_t row = 1; row < table.size(); ++row) {
      INFO(table[row][1]);
      CHECK(listed.emplace(table[row][0], without_quotes(table[row][1])).second);
    }
  }
  CHECK(listed == shipped);
}

} // namespace memlane::test
