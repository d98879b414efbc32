// Keys of real GPUs (configs/README.md section 10): own ports, reuse, units for operations.
#include "script.hpp"
#include "support/catch.hpp"

using namespace memlane;
using namespace memlane::test;

namespace {

/// HMM, w = 4, latencies 4 and 20, groups of 2 words, lines of 4, at least 2 stages.
MachineSpec ported(std::int64_t mps) {
  MachineSpec machine = hmm(mps, 4, 4, 20);
  machine.global->group = 2;
  machine.global->own_port = true;
  machine.global->least_stages = 2;
  return machine;
}

struct Observed {
  Counts counts;
  std::vector<Recorder::Entry> entries;
};
Observed observe(const MachineSpec& machine, LaunchShape shape, const Script& script) {
  ScriptStream stream(script);
  Recorder recorder;
  auto outcome = run_script(machine, shape, stream, 0, {0}, {}, {}, recorder);
  require(outcome.stop == Stop::none, "the launch did not come to its end");
  return {std::move(outcome.counts), std::move(recorder.entries)};
}

using Entries = std::vector<Recorder::Entry>;

} // namespace

TEST_CASE("groups of all multiprocessors enter the device's port, whosever they are") {
  MachineSpec machine = ported(2);
  machine.global->ports = 3;
  const Observed run = observe(
      machine, {2, 4, 0}, {{{0, 0}, {read({16, 17, 18, 19})}}, {{1, 0}, {read({0, 2, 4, 6})}}});
  CHECK(run.entries == Entries{{0, 0, 0, 22}, {0, 1, 0, 23}});
  const Counts& counts = run.counts;
  CHECK(counts.time.value == 23);
  REQUIRE(counts.ports.size() == 2);
  CHECK(counts.ports[0].lines == 1);
  CHECK(counts.ports[0].groups == 2);
  CHECK(counts.ports[0].stages == 2);
  CHECK(counts.ports[0].conflicts() == 0); // at least two stages
  CHECK(counts.ports[1].lines == 2);
  CHECK(counts.ports[1].groups == 4);
  CHECK(counts.ports[1].busy == 2);
  CHECK(counts.global[0].stages == 6);
  CHECK(counts.global[0].conflicts() == 2); // four words need two groups
  CHECK(counts.global[0].busy == 2);
}

TEST_CASE("the port of a multiprocessor takes one request after the other, and lines beyond the "
          "words' are lost") {
  MachineSpec machine = ported(1);
  machine.global->ports = 4;
  const Observed run = observe(machine, {1, 8, 0},
                               {{{0, 0}, {read({0, 4, 8, 12})}}, {{0, 1}, {write({0, 1, 2, 3})}}});
  // Four lines leave at 4, their four groups enter at once; the next two enter at 6.
  CHECK(run.entries == Entries{{0, 0, 0, 24}, {4, 0, 1, 26}});
  CHECK(run.counts.ports[0].conflicts() == 2);
  CHECK(run.counts.ports[0].reads == 1);
  CHECK(run.counts.ports[0].writes == 1);
}

TEST_CASE("a read of what its block has read needs no group") {
  MachineSpec machine = ported(1);
  machine.global->reuse = Reuse::block;
  machine.global->reuse_latency = {3};
  const Lanes front = {0, 1, 2, 3}, behind = {2, 3, 4, 5};
  const Script script = {
      {{0, 0}, {read(front)}}, {{0, 1}, {read(front)}}, {{0, 2}, {read(behind)}}};
  const Observed run = observe(machine, {1, 12, 0}, script);
  CHECK(run.entries == Entries{{0, 0, 0, 23}, {2, 0, 1, 7}, {4, 0, 2, 26}});
  CHECK(run.counts.ports[0].groups == 6);
  CHECK(run.counts.ports[0].groups_reused == 3);
  CHECK(run.counts.ports[0].groups_reused_extra == 0);

  SECTION("of a request's groups, those beyond what its words need are reused first") {
    // Four words in four groups, where two would do; one of these groups is new.
    const Observed spread = observe(
        machine, {1, 12, 0},
        {{{0, 0}, {read(front)}}, {{0, 1}, {read({4, 5, 6, 7})}}, {{0, 2}, {read({0, 2, 4, 8})}}});
    CHECK(spread.counts.global[0].conflicts() == 2);
    CHECK(spread.counts.ports[0].groups_reused == 3);
    CHECK(spread.counts.ports[0].groups_reused_extra == 2);
  }
  SECTION("another block begins with nothing") {
    machine.resident_blocks = 2;
    const Observed blocks =
        observe(machine, {2, 4, 0}, {{{0, 0}, {read(front)}}, {{1, 0}, {read(front)}}});
    CHECK(blocks.counts.ports[0].groups_reused == 0);
  }
  SECTION("volatile reads, writes and atomics need all groups and add none") {
    Act fresh = read(front);
    fresh.request.is_volatile = true;
    const Observed others = observe(machine, {1, 16, 0},
                                    {{{0, 0}, {fresh}},
                                     {{0, 1}, {write(front)}},
                                     {{0, 2}, {atomic(front)}},
                                     {{0, 3}, {read(front)}}});
    CHECK(others.counts.ports[0].groups_reused == 0);
    CHECK(others.entries.back().completion == 6 + 2 + 1 + 20);
  }
}

