// What the engines say they did for a run: work that was skipped, and seconds.
#include "compiling.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/ir/without_data.hpp"
#include "memlane/show/run_words.hpp"

#include <numeric>

namespace memlane::test {
namespace {

/// 256 rounds of 16 threads.
constexpr const char* one_loop = R"(memory a[4096]: long = index
kernel k() { forall i in 0..4096 { a[i] = a[i] + 1 } }
main { launch k() }
verify { assert a[1] == 2 })";

/// 32 blocks, each of 40 tiles between barriers.
constexpr const char* many_blocks = R"(memory a[640], b[32]: int = index
kernel k() {
  shared s[16]: int
  var sum = 0
  for t = 0 to 39 {
    forall i in 0..16 { s[i] = a[16*t + i] }
    sum = sum + s[thread]
    barrier
  }
  if thread == 0 { b[block] = sum }
}
main { launch k() blocks=32 }
verify { assert b[0] == 12480 })";

/// Each of the 16 rounds asks for other stages, as the data decides.
constexpr const char* random_gather =
    R"(memory a[256], b[256], q[256]: int = index * index * 7 % 256
kernel k() { forall i in 0..256 { b[i] = a[q[i]] } }
main { launch k() }
verify { assert b[1] == 49 })";

RunResult run(const char* text, const MachineSpec& machine, bool timing_only,
              const RunOptions& options = {}) {
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  if (!timing_only) return simulate_fast(*code, machine, options, sources);
  const auto without = ir::without_data(*code);
  REQUIRE(without);
  return simulate_timing(*without, machine, options, sources);
}

std::string work(const char* text, const MachineSpec& machine, bool timing_only) {
  const RunResult result = run(text, machine, timing_only);
  CHECK(result.engine.fast);
  CHECK(result.engine.seconds == PhaseSeconds{});
  return engine_work_text(result.engine.work);
}

} // namespace

TEST_CASE("a run says what each way of skipping spared it") {
  CHECK(work(one_loop, umm(4, 5, 16), true) ==
        "loops: 4 of 256 iterations executed, the rest extrapolated or replayed\n"
        "barriers: all 2 intervals between barriers executed\n"
        "time: 53 of 2563 time units of multiprocessors simulated, the rest skipped as "
        "repetitions\n");
  CHECK(work(one_loop, umm(4, 5, 16), false) ==
        "loops: 13 of 256 iterations executed, the rest extrapolated or replayed\n"
        "barriers: all 2 intervals between barriers executed\n"
        "time: 143 of 2563 time units of multiprocessors simulated, the rest skipped as "
        "repetitions\n");
  CHECK(work(many_blocks, hmm(2, 4, 2, 5, 16), false) ==
        "loops: all 2560 iterations executed\n"
        "barriers: 1314 of 2592 intervals between barriers executed, the rest replayed, or as in "
        "another block\n"
        "time: 398 of 19368 time units of multiprocessors simulated, the rest skipped as "
        "repetitions\n");
  CHECK(work(many_blocks, hmm(2, 4, 2, 5, 16), true) ==
        "loops: 160 of 2560 iterations executed, the rest extrapolated or replayed\n"
        "barriers: 162 of 2592 intervals between barriers executed, the rest replayed, or as in "
        "another block\n"
        "time: 398 of 19368 time units of multiprocessors simulated, the rest skipped as "
        "repetitions\n");
  CHECK(work(random_gather, umm(4, 5, 16), false) ==
        "loops: all 16 iterations executed\n"
        "barriers: all 2 intervals between barriers executed\n"
        "time: all 416 time units of multiprocessors simulated\n");
}

// As in the bitonic sort: what a round needs to repeat is known only after some rounds.
TEST_CASE("without data, most rounds of long loops are extrapolated") {
  const auto executed = [](const std::string& loop) {
    const std::string text = "memory a[2^24]: int\nkernel k() {\n  shared s[64]: int\n" + loop +
                             "}\nmain { launch k() threads=8 }\nverify { assert a[0] == 0 }\n";
    const SparedWork rounds = run(text.c_str(), hmm(1, 8, 2, 5), true).engine.work.iterations;
    CHECK(rounds.total >= 200'000);
    return rounds.total - rounds.skipped;
  };
  // Rounds with few rounds of an inner loop, whose watch is not over when it ends, and with many.
  CHECK(executed("  for tile = 0 to 999 {\n"
                 "    for h = 16 downto 1 step /2 { for i = 0 to 39 { s[i + h] = 1 } }\n"
                 "    a[8 * tile + lane] = 1\n  }\n") < 2'000);
  // Addresses that go on from a multiple of h: between two of them, or over many.
  for (const char* h : {"512", "8192", "16384", "32768", "65536", "2097152"}) {
    CAPTURE(h);
    CHECK(executed("  for t = 0 to 112*200000 step 112 {\n    let i = 2*t - t % " + std::string(h) +
                   " + lane\n    if i < 2^23 { a[i xor " + h + "] = 1 }\n  }\n") < 8'000);
  }
}

TEST_CASE("the reference engine skips nothing") {
  Sources sources;
  const MachineSpec machine = umm(4, 5, 16);
  const auto code = compiled(sources, one_loop, machine);
  REQUIRE(code);
  Observer observer;
  const RunResult result = simulate(*code, machine, {}, sources, observer);
  CHECK(engine_work_text(result.engine.work).empty());
}

TEST_CASE("every reading of the clock belongs to one phase") {
  RunOptions options;
  double now = 100;
  options.clock = [&] { return now += 1; };
  const auto seconds = [&](const char* text, EnginePhase phase) {
    const double before = now;
    const RunResult result = run(text, hmm(2, 4, 2, 5, 16), false, options);
    const PhaseSeconds& all = result.engine.seconds;
    CHECK(result.engine.work.time_units.total ==
          (result.engine.fast ? 2 * result.counts.time.value : 0));
    return std::pair(std::accumulate(all.begin(), all.end(), 0.0) - (now - before),
                     all[static_cast<std::size_t>(phase)]);
  };
  for (const EnginePhase phase :
       {EnginePhase::arrays, EnginePhase::host, EnginePhase::execution, EnginePhase::timeline}) {
    INFO(name_of(phase));
    const auto [difference, of_phase] = seconds(many_blocks, phase);
    CHECK(difference == -1); // the first reading
    CHECK(of_phase > 0);
  }
  const char* race = R"(memory a[16]: int = 0
kernel k() { a[0] = thread }
main { launch k() }
verify { assert a[0] == 15 })";
  const auto [difference, discarded] = seconds(race, EnginePhase::discarded);
  CHECK(difference == -2); // two attempts
  CHECK(discarded > 0);
}

TEST_CASE("seconds in words name the phases that took any") {
  CHECK(phase_seconds_text({}).empty());
  CHECK(phase_seconds_text({0.25, 0, 1.5, 0.00004, 0, 0}) ==
        "seconds: 0.2500 arrays, 1.5000 execution of kernels, 0.0000 timeline\n");
}

} // namespace memlane::test
