// Laws that hold for every script, tried on random ones.
#include "given_steps.hpp"
#include "oracle.hpp"
#include "script.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/engine/timed_launch.hpp"
#include "memlane/support/random.hpp"

using namespace memlane;
using namespace memlane::test;

namespace {

/// Draws from one stream of random numbers.
struct Draw {
  std::uint64_t stream;
  std::uint64_t drawn = 0;
  std::int64_t operator()(std::int64_t lo, std::int64_t hi) {
    return random_integer(7, stream, drawn++, lo, hi);
  }
};

MachineSpec random_machine(Draw& draw) {
  const std::int64_t w = draw(1, 5);
  const std::int64_t kind = draw(0, 3);
  MachineSpec machine = kind == 0   ? dmm(w, draw(1, 9))
                        : kind == 1 ? umm(w, draw(1, 9))
                                    : hmm(draw(1, 3), w, draw(1, 5), draw(1, 12));
  if (draw(0, 2) == 0 && machine.shared) machine.shared->ports = draw(1, 4);
  if (draw(0, 2) == 0 && machine.global) machine.global->ports = draw(1, 4);
  machine.resident_blocks = draw(1, 3);
  machine.lockstep = draw(0, 3) == 0;
  machine.block_schedule = draw(0, 1) == 0 ? BlockSchedule::static_ : BlockSchedule::dynamic;
  if (draw(0, 2) == 0) machine.instruction_cost = {draw(0, 3)};
  if (draw(0, 2) == 0) machine.barrier_cost = {draw(0, 5)};
  if (draw(0, 2) == 0) machine.launch_cost = {draw(0, 5)};
  return machine;
}

/// A port for each multiprocessor.
void draw_ports(Draw& draw, UnitSpec& global, std::int64_t group) {
  global.own_port = true;
  if (draw(0, 1) == 0) global.line = group * draw(1, 4);
  global.least_stages = draw(1, 3);
  if (draw(0, 1) == 0) return;
  global.reuse = Reuse::block;
  global.reuse_latency = {draw(1, 9)};
}

/// One or two units for some classes of operations.
void draw_operations(Draw& draw, MachineSpec& machine) {
  const std::int64_t units = draw(1, 2);
  for (std::int64_t k = 0; k < units; ++k) {
    OperationUnit unit{"unit " + std::to_string(k), draw(1, 4), {draw(1, 6)}, {}};
    for (std::size_t of = 0; of < operation_classes; ++of)
      if (draw(0, 2) == 0 && !machine.unit_of(static_cast<OperationClass>(of)))
        unit.stages[of] = draw(1, 9);
    if (unit.stages != OperationUnit{}.stages) machine.operations.push_back(unit);
  }
}

/// Keys of real GPUs, most of them on an HMM.
void draw_keys(Draw& draw, MachineSpec& machine) {
  if (!machine.lockstep && draw(0, 1) == 0) machine.requests_in_flight = draw(2, 6);
  if (!machine.shared || !machine.global) return;
  machine.shared->atomic_stages = {Decimal::one + draw(0, 3) * 700000};
  if (draw(0, 1) == 0) machine.global->atomic_service = {draw(1, 9)};
  const std::int64_t group = draw(1, machine.width);
  if (machine.width % group == 0) machine.global->group = group;
  if (draw(0, 2) == 0) machine.shared->least_stages = draw(1, 4);
  if (draw(0, 1) == 0)
    draw_ports(draw, *machine.global, machine.global->group.value_or(machine.width));
  if (!machine.lockstep && draw(0, 1) == 0) {
    machine.instruction_cost = {0};
    draw_operations(draw, machine);
  }
}

/// `wide`: it may be an atomic, and its lanes may have several words.
Act random_request(Draw& draw, std::int64_t w, std::int64_t active_lanes, bool wide = false) {
  const std::int64_t words = wide && draw(0, 3) == 0 ? std::int64_t{1} << draw(1, 3) : 1;
  Lanes lanes;
  for (std::int64_t lane = 0; lane < w; ++lane) {
    lanes.push_back(lane < active_lanes && draw(0, 4) > 0 ? draw(0, 4 * w) * words : -1);
  }
  const UnitId unit = draw(0, 1) == 0 ? UnitId::shared : UnitId::global;
  const std::int64_t kind = draw(0, wide ? 3 : 1);
  Act act = kind == 0 ? read(lanes, unit) : kind == 1 ? write(lanes, unit) : atomic(lanes, unit);
  act.request.words_of_lane = words;
  act.request.is_volatile = wide && kind == 0 && draw(0, 4) == 0;
  act.request.uses_old = wide && kind > 1 && draw(0, 1) == 0;
  return act;
}

/// For up to three earlier requests, or for all.
Act random_wait(Draw& draw) {
  Act act = wait();
  act.instruction = static_cast<std::int32_t>(draw(0, 4)) - 1;
  for (std::int64_t k = draw(0, 3); k > 0; --k)
    act.awaited.push_back(static_cast<std::uint32_t>(draw(1, 6)));
  return act;
}

Script random_script(Draw& draw, const MachineSpec& machine, const LaunchShape& shape,
                     bool wide = false) {
  Script script;
  for (std::int64_t block = 0; block < shape.blocks; ++block) {
    for (std::int64_t first = 0; first < shape.threads; first += machine.width) {
      std::vector<Act>& acts = script[{block, first / machine.width}];
      for (std::int64_t i = draw(0, 8); i > 0; --i) {
        const std::int64_t kind = draw(0, 9);
        if (wide && draw(0, 3) == 0) acts.push_back(random_wait(draw));
        acts.push_back(kind == 0 ? barrier()
                       : kind == 1
                           ? compute(draw(1, 4), static_cast<OperationClass>(draw(0, 3)))
                           : random_request(draw, machine.width, shape.threads - first, wide));
      }
    }
  }
  return script;
}

struct RandomLaunch {
  MachineSpec machine;
  LaunchShape shape;
  Script script;
};

/// With any keys, atomics and lanes of several words.
RandomLaunch random_launch(Draw& draw) {
  RandomLaunch launch{random_machine(draw), {}, {}};
  draw_keys(draw, launch.machine);
  launch.shape = {draw(0, 6), draw(1, 4 * launch.machine.width), 0};
  launch.script = random_script(draw, launch.machine, launch.shape, true);
  number_sites(launch.script);
  return launch;
}

/// What must hold of its idle time by what warps waited for.
void check_waits(const UnitCounts& unit) {
  CHECK(unit.idle_without_wait() >= 0);
  if (!unit.tells_waits) CHECK(unit.idle_without_wait() == unit.idle());
  std::int64_t of_lines = 0;
  for (const auto& [lines, time] : unit.waits_of_lines) {
    CHECK(time > 0);
    of_lines += time;
  }
  CHECK(of_lines == unit.waits[static_cast<std::size_t>(WaitCause::value)]);
  for (const std::int64_t time : unit.waits) CHECK(time >= 0);
}

/// What must hold of one unit's counts.
void check_unit(const UnitCounts& unit, const UnitSpec& spec, std::int64_t time, Stop stop) {
  CHECK(explained(unit) == time);
  CHECK(unit.requests == unit.reads + unit.writes);
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  for (const auto& [s, number] : unit.congestion) {
    requests += number;
    stages += s * number;
  }
  CHECK(requests == unit.requests);
  CHECK(stages == unit.stages);
  CHECK(unit.busy <= unit.stages);
  // Of a request that a limit cut off, all stages are counted.
  if (stop == Stop::none) CHECK(unit.stages <= unit.busy * spec.ports);
  if (stop == Stop::none && spec.ports == 1) CHECK(unit.busy == unit.stages);
  if (stop == Stop::none) CHECK(unit.latency_bound <= time);
  if (stop == Stop::none) CHECK(unit.service_bound <= time);
  if (stop == Stop::none && spec.ports == 1) CHECK(unit.exposed <= unit.idle());
  check_waits(unit);
  CHECK((unit.requests == 0 || unit.resident_warps > 0));
  for (const std::int64_t idle :
       {unit.idle_latency, unit.idle_barrier, unit.idle_drain, unit.idle_empty}) {
    CHECK(idle >= 0);
  }
}

bool in_order(const Recorder::Entry& a, const Recorder::Entry& b) {
  return std::tie(a.time, a.block, a.warp, a.completion) <
         std::tie(b.time, b.block, b.warp, b.completion);
}

std::int64_t sum_of(const LaunchTally& tally, std::int64_t PortTally::*count) {
  std::int64_t sum = 0;
  for (const Tally& of_mp : tally.multiprocessors)
    for (const RequestTally& requests : of_mp.requests) sum += requests.port.*count;
  return sum;
}

} // namespace

