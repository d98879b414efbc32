// Compares the fast engine with the reference engine on random programs and machines.
#include "compiling.hpp"
#include "engine_cases.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/support/random.hpp"

#include <fstream>

namespace memlane::test {
namespace {

constexpr std::uint64_t programs = MEMLANE_PROPERTY_PROGRAMS;

/// Steps of a run, for tests of limits.
std::int64_t steps_of(const EngineCase& at) {
  Sources sources;
  const auto code = compiled(sources, at.text, at.machine);
  RunOptions options;
  options.limits.steps = at.steps;
  return code ? simulate_fast(*code, at.machine, options, sources).steps : 0;
}

} // namespace

TEST_CASE("both engines agree on random programs and machines") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const MachineSpec machine = random_machine(seed);
    check_engines(seed, case_of(seed, race_free_program(seed, machine.shared.has_value()), machine),
                  done);
  }
  // The fast engine leaves programs with races, and few others, to the reference engine.
  CHECK(done > static_cast<std::int64_t>(programs * 9 / 10));
}

TEST_CASE("both engines agree on random programs and machines with keys of real GPUs") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    const bool folded = seed % 3 == 0;
    check_engines(seed,
                  case_of(seed, folded ? folded_program(seed, true) : race_free_program(seed, true),
                          random_gpu(seed)),
                  done);
  }
  CHECK(done > static_cast<std::int64_t>(programs / 2 * 8 / 10));
}

// Rounds of loops are repeated with their data steps only.
TEST_CASE("both engines agree on long loops over data") {
  std::int64_t done = 0, repeated = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    const MachineSpec machine = random_machine(seed);
    const EngineCase at =
        case_of(seed, data_loop_program(seed, machine.shared.has_value()), machine);
    check_engines(seed, at, done);
    Sources sources;
    const auto code = compiled(sources, at.text, at.machine);
    const RunResult run = simulate_fast(*code, at.machine, {}, sources);
    repeated += run.engine.work.iterations.skipped > 0 ? 1 : 0;
  }
  CHECK(done > static_cast<std::int64_t>(programs / 2 * 8 / 10));
  CHECK(repeated > static_cast<std::int64_t>(programs / 4));
}

TEST_CASE("both engines agree on tiles whose rows are shorter than a warp") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 4; ++seed) {
    MachineSpec machine = random_machine(seed);
    // A GPU's width, for which most rows are short, and one that the rows divide.
    if (seed % 4 < 2) {
      machine.width = seed % 4 == 0 ? 32 : 12;
      machine.threads = machine.width * (1 + static_cast<std::int64_t>(seed) % 6);
      if (machine.shared) machine.shared->capacity = std::nullopt;
    }
    check_engines(seed, case_of(seed, folded_program(seed, machine.shared.has_value()), machine),
                  done);
  }
  CHECK(done > static_cast<std::int64_t>(programs / 4 * 9 / 10));
}

TEST_CASE("the fast engine finds every race of random programs") {
  std::int64_t done = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    const MachineSpec machine = random_machine(seed);
    check_engines(seed, case_of(seed, random_program(seed, machine.shared.has_value()), machine),
                  done);
  }
  CHECK(done < static_cast<std::int64_t>(programs / 2));
}

// The fast engine executes host code, and reports its errors and stops, by itself.
TEST_CASE("both engines agree on random host code, its errors and its limits") {
  std::int64_t done = 0, stopped = 0;
  for (std::uint64_t seed = 1; seed <= programs / 4; ++seed) { // each is run four times
    EngineCase at = case_of(seed, host_program(seed), random_machine(seed));
    check_engines(seed, at, done);
    const std::int64_t steps = steps_of(at);
    for (std::uint64_t k = 0; k < 2; ++k) { // a limit somewhere, most often in main
      at.steps = random_integer(seed, 13, k, 0, std::max<std::int64_t>(1, steps));
      check_engines(seed, at, stopped);
    }
    at.steps = 2'000'000;
    if (steps < 0x4000) continue;
    at.polls = static_cast<int>(random_integer(seed, 13, 2, 0, steps >> 14));
    check_engines(seed, at, stopped);
  }
  CHECK(done > static_cast<std::int64_t>(programs / 4 * 9 / 10));
  CHECK(stopped > static_cast<std::int64_t>(programs / 4));
}

