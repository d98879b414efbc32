// Every program of tests/golden/check is wrong; its messages are its `.expected`, to the letter.
#include "support/catch.hpp"

#include "memlane/lang/check.hpp"
#include "memlane/lang/parse.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace memlane;
using namespace memlane::lang;

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string messages(const std::filesystem::path& path) {
  Sources sources;
  std::int32_t file = sources.add(path.filename().string(), read(path));
  Result<Program> program = parse_text(sources, file);
  if (!program) return "does not parse:\n" + render(program.errors(), sources);
  Result<Checked> checked = check(sources, std::move(*program));
  return checked ? "no errors\n" : render(checked.errors(), sources);
}

} // namespace

TEST_CASE("the messages of the checker") {
  std::filesystem::path folder = std::string(MEMLANE_SOURCE_DIR) + "/tests/golden/check";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".lane") continue;
    ++files;
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".expected");
    INFO(entry.path().filename().string());
    CHECK(messages(entry.path()) == read(expected));
  }
  CHECK(files >= 24);
}