TEST_CASE("behind own ports, groups serve atomics one after the other") {
  MachineSpec machine = ported(1);
  machine.global->group = 4;
  machine.global->atomic_service = {3};
  const Observed run = observe(
      machine, {1, 8, 0}, {{{0, 0}, {atomic({0, 0, 0, 0})}}, {{0, 1}, {atomic({0, 1, 2, 3})}}});
  // Enter at 2 and 4; served in time units 2 to 5 and 6 to 8.
  CHECK(run.entries == Entries{{0, 0, 0, 25}, {2, 0, 1, 28}});
}

TEST_CASE("shared requests have at least so many stages") {
  MachineSpec machine = hmm(1, 4, 4, 20);
  machine.shared->least_stages = 2;
  const Counts counts =
      run(machine, {1, 4, 0},
          {{{0, 0}, {read({0, 1, 2, 3}, UnitId::shared), read({0, 4, 8, 1}, UnitId::shared)}}})
          .counts;
  CHECK(counts.shared[0].stages == 2 + 3);
  CHECK(counts.shared[0].conflicts() == 1);
  CHECK(counts.time.value == (2 - 1 + 4) + (3 - 1 + 4));
}

TEST_CASE("operations are requests to their units") {
  MachineSpec machine = hmm(1, 4, 4, 20);
  const auto doubles = [](std::int64_t count) { return compute(count, OperationClass::double_); };

  SECTION("two doubles of warp 0 and one of warp 1") {
    machine.operations = {{"fp64", 1, {1}, {16}}};
    const Counts counts =
        run(machine, {1, 8, 0}, {{{0, 0}, {doubles(2)}}, {{0, 1}, {doubles(1)}}}).counts;
    CHECK(counts.time.value == 48);
    REQUIRE(counts.operations.size() == 1);
    CHECK(counts.operations[0].operations == 3);
    CHECK(counts.operations[0].busy == 48);
    CHECK(counts.operations[0].idle == 0);
    CHECK(counts.global[0].idle_empty == 48); // no request is on its way
  }
  SECTION("a division and another operator of warp 0, another operator of warp 1") {
    machine.operations = {{"issue", 4, {4}, {0, 0, 20, 0, 1}}};
    const Script script = {
        {{0, 0}, {compute(1, OperationClass::division), compute(1), read({0, 1, 2, 3})}},
        {{0, 1}, {compute(1), read({0, 1, 2, 3})}}};
    const Observed seen = observe(machine, {1, 8, 0}, script);
    CHECK(seen.entries == Entries{{9, 0, 1, 29}, {12, 0, 0, 32}});
    CHECK(seen.counts.operations[0].busy == 5 + 1 + 1);
  }
  SECTION("a class without a unit takes no time") {
    machine.operations = {{"fp64", 1, {1}, {16}}};
    CHECK(time_of(machine, {1, 4, 0}, {{{0, 0}, {compute(100), read({0, 1, 2, 3})}}}) == 20);
  }
  SECTION("each multiprocessor has its own units") {
    machine.multiprocessors = 2;
    machine.operations = {{"fp64", 1, {1}, {16}}};
    CHECK(time_of(machine, {2, 4, 0}, {{{0, 0}, {doubles(1)}}, {{1, 0}, {doubles(1)}}}) == 16);
  }
}