TEST_CASE("host code stops at the same step as on the reference engine, for every limit") {
  MachineSpec machine;
  machine.threads = 32;
  machine.global = UnitSpec{UnitKind::unified, Cycles{2}, 1, std::nullopt};
  EngineCase at{R"(param n: int = 5
memory a[n]: int = index
main {
  var x[n]: float
  for i = 0 to n - 1 {
    if i % 2 == 0 { x[i] = float(a[i]) } else { a[i] = random(0, 9) }
    if i == 3 { break }
  }
}
verify {
  var rest = n
  while rest > 0 {
    rest = rest - 1
    assert initial(a)[rest] == rest
  }
  assert a[4] == 4 and a[1/(a[2] - 2)] == 0
})",
                machine};
  const std::int64_t steps = steps_of(at);
  REQUIRE(steps > 60);
  for (at.steps = 0; at.steps <= steps + 1; ++at.steps) {
    bool was_fast = false;
    CHECK(difference(at, &was_fast).empty());
    CHECK(was_fast);
  }
}

// A warp executes an `if` in lockstep, so that lanes cannot race without an `else`.
TEST_CASE("the fast engine runs the tree of reduction.lane") {
  const MachineSpec machine = hmm(14, 32, 24, 220);
  std::ifstream file(MEMLANE_SOURCE_DIR "/programs/reduction/reduction.lane");
  std::stringstream text;
  text << file.rdbuf();
  bool was_fast = false;
  CHECK(difference({text.str(), machine}, &was_fast).empty());
  CHECK(was_fast);
}

TEST_CASE(
    "loops over longs end where their type ends, on both engines, the host and in constants") {
  const std::pair<const char*, std::int64_t> loops[] = {
      {"highest(long) - 3 to highest(long)", 4},
      {"lowest(long) + 3 downto lowest(long)", 4},
      {"highest(long) - 9 to highest(long) - 1 step 7", 2},
      {"lowest(long) + 9 downto lowest(long) + 1 step 7", 2},
      {"lowest(long) to lowest(long) + 2 step 7", 1},
      {"highest(long) downto highest(long) - 2 step 7", 1},
      {"highest(long) / 4 to highest(long) step *2", 3},
      {"lowest(long) to highest(long) step 2^62", 4},
      {"n downto 1 step /2", 3},
      {"n - 4 to n step n", 2},
      {"n to n - 1", 0}};
  for (const auto& [loop, rounds] : loops) {
    std::string text = R"(param n: long = 4
memory a[8]: long
fn rounds { var s = 0  for i = LOOP { s += 1 }  return s }
const known = rounds
kernel k() {
  let zero = a[7]
  forall t in 0..4 {
    var s = 0
    for i = LOOP { s += 1 }
    for i = highest(long) - t to highest(long) - zero { s += 10 }
    a[t] = s
  }
}
main { launch k() blocks=1 threads=4  for i = LOOP { a[4] += 1 }  a[5] = known }
verify { assert a[5] == a[4] })";
    for (std::size_t at; (at = text.find("LOOP")) != std::string::npos;) text.replace(at, 4, loop);
    const MachineSpec machine = umm(4, 2, 8);
    bool was_fast = false;
    EngineCase both{text, machine};
    both.steps = 100'000;
    INFO(text);
    CHECK(difference(both, &was_fast).empty());
    CHECK(was_fast);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    REQUIRE(code);
    RunOptions options;
    options.limits.steps = 100'000;
    options.outputs = {"a"};
    const RunResult run = simulate_fast(*code, machine, options, sources);
    REQUIRE(run.stop == Stop::none);
    std::vector<std::int64_t> words;
    for (const ir::Value word : run.outputs.at("a")) words.push_back(word.integer());
    CHECK(words == std::vector<std::int64_t>{rounds + 10, rounds + 20, rounds + 30, rounds + 40,
                                             rounds, rounds, 0, 0});
  }
}

TEST_CASE("both engines account for rounds in which a multiprocessor only computes") {
  MachineSpec machine = hmm(1, 4, 4, 5);
  machine.shared->latency = {1};
  machine.operations = {{"unit", 1, Cycles{4}, {}}};
  machine.operations.front().stages[static_cast<std::size_t>(OperationClass::other)] = 1;
  bool was_fast = false;
  const EngineCase at{R"(memory a[16]: int = index
kernel k() {
  shared s[32]: int
  let v = a[0]
  for i = 0 to 30 { s[i] = 1 }
  for i = 0 to 60 { var q = v + 1 }
}
main { launch k() blocks=2 threads=4 }
verify { assert a[1] == 1 })",
                      machine};
  CHECK(difference(at, &was_fast).empty());
  CHECK(was_fast);
}

TEST_CASE("two arms of an if that access the same word are a race for the fast engine") {
  const MachineSpec machine = umm(32, 2, 32);
  bool was_fast = true;
  const EngineCase at{R"(memory a[40]: int
kernel k() { if thread < 16 { a[thread] = 1 } else { a[31 - thread] = 2 } }
main { launch k() }
verify { assert a[39] == 0 })",
                      machine};
  CHECK(difference(at, &was_fast).empty());
  CHECK_FALSE(was_fast);
}

} // namespace memlane::test
