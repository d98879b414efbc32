// Resident warps, and the bound that their waiting sets (configs/README.md section 4; [NI] section
// IV).
#include "script.hpp"
#include "support/catch.hpp"

using namespace memlane;
using namespace memlane::test;

namespace {

const Lanes words{0, 1};

/// Every warp of every block reads once, from a unit.
Script one_read_each(std::int64_t blocks, std::int64_t warps, UnitId unit) {
  Script script;
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (std::int64_t warp = 0; warp < warps; ++warp) script[{block, warp}] = {read(words, unit)};
  }
  return script;
}

} // namespace

TEST_CASE("the most warps at once are counted, for a multiprocessor and for all") {
  MachineSpec machine = hmm(2, 2, 1, 10);
  // Three blocks of two warps: two on the first multiprocessor, in turn, and one on the second.
  const Script script = one_read_each(3, 2, UnitId::global);
  const Counts alone = run(machine, {3, 4, 0}, script).counts;
  CHECK(alone.shared[0].resident_warps == 2);
  CHECK(alone.shared[1].resident_warps == 2);
  CHECK(alone.global[0].resident_warps == 4);
  CHECK(alone.global[0].latency_bound == 2 * 10); // of the first multiprocessor
  machine.resident_blocks = 2;
  const Counts together = run(machine, {3, 4, 0}, script).counts;
  CHECK(together.shared[0].resident_warps == 4);
  CHECK(together.shared[1].resident_warps == 2);
  CHECK(together.global[0].resident_warps == 6);
  CHECK(together.global[0].latency_bound == 10);
}

TEST_CASE("shared memory that holds fewer blocks keeps warps out") {
  MachineSpec machine = hmm(1, 2, 3, 10);
  machine.resident_blocks = 4;
  machine.shared->capacity = 10;
  const Script script = one_read_each(4, 1, UnitId::shared);
  CHECK(run(machine, {4, 2, 0}, script).counts.shared[0].resident_warps == 4);
  CHECK(run(machine, {4, 2, 5}, script).counts.shared[0].resident_warps == 2);
  const Counts one = run(machine, {4, 2, 6}, script).counts;
  CHECK(one.shared[0].resident_warps == 1);
  CHECK(one.shared[0].latency_bound == 4 * 3);
  CHECK(one.time.value == 4 * 3);
}

TEST_CASE("a multiprocessor without a block has no warps, the busiest warp bounds the time") {
  const Counts counts = run(hmm(3, 2, 5, 7), {1, 6, 0}, one_read_each(1, 3, UnitId::shared)).counts;
  CHECK(counts.shared[0].resident_warps == 3);
  CHECK(counts.shared[1].resident_warps == 0);
  CHECK(counts.shared[1].latency_bound == 0);
  CHECK(counts.shared[0].latency_bound == 5);
  Script script = one_read_each(1, 3, UnitId::shared);
  script[{0, 0}].push_back(read(words, UnitId::shared));
  CHECK(run(hmm(3, 2, 5, 7), {1, 6, 0}, script).counts.shared[0].latency_bound == 10);
}

TEST_CASE("bounds of launches add up, warps do not") {
  Counts counts = run(umm(2, 5), {1, 4, 0}, one_read_each(1, 2, UnitId::global)).counts;
  counts += run(umm(2, 5), {1, 2, 0}, one_read_each(1, 1, UnitId::global)).counts;
  CHECK(counts.global[0].resident_warps == 2);
  CHECK(counts.global[0].latency_bound == 10);
}
