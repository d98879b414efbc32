// Blocks on multiprocessors (configs/README.md section 4).
#include "script.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace memlane;
using namespace memlane::test;

namespace {

const Lanes row0{0, 1};
const Lanes two_groups{0, 2};

std::vector<std::pair<std::int64_t, std::int64_t>> placed(const MachineSpec& machine,
                                                          LaunchShape shape, const Script& script) {
  struct Places : TimeObserver {
    std::vector<std::pair<std::int64_t, std::int64_t>> places; // (block, MP) in dispatch order
    void dispatched(const Dispatch& dispatch) override {
      places.push_back({dispatch.warp.block, dispatch.multiprocessor});
    }
  } observer;
  ScriptStream stream(script);
  run_script(machine, shape, stream, 0, {0}, {}, Sources{}, observer);
  return observer.places;
}

using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;

} // namespace

TEST_CASE("the round-robin order is kept across blocks") {
  const Script script{{{0, 0}, {read(row0)}},
                      {{1, 0}, {read(two_groups), read(two_groups)}},
                      {{1, 1}, {read(two_groups)}}};
  MachineSpec machine = hmm(1, 2, 1, 3);
  CHECK(time_of(machine, {2, 4, 0}, script) == 13);
  CHECK(time_of(umm(2, 3), {2, 4, 0}, script) == 13);
}

TEST_CASE("static blocks: g runs on g mod d, in order, the next when all warps have completed") {
  Script script;
  for (std::int64_t block = 0; block < 5; ++block) {
    script[{block, 0}] = {read(row0, UnitId::shared)};
  }
  script[{0, 0}].push_back(read(row0, UnitId::shared));
  const MachineSpec machine = hmm(2, 2, 4, 9);
  CHECK(placed(machine, {5, 2, 0}, script) ==
        Places{{0, 0}, {1, 1}, {0, 0}, {3, 1}, {2, 0}, {4, 0}});
  CHECK(time_of(machine, {5, 2, 0}, script) == 16);
}

TEST_CASE("dynamic blocks go to the multiprocessor with the fewest") {
  Script script;
  for (std::int64_t block = 0; block < 5; ++block) {
    script[{block, 0}] = {read(row0, UnitId::shared)};
  }
  script[{0, 0}] = {read(row0, UnitId::shared), read(row0, UnitId::shared),
                    read(row0, UnitId::shared), read(row0, UnitId::shared)};
  MachineSpec machine = hmm(2, 2, 4, 9);
  machine.block_schedule = BlockSchedule::dynamic;
  // MP 0 is busy with block 0 to time 16, MP 1 takes 1, 2, 3, 4 at 0, 4, 8, 12.
  CHECK(placed(machine, {5, 2, 0}, script) ==
        Places{{0, 0}, {1, 1}, {0, 0}, {2, 1}, {0, 0}, {3, 1}, {0, 0}, {4, 1}});
  machine.resident_blocks = 3;
  // Dealt one by one: 0 1 0 1 0.
  const Places all = placed(machine, {5, 2, 0}, script);
  CHECK(std::count(all.begin(), all.end(), std::pair<std::int64_t, std::int64_t>{4, 0}) == 1);
  CHECK(std::count(all.begin(), all.end(), std::pair<std::int64_t, std::int64_t>{3, 1}) == 1);
}

TEST_CASE("resident blocks hide latency, as far as their shared words fit") {
  Script script;
  for (std::int64_t block = 0; block < 4; ++block) script[{block, 0}] = {read(row0)};
  MachineSpec machine = hmm(1, 2, 1, 10);
  machine.shared->capacity = 100;
  CHECK(time_of(machine, {4, 2, 40}, script) == 40);
  machine.resident_blocks = 4;
  CHECK(time_of(machine, {4, 2, 0}, script) == 13);
  CHECK(time_of(machine, {4, 2, 25}, script) == 13);
  CHECK(time_of(machine, {4, 2, 26}, script) == 20); // three fit
  CHECK(time_of(machine, {4, 2, 50}, script) == 21); // two fit
  CHECK(time_of(machine, {4, 2, 51}, script) == 40);
}

TEST_CASE("a block takes the lowest free slot") {
  // Blocks 0 and 1 are resident; 1 ends first, so block 2 gets slot 1 and is asked behind block 0.
  const Script script{{{0, 0}, {read(row0), read(row0)}},
                      {{1, 0}, {}},
                      {{2, 0}, {read(row0), read(row0)}},
                      {{3, 0}, {read(row0)}}};
  MachineSpec machine = hmm(1, 2, 1, 3);
  machine.resident_blocks = 2;
  CHECK(placed(machine, {4, 2, 0}, script) == Places{{0, 0}, {2, 0}, {0, 0}, {2, 0}, {3, 0}});
  CHECK(time_of(machine, {4, 2, 0}, script) == 9);
}

TEST_CASE("multiprocessors share the global unit in the order (MP, slot, warp)") {
  Script script;
  for (std::int64_t block = 0; block < 3; ++block) {
    for (std::int64_t warp = 0; warp < 2; ++warp) script[{block, warp}] = {read(row0)};
  }
  ScriptStream stream(script);
  Recorder recorder;
  const auto counts =
      run_script(hmm(3, 2, 1, 4), {3, 4, 0}, stream, 0, {0}, {}, {}, recorder).counts;
  CHECK(recorder.entries ==
        std::vector<Recorder::Entry>{
            {0, 0, 0, 4}, {1, 0, 1, 5}, {2, 1, 0, 6}, {3, 1, 1, 7}, {4, 2, 0, 8}, {5, 2, 1, 9}});
  CHECK(counts.shared.size() == 3);
  for (const UnitCounts& unit : counts.shared) CHECK(explained(unit) == 9);
}

TEST_CASE("blocks without a request, launches without a block, more MPs than blocks") {
  CHECK(time_of(hmm(2, 2, 1, 4), {100000, 4, 0}, {}) == 0);
  MachineSpec machine = hmm(3, 2, 1, 4);
  machine.launch_cost = {6};
  const ScriptOutcome outcome = run(machine, {0, 4, 0}, {});
  CHECK(outcome.stop == Stop::none);
  CHECK(outcome.counts.time.value == 6);
  for (const UnitCounts& unit : outcome.counts.shared) CHECK(unit.idle_empty == 6);
  const ScriptOutcome one = run(machine, {1, 4, 0}, {{{0, 0}, {read(row0)}}});
  CHECK(one.counts.shared.size() == 3);
  for (const UnitCounts& unit : one.counts.shared) CHECK(explained(unit) == 10);
  // The unit's own multiprocessor only: MP 0's warp drains, the others have none.
  CHECK(one.counts.shared[0].idle_drain == 4);
  CHECK(one.counts.shared[1].idle_empty == 10);
}

TEST_CASE("a barrier belongs to its block") {
  const Script script{{{0, 0}, {barrier(), read(row0)}},
                      {{0, 1}, {read(row0), barrier()}},
                      {{1, 0}, {read(row0), read(row0), read(row0)}}};
  const Counts counts = run(hmm(2, 2, 1, 5), {2, 4, 0}, script).counts;
  CHECK(counts.barriers == 1);
  CHECK(counts.time.value == 16); // block 1: 1-6, 6-11, 11-16
}