TEST_CASE("steps that were executed ahead take the time, and have the accounts, of the machine") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Draw draw{seed};
    const RandomLaunch launch = random_launch(draw);
    const auto& [machine, shape, script] = launch;
    CAPTURE(seed);
    ScriptStream stream(script);
    const LaunchTally at_once = run_launch(machine, shape, stream, 0, {0}, {}).tally;
    EngineWork work;
    const std::int64_t warps = (shape.threads + machine.width - 1) / machine.width;
    const LaunchOutcome ahead = time_launch(
        machine, shape, {0}, {},
        [&](std::int64_t block, const LaunchTime&, BlockSteps& steps) {
          give_steps(launch.script, block, launch.machine, warps, steps);
          return Stop::none;
        },
        work);
    REQUIRE(ahead.stop == Stop::none);
    CHECK(ahead.tally.time == at_once.time);
    CHECK(ahead.tally.barriers == at_once.barriers);
    CHECK(ahead.tally.shared == at_once.shared);
    CHECK(ahead.tally.global == at_once.global);
    CHECK(ahead.tally.ports == at_once.ports);
    CHECK(ahead.tally.operations == at_once.operations);
    for (const auto count : {&PortTally::reused, &PortTally::reused_extra, &PortTally::flown})
      CHECK(sum_of(ahead.tally, count) == sum_of(at_once, count));
  }
}

