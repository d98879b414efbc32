// Exact screens: every file of tests/golden/cli is a transcript of command lines (`$ …`, with `$T`
// for the folder they run in), what they print, and `[status n]`. MEMLANE_UPDATE_GOLDEN=1 writes
// them anew.
#include "shell.hpp"
#include "support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace memlane::test {
namespace {

std::string replay_transcript(const std::string& transcript) {
  const Playground playground;
  std::string text;
  for (const std::string& line : lines_of(transcript)) {
    if (line.rfind("# ", 0) == 0) text += line + "\n";
    if (line.rfind("$ ", 0) != 0) continue;
    const Outcome outcome = playground.run(line.substr(2));
    text += line + "\n" + playground.without_folder(outcome.out + outcome.err) + "[status " +
            std::to_string(outcome.status) + "]\n";
  }
  return text;
}

void check_transcript(const std::string& name) {
  const std::string path = std::string(MEMLANE_SOURCE_DIR) + "/tests/golden/cli/" + name + ".txt";
  const std::string expected = slurp(path);
  const std::string actual = replay_transcript(expected);
  REQUIRE(actual.find("$ ") != std::string::npos);
  if (std::getenv("MEMLANE_UPDATE_GOLDEN") != nullptr) spit(path, actual);
  const std::vector<std::string> is = lines_of(actual), should = lines_of(expected);
  for (std::size_t i = 0; i < is.size() && i < should.size(); ++i) {
    INFO(name << ".txt, line " << i + 1);
    REQUIRE(is[i] == should[i]);
  }
  CHECK(is.size() == should.size());
}

} // namespace

TEST_CASE("bad machines are refused with exact messages") { check_transcript("bad_machine"); }
TEST_CASE("bad programs and parameters are refused with exact messages") {
  check_transcript("bad_program");
}
TEST_CASE("bad files are refused with exact messages") { check_transcript("bad_file"); }
TEST_CASE("slips in the command line are refused with exact messages") {
  check_transcript("usage");
}
TEST_CASE("programs are found by name in every folder", "[release]") {
  check_transcript("folders");
}
TEST_CASE("stumbles of newcomers have a way out", "[release]") { check_transcript("ways_out"); }
TEST_CASE("measurements are compared and fitted as they should", "[release]") {
  check_transcript("gpu");
}
TEST_CASE("what cannot be emitted or measured is refused with exact messages", "[release]") {
  check_transcript("emit");
}
TEST_CASE("races of some arrays and statements are allowed and listed", "[release]") {
  check_transcript("races");
}
TEST_CASE("livelocks are errors of both engines", "[release]") { check_transcript("livelock"); }
TEST_CASE("limits stop a run and say what was reached") { check_transcript("limits"); }
TEST_CASE("what depends on data is not timed without it", "[release]") {
  check_transcript("timing_only");
}
TEST_CASE("tunings look as they should", "[release]") { check_transcript("tune"); }
TEST_CASE("worst inputs look as they should", "[release]") { check_transcript("worst"); }
TEST_CASE("comparisons look as they should", "[release]") { check_transcript("compare"); }
TEST_CASE("relations of models look as they should", "[release]") { check_transcript("relations"); }
TEST_CASE("pictures come in and go out, and bad ones are refused", "[release]") {
  check_transcript("pictures");
}
TEST_CASE("hostile programs and files are refused with exact messages") {
  check_transcript("hostile");
}
TEST_CASE("the language's own promises have exact messages", "[release]") {
  check_transcript("language");
}
TEST_CASE("banks of an access look as they should, and bad accesses are refused", "[release]") {
  check_transcript("bank");
}
TEST_CASE("mistakes at stores of results are refused with exact messages", "[release]") {
  check_transcript("results");
}
TEST_CASE("time charts look as they should", "[release]") { check_transcript("timeline"); }
TEST_CASE("explanations and tried changes look as they should", "[release]") {
  check_transcript("explain");
}
TEST_CASE("watched values look as they should, and bad watches are refused", "[release]") {
  check_transcript("watch");
}
TEST_CASE("results look as they should", "[release]") { check_transcript("screens"); }
TEST_CASE("grades look as they should", "[release]") { check_transcript("grade"); }
TEST_CASE("lessons say their numbers", "[release]") { check_transcript("demo"); }
TEST_CASE("runs on an MMM look as they should, and what does not fit is refused", "[release]") {
  check_transcript("mmm");
}

} // namespace memlane::test
