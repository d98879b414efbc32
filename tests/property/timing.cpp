// Long regular loops, whose time is found in closed form: time without data, and the fast engine's
// with data, against the reference engine: equal in time, counts and steps.
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

struct Checked {
  std::uint64_t timed = 0; ///< programs whose time is independent of their data
  std::uint64_t fast = 0;  ///< of these, what the fast engine ran
};

void check_timing(std::uint64_t seed, const MachineSpec& machine, const std::string& text,
                  Checked& checked) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL("program " << seed << " is none\n" << render(code.errors(), sources) << text);
  const Result<ir::Program> without = ir::without_data(*code);
  if (!without || !check_machine(*code, machine)) return;
  RunOptions options;
  options.allow_races = true;
  options.verify = false;
  options.limits.steps = 1'000'000;
  Observer nobody;
  const RunResult whole = simulate(*code, machine, options, sources, nobody);
  if (whole.stop != Stop::none) return;
  const int tile =
      seed % 2 == 0 ? 0 : static_cast<int>(machine.width) * static_cast<int>(1 + seed % 3);
  const RunResult timed = simulate_timing(*without, machine, options, sources, tile);
  INFO("program " << seed << ":\n" << text);
  REQUIRE(timed.stop == Stop::none);
  const auto compare = [&](const RunResult& found) {
    Difference difference;
    difference.compare_counts(found, whole);
    REQUIRE(difference.text() == "");
  };
  compare(timed);
  ++checked.timed;
  options.allow_races = false;
  const auto fast = try_fast(*code, machine, options, sources, tile);
  if (!fast || whole.races.races > 0) return;
  compare(*fast);
  ++checked.fast;
}

} // namespace

TEST_CASE("time in closed form is the time of the whole run, in long regular loops") {
  Checked checked;
  for (std::uint64_t seed = 1; seed <= timed_programs; ++seed)
    check_timing(seed, random_machine(seed),
                 regular_program(seed, random_machine(seed).shared.has_value()), checked);
  CHECK(checked.timed > timed_programs / 2);
  CHECK(checked.fast > timed_programs / 4);
}

TEST_CASE("time in closed form is the time of the whole run, in loops of blocks by themselves") {
  Checked checked;
  for (std::uint64_t seed = 1; seed <= timed_programs; ++seed)
    check_timing(seed, random_machine(3 * seed + 2), tiled_program(seed), checked); // an HMM
  CHECK(checked.timed == timed_programs);
  CHECK(checked.fast == timed_programs);
}

} // namespace memlane::test
