// Time without data against whole runs: equal in time, counts and steps.
#include "compiling.hpp"
#include "difference.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"

#include "memlane/ir/without_data.hpp"

namespace memlane::test {
namespace {

#ifdef MEMLANE_SANITIZED
constexpr std::uint64_t timed_programs = 20;
#else
constexpr std::uint64_t timed_programs = MEMLANE_PROPERTY_PROGRAMS / 8;
#endif

/// Whether the program's time is independent of its data, and its whole run ends.
bool check_timing(std::uint64_t seed, const std::string& text) {
  const MachineSpec machine = random_machine(seed);
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL("program " << seed << " is none\n" << render(code.errors(), sources) << text);
  const Result<ir::Program> without = ir::without_data(*code);
  if (!without || !check_machine(*code, machine)) return false;
  RunOptions options;
  options.allow_races = true;
  options.verify = false;
  options.limits.steps = 1'000'000;
  Observer nobody;
  const RunResult whole = simulate(*code, machine, options, sources, nobody);
  if (whole.stop != Stop::none) return false;
  const int tile =
      seed % 2 == 0 ? 0 : static_cast<int>(machine.width) * static_cast<int>(1 + seed % 3);
  const RunResult timed = simulate_timing(*without, machine, options, sources, tile);
  INFO("program " << seed << ":\n" << text);
  REQUIRE(timed.stop == Stop::none);
  Difference difference;
  difference.compare_counts(timed, whole);
  REQUIRE(difference.text() == "");
  return true;
}

} // namespace

TEST_CASE("time without data is the time of the whole run, in long regular loops") {
  std::uint64_t timed = 0;
  for (std::uint64_t seed = 1; seed <= timed_programs; ++seed)
    timed +=
        check_timing(seed, regular_program(seed, random_machine(seed).shared.has_value())) ? 1 : 0;
  CHECK(timed > timed_programs / 2);
}

} // namespace memlane::test
