// Long regular loops, whose time the engine extrapolates: --timing-only and the fast engine have
// the reference engine's time, counts and steps.
#include "compiling.hpp"
#include "difference.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include "memlane/ir/without_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace memlane::test {
namespace {

constexpr std::uint64_t timed_programs = MEMLANE_PROPERTY_PROGRAMS / 12;
constexpr std::uint64_t programs_of_blocks = MEMLANE_PROPERTY_PROGRAMS / 2;
constexpr std::uint64_t programs_of_gpus = MEMLANE_PROPERTY_PROGRAMS / (sanitized ? 10 : 8);

struct Checked {
  std::uint64_t timed = 0;   ///< programs whose time is independent of their data
  std::uint64_t fast = 0;    ///< of these, what the fast engine ran
  std::uint64_t unclear = 0; ///< programs whose data decides what steps wait for
  std::uint64_t skipped = 0; ///< programs with periods that the fast engine did not simulate
  std::uint64_t alike = 0; ///< programs with blocks or launches that were not executed without data
  std::uint64_t wrong = 0; ///< programs with an error
};

/// `leaves_out`: code whose execution depends on data may be left out, so steps differ.
void check_timing(std::uint64_t seed, const MachineSpec& machine, const std::string& text,
                  Checked& checked, bool leaves_out = false) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL("program " << seed << " is none\n" << render(code.errors(), sources) << text);
  const Result<ir::Program> without = ir::without_data(*code);
  if (!without || !check_machine(*code, machine)) return;
  RunOptions options;
  options.allow_races = true;
  options.verify = false;
  options.limits.steps = 1'000'000;
  const TalliedRun whole = tallied_reference(*code, machine, options, sources);
  const int tile =
      seed % 2 == 0 ? 0 : static_cast<int>(machine.width) * static_cast<int>(1 + seed % 3);
  const TalliedRun timed = tallied_timing(*without, machine, options, sources, tile);
  INFO("program " << seed << ":\n" << text);
  if (whole.result.stop == Stop::error) {
    REQUIRE(timed.result.stop == Stop::error);
    ++checked.wrong;
  }
  if (whole.result.stop != Stop::none) return;
  if (timed.result.stop == Stop::error && machine.requests_in_flight > 1) {
    REQUIRE(timed.result.errors.front().message.find("data decides here") == 0);
    ++checked.unclear;
    return;
  }
  REQUIRE(timed.result.stop == Stop::none);
  const auto compare = [&](const TalliedRun& found) {
    Difference difference;
    if (&found == &timed && leaves_out)
      difference.compare("run", found.result.counts, whole.result.counts);
    else
      difference.compare_runs(found, whole);
    REQUIRE(difference.text() == "");
  };
  compare(timed);
  ++checked.timed;
  checked.alike += timed.result.engine.work.intervals.skipped > 0 ? 1 : 0;
  options.allow_races = false;
  const auto fast = tallied_fast(*code, machine, options, sources, tile);
  if (!fast || whole.result.races.races > 0) return;
  compare(*fast);
  ++checked.fast;
  checked.skipped += fast->result.engine.work.time_units.skipped > 0 ? 1 : 0;
}

/// Of some programs main does three times what it did.
std::string sometimes_thrice(std::uint64_t seed, std::string text) {
  return seed % 4 == 1 ? thrice(std::move(text)) : text;
}

} // namespace

TEST_CASE("extrapolated time is the time of the whole run, in long regular loops") {
  Checked checked;
  for (std::uint64_t seed = 1; seed <= timed_programs; ++seed)
    check_timing(
        seed, random_machine(seed),
        sometimes_thrice(seed, regular_program(seed, random_machine(seed).shared.has_value())),
        checked);
  CHECK(checked.timed > timed_programs / 2);
  CHECK(checked.alike > timed_programs / 20);
  CHECK(checked.fast > timed_programs / 4);
}

TEST_CASE("extrapolated time is the time of the whole run, in loops of isolated blocks") {
  Checked checked;
  for (std::uint64_t seed = 1; seed <= timed_programs; ++seed)
    check_timing(seed, random_machine(3 * seed + 2), tiled_program(seed), checked); // an HMM
  CHECK(checked.timed + timed_programs / 20 >= timed_programs); // few take too many steps
  CHECK(checked.fast == checked.timed);
}

