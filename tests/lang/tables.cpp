// The tables of programs/README.md say what the program's own tables say.
#include "support/catch.hpp"
#include "support/golden.hpp"

#include "memlane/lang/builtins.hpp"
#include "memlane/lang/words.hpp"
#include "memlane/support/machine_names.hpp"

#include <map>
#include <regex>
#include <set>
#include <string>

using namespace memlane;

namespace {

std::string page() {
  return test::contents(std::filesystem::path(MEMLANE_SOURCE_DIR) / "programs/README.md");
}

std::string where(lang::BuiltinPlace place) {
  switch (place) {
  case lang::BuiltinPlace::code: return "code";
  case lang::BuiltinPlace::formulas: return "claims, `-D`";
  case lang::BuiltinPlace::both: return "everywhere";
  }
  return "";
}

} // namespace

TEST_CASE("the language's page has a row for each built-in fn, in the table's words") {
  const std::string text = page();
  std::string rows = "| built in | value | where |\n|---|---|---|\n";
  for (const lang::Builtin& builtin : lang::builtins()) {
    CHECK(builtin.usage.substr(0, builtin.usage.find('(')) == builtin.name);
    rows += "| `" + std::string(builtin.usage) + "` | " + std::string(builtin.meaning) + " | " +
            where(builtin.place) + " |\n";
  }
  CHECK(text.find(rows + "\n") != std::string::npos);
}

TEST_CASE("the language's page names what programs and claims can ask of a machine") {
  const std::string text = page();
  for (const MachineName& name : machine_names) {
    INFO(name.name);
    CHECK((text.find("`" + std::string(name.name) + "`") != std::string::npos));
  }
}

TEST_CASE("every reserved word, type and built-in fn has one meaning") {
  std::map<std::string, int> meanings;
  for (const lang::Word& word : lang::words()) {
    INFO(word.name);
    ++meanings[std::string(name_of(word.kind)) + ' ' + word.name];
    CHECK(word.usage.find(word.name) != std::string::npos);
    CHECK_FALSE(word.meaning.empty());
    CHECK(word.meaning.back() != '.');
  }
  // The words in quotes of the grammar are reserved, except these.
  const std::string text = page();
  const std::size_t begin = text.find("## Grammar");
  const std::string grammar = text.substr(begin, text.find("The words in quotes", begin) - begin);
  std::set<std::string> quoted;
  const std::regex word("\"([A-Za-z]+)\"");
  for (std::sregex_iterator at(grammar.begin(), grammar.end(), word), end; at != end; ++at)
    quoted.insert((*at)[1].str());
  for (const char* free : {"blocks", "threads", "min", "max", "O", "Omega", "Theta"})
    CHECK(quoted.erase(free) == 1);
  std::set<std::string> reserved;
  for (const lang::Word& own : lang::words())
    if (own.kind == lang::WordKind::reserved) reserved.insert(own.name);
  CHECK(reserved == quoted);
  for (const char* type : {"int", "long", "float", "double", "bool"})
    CHECK(meanings["type " + std::string(type)] == 1);
  for (const lang::Builtin& fn : lang::builtins())
    CHECK(meanings["builtin " + std::string(fn.name)] == 1);
  for (const auto& [word, count] : meanings) {
    INFO(word);
    CHECK(count == 1);
  }
}
