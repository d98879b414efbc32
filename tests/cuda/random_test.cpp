// Random programs as CUDA C++ on the CPU: whatever lanes, warps and blocks do to each other's
// words, the arrays are the simulator's, in both orders of the threads.
#include "emitted.hpp"
#include "property/program_generator.hpp"
#include "support/catch.hpp"

#include <string>

namespace memlane::test {
namespace {

/// Whether lanes of one request wrote the same word: then a GPU may keep any of them.
bool writes_at_once(const std::string& json) {
  const std::string key = "\"concurrent_writes\": ";
  for (std::size_t at = 0; (at = json.find(key, at)) != std::string::npos;) {
    at += key.size();
    if (json[at] != '0') return true;
  }
  return false;
}

/// Adds program `text` to `cases` unless its races or what it does keep it from being emitted.
void try_program(const Playground& playground, const std::string& text, std::uint64_t seed,
                 std::vector<EmittedCase>& cases) {
  const std::string machine = seed % 2 == 0 ? "umm-w32" : "hmm-h200-plain";
  const std::string file = "random_" + std::to_string(seed) + ".lane";
  spit(playground.folder() + "/" + file, text);
  const std::string options = "-m " + machine + " --set threads=64";
  const Outcome run = playground.run("memlane run " + file + " --format json " + options);
  if (run.status != 0 || writes_at_once(run.out)) return;
  const Outcome emitted = playground.run("memlane emit-cuda " + file + " " + options);
  if (emitted.status != 0) {
    INFO(text << emitted.err);
    CHECK(emitted.status == 2);
    CHECK(emitted.err.find("help: ") != std::string::npos);
    return;
  }
  cases.push_back({file, options});
}

} // namespace

TEST_CASE("random programs as emitted equal the simulated ones", "[release]") {
  const Playground playground;
  std::vector<EmittedCase> cases;
  for (std::uint64_t seed = 1000; cases.size() < 8; ++seed) {
    REQUIRE(seed < 1200);
    try_program(playground,
                cases.size() < 4 ? random_program(seed, seed % 2 == 1)
                                 : atomic_program(seed, seed % 2 == 1, false),
                seed, cases);
  }
  std::string texts;
  for (const EmittedCase& one : cases)
    texts += "// " + one.program + "\n" + slurp(playground.folder() + "/" + one.program);
  INFO(texts);
  check_emitted(playground, cases);
}

} // namespace memlane::test