TEST_CASE("the machine does what a second reading of the definition says, in every time unit") {
  const auto account = [](const UnitAccount& unit) {
    OracleAccount account{unit.busy,
                          unit.idle_latency,
                          unit.idle_barrier,
                          unit.idle_drain,
                          unit.idle_empty,
                          unit.waits,
                          {}};
    for (const ValueWait& wait : unit.value_waits)
      account.value_waits[{wait.instruction, wait.site}] += wait.time;
    return account;
  };
  for (std::uint64_t seed = 0; seed < tried(10000); ++seed) {
    Draw draw{seed};
    const auto [machine, shape, script] = random_launch(draw);
    CAPTURE(seed);
    ScriptStream stream(script);
    Recorder recorder;
    const LaunchTally tally = run_launch(machine, shape, stream, 0, {0}, {}, &recorder).tally;
    LaunchSums sums(stream.kernel(machine, {}), machine);
    sums.add(tally);
    const Counts counts = sums.counts();
    const OracleRun oracle = run_by_the_text(machine, shape, script);
    CHECK(counts.time.value == oracle.time);
    std::sort(recorder.entries.begin(), recorder.entries.end(), in_order);
    std::vector<Recorder::Entry> entries = oracle.entries;
    std::sort(entries.begin(), entries.end(), in_order);
    CHECK(recorder.entries == entries);
    REQUIRE(counts.shared.size() == oracle.shared.size());
    REQUIRE(counts.ports.size() == oracle.ports.size());
    for (std::size_t mp = 0; mp < counts.shared.size(); ++mp)
      CHECK(account(tally.shared[mp]) == oracle.shared[mp]);
    for (const UnitAccount& unit : tally.global) CHECK(account(unit) == *oracle.global);
    std::int64_t groups_reused = 0;
    for (std::size_t mp = 0; mp < counts.ports.size(); ++mp) {
      CHECK(account(tally.ports[mp]) == oracle.ports[mp]);
      groups_reused += counts.ports[mp].groups_reused;
    }
    CHECK(groups_reused == oracle.groups_reused);
    CHECK(sum_of(tally, &PortTally::flown) == oracle.flown);
    for (const OperationAccount& unit : counts.operations)
      for (std::size_t k = 0; k < machine.operations.size(); ++k)
        if (machine.operations[k].name == unit.unit)
          CHECK(unit.busy == oracle.operations[static_cast<std::size_t>(unit.multiprocessor) *
                                                   machine.operations.size() +
                                               k]);
  }
}

