// Idle time by what warps waited for (configs/README.md section 10), in both engines.
#include "script.hpp"
#include "support/catch.hpp"

#include "memlane/engine/timed_launch.hpp"

#include <numeric>

namespace memlane::test::waits {
namespace {

const Lanes x = {0, 1, 2, 3}, y = {4, 5, 6, 7}, z = {8, 9, 10, 11};

/// HMM, w = 4, latencies 4 and 20, one multiprocessor.
MachineSpec machine_with(std::int64_t k) {
  MachineSpec machine = hmm(1, 4, 4, 20);
  machine.requests_in_flight = k;
  return machine;
}

/// By cause, then what no wait is charged with.
using Waits = std::array<std::int64_t, wait_causes + 1>;
Waits waits_of(const UnitAccount& unit) {
  Waits waits{};
  std::copy(unit.waits.begin(), unit.waits.end(), waits.begin());
  waits.back() =
      unit.idle() - std::accumulate(unit.waits.begin(), unit.waits.end(), std::int64_t{0});
  return waits;
}

/// `port`, `requests`, `value`, `fence`, `reuse`, `operation`, `computation`, `barrier`, none.
struct Seen {
  LaunchTally tally;
  Waits global{}, shared{};
};

/// The warps of block 0, of four threads each, as those who execute them give them to the machine.
Stop give(const Script& script, std::int64_t warps, const MachineSpec& machine, BlockSteps& steps) {
  std::vector<std::size_t> at(static_cast<std::size_t>(warps));
  for (bool arrived = true; arrived;) {
    arrived = false;
    for (std::int64_t warp = 0; warp < warps; ++warp) {
      const std::vector<Act>& acts = script.at({0, warp});
      std::size_t& next = at[static_cast<std::size_t>(warp)];
      for (bool waits = false; !waits && next < acts.size(); ++next) {
        const Act& act = acts[next];
        waits = act.kind == StepKind::barrier;
        arrived = arrived || waits;
        const bool reads = act.request.kind == AccessKind::read;
        const bool port = machine.has_own_ports() && act.request.unit == UnitId::global;
        if (act.kind == StepKind::request && !port)
          steps.request(warp, act.request.unit, 1, reads, act.request.site);
        if (act.kind == StepKind::request && port) {
          const AtomicGroup group{act.request.addresses[0] / 4, 1};
          steps.at_port(warp, {act.request.site, machine.global->least_stages, 1, act.request.kind,
                               false, false, std::span(&group, 1)});
        }
        if (act.kind == StepKind::wait) steps.wait(warp, act.awaited, act.instruction);
        if (act.kind == StepKind::compute) steps.compute(warp, act.count, act.operation);
      }
    }
    if (arrived) steps.barrier();
  }
  for (std::int64_t warp = 0; warp < warps; ++warp) steps.end(warp);
  steps.finish();
  return Stop::none;
}

/// Requests without conflicts: both engines.
Seen seen(const MachineSpec& machine, Script script) {
  number_sites(script);
  const auto warps = static_cast<std::int64_t>(script.size());
  const LaunchShape shape{1, 4 * warps, 0};
  ScriptStream stream(script);
  const LaunchTally tally = run_launch(machine, shape, stream, 0, {0}, {}).tally;
  EngineWork work;
  const LaunchOutcome ahead = time_launch(
      machine, shape, {0}, {},
      [&](std::int64_t, const LaunchTime&, BlockSteps& steps) {
        return give(script, warps, machine, steps);
      },
      work);
  CHECK(ahead.tally.time == tally.time);
  CHECK(ahead.tally.global == tally.global);
  CHECK(ahead.tally.shared == tally.shared);
  return {tally, waits_of(tally.global[0]), waits_of(tally.shared[0])};
}

Act wait_of(std::int32_t instruction, std::vector<std::uint32_t> awaited) {
  Act act = wait(std::move(awaited));
  act.instruction = instruction;
  return act;
}

} // namespace

TEST_CASE("idle time is charged to the wait that ends next") {
  const std::vector<Act> acts = {read(x), read(y), read(z), wait_of(5, {2}),
                                 write(x, UnitId::shared)};
  const Seen three = seen(machine_with(3), {{{0, 0}, acts}});
  CHECK(three.tally.time.value == 25);
  CHECK(three.global == Waits{1, 17, 1, 0, 0, 0, 0, 0, 3});
  CHECK(three.tally.global[0].value_waits == std::vector<ValueWait>{{5, 0, 1}});
  // The first request is dispatched at 0: until 2 shared memory idles since the warp dispatches.
  CHECK(three.shared == Waits{2, 18, 1, 0, 0, 0, 0, 0, 3});
  const Seen two = seen(machine_with(2), {{{0, 0}, acts}});
  CHECK(two.tally.time.value == 40);
  // At the end of the warp: z, from 25 to 40.
  CHECK(two.global == Waits{0, 22, 15, 0, 0, 0, 0, 0, 0});
  CHECK(two.tally.global[0].value_waits == std::vector<ValueWait>{{-1, -1, 15}});
}

TEST_CASE("a fence and a cost of operators are causes of their own") {
  MachineSpec machine = machine_with(4);
  CHECK(seen(machine, {{{0, 0}, {write(x), wait(), write(y, UnitId::shared)}}}).global ==
        Waits{1, 0, 0, 19, 0, 0, 0, 0, 3});
  machine.instruction_cost = {5};
  // Dispatched at 0, computes from 1 to 16, waits until 20.
  CHECK(seen(machine, {{{0, 0}, {read(x), compute(2), compute(1), wait_of(1, {1}), write(y)}}})
            .global == Waits{0, 0, 4, 0, 0, 0, 15, 0, 19});
}

TEST_CASE("time at a barrier is charged to what the last warp waits for") {
  MachineSpec machine = machine_with(4);
  const Script script = {{{0, 0}, {barrier(), write(x, UnitId::shared)}},
                         {{0, 1}, {read(y), barrier()}}};
  // The read is dispatched at 0 and completes at 20, when the barrier opens.
  const Seen free = seen(machine, script);
  CHECK(free.tally.time.value == 24);
  CHECK(free.global == Waits{1, 0, 19, 0, 0, 0, 0, 0, 3});
  machine.barrier_cost = {7};
  const Seen costly = seen(machine, script);
  CHECK(costly.tally.time.value == 31);
  CHECK(costly.global == Waits{1, 0, 19, 0, 0, 0, 0, 7, 3});
}

TEST_CASE("a read of what its block has read is a cause, and operations are") {
  MachineSpec machine = machine_with(4);
  machine.global->own_port = true;
  machine.global->reuse = Reuse::block;
  machine.global->reuse_latency = {6};
  const Seen reused =
      seen(machine, {{{0, 0}, {read(x), wait_of(1, {1}), read(x), wait_of(2, {1}), write(y)}}});
  // Dispatched at 0, 21 and 28: the first leaves at 1 and completes at 21, the second at 22 and 28.
  CHECK(reused.tally.time.value == 49);
  CHECK(waits_of(reused.tally.ports[0])[static_cast<std::size_t>(WaitCause::reuse)] == 6);
  CHECK(reused.tally.ports[0].value_waits == std::vector<ValueWait>{{1, 0, 20}});
  std::int64_t flown = 0;
  for (const RequestTally& site : reused.tally.multiprocessors[0].requests)
    flown += site.port.flown;
  CHECK(flown == 21 + 7 + 21);
  machine.operations = {{"issue", 1, {4}, {0, 0, 0, 0, 2}}};
  // Two operations from 0 to 5 and from 5 to 10, each of two stages and latency 4.
  CHECK(seen(machine, {{{0, 0}, {compute(2), read(x)}}})
            .global[static_cast<std::size_t>(WaitCause::operation)] == 10);
}

TEST_CASE("the papers' machines tell no waits") {
  const MachineSpec machine = hmm(1, 4, 4, 20);
  const Seen plain = seen(machine, {{{0, 0}, {read(x), read(y)}}});
  CHECK(plain.tally.global[0].waits == std::array<std::int64_t, wait_causes>{});
  CHECK(plain.tally.global[0].idle() == 38);
}

} // namespace memlane::test::waits