// Without data, blocks that differ by a shift are executed once; with data, the timeline skips
// them.
TEST_CASE("launches of many alike blocks take as long as if each was executed") {
  Checked checked;
  for (std::uint64_t seed = 1; seed <= programs_of_blocks; ++seed)
    check_timing(seed, random_machine(3 * seed + (seed % 4 == 0 ? 0 : 2)),
                 sometimes_thrice(seed, alike_program(seed)),
                 checked); // a DMM or an HMM
  CHECK(checked.timed > programs_of_blocks / 2);
  CHECK(checked.wrong > programs_of_blocks / 20);
  CHECK(checked.alike > programs_of_blocks / 10);
  CHECK(checked.alike < checked.timed);
  CHECK(checked.skipped > programs_of_blocks / 10);
}

TEST_CASE("without data, blocks of one warp take as long together as each alone") {
  std::uint64_t timed = 0, together = 0;
  for (std::uint64_t seed = 1; seed <= programs_of_blocks; ++seed) {
    const MachineSpec machine = one_warp_machine(seed);
    const bool both = machine.shared && machine.global;
    const std::string text = one_warp_program(seed, machine.width, both);
    INFO("program " << seed << ":\n" << text);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    REQUIRE(code);
    const Result<ir::Program> without = ir::without_data(*code);
    if (!without || !check_machine(*code, machine)) continue;
    const int one_block = static_cast<int>(machine.width);
    const TalliedRun alone = tallied_timing(*without, machine, {}, sources, one_block);
    const TalliedRun run = tallied_timing(*without, machine, {}, sources);
    REQUIRE(alone.result.stop == Stop::none);
    Difference difference;
    difference.compare_runs(run, alone);
    REQUIRE(difference.text() == "");
    CHECK(alone.result.engine.work.blocks.skipped == 0);
    ++timed;
    together += run.result.engine.work.blocks.skipped > 0 ? 1 : 0;
  }
  CHECK(timed > programs_of_blocks / 8); // of the others data decides what they cost
  CHECK(together > programs_of_blocks / 16);
}

// They have a loop that is extrapolated only where a block is executed alone, since its variable
// grows by another number in each block; or only the later ones have it.
TEST_CASE("without data, loops of one-warp blocks cost as few steps as if each block was alone") {
  const auto steps_of = [](const std::string& loop, bool& was_together) {
    const MachineSpec machine = hmm(4, 4, 2, 5);
    Sources sources;
    const auto code =
        compiled(sources,
                 "memory a[64]: int\nkernel k() {\n  var i = long(0)\n  var x = 0\n  " + loop +
                     "\n}\nmain { launch k() blocks=64 threads=4 }\n"
                     "verify { assert a[0] == 0 }\n",
                 machine);
    REQUIRE(code);
    RunOptions options;
    const auto without = ir::without_data(*code, options.limits);
    REQUIRE(without);
    options.limits.steps = 1'000'000;
    options.locate_stop = false;
    const RunResult run = simulate_timing(*without, machine, options, sources);
    CHECK(run.stop == Stop::none);
    CHECK(run.engine.fast);
    was_together = run.engine.work.blocks.skipped > 0;
    return run.steps;
  };
  bool together = false;
  CHECK(steps_of("while i < 100 { x += a[i * i % 64]  i += 1 + block % 3 }", together) < 100'000);
  CHECK(together);
  CHECK(steps_of("while i < 3000000 { x += a[lane]  i += 1 + block }", together) > 10'000'000);
  CHECK(!together);
  CHECK(steps_of("while i < min(block, 1) * 3000000 { x += a[lane]  i += 1 + block }", together) >
        10'000'000);
  CHECK(!together);
}

TEST_CASE("a run without data at its limit of steps says where only if that is asked for") {
  const MachineSpec machine = machine_of_8(Model::dmm);
  Sources sources;
  const auto code = compiled(sources,
                             "memory a[64]: int\n"
                             "kernel k() { for t = 0 to 9 { forall i in 0..64 { a[i] = t } } }\n"
                             "main { launch k() }\nverify { assert a[0] == 9 }\n",
                             machine);
  REQUIRE(code);
  RunOptions options;
  const auto without = ir::without_data(*code, options.limits);
  REQUIRE(without);
  options.limits.steps = 10;
  for (const bool locates : {true, false}) {
    options.locate_stop = locates;
    const RunResult run = simulate_timing(*without, machine, options, sources);
    CHECK(run.stop == Stop::steps);
    CHECK(run.steps == 10);
    CHECK(run.errors.empty());
    CHECK(run.reached.empty() != locates);
  }
}

// What steps wait for, and the units of operators, are those of the data that is gone.
TEST_CASE("with keys of real GPUs, a run without data takes as long as the whole run") {
  Checked checked;
  std::uint64_t several = 0;
  for (std::uint64_t seed = 1; seed <= programs_of_gpus; ++seed) {
    const MachineSpec machine = random_gpu(seed);
    const std::uint64_t before = checked.timed;
    for (const std::string& text : {race_free_program(seed, true),
                                    atomic_program(seed, true, false), regular_program(seed, true)})
      check_timing(seed, machine, text, checked, true);
    several += machine.requests_in_flight > 1 ? checked.timed - before : 0;
  }
  CHECK(checked.timed > programs_of_gpus);
  CHECK(several > programs_of_gpus / 4);
  CHECK(checked.unclear < checked.timed / 10);
}

// Waits of warps in periods that are skipped are charged to the global unit, too.
TEST_CASE("with keys of real GPUs, periods of isolated blocks are skipped") {
  Checked checked;
  for (std::uint64_t seed = 1; seed <= programs_of_gpus; ++seed)
    check_timing(seed, random_gpu(seed), tiled_program(seed), checked, true);
  CHECK(checked.fast > programs_of_gpus / 2);
  CHECK(checked.skipped > programs_of_gpus / 10);
}

// In most rounds of a forall few warps or none have a request: the longest chains of requests end
// long before the loops.
TEST_CASE("extrapolated time is the time of the whole run, if most rounds have no requests") {
  Checked checked;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::uint64_t n = 100 + seed * 37 % 900;
    const std::string text =
        fmt::format(R"(memory a[1000], b[1000]: int = index
kernel k() {{
  if thread < {0} {{ a[thread] = 1 }}
  forall i in 0..{1} {{ if i < {2} {{ a[i] = b[i] }} }}
  forall i in 0..{1} {{ if i % {3} == 0 {{ a[i] = b[i] }} }}
  forall i in 0..{1} {{ if i >= {4} {{ for j = 1 to 3 {{ a[i] = b[i] }} }} }}
  for j = 1 to {1} {{ if j <= {2} {{ a[thread] = 2 }} }}
  for j = 1 to {1} {{ if j % 3 == 0 {{ a[thread] = 2 }} }}
}}
main {{ launch k() }}
verify {{ assert true }})",
                    seed % 7, n, 1 + seed * 11 % 60, 16 + seed * 5 % 90, n - 1 - seed * 3 % 50);
    check_timing(seed, random_machine(seed), text, checked);
  }
  CHECK(checked.timed == 60);
  CHECK(checked.fast > 40);
}

