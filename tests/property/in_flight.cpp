// Programs on machines where a warp may have several requests on their way.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/support/random.hpp"
#include "memlane/trace/replay.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <sstream>

namespace memlane::test {
namespace {

struct Traced {
  RunResult run;
  std::string trace;
};

Traced traced(const ir::Program& code, const MachineSpec& machine, const Sources& sources) {
  RunOptions options;
  options.limits.steps = 20'000;
  options.verify = false;
  for (const ir::Array& array : code.arrays)
    if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
  std::ostringstream out;
  TraceWriter writer(out, machine, sources, 0, TraceFormat::wide);
  RunResult run = simulate(code, machine, options, sources, writer);
  writer.finish(run.stop == Stop::none);
  return {std::move(run), out.str()};
}

void check_accounts(const UnitCounts& replayed, const UnitCounts& own) {
  CHECK(replayed.idle_latency == own.idle_latency);
  CHECK(replayed.idle_barrier == own.idle_barrier);
  CHECK(replayed.waits == own.waits);
  // A trace has no file.
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> lines[2];
  for (const auto& [unit, of] : {std::pair(&replayed, &lines[0]), std::pair(&own, &lines[1])})
    for (const auto& [places, time] : unit->waits_of_lines)
      (*of)[{places.first.second, places.second.second}] += time;
  CHECK(lines[0] == lines[1]);
  CHECK(replayed.idle_without_wait() >= 0);
}

/// Requests, stages, groups and operators, whenever they are.
std::vector<std::int64_t> sums_of(const Counts& counts) {
  std::vector<std::int64_t> sums;
  const auto add = [&](const UnitCounts& unit) {
    for (const std::int64_t one : {unit.requests, unit.stages, unit.reads, unit.writes,
                                   unit.concurrent_writes, unit.conflicts()})
      sums.push_back(one);
  };
  for (const UnitCounts& unit : counts.shared) add(unit);
  for (const UnitCounts& unit : counts.global) add(unit);
  for (const PortCounts& port : counts.ports) {
    add(port);
    sums.push_back(port.lines);
    sums.push_back(port.groups);
  }
  return sums;
}

/// Whether it came to its end on both machines.
bool check_both(const std::string& text, const MachineSpec& plain, const MachineSpec& other) {
  Sources sources;
  const auto code = compiled(sources, text, plain);
  if (!code || !check_machine(*code, plain)) return false;
  const Traced one = traced(*code, plain, sources), many = traced(*code, other, sources);
  if (one.run.stop != Stop::none || many.run.stop != Stop::none) return false;
  CHECK(one.run.outputs == many.run.outputs);
  CHECK(sums_of(one.run.counts) == sums_of(many.run.counts));
  for (const auto& [machine, run] : {std::pair(plain, &one), std::pair(other, &many)}) {
    std::istringstream in(run->trace);
    const Result<Trace> trace = read_trace(in, "a trace");
    REQUIRE(static_cast<bool>(trace));
    Observer no_observer;
    const Replay replay = memlane::replay(*trace, machine, {}, no_observer);
    REQUIRE(replay.stop == Stop::none);
    CHECK(replay.counts.time == run->run.counts.time);
    for (std::size_t mp = 0; mp < replay.counts.shared.size(); ++mp)
      check_accounts(replay.counts.shared[mp], run->run.counts.shared[mp]);
    for (std::size_t at = 0; at < replay.counts.global.size(); ++at)
      check_accounts(replay.counts.global[at], run->run.counts.global[at]);
  }
  return true;
}

} // namespace

TEST_CASE("with several requests in flight, and with reads that are hoisted, a run has the same "
          "values and requests, and its trace its time") {
  std::uint64_t checked = 0, hoisted = 0;
  for (std::uint64_t seed = 0; seed < tried(80); ++seed) {
    MachineSpec machine = random_machine(seed);
    machine.lockstep = false;
    const bool shared = machine.model == Model::hmm;
    MachineSpec several = machine;
    several.requests_in_flight = random_integer(seed, 12, 0, 2, 6);
    MachineSpec early = seed % 3 == 0 ? machine : several;
    early.schedule = Schedule::hoisted;
    for (const std::string& text : {race_free_program(seed, shared), folded_program(seed, shared),
                                    atomic_program(seed, shared)}) {
      INFO(text << "model " << name_of(machine.model) << ", seed " << seed << ", k "
                << several.requests_in_flight);
      checked += check_both(text, machine, several) ? 1 : 0;
      hoisted += check_both(text, machine, early) ? 1 : 0;
    }
  }
  CHECK(checked > tried(120));
  CHECK(hoisted > tried(120));
}

// Which reads a step of a program waits for.

namespace {

/// The time of one warp of four threads that executes the statements, with up to k requests on
/// their way; latencies 4 and 20.
std::int64_t time_of(const std::string& statements, std::int64_t k,
                     Schedule schedule = Schedule::program, Cycles instruction_cost = {0}) {
  MachineSpec machine = machine_of_8(Model::hmm, 16);
  machine.width = 4;
  machine.multiprocessors = 1;
  machine.shared->latency = {4};
  machine.global->latency = {20};
  machine.shared->capacity = std::nullopt;
  machine.requests_in_flight = k;
  machine.schedule = schedule;
  machine.instruction_cost = instruction_cost;
  const std::string text = "memory x[8], y[8], z[8]: int = index % 4\nmemory d[8]: double = 1.5\n"
                           "kernel k() {\n  shared s[4]: int\n" +
                           statements + "}\nmain { launch k() threads=4 }\n" +
                           "verify { assert x[1] == x[1] }\n";
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  Observer no_observer;
  const RunResult run = simulate(*code, machine, {}, sources, no_observer);
  CHECK(run.stop == Stop::none);
  const RunResult fast = simulate_fast(*code, machine, {}, sources, &no_observer);
  CHECK(fast.engine.fast);
  CHECK(fast.counts.time == run.counts.time);
  return run.counts.time.value;
}

} // namespace

TEST_CASE("a program's stored values, indices and conditions wait for their reads") {
  const std::string three = "  let a = x[lane]\n  let b = y[lane]\n  let c = z[lane]\n";
  CHECK(time_of(three + "  s[lane] = b\n", 1) == 64);
  CHECK(time_of(three + "  s[lane] = b\n", 2) == 40);
  CHECK(time_of(three + "  s[lane] = b\n", 3) == 25);
  CHECK(time_of(three + "  s[a] = 1\n", 3) == 24);
  CHECK(time_of(three + "  if c > 1 { s[lane] = 1 }\n", 3) == 26);
  // An operator waits although it takes no time and nothing uses its result.
  CHECK(time_of(three + "  let d = c + 1\n  s[lane] = a\n", 3) == 26);
  CHECK(time_of("  let a = x[lane]\n  s[lane] = 1\n", 2) == 20);
}

TEST_CASE("copies and own arrays pass on what a program's steps wait for") {
  CHECK(time_of("  let a = x[lane]\n  let b = a\n  s[lane] = 1\n  s[lane] = b\n", 4) == 24);
  const std::string own = "  var t[2]: int\n  t[0] = x[lane]\n  t[1] = y[lane]\n";
  CHECK(time_of(own + "  s[lane] = t[0]\n", 4) == 24);
  CHECK(time_of(own + "  s[lane] = t[1]\n", 4) == 25);
  CHECK(time_of(own + "  t[1] = 3\n  s[lane] = t[1]\n", 4) == 21);
}

TEST_CASE("threads that are not active wait for nothing") {
  const std::string both = "  var a = 0\n  if lane < 2 { a = x[lane] } else { a = y[lane] }\n";
  CHECK(time_of(both + "  if lane < 2 { s[lane] = a }\n", 4) == 24);
  CHECK(time_of(both + "  s[lane] = a\n", 4) == 25);
}

TEST_CASE("operands that no thread needs are not waited for") {
  const std::string a = "  let a = x[lane]\n", c = "  let c = y[lane]\n  s[lane] = c\n";
  CHECK(time_of(a + "  let b = if warp > 2 then a else 0\n" + c, 4) == 25);
  CHECK(time_of(a + "  let b = if lane < 2 then a else a\n" + c, 4) == 25);
  CHECK(time_of(a + "  let b = if lane < 2 then a else 0\n" + c + "  s[lane] = b\n", 4) == 26);
  CHECK(time_of(a + "  if warp > 2 and a > 1 { x[lane] = 1 }\n" + c, 4) == 25);
  CHECK(time_of(a + "  if warp < 2 or a > 1 { s[lane] = 1 }\n" + c, 4) == 26);
}

TEST_CASE("an operator waits when all that it needs is read, and converts it itself") {
  CHECK(time_of("  s[lane] = min(x[lane], y[lane], z[lane])\n", 4) == 26);
  CHECK(time_of("  s[lane] = min(min(x[lane], y[lane]), z[lane])\n", 4) == 45);
  const std::string store = "\n  s[lane] = 1\n";
  CHECK(time_of("  let a = x[lane] + d[lane]" + store, 4) == 25);
  CHECK(time_of("  let a = d[lane] + x[lane]" + store, 4) == 25);
  CHECK(time_of("  let a = x[lane] < d[lane]" + store, 4) == 25);
  CHECK(time_of("  let a = max(x[lane], d[lane], y[lane])" + store, 4) == 26);
  // A conversion that the program writes is done where it stands.
  CHECK(time_of("  let a = double(x[lane]) + d[lane]" + store, 4) == 44);
}

TEST_CASE("a counted conjunction is an operator behind both operands") {
  // x is read at 0, `>` at 20 and `and` at 21; the write at 22 is complete at 26.
  const std::string text = "  let b = lane < 9 and x[lane] > 1\n  s[lane] = 1\n";
  CHECK(time_of(text, 1, Schedule::program, {1}) == 26);
}

TEST_CASE("a program's barrier waits for reads, and an atomic is one if its old value is used") {
  CHECK(time_of("  x[lane] = 7\n  barrier\n  let a = y[lane]\n  s[lane] = a + 1\n", 4) == 25);
  CHECK(time_of("  let b = x[lane]\n  barrier\n  s[lane] = 1\n", 4) == 24);
  CHECK(time_of("  atomic x[lane] += 1\n  barrier\n  s[lane] = 1\n", 4) == 20);
  CHECK(time_of("  let o = atomic x[lane] += 1\n  barrier\n  s[lane] = 1\n", 4) == 24);
}

// Which steps of a program its reads are issued before.

namespace {

std::int64_t hoisted_time_of(const std::string& statements, std::int64_t k) {
  return time_of(statements, k, Schedule::hoisted);
}

} // namespace

TEST_CASE("a program's reads are issued before steps that they do not depend on") {
  // x at 0, y at 1; s at 20 and 21.
  const std::string copies = "  s[lane] = x[lane]\n  s[lane] = y[lane]\n";
  CHECK(time_of(copies, 2) == 45);
  CHECK(hoisted_time_of(copies, 2) == 25);
  // In the order of the program also with one request in flight: x, y, s, s.
  CHECK(hoisted_time_of(copies, 1) == 48);
  // Behind a write to their memory: x, the write at 20, y at 21, s at 41.
  const std::string write = "  s[lane] = 1\n  z[lane] = x[lane]\n  let b = y[lane]\n";
  CHECK(hoisted_time_of(write, 3) == 41);
  // The write to shared memory, dispatched at 0 in the order of the program, comes last.
  CHECK(time_of(write, 1) == 64);
  CHECK(hoisted_time_of(write, 1) == 64);
}

TEST_CASE(
    "no step of a program is issued before a branch, a loop's round, a barrier or an atomic") {
  const auto differ = [](const std::string& between) {
    const std::string text = "  s[lane] = x[lane]\n" + between + "  s[lane] = y[lane]\n";
    return time_of(text, 3) - hoisted_time_of(text, 3);
  };
  CHECK(differ("") == 20);
  CHECK(differ("  let i = lane * 3\n") == 20);
  CHECK(differ("  if lane < 9 { s[lane] = 1 }\n") == 0);
  CHECK(differ("  for i = 0 to 0 { s[lane] = 1 }\n") == 0);
  CHECK(differ("  barrier\n") == 0);
  CHECK(differ("  atomic s[lane] += 1\n") == 0);
  CHECK(differ("  let v = any(lane == 2)\n") == 0);
  CHECK(differ("  forall i in 0..4 { s[i] = i }\n") == 0);
}

TEST_CASE("what a program's read depends on is issued before it") {
  // x, the index, y at 20; then s, z at 21.
  const std::string index = "  s[lane] = 3\n  let a = x[lane]\n  let b = y[a]\n  let c = z[lane]\n";
  CHECK(hoisted_time_of(index, 4) == 41);
  CHECK(time_of(index, 4) == 42);
  const std::string own =
      "  var t[2]: int\n  t[1] = x[lane]\n  s[lane] = t[1]\n  let b = y[lane]\n";
  CHECK(time_of(own, 4) == 41);
  CHECK(hoisted_time_of(own, 4) == 24);
}

} // namespace memlane::test
