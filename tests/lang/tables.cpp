// The tables of programs/README.md say what the program's own tables say.
#include "support/catch.hpp"
#include "support/golden.hpp"

#include "memlane/lang/builtins.hpp"
#include "memlane/support/machine_names.hpp"

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
