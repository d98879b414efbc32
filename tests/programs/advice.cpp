// Follows the advice of the account of latency for shipped programs, and checks its predictions.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/shipped_programs.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace memlane::test {
namespace {

using Json = nlohmann::json;

struct Advised {
  const char* machine;
  long threads; ///< few, so that there is something to advise
};
constexpr std::array advised_machines = {Advised{"umm-w32 --set latency=100", 64},
                                         Advised{"dmm-w32 --set latency=60", 32},
                                         Advised{"hmm-teaching", 4}};

Json result_of(const Playground& playground, const std::string& run) {
  const Outcome outcome = playground.run(run + " --format json --no-verify");
  return outcome.status == 0 ? Json::parse(outcome.out) : Json();
}

} // namespace

TEST_CASE("following the advice for shipped programs has the predicted effect", "[release]") {
  const Playground playground;
  int done = 0;
  const auto programs = shipped_programs();
  for (std::size_t p = 0; p < programs.size(); ++p) {
    for (std::size_t m = 0; m < advised_machines.size(); ++m) {
      if (!has_turn(p + m, advised_machines.size())) continue;
      const Advised& advised = advised_machines[m];
      const std::string run = "memlane run " + programs[p].name + " -m " + advised.machine;
      const std::string threads = " --set threads=";
      const std::string few = threads + std::to_string(advised.threads);
      const Json result = result_of(playground, run + few);
      if (result.is_null()) continue; // another model's
      for (const char* unit : {"global", "shared"})
        for (const char* key : {"threads", "resident_blocks"}) {
          const Json& account = result["latency_hiding"][unit];
          if (account.is_null() || account["advice"][key].is_null()) continue;
          const Json& advice = account["advice"][key];
          const std::string value = std::to_string(advice["value"].get<long>());
          const bool is_threads = std::string(key) == "threads";
          const Json after =
              result_of(playground, is_threads ? run + threads + value
                                               : run + few + " --set resident_blocks=" + value);
          INFO(run << ": " << key << ' ' << advice.dump());
          REQUIRE(!after.is_null());
          CHECK(after["latency_hiding"][unit]["exposed"] <= advice["exposed"]);
          CHECK(after["counts"]["time"] < result["counts"]["time"]);
          ++done;
        }
    }
  }
  CHECK(done > static_cast<int>(advised_machines.size()));
}

} // namespace memlane::test
