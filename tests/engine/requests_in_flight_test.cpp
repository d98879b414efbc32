// Several requests of a warp on their way (configs/README.md section 10), in both engines.
#include "script.hpp"
#include "support/catch.hpp"

#include "memlane/engine/timed_launch.hpp"

using namespace memlane;
using namespace memlane::test;

namespace {

const Lanes x = {0, 1, 2, 3}, y = {4, 5, 6, 7}, z = {8, 9, 10, 11};

/// HMM, w = 4, latencies 4 and 20, one multiprocessor.
MachineSpec machine_with(std::int64_t k) {
  MachineSpec machine = hmm(1, 4, 4, 20);
  machine.requests_in_flight = k;
  return machine;
}

struct Seen {
  std::vector<std::int64_t> dispatched;
  std::int64_t end = 0;
  bool operator==(const Seen&) const = default;
};

/// The accesses of one warp of one block, as those who execute it give them to the machine.
Stop give(const std::vector<Act>& acts, BlockSteps& steps) {
  for (const Act& act : acts) {
    const bool reads = act.request.kind == AccessKind::read;
    if (act.kind == StepKind::request) steps.request(0, act.request.unit, 1, reads, 0);
    if (act.kind == StepKind::wait) steps.wait(0, act.awaited, -1);
    if (act.kind == StepKind::compute) steps.compute(0, act.count, act.operation);
    if (act.kind == StepKind::barrier) steps.barrier();
  }
  steps.end(0);
  steps.finish();
  return Stop::none;
}

/// Requests without conflicts of one warp: both engines.
Seen seen(const MachineSpec& machine, const std::vector<Act>& acts) {
  ScriptStream stream({{{0, 0}, acts}});
  Recorder recorder;
  const LaunchShape shape{1, 4, 0};
  const auto outcome = run_script(machine, shape, stream, 0, {0}, {}, {}, recorder);
  EngineWork work;
  const LaunchOutcome ahead = time_launch(
      machine, shape, {0}, {},
      [&](std::int64_t, const LaunchTime&, BlockSteps& steps) { return give(acts, steps); }, work);
  require(outcome.stop == Stop::none && ahead.stop == Stop::none, "it did not come to its end");
  require(ahead.tally.time == outcome.counts.time, "the engines differ");
  Seen all{{}, outcome.counts.time.value};
  for (const Recorder::Entry& entry : recorder.entries) all.dispatched.push_back(entry.time);
  return all;
}

} // namespace

TEST_CASE("a warp has up to k requests on their way") {
  const std::vector<Act> acts = {read(x), read(y), read(z), wait({2}), write(x, UnitId::shared)};
  CHECK(seen(machine_with(1), acts) == Seen{{0, 20, 40, 60}, 64});
  CHECK(seen(machine_with(2), acts) == Seen{{0, 1, 20, 21}, 40});
  CHECK(seen(machine_with(3), acts) == Seen{{0, 1, 2, 21}, 25});
  CHECK(seen(machine_with(9), acts) == Seen{{0, 1, 2, 21}, 25});
}

TEST_CASE("a barrier waits for the warp's reads, a fence for all its requests") {
  const MachineSpec machine = machine_with(4);
  // The write is on its way until 20.
  CHECK(seen(machine, {write(x), barrier(), write(y, UnitId::shared)}) == Seen{{0, 1}, 20});
  CHECK(seen(machine, {read(x), barrier(), write(y, UnitId::shared)}) == Seen{{0, 20}, 24});
  CHECK(seen(machine, {write(x), wait(), write(y, UnitId::shared)}) == Seen{{0, 20}, 24});
  Act update = atomic(x, UnitId::shared);
  CHECK(seen(machine, {update, barrier(), write(y, UnitId::shared)}) == Seen{{0, 1}, 5});
}

TEST_CASE("an atomic is a read where its old value is used") {
  MachineSpec machine = machine_with(4);
  Act update = atomic(x);
  const auto end_of_first = [&] {
    return run(machine, {2, 4, 0}, {{{0, 0}, {update}}, {{1, 0}, {write(y)}}}).counts.time.value;
  };
  CHECK(end_of_first() == 21); // block 1 starts at 1
  update.request.uses_old = true;
  CHECK(end_of_first() == 40);
}

TEST_CASE("writes of an ended warp only prolong the launch") {
  const MachineSpec machine = machine_with(2);
  // Block 0 ends at 1, and its place is free: block 1 starts.
  const auto outcome =
      run(machine, {2, 4, 0}, {{{0, 0}, {write(x)}}, {{1, 0}, {read(y, UnitId::shared)}}});
  CHECK(outcome.counts.time.value == 20);
  const UnitCounts& global = outcome.counts.global[0];
  CHECK(global.busy == 1);
  CHECK(global.idle_drain == 19);
  CHECK(global.idle_latency == 0);
}

TEST_CASE("a warp has a request on its way if any of its requests is") {
  const MachineSpec machine = machine_with(2);
  const auto outcome = run(machine, {1, 4, 0}, {{{0, 0}, {read(x), read(y), wait({1}), write(z)}}});
  // Dispatched at 0, 1 and 21; the last one completes at 41.
  const UnitCounts& global = outcome.counts.global[0];
  CHECK(outcome.counts.time.value == 41);
  CHECK(global.busy == 3);
  CHECK(global.idle_latency == 19);
  CHECK(global.idle_drain == 19);
  // Both reads take 40 time units one after the other, so at least 20.
  CHECK(global.latency_bound == 20);
}

TEST_CASE("an operation delays its warp, whatever is on its way") {
  MachineSpec machine = machine_with(3);
  machine.operations = {{"issue", 4, {4}, {0, 0, 20, 0, 1}}};
  CHECK(seen(machine, {compute(1), read(x), compute(1), read(y), wait({1}), compute(1),
                       write(x)}) == Seen{{4, 9, 33}, 53});
  machine.operations.clear();
  machine.instruction_cost = {5};
  CHECK(seen(machine, {read(x), compute(2), wait({1}), compute(1), write(y)}) == Seen{{0, 25}, 45});
}

TEST_CASE("behind own ports a warp goes on when its request has been dispatched there") {
  MachineSpec machine = machine_with(3);
  machine.global->own_port = true;
  machine.global->least_stages = 2;
  const auto outcome = run(machine, {1, 4, 0}, {{{0, 0}, {read(x), read(y), wait({2}), read(z)}}});
  // Dispatched at 0, 2 and 22: the first leaves at 2 and completes at 22.
  CHECK(outcome.counts.time.value == 22 + 2 + 20);
}
