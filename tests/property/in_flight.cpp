// Programs on machines where a warp may have several requests on their way.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"

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

/// Whether it came to its end on both machines.
bool check_in_flight(const std::string& text, const MachineSpec& plain, std::int64_t k) {
  Sources sources;
  const auto code = compiled(sources, text, plain);
  if (!code || !check_machine(*code, plain)) return false;
  MachineSpec several = plain;
  several.requests_in_flight = k;
  const Traced one = traced(*code, plain, sources), many = traced(*code, several, sources);
  if (one.run.stop != Stop::none || many.run.stop != Stop::none) return false;
  CHECK(one.run.outputs == many.run.outputs);
  for (const auto& [machine, run] : {std::pair(plain, &one), std::pair(several, &many)}) {
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

TEST_CASE("with several requests in flight a run has the same values, and its trace its time") {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    MachineSpec machine = random_machine(seed);
    machine.lockstep = false;
    const bool shared = machine.model == Model::hmm;
    const std::int64_t k = random_integer(seed, 12, 0, 2, 6);
    for (const std::string& text : {race_free_program(seed, shared), folded_program(seed, shared),
                                    atomic_program(seed, shared)}) {
      INFO(text << "model " << name_of(machine.model) << ", seed " << seed << ", k " << k);
      checked += check_in_flight(text, machine, k) ? 1 : 0;
    }
  }
  CHECK(checked > 120);
}

// Which reads a step of a program waits for.

namespace {

/// The time of one warp of four threads that executes the statements, with up to k requests on
/// their way; latencies 4 and 20.
std::int64_t time_of(const std::string& statements, std::int64_t k) {
  MachineSpec machine = machine_of_8(Model::hmm, 16);
  machine.width = 4;
  machine.multiprocessors = 1;
  machine.shared->latency = {4};
  machine.global->latency = {20};
  machine.shared->capacity = std::nullopt;
  machine.requests_in_flight = k;
  const std::string text = "memory x[8], y[8], z[8]: int = index % 4\n"
                           "kernel k() {\n  shared s[4]: int\n" +
                           statements + "}\nmain { launch k() threads=4 }\n" +
                           "verify { assert x[1] == x[1] }\n";
  Sources sources;
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  Observer no_observer;
  const RunResult run = simulate(*code, machine, {}, sources, no_observer);
  CHECK(run.stop == Stop::none);
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

TEST_CASE("a program's barrier waits for reads, and an atomic is one if its old value is used") {
  CHECK(time_of("  x[lane] = 7\n  barrier\n  let a = y[lane]\n  s[lane] = a + 1\n", 4) == 25);
  CHECK(time_of("  let b = x[lane]\n  barrier\n  s[lane] = 1\n", 4) == 24);
  CHECK(time_of("  atomic x[lane] += 1\n  barrier\n  s[lane] = 1\n", 4) == 20);
  CHECK(time_of("  let o = atomic x[lane] += 1\n  barrier\n  s[lane] = 1\n", 4) == 24);
}

} // namespace memlane::test
