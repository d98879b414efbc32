// Blocks of one warp that the fast engine executes together.
#include "compiling.hpp"
#include "engine_cases.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include <utility>

namespace memlane::test {
namespace {

constexpr std::uint64_t one_warp_programs = MEMLANE_PROPERTY_PROGRAMS / 2;

} // namespace

TEST_CASE("both engines agree on blocks of one warp that are executed together") {
  std::int64_t done = 0, together = 0, in_order = 0; // by the fast engine
  for (std::uint64_t seed = 1; seed <= one_warp_programs; ++seed) {
    const MachineSpec machine = one_warp_machine(seed);
    const EngineCase at = case_of(
        seed, one_warp_program(seed, machine.width, machine.shared && machine.global), machine);
    check_engines(seed, at, done);
    Sources sources;
    const auto code = compiled(sources, at.text, at.machine);
    const RunResult run = simulate_fast(*code, at.machine, {}, sources);
    const bool are = run.engine.work.blocks.skipped > 0;
    together += are ? 1 : 0;
    in_order += are && (!machine.shared || !machine.global) ? 1 : 0;
  }
  // About one in six does race: on two paths of an `if`.
  CHECK(done > static_cast<std::int64_t>(one_warp_programs * 7 / 10));
  CHECK(together > static_cast<std::int64_t>(one_warp_programs / 4));
  CHECK(in_order > static_cast<std::int64_t>(one_warp_programs / 16));
}

// Blocks in one tile cannot wait for each other: the reference engine runs them, and soon.
TEST_CASE(
    "a loop that waits in vain ends at once in the fast engine, and one that changes goes on") {
  const auto program = [](const std::string& loop) {
    return "memory a[64]: int\nraces allowed a \"each block waits for the one before\"\n"
           "kernel k() {\n  var x = 0\n  var y = 0\n" +
           loop +
           "  a[block] = 1 + x\n}\nmain { launch k() blocks=8 threads=1 }\n"
           "verify { assert a[7] > 0 }\n";
  };
  const std::pair<const char*, bool> cases[] = {
      {"  while block > 0 and x == 0 { x = a[block - 1] }\n", false},
      {"  while block > 0 and x == 0 { x = a[block - 1]  y = 7 }\n", false},
      {"  while y < 5000 and x == 0 { x = a[63]  y += 1 }\n", true},
      {"  while y < 5000 and x == 0 { x = a[63]  y += 1 + block % 2 }\n", true},
  };
  const MachineSpec machine = hmm(4, 4, 2, 5);
  for (const auto& [loop, fast] : cases) {
    CAPTURE(loop);
    Sources sources;
    const auto code = compiled(sources, program(loop), machine);
    REQUIRE(code);
    int asked = 0; // each some thousand rounds
    RunOptions options;
    options.limits.check = [&] { return ++asked, Stop::none; };
    const RunResult run = simulate_fast(*code, machine, options, sources);
    CHECK(run.verify == Verdict::passed);
    CHECK(run.engine.fast == fast);
    CHECK(asked < 50);
    bool was_fast = false;
    CHECK(difference({program(loop), machine}, &was_fast) == "");
    CHECK(was_fast == fast);
  }
}

// The timeline starts blocks of a multiprocessor that is ahead before earlier ones of others.
TEST_CASE("each group of blocks is executed once") {
  const MachineSpec machine = hmm(3, 4, 2, 5);
  Sources sources;
  const auto code = compiled(sources, R"(memory a[8192]: int
kernel k() {
  shared s[4]: int
  for j = 0 to 7 + block % 3 { s[lane] = j }
  a[4*block + lane] = s[lane]
}
main { launch k() blocks=2000 threads=4 }
verify { assert a[0] == 7 and a[4] == 8 and a[7999] == 8 })",
                             machine);
  REQUIRE(code);
  const RunResult run = simulate_fast(*code, machine, {}, sources);
  CHECK(run.verify == Verdict::passed);
  CHECK(run.engine.restarts == 0);
  CHECK(run.engine.work.blocks.skipped == 2000);
}

