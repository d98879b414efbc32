// Laws of every run, tested on random programs and machines.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/trace/replay.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <sstream>

namespace memlane::test {
namespace {

constexpr std::uint64_t runs = tried(400);

ir::Program code_of(Sources& sources, const std::string& text, const MachineSpec& machine) {
  auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  return std::move(*code);
}

/// Section 5 of the model: every time unit of a unit is explained, every stage counted once.
void check_unit(const UnitCounts& unit, const UnitSpec& spec, std::int64_t time) {
  CHECK(unit.busy + unit.idle_latency + unit.idle_barrier + unit.idle_drain + unit.idle_empty ==
        time);
  CHECK(unit.reads + unit.writes == unit.requests);
  std::int64_t requests = 0, stages = 0;
  for (const auto& [s, count] : unit.congestion) {
    requests += count;
    stages += s * count;
  }
  CHECK(requests == unit.requests);
  CHECK(stages == unit.stages);
  CHECK(unit.busy <= unit.stages);
  CHECK(unit.stages <= unit.busy * spec.ports);
}

void check_counts(const Counts& counts, const MachineSpec& machine) {
  std::int64_t stages = 0, on_lines = 0;
  for (const UnitCounts& unit : counts.shared) {
    check_unit(unit, *machine.shared, counts.time.value);
    stages += unit.stages;
  }
  for (const UnitCounts& unit : counts.global) {
    check_unit(unit, *machine.global, counts.time.value);
    stages += unit.stages;
  }
  for (const auto& [place, line] : counts.lines) on_lines += line.stages;
  CHECK(stages == on_lines);
}

} // namespace

TEST_CASE("laws of every run, on random programs and machines") {
  std::int64_t stages = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const MachineSpec machine = random_machine(seed);
    const std::string text = random_program(seed, machine.shared.has_value());
    INFO("seed " << seed << "\n" << text);
    Sources sources;
    const ir::Program code = code_of(sources, text, machine);
    RunOptions options;
    options.allow_races = true;
    options.limits.steps = 20'000'000;
    options.outputs = {"a", "b"};

    std::stringstream trace_text;
    TraceWriter writer(trace_text, machine, sources);
    const RunResult run = simulate(code, machine, options, sources, writer);
    writer.finish(true);
    if (run.stop != Stop::none) FAIL(run.reached << render(run.errors, sources) << text);
    REQUIRE(run.verify == Verdict::passed);
    check_counts(run.counts, machine);
    stages += run.counts.lines.empty() ? 0 : run.counts.lines.begin()->second.stages;

    // A second run is equal.
    Observer observer;
    const RunResult again = simulate(code, machine, options, sources, observer);
    CHECK(again.counts.time == run.counts.time);
    CHECK(again.outputs == run.outputs);

    // The replay of its trace has the same time.
    const auto trace = read_trace(trace_text, "trace");
    if (!trace) FAIL(render(trace.errors(), sources));
    const Replay replayed = replay(*trace, machine, {}, observer);
    REQUIRE(replayed.stop == Stop::none);
    CHECK(replayed.counts.time == run.counts.time);
    CHECK(replayed.counts.instructions == run.counts.instructions);
    CHECK(replayed.counts.barriers == run.counts.barriers);
  }
  CHECK(stages > 0);
}

} // namespace memlane::test
