// --timing-only of shipped programs: the time of the whole run, and fast for any size.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/shipped_programs.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memlane::test {

namespace {

nlohmann::json counts_of(const Outcome& outcome) {
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.out)["counts"];
}

/// Time for 2^k numbers; the executed instructions do not grow with n.
std::int64_t time_of(const Playground& playground, const std::string& program, int k) {
  const Outcome outcome = playground.run(fmt::format(
      "memlane run {} -D n=2^{} --timing-only --max-steps 1000000 --format json", program, k));
  return counts_of(outcome)["time"].get<std::int64_t>();
}
std::int64_t time_of_sum(const Playground& playground, int k) {
  return time_of(playground, "sum", k);
}

} // namespace

TEST_CASE("with --timing-only, every shipped program gives its time or an error", "[release]") {
  const Playground playground;
  int timed = 0, refused = 0;
  const auto programs = shipped_programs();
  for (std::size_t p = 0; p < programs.size(); ++p) {
    std::size_t turn = p;
    for (const char* machine : {"dmm-w32 --set threads=96", "hmm-teaching --set instruction_cost=1",
                                "hmm-teaching --set lockstep=true --set resident_blocks=2"}) {
      if (!has_turn(turn++, 3)) continue; // each program on one of them, by turns
      const std::string run =
          "memlane run " + programs[p].name + " -m " + machine + " --no-verify --format json";
      const Outcome whole = playground.run(run);
      if (whole.status != 0) continue; // it does not run on this machine
      const Outcome time = playground.run(run + " --timing-only");
      INFO(run << "\n" << time.err);
      if (time.status == 0) {
        CHECK(counts_of(time) == counts_of(whole));
        ++timed;
      } else {
        CHECK(time.status == 2);
        CHECK(time.err.find("the time of this run depends on it") != std::string::npos);
        ++refused;
      }
    }
  }
  CHECK(timed > (every_case ? 40 : 13));
  CHECK(refused > (every_case ? 5 : 1));
}

TEST_CASE("the sum of 2^40 numbers is timed exactly", "[release]") {
  const Playground playground;
  // One more level adds its requests and constant latencies: T(2n) - T(n) is 3n/w plus a constant.
  const auto above_bandwidth = [&](int k) {
    return time_of_sum(playground, k + 1) - time_of_sum(playground, k) -
           3 * (std::int64_t{1} << k) / 32;
  };
  CHECK(above_bandwidth(40) == above_bandwidth(20));
  const Outcome whole = playground.run("memlane run sum -D n=2^20 --format json");
  CHECK(time_of_sum(playground, 20) == counts_of(whole)["time"].get<std::int64_t>());
  CHECK(time_of_sum(playground, 40) == 103079216204);
}

TEST_CASE("contiguous access, prefix-sums and the sum on the HMM are timed for 2^40 numbers",
          "[release]") {
  const Playground playground;
  // Nakano 2014, section 3, case 2.
  CHECK(time_of(playground, "contiguous -m umm-w32 --set latency=20", 40) ==
        (std::int64_t{1} << 35) + 19);
  for (const char* run : {"prefix_sums -m umm-w32", "sum_hmm -m hmm-titan-plain"}) {
    // Twice the numbers take twice the bandwidth; what latencies add is linear in log2(n).
    const auto more = [&](int k) {
      return time_of(playground, run, k + 1) - 2 * time_of(playground, run, k);
    };
    CHECK(more(39) - more(38) == more(20) - more(19));
  }
}

TEST_CASE("an exact claim holds for 2^40 numbers, and the engine extrapolates on every machine",
          "[release]") {
  const Playground playground;
  const std::string run = "memlane run sum -D n=2^40 --timing-only --max-steps 1000000 --claims ";
  const Outcome lockstep = playground.run(run + "--set lockstep=true");
  CHECK(lockstep.out.find("holds: 164282499597 against 164282499597") != std::string::npos);
  for (const char* machine :
       {"-m dmm-w32 --set instruction_cost=1 --set ports=2", "-m hmm-teaching --set barrier_cost=7",
        "-m hmm-titan-plain --set resident_blocks=2 --set instruction_cost=2"}) {
    const Outcome outcome = playground.run(run + machine);
    INFO(machine << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == 0);
  }
}

} // namespace memlane::test