// With half of the blocks at a barrier that the others do not reach.
TEST_CASE("blocks that are executed together replay their intervals where all of them meet") {
  const auto program = [](const std::string& part) {
    return R"(memory a[512]: int
kernel k() {
  shared s[4]: int
  var x = 0
  for j = 0 to 29 {
    barrier
    s[lane] = lane + 1
    barrier
    x += s[lane]
)" + part + R"(  }
  a[4*block + lane] = x
}
main { launch k() blocks=100 threads=4 }
verify { assert a[7] > 0 })";
  };
  const MachineSpec machine = hmm(3, 4, 2, 5);
  for (const char* part : {"", "    if block % 2 == 0 { x += 2  barrier  x += s[lane] }\n",
                           "    if j < block { barrier }\n"}) {
    CAPTURE(part);
    bool was_fast = false;
    CHECK(difference({program(part), machine}, &was_fast) == "");
    CHECK(was_fast);
    Sources sources;
    const auto code = compiled(sources, program(part), machine);
    REQUIRE(code);
    const EngineWork work = simulate_fast(*code, machine, {}, sources).engine.work;
    CHECK(work.blocks.skipped == 100);
    if (*part == 0) CHECK(work.intervals.skipped > 1000);
  }
}

TEST_CASE("blocks that are executed together race as they do one after the other") {
  const auto program = [](const std::string& statements) {
    return "memory a[1024]: int\nmemory b[1024]: int = index\nkernel k() {\n  var x = 0\n" +
           statements + "  if x > 9999 { b[0] = 0 }\n}\n" +
           "main { launch k() blocks=37 threads=4 }\nverify { assert b[0] == 0 }\n";
  };
  const std::pair<const char*, bool> cases[] = {
      {"  a[4 * block + lane] = lane\n", true},
      {"  a[4 * block + lane] = lane\n  x = a[4 * block + (lane xor 1)]\n", true},
      {"  a[3 * block + lane] = lane\n", false},
      {"  a[lane] = lane\n", false},
      {"  x = a[lane]\n", true},
      {"  a[4 * block + lane] = lane\n  x = a[4 * (block xor 1) + lane]\n", false},
      {"  x = a[500]\n  if block == 30 { a[501] = 1 }\n", true},
      {"  x = a[500]\n  if block == 30 { a[500] = 1 }\n", false},
      {"  if block == 30 { a[500] = 1 }\n  x = a[500]\n", false},
      {"  if block < 2 { x = a[64 * block] }\n  if block == 2 { a[64] = 1 }\n", false},
      {"  if block == 5 { a[b[7]] = 1 }\n  if block == 6 { x = a[b[7 + lane]] }\n", false},
      {"  if block == 5 { a[b[7]] = 1 }\n  if block == 6 { x = a[b[8 + lane]] }\n", true},
      // Of one block: two paths of an `if`, two iterations.
      {"  if lane < 2 { a[8 * block + lane] = 1 } else { a[8 * block + 3 - lane] = 2 }\n", false},
      {"  if lane < 2 { a[8 * block + lane] = 1 } else { a[8 * block + lane] = 2 }\n", true},
      {"  if block % 2 == 0 { a[8 * block + lane] = 1 } else { a[8 * block + lane] = 2 }\n", true},
      {"  forall i in 0..8 { a[8 * block + i] = a[8 * block + (i xor 1)] }\n", false},
      {"  forall i in 0..8 { a[8 * block + i] = a[8 * block + i] + 1 }\n", true},
  };
  for (const auto& [statements, apart] : cases) {
    CAPTURE(statements);
    bool was_fast = false;
    CHECK(difference({program(statements), hmm(3, 4, 2, 5)}, &was_fast) == "");
    CHECK(was_fast == apart);
  }
}

} // namespace memlane::test
