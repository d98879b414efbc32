// The rules of a launch one by one: latency, ports, barriers, costs, stops.
#include "script.hpp"
#include "support/catch.hpp"

using namespace memlane;
using namespace memlane::test;

namespace {

const Lanes one_row{0, 1, 2, 3};
const Lanes column{0, 4, 8, 12}; // four stages on either unit of width 4
const Lanes nobody{-1, -1, -1, -1};

std::vector<Recorder::Entry> dispatches(const MachineSpec& machine, LaunchShape shape,
                                        const Script& script, Cycles start = {0}) {
  ScriptStream stream(script);
  Recorder recorder;
  run_script(machine, shape, stream, 0, start, {}, Sources{}, recorder);
  return recorder.entries;
}

} // namespace

TEST_CASE("a warp goes on when its request completes, not a time unit before") {
  // W0's second request is ready at l = 3; W1 keeps the port from 1 on with a request of s stages.
  // At s = 2 the port is free at 3, and W0 goes at 3; at s = 1 it is free at 2 and must wait.
  for (const std::int64_t s : {1, 2}) {
    const Lanes other = s == 1 ? one_row : Lanes{0, 4, -1, -1};
    const Script script{{{0, 0}, {read(one_row), read(one_row)}}, {{0, 1}, {read(other)}}};
    const auto entries = dispatches(umm(4, 3), {1, 8, 0}, script);
    CHECK(entries[2] == Recorder::Entry{3, 0, 0, 6});
  }
  // A port that is held one time unit longer delays it.
  const Script script{{{0, 0}, {read(one_row), read(one_row)}}, {{0, 1}, {read({0, 4, 8, -1})}}};
  CHECK(dispatches(umm(4, 3), {1, 8, 0}, script)[2] == Recorder::Entry{4, 0, 0, 7});
}

TEST_CASE("round-robin goes on behind the last dispatched warp and skips those without a request") {
  Script script;
  for (std::int64_t warp = 0; warp < 4; ++warp) script[{0, warp}] = {read(one_row), read(one_row)};
  script[{0, 1}].clear();
  const auto entries = dispatches(umm(4, 2), {1, 16, 0}, script);
  std::vector<std::int64_t> order;
  for (const auto& entry : entries) order.push_back(entry.warp);
  // At 2 both W0 (completed) and W3 wait: W3 is next behind W2.
  CHECK(order == std::vector<std::int64_t>{0, 2, 3, 0, 2, 3});
}

TEST_CASE("times for the observer run from the start of the run") {
  CHECK(dispatches(umm(4, 3), {1, 4, 0}, {{{0, 0}, {read(one_row)}}}, {100}) ==
        std::vector<Recorder::Entry>{{100, 0, 0, 103}});
}

TEST_CASE("ports: k stages a time unit, the rest spills") {
  MachineSpec machine = dmm(4, 5);
  machine.shared->ports = 3;
  Script script;
  for (std::int64_t warp = 0; warp < 3; ++warp) script[{0, warp}] = {read(column)};
  // Stages 0-3, 4-7, 8-11 of the port's sequence enter in time units 0-1, 1-2, 2-3.
  CHECK(dispatches(machine, {1, 12, 0}, script) ==
        std::vector<Recorder::Entry>{{0, 0, 0, 6}, {1, 0, 1, 7}, {2, 0, 2, 8}});
  const ScriptOutcome outcome = run(machine, {1, 12, 0}, script);
  CHECK(outcome.counts.shared[0].busy == 4);
  machine.shared->ports = INT64_MAX;
  CHECK(time_of(machine, {1, 12, 0}, script) == 5);
  CHECK(run(machine, {1, 12, 0}, script).counts.shared[0].busy == 1);
}

TEST_CASE("requests without an active thread take no time and are not counted") {
  const Script script{{{0, 0}, {read(nobody), read(one_row), write(nobody)}}};
  for (const bool lockstep : {false, true}) {
    MachineSpec machine = umm(4, 5);
    machine.lockstep = lockstep;
    const ScriptOutcome outcome = run(machine, {1, 4, 0}, script);
    CHECK(outcome.counts.time.value == 5);
    CHECK(outcome.counts.global[0].requests == 1);
    CHECK(outcome.counts.global[0].writes == 0);
  }
}

