// Runs every shipped program on both engines and compares the results.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/shipped_programs.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace memlane::test {

namespace {

constexpr std::array machines = {
    "umm-w32 --set threads=96 --set ports=2",
    "hmm-teaching --set resident_blocks=2 --set instruction_cost=1 --set barrier_cost=3",
    "hmm-teaching --set lockstep=true --set block_schedule=dynamic"};

/// Its warps wait in loops for what others write: the fast engine leaves that to the reference
/// engine.
bool waits_for_others(const std::string& program) {
  return program == "look_back" || program == "column_prefix_sums";
}

/// Null without a result.
nlohmann::json parsed(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json::parse(text);
}

/// Removes and returns the engine of a result; null without a result.
nlohmann::json take_engine(nlohmann::json& result) {
  if (!result.is_object()) return nullptr;
  nlohmann::json engine = result.at("engine");
  result.erase("engine");
  return engine;
}

} // namespace

TEST_CASE("both engines give the same result of every shipped program, each without a restart",
          "[release]") {
  const Playground playground;
  int compared = 0;
  const auto programs = shipped_programs();
  for (std::size_t p = 0; p < programs.size(); ++p) {
    for (std::size_t m = 0; m < machines.size(); ++m) {
      if (!has_turn(p + m, machines.size())) continue; // each program on one of them, by turns
      const std::string run =
          "memlane run " + programs[p].name + " -m " + machines[m] + " --format json --engine ";
      const Outcome fast = playground.run(run + "fast"),
                    reference = playground.run(run + "reference");
      INFO(run << "\n" << reference.err);
      CHECK(fast.status == reference.status);
      nlohmann::json result = parsed(fast.out), expected = parsed(reference.out);
      const nlohmann::json engine = take_engine(result), other = take_engine(expected);
      CHECK(result == expected);
      if (reference.status == 0 && waits_for_others(programs[p].name)) {
        CHECK(engine["name"] == "reference");
      } else if (reference.status == 0) {
        CHECK(engine["name"] == "fast");
        CHECK(engine["reason"] == nullptr);
        CHECK(engine["restarts"] == 0);
        CHECK(other["name"] == "reference");
        CHECK(other["reason"] == "--engine reference asks for it");
      }
      CHECK(fast.err == reference.err);
      compared += reference.status == 0 ? 1 : 0;
    }
  }
  CHECK(compared > (every_case ? 40 : 13));
}

} // namespace memlane::test
