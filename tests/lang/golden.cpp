// Exact messages: every NAME.lane of tests/golden/lang (syntax), tests/golden/check (the checker)
// and tests/golden/lower (the translation) against its NAME.expected (support/golden.hpp says how
// they are written anew).
#include "support/golden.hpp"

#include "support/catch.hpp"

#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace {

using namespace memlane;

/// What a program is told: by the parser, or if that finds nothing, by the checker, or else by its
/// translation for a machine without letters.
std::string messages(const std::string& name, const std::string& text) {
  Sources sources;
  const auto file = sources.add(name, text);
  Result<lang::Program> program = lang::parse_text(sources, file);
  if (!program) return render(program.errors(), sources);
  Result<lang::Checked> checked = lang::check(sources, std::move(*program));
  if (!checked) return render(checked.errors(), sources);
  const Result<ir::Program> code = lang::lower(*checked, {{}, "none", {}}, sources);
  return code ? "no error\n" : render(code.errors(), sources);
}

/// Checks every program of a folder; how many there were.
std::size_t check_folder(const std::string& folder) {
  std::vector<std::filesystem::path> programs;
  for (const auto& entry : std::filesystem::directory_iterator(test::golden_path(folder)))
    if (entry.path().extension() == ".lane") programs.push_back(entry.path());
  std::sort(programs.begin(), programs.end());
  for (const auto& program : programs) {
    const std::string actual = messages(program.filename().string(), test::contents(program));
    INFO(program.filename().string());
    CHECK(actual == test::golden(folder + "/" + program.stem().string() + ".expected", actual));
  }
  return programs.size();
}

} // namespace

TEST_CASE("syntax errors have exactly these messages") { REQUIRE(check_folder("lang") >= 25); }

TEST_CASE("the checker's errors have exactly these messages") {
  REQUIRE(check_folder("check") >= 24);
}

TEST_CASE("errors of the translation have exactly these messages") {
  REQUIRE(check_folder("lower") >= 1);
}