TEST_CASE("merged addresses and concurrent writes") {
  const Script script{{{0, 0}, {write({5, 5, 5, 1}), write({2, 3, 2, 3}), read({0, 0, 0, 0})}}};
  const UnitCounts unit = run(dmm(4, 2), {1, 4, 0}, script).counts.shared[0];
  CHECK(unit.concurrent_writes == 3);
  CHECK(unit.reads == 1);
  CHECK(unit.writes == 2);
  CHECK(unit.congestion == std::map<std::int64_t, std::int64_t>{{1, 2}, {2, 1}});
  CHECK(unit.conflicts() == 1);
}

TEST_CASE("a barrier opens when the last warp has arrived, ended warps have") {
  const Script script{{{0, 0}, {barrier(), read(one_row), barrier(), barrier()}},
                      {{0, 1}, {read(one_row), read(one_row)}},
                      {{0, 2}, {barrier(), read(one_row)}}};
  ScriptStream stream(script);
  Recorder recorder;
  const auto outcome = run_script(umm(4, 5), {1, 16, 0}, stream, 0, {0}, {}, {}, recorder);
  CHECK(recorder.entries ==
        std::vector<Recorder::Entry>{{0, 0, 1, 5}, {5, 0, 1, 10}, {10, 0, 2, 15}, {11, 0, 0, 16}});
  CHECK(outcome.counts.barriers == 3);
  CHECK(outcome.counts.time.value == 16);
  CHECK(stream.log ==
        std::vector<std::string>{"start 0", "release 0", "release 0", "release 0", "finish 0"});
}

TEST_CASE("instruction, barrier and launch costs") {
  MachineSpec machine = umm(4, 5);
  machine.instruction_cost = {2};
  machine.barrier_cost = {7};
  machine.launch_cost = {100};
  const Script script{{{0, 0}, {compute(3), read(one_row), barrier()}},
                      {{0, 1}, {barrier(), compute(4)}}};
  const ScriptOutcome outcome = run(machine, {1, 8, 0}, script);
  // 100, computation to 106, request to 111, barrier opens at 118, computation to 126.
  CHECK(outcome.counts.time.value == 126);
  CHECK(outcome.counts.instructions == 7);
  const UnitCounts& unit = outcome.counts.global[0];
  CHECK(unit.busy == 1);
  CHECK(unit.idle_barrier == 6 + 4 + 7); // W1 waits from 100 on
  CHECK(unit.idle_empty == 100 + 8);
  CHECK(explained(unit) == 126);
  // A trailing barrier is over when it opens.
  CHECK(time_of(machine, {1, 4, 0}, {{{0, 0}, {barrier()}}}) == 107);
}

TEST_CASE("where the time goes") {
  // W0 reads twice, W1 once and then waits for it at a barrier.
  const Script script{{{0, 0}, {read(one_row), read(one_row), barrier(), read(one_row)}},
                      {{0, 1}, {read(one_row), barrier()}}};
  const UnitCounts unit = run(umm(4, 10), {1, 8, 0}, script).counts.global[0];
  CHECK(unit.busy == 4);
  CHECK(unit.idle_latency == 8 + 9); // 2-10, 11-20: W0 has another request to come
  CHECK(unit.idle_drain == 9);       // 21-30: nobody has
  CHECK(unit.idle_barrier == 0);
  CHECK(explained(unit) == 30);
  // The last request is in flight and another warp waits at a barrier: the barrier's time.
  const Script last{{{0, 0}, {read(one_row)}}, {{0, 1}, {barrier()}}};
  const UnitCounts waits = run(umm(4, 10), {1, 8, 0}, last).counts.global[0];
  CHECK(waits.idle_barrier == 9);
  CHECK(waits.idle_drain == 0);
}

