// Laws that hold for every run, tried on random programs and machines.
#include "program_generator.hpp"
#include "support/catch.hpp"

#include "memlane/engine/simulate.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/support/random.hpp"
#include "memlane/trace/replay.hpp"
#include "memlane/trace/write.hpp"

#include <sstream>

namespace memlane::test {
namespace {

constexpr std::uint64_t runs = 400;

MachineSpec random_machine(std::uint64_t seed) {
  std::uint64_t counter = 0;
  const auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return random_integer(seed, 1, counter++, lo, hi);
  };
  MachineSpec machine;
  machine.name = "random";
  machine.model = seed % 3 == 0 ? Model::dmm : seed % 3 == 1 ? Model::umm : Model::hmm;
  machine.width = std::int64_t{1} << pick(0, 3);
  machine.threads = std::max<std::int64_t>(8, machine.width * pick(1, 5));
  machine.threads = (machine.threads + machine.width - 1) / machine.width * machine.width;
  const UnitSpec discrete{UnitKind::discrete, Cycles{pick(1, 9)}, pick(1, 2), std::nullopt};
  const UnitSpec unified{UnitKind::unified, Cycles{pick(1, 20)}, pick(1, 3), std::nullopt};
  if (machine.model != Model::umm) machine.shared = discrete;
  if (machine.model != Model::dmm) machine.global = unified;
  if (machine.model == Model::hmm) machine.multiprocessors = pick(1, 3);
  machine.resident_blocks = pick(1, 2);
  machine.block_schedule = pick(0, 1) == 0 ? BlockSchedule::static_ : BlockSchedule::dynamic;
  machine.lockstep = pick(0, 2) == 0;
  machine.instruction_cost = Cycles{pick(0, 1) * pick(0, 3)};
  machine.barrier_cost = Cycles{pick(0, 1) * pick(0, 3)};
  machine.launch_cost = Cycles{pick(0, 1) * pick(0, 5)};
  return machine;
}

ir::Program compiled(Sources& sources, const std::string& text, const MachineSpec& machine) {
  const std::int32_t file = sources.add("random.lane", text);
  const auto no_uses = [](const lang::Name& name, const std::string&) -> Result<std::int32_t> {
    return error_at(name.span, "no uses");
  };
  auto program = lang::load_program(sources, file, no_uses, {});
  if (!program) FAIL(render(program.errors(), sources) << text);
  auto checked = lang::check(sources, std::move(*program));
  if (!checked) FAIL(render(checked.errors(), sources) << text);
  auto code = lang::lower(*checked, {letters(machine), machine.name, {}}, sources);
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
    const ir::Program code = compiled(sources, text, machine);
    RunOptions options;
    options.allow_races = true;
    options.limits.steps = 20'000'000;
    options.outputs = {"a", "b"};

    std::stringstream trace_text;
    TraceWriter writer(trace_text, machine, sources);
    const RunResult run = simulate(code, machine, options, sources, writer);
    writer.finish();
    if (run.stop != Stop::none) FAIL(run.reached << render(run.errors, sources) << text);
    REQUIRE(run.verify == Verdict::passed);
    check_counts(run.counts, machine);
    stages += run.counts.lines.empty() ? 0 : run.counts.lines.begin()->second.stages;

    // The same again is the same.
    Observer nobody;
    const RunResult again = simulate(code, machine, options, sources, nobody);
    CHECK(again.counts.time == run.counts.time);
    CHECK(again.outputs == run.outputs);

    // Its trace prices the same.
    const auto trace = read_trace(trace_text, "trace");
    if (!trace) FAIL(render(trace.errors(), sources));
    const Replay replayed = replay(*trace, machine, {}, nobody);
    REQUIRE(replayed.stop == Stop::none);
    CHECK(replayed.counts.time == run.counts.time);
    CHECK(replayed.counts.instructions == run.counts.instructions);
    CHECK(replayed.counts.barriers == run.counts.barriers);
  }
  CHECK(stages > 0);
}

} // namespace memlane::test