// The engine extrapolates the loop of one block, which is idle in each period, while another block
// behaves irregularly.
TEST_CASE("a stopped run accounts for each time unit exactly once") {
  const std::string text = R"(
memory a[4096]: int = random(0, 4095)
memory r[8]: int
kernel k() {
  shared s[64]: int
  var e = thread
  s[thread] = 1
  barrier
  if block == 0 {
    for j = 1 to 4000 { e = e + s[thread] }
  } else {
    for j = 1 to 20000 { e = a[(e * 5 + j) & 4095] }
  }
  r[block * threads + thread] = e
}
main { launch k() blocks=2 threads=4 }
verify { assert r[0] == 4000 }
)";
  MachineSpec machine = random_machine(2);
  machine.width = machine.threads = 4;
  machine.multiprocessors = 2;
  machine.lockstep = false;
  machine.shared->latency = Cycles{5};
  machine.global->latency = Cycles{2};
  Sources sources;
  const auto code = compiled(sources, text, machine);
  REQUIRE(code);
  int stopped = 0, ahead = 0;
  for (Stop stop = Stop::interrupted; stop != Stop::none; ++stopped) {
    int polls = 0;
    RunOptions options;
    options.limits.check = [&] { return ++polls > stopped ? Stop::interrupted : Stop::none; };
    const auto run = try_fast(*code, machine, options, sources);
    REQUIRE(run);
    stop = run->stop;
    INFO("stopped at poll " << stopped);
    const Counts& counts = run->counts;
    if (stop != Stop::none && counts.time > Cycles{100} && counts.time < Cycles{20'000}) ++ahead;
    for (const UnitCounts& unit : {counts.shared[0], counts.shared[1], counts.global[0]}) {
      const std::int64_t parts[] = {unit.busy, unit.idle_latency, unit.idle_barrier,
                                    unit.idle_drain, unit.idle_empty};
      CHECK(*std::min_element(std::begin(parts), std::end(parts)) >= 0);
      CHECK(std::accumulate(std::begin(parts), std::end(parts), std::int64_t{0}) ==
            counts.time.value);
    }
  }
  CHECK(ahead > 0);
}

} // namespace memlane::test