TEST_CASE("lockstep: computation and barrier costs hold the round up, waiting warps do not") {
  MachineSpec machine = umm(4, 5);
  machine.lockstep = true;
  machine.instruction_cost = {1};
  const Script script{{{0, 0}, {read(one_row), read(one_row)}},
                      {{0, 1}, {compute(9), read(one_row)}},
                      {{0, 2}, {barrier()}}};
  CHECK(dispatches(machine, {1, 12, 0}, script) ==
        std::vector<Recorder::Entry>{{9, 0, 0, 14}, {10, 0, 1, 15}, {15, 0, 0, 20}});
}

TEST_CASE("a latency of 10^9, and of nearly all time there is, costs nothing to simulate") {
  const Script script{{{0, 0}, {read(one_row), barrier(), read(column)}}, {{0, 1}, {barrier()}}};
  CHECK(time_of(umm(4, 1'000'000'000), {1, 8, 0}, script) == 2'000'000'003);
  const std::int64_t half = (INT64_MAX - 4) / 2;
  CHECK(time_of(umm(4, half), {1, 8, 0}, script) == 2 * half + 3);
  const ScriptOutcome outcome = run(umm(4, INT64_MAX), {1, 8, 0}, script);
  CHECK(outcome.stop == Stop::time);
  CHECK(explained(outcome.counts.global[0]) == outcome.counts.time.value);
}

TEST_CASE("costs that overflow stop at the limit on time") {
  MachineSpec machine = umm(4, 5);
  machine.instruction_cost = {INT64_MAX / 2};
  CHECK(run(machine, {1, 4, 0}, {{{0, 0}, {compute(3)}}}).stop == Stop::time);
  machine.launch_cost = {INT64_MAX};
  CHECK(run(machine, {1, 4, 0}, {}).stop == Stop::time);
}

TEST_CASE("the limit on time: reached is allowed, passed is not") {
  const Script script{{{0, 0}, {read(column), read(column)}}};
  Limits limits;
  limits.time = 16;
  CHECK(run(umm(4, 5), {1, 4, 0}, script, limits).stop == Stop::none);
  for (limits.time = 0; limits.time < 16; ++limits.time) {
    const ScriptOutcome outcome = run(umm(4, 5), {1, 4, 0}, script, limits);
    CHECK(outcome.stop == Stop::time);
    CHECK(outcome.counts.time.value == limits.time);
    CHECK(explained(outcome.counts.global[0]) == limits.time);
  }
}

TEST_CASE("lanes of several words take their stages, words written twice are counted") {
  const auto wide = [](Lanes lanes, UnitId unit, AccessKind kind) {
    Act act = access(kind, std::move(lanes), unit);
    act.request.words_of_lane = 2;
    return Script{{{0, 0}, {act}}};
  };
  const MachineSpec machine = hmm(1, 4, 4, 20);
  const auto time = [&](Lanes lanes, UnitId unit) {
    return time_of(machine, {1, 4, 0}, wide(std::move(lanes), unit, AccessKind::read));
  };
  CHECK(time({0, 2, 4, 6}, UnitId::shared) == 5);
  CHECK(time({0, 4, 8, 12}, UnitId::shared) == 7);
  CHECK(time({0, 2, 4, 6}, UnitId::global) == 21);
  CHECK(time({0, 4, 0, 4}, UnitId::global) == 21); // a global unit takes all lanes at once
  const auto written =
      run(machine, {1, 4, 0}, wide({0, 1, 8, -1}, UnitId::shared, AccessKind::write));
  CHECK(written.counts.shared[0].concurrent_writes == 1); // word 1
  CHECK(written.counts.shared[0].writes == 1);
}

TEST_CASE("lost are the stages beyond those that the words need") {
  const auto unit_of = [](MachineSpec machine, Lanes lanes, std::int64_t words, UnitId unit) {
    Act act = read(std::move(lanes), unit);
    act.request.words_of_lane = words;
    const Counts counts = run(machine, {1, 4, 0}, Script{{{0, 0}, {act}}}).counts;
    return unit == UnitId::shared ? counts.shared[0] : counts.global[0];
  };
  MachineSpec machine = hmm(1, 4, 4, 20);
  CHECK(unit_of(machine, {0, 2, 4, 6}, 2, UnitId::shared).conflicts() == 0);
  CHECK(unit_of(machine, {0, 4, 8, 12}, 2, UnitId::shared).conflicts() == 2);
  CHECK(unit_of(machine, {0, 2, 4, 6}, 2, UnitId::global).conflicts() == 0);
  machine.global->group = 2;
  CHECK(unit_of(machine, {16, 17, 18, 19}, 1, UnitId::global).stages == 2);
  CHECK(unit_of(machine, {16, 17, 18, 19}, 1, UnitId::global).conflicts() == 0);
  CHECK(unit_of(machine, {0, 2, 4, 6}, 1, UnitId::global).stages == 4);
  CHECK(unit_of(machine, {0, 2, 4, 6}, 1, UnitId::global).conflicts() == 2);
  CHECK(unit_of(machine, {0, 2, 4, 6}, 1, UnitId::shared).conflicts() == 1); // banks are w
  CHECK(unit_of(machine, {0, 0, 0, 4}, 4, UnitId::global).conflicts() == 0); // words of two groups
}

TEST_CASE("a shared atomic takes the stages of unmerged lanes, times their cost") {
  MachineSpec machine = hmm(1, 4, 4, 20);
  const auto time = [&](Lanes lanes) {
    return time_of(machine, {1, 4, 0},
                   Script{{{0, 0}, {atomic(std::move(lanes), UnitId::shared)}}});
  };
  CHECK(time({0, 0, 0, 4}) == 4 + 4 - 1);
  CHECK(time({0, 1, 2, 3}) == 4);
  machine.shared->atomic_stages = {2500000};
  CHECK(time({0, 0, 0, 4}) == 13);
  CHECK(time({0, 1, 2, 3}) == 3 + 4 - 1); // 2.5, rounded up
  CHECK(time({7, -1, -1, 7}) == 5 + 4 - 1);
}

TEST_CASE("a group serves one atomic after the other, and nothing else waits for that") {
  MachineSpec machine = hmm(1, 4, 4, 20);
  std::int64_t bound = 0;
  const auto completions = [&](const Script& script) {
    ScriptStream stream(script);
    Recorder recorder;
    const auto outcome = run_script(machine, {1, 12, 0}, stream, 0, {0}, {}, {}, recorder);
    require(outcome.stop == Stop::none, "the launch did not come to its end");
    bound = outcome.counts.global.front().service_bound;
    std::vector<std::int64_t> times;
    for (const auto& entry : recorder.entries) times.push_back(entry.completion);
    return times;
  };
  using Times = std::vector<std::int64_t>;
  const Lanes one = {0, 0, 0, 0}, row = {0, 1, 2, 3}, apart = {4, 0, 8, 0};
  const Script page{{{0, 0}, {atomic(one)}}, {{0, 1}, {atomic(row)}}, {{0, 2}, {read(row)}}};
  CHECK(completions(page) == Times{23, 24, 22}); // served 0-3, then 4
  CHECK(bound == 5);
  machine.global->atomic_service = {3};
  CHECK(completions(page) == Times{23, 26, 22});
  CHECK(bound == 7);
  // Groups 0, 1 and 2 enter at 0, 1 and 2, group 0 again at 3: it is served until 3.
  CHECK(completions({{{0, 0}, {atomic(apart)}}, {{0, 1}, {atomic(row)}}}) == Times{24, 25});
  CHECK(bound == 6); // without a pause
  machine.global->atomic_service = {1};
  completions({{{0, 0}, {atomic(apart)}}, {{0, 1}, {atomic(one)}}});
  CHECK(bound == 4); // group 0 pauses in time unit 2
  machine.global->ports = 4;
  CHECK(completions({{{0, 0}, {atomic(row)}}, {{0, 1}, {atomic(row)}}, {{0, 2}, {atomic(row)}}}) ==
        Times{20, 21, 22});
  // Lanes of two words: groups of two words serve them side by side.
  machine.global->group = 2;
  Act wide = atomic({0, 0, 2, 2});
  wide.request.words_of_lane = 2;
  CHECK(completions({{{0, 0}, {wide}}, {{0, 1}, {wide}}}) == Times{21, 23});
}

TEST_CASE("the limit on time counts from the start of the run") {
  const Script script{{{0, 0}, {read(one_row)}}};
  Limits limits;
  limits.time = 15;
  TimeObserver observer;
  for (const std::int64_t start : {10, 11, 16}) {
    ScriptStream stream(script);
    const auto outcome = run_script(umm(4, 5), {1, 4, 0}, stream, 0, {start}, limits, {}, observer);
    CHECK(outcome.stop == (start == 10 ? Stop::none : Stop::time));
  }
}

TEST_CASE("stops: errors of the stream, its limit of steps, the caller's check") {
  const Script script{{{0, 0}, {read(one_row), read(one_row)}}};
  TimeObserver observer;
  ScriptStream in_next(script);
  in_next.trap_at = 2;
  const auto trapped = run_script(umm(4, 5), {1, 4, 0}, in_next, 0, {0}, {}, {}, observer);
  CHECK(trapped.stop == Stop::error);
  CHECK(trapped.errors.at(0).message == "in next");
  CHECK(explained(trapped.counts.global[0]) == trapped.counts.time.value);
  ScriptStream in_perform(script);
  in_perform.trap_in_perform = true;
  CHECK(
      run_script(umm(4, 5), {1, 4, 0}, in_perform, 0, {0}, {}, {}, observer).errors.at(0).message ==
      "in perform");
  CHECK(run(umm(4, 5), {1, 4, 0}, {{{0, 0}, {read(one_row), stop()}}}).stop == Stop::steps);
  Limits limits;
  limits.check = [] { return Stop::interrupted; };
  CHECK(run(umm(4, 5), {1, 4, 0}, script, limits).stop == Stop::none); // too short to be asked
  const Script nothing{{{0, 0}, std::vector<Act>(10000, compute(1))}};
  CHECK(run(umm(4, 5), {1, 4, 0}, nothing, limits).stop == Stop::interrupted);
}

TEST_CASE("more resident warps than can be held are refused") {
  CHECK(run(umm(1, 5, INT64_MAX), {1, INT64_MAX, 0}, {}).stop == Stop::memory);
  Limits limits;
  limits.memory = 1000;
  CHECK(run(umm(4, 5), {1, 1024, 0}, {}, limits).stop == Stop::memory);
}

TEST_CASE("counts by source line") {
  Sources sources;
  const std::int32_t file = sources.add("a.lane", "one\ntwo\nthree\n");
  Script script{{{0, 0}, {read(column), write(one_row), read(one_row)}}};
  std::vector<Act>& acts = script[{0, 0}];
  acts[0].request.span = {file, 4, 5};
  acts[1].request.span = {file, 6, 7};
  ScriptStream stream(script);
  TimeObserver observer;
  const auto counts =
      run_script(umm(4, 5), {1, 4, 0}, stream, 0, {0}, {}, sources, observer).counts;
  CHECK(counts.lines.size() == 1);
  const LineCounts& line = counts.lines.at({file, 2});
  CHECK(line.requests == 2);
  CHECK(line.stages == 5);
  CHECK(line.worst == 4);
}

TEST_CASE("adding the counts of launches") {
  const Script script{{{0, 0}, {read(column), write({0, 0, 1, 1}), barrier()}}};
  Counts one = run(umm(4, 5), {1, 4, 3}, script).counts;
  Counts sum = one;
  sum += one;
  CHECK(sum.time.value == 2 * one.time.value);
  CHECK(sum.launches == 2);
  CHECK(sum.barriers == 2);
  CHECK(sum.shared_words == 3);
  CHECK(sum.global[0].concurrent_writes == 4);
  CHECK(sum.global[0].congestion == std::map<std::int64_t, std::int64_t>{{1, 2}, {4, 2}});
  CHECK(explained(sum.global[0]) == sum.time.value);
}