TEST_CASE("busy and idle kinds add up to the time, for every unit of every machine") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Draw draw{seed};
    const auto [machine, shape, script] = random_launch(draw);
    Limits limits;
    if (draw(0, 4) == 0) limits.time = draw(0, 60);
    CAPTURE(seed);
    ScriptStream stream(script);
    Recorder recorder;
    const ScriptOutcome outcome = run_script(machine, shape, stream, 0, {0}, limits, {}, recorder);
    const Counts& counts = outcome.counts;
    for (const UnitCounts& unit : counts.shared) {
      check_unit(unit, *machine.shared, counts.time.value, outcome.stop);
    }
    for (const UnitCounts& unit : counts.global) {
      if (counts.ports.empty()) check_unit(unit, *machine.global, counts.time.value, outcome.stop);
      CHECK(explained(unit) == counts.time.value);
    }
    for (const PortCounts& port : counts.ports) {
      CHECK(explained(port) == counts.time.value);
      check_waits(port);
      if (outcome.stop == Stop::none) CHECK(port.busy == port.stages);
      CHECK(port.lines <= port.stages);
      CHECK(port.groups_reused <= port.groups);
      CHECK(port.conflicts() >= 0);
    }
    for (const OperationAccount& unit : counts.operations)
      CHECK(unit.busy + unit.idle == counts.time.value);
    for (std::size_t i = 1; i < recorder.entries.size(); ++i) {
      CHECK(recorder.entries[i - 1].time <= recorder.entries[i].time);
    }
    if (outcome.stop == Stop::none) {
      for (const auto& entry : recorder.entries) CHECK(entry.completion <= counts.time.value);
      CHECK(stream.log.size() == static_cast<std::size_t>(2 * shape.blocks + counts.barriers));
    } else {
      CHECK(counts.time.value == limits.time);
    }
  }
}

TEST_CASE("one warp: the time is the sum of its requests, and grows with the latency") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw{seed};
    const std::int64_t w = draw(1, 6);
    const MachineSpec machine = draw(0, 1) == 0 ? dmm(w, 1) : umm(w, 1);
    const Script script = random_script(draw, machine, {1, w, 0});
    std::int64_t before = -1;
    for (const std::int64_t l : {1, 2, 3, 10}) {
      MachineSpec slower = machine;
      (slower.shared ? slower.shared : slower.global)->latency = {l};
      const Counts counts = run(slower, {1, w, 0}, script).counts;
      const UnitCounts& unit = machine.shared ? counts.shared[0] : counts.global[0];
      CHECK(counts.time.value == unit.stages + unit.requests * (l - 1));
      CHECK(counts.time.value >= before);
      before = counts.time.value;
    }
  }
}

TEST_CASE("one request a warp: the order of the warps does not change the time") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw{seed};
    const std::int64_t w = draw(1, 6);
    const std::int64_t warps = draw(1, 8);
    const MachineSpec machine = draw(0, 1) == 0 ? dmm(w, draw(1, 9)) : umm(w, draw(1, 9));
    Script forward;
    Script backward;
    std::int64_t stages = 0;
    for (std::int64_t warp = 0; warp < warps; ++warp) {
      const Act act = random_request(draw, w, w);
      forward[{0, warp}] = {act};
      backward[{0, warps - 1 - warp}] = {act};
    }
    const Counts counts = run(machine, {1, warps * w, 0}, forward).counts;
    stages = machine.shared ? counts.shared[0].stages : counts.global[0].stages;
    const std::int64_t latency = machine.memory_unit().latency.value;
    CHECK(counts.time.value == (stages == 0 ? 0 : stages + latency - 1));
    CHECK(time_of(machine, {1, warps * w, 0}, backward) == counts.time.value);
  }
}

TEST_CASE("unbounded ports: no warp waits for another") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw{seed};
    const std::int64_t w = draw(1, 6);
    MachineSpec machine = umm(w, draw(1, 9));
    machine.global->ports = INT64_MAX;
    const LaunchShape shape{1, 4 * w, 0};
    Script script = random_script(draw, machine, shape);
    std::int64_t longest = 0;
    for (auto& [warp, acts] : script) {
      std::erase_if(acts, [](const Act& act) { return act.kind == StepKind::barrier; });
      longest = std::max(longest, time_of(machine, {1, w, 0}, {{{0, 0}, acts}}));
    }
    CHECK(time_of(machine, shape, script) == longest);
  }
}
