// Verdicts with numbers derived by hand from [NI], Nakano and Ito 2014.
#include "support/catch.hpp"

#include "memlane/count/hiding.hpp"

namespace memlane {
namespace {

MachineSpec hmm(std::int64_t w, std::int64_t d, std::int64_t p, std::int64_t l, std::int64_t L) {
  MachineSpec machine;
  machine.model = Model::hmm;
  machine.width = w;
  machine.multiprocessors = d;
  machine.threads = p;
  machine.shared = UnitSpec{UnitKind::discrete, Cycles{l}, 1, std::nullopt};
  machine.global = UnitSpec{UnitKind::unified, Cycles{L}, 1, std::nullopt};
  return machine;
}

/// `requests` without conflicts by `warps`, in one launch.
UnitCounts accesses(std::int64_t requests, std::int64_t warps, std::int64_t latency) {
  UnitCounts unit;
  unit.requests = unit.stages = requests;
  unit.resident_warps = warps;
  unit.latency_bound = (requests * latency + warps - 1) / warps;
  return unit;
}

using Number = std::optional<std::int64_t>;

} // namespace

TEST_CASE("one memory: n/w against nl/p, hidden from p = wl on") {
  // Contiguous access to n = 64 words, w = 4, l = 5: n/w = 16, nl/p = 20 with 16 threads.
  MachineSpec machine = hmm(4, 1, 16, 1, 5);
  machine.model = Model::umm;
  machine.shared.reset();
  Counts counts;
  counts.global = {accesses(16, 4, 5)};
  const LatencyHiding verdict = latency_hiding(machine, counts);
  REQUIRE(verdict.global);
  CHECK(!verdict.shared);
  CHECK(verdict.global->needed == 20);
  CHECK(verdict.global->room == 16);
  CHECK(!verdict.global->hidden());
  CHECK(verdict.global->bandwidth == 16);
  CHECK(verdict.global->latency == 20);
  CHECK(verdict.largest == Limitation::global_latency);
  CHECK(verdict.largest_bound == 20);
  CHECK(verdict.global->enough_threads == Number(20));
  CHECK(verdict.global->enough_resident_blocks == Number(2));
  CHECK(!verdict.global->enough_multiprocessors); // a UMM has one
  REQUIRE(verdict.occupancy.size() == 1);
  CHECK(verdict.occupancy[0].resident == 4);
  CHECK(verdict.occupancy[0].room == 4);

  machine.threads = 20;
  counts.global = {accesses(16, 5, 5)};
  const LatencyHiding hidden = latency_hiding(machine, counts);
  CHECK(hidden.global->hidden());
  CHECK(hidden.global->latency == 16);
  CHECK(hidden.largest == Limitation::global_bandwidth); // of equals the first
  CHECK(!hidden.global->enough_threads);
  CHECK(!hidden.global->enough_resident_blocks);
}

TEST_CASE("MUL-HMM at (n, m, w, d, p, l, L) = (8, 4, 4, 2, 4, 2, 7)") {
  // Global: 2 n^3 / m + n^2 = 320 words. Shared, by multiprocessor: s^2 / d = 2 tiles, each
  // s (2 m^2 + 4 m^3) + 2 m^2 = 608 words. Requests are a fourth of the words.
  const MachineSpec machine = hmm(4, 2, 4, 2, 7);
  Counts counts;
  counts.global = {accesses(80, 2, 7)};
  counts.shared = {accesses(304, 1, 2), accesses(304, 1, 2)};
  const LatencyHiding verdict = latency_hiding(machine, counts);
  CHECK(verdict.global->needed == 28);
  CHECK(verdict.global->room == 8);
  CHECK(verdict.global->bandwidth == 80);
  CHECK(verdict.global->latency == 280);
  CHECK(verdict.global->enough_threads == Number(16));
  CHECK(verdict.global->enough_multiprocessors == Number(7));
  CHECK(verdict.global->enough_resident_blocks == Number(4));
  CHECK(verdict.shared->needed == 8);
  CHECK(verdict.shared->room == 4);
  CHECK(verdict.shared->bandwidth == 304);
  CHECK(verdict.shared->latency == 608);
  CHECK(verdict.shared->multiprocessor == 0);
  CHECK(verdict.shared->enough_threads == Number(8));
  CHECK(!verdict.shared->enough_multiprocessors); // each has its own shared memory
  CHECK(verdict.shared->enough_resident_blocks == Number(2));
  CHECK(verdict.largest == Limitation::shared_latency);
  CHECK(verdict.largest_bound == 608); // of 928 time units in lockstep
}

TEST_CASE("the smallest values are the smallest, on both sides of the condition") {
  // wL = 32 * 400 = 12800 <= dp from d = 13 on, where p = 1024.
  Counts counts;
  counts.global = {accesses(1000, 1, 400)};
  counts.shared = {accesses(1, 1, 2)};
  const auto global = [&](std::int64_t d, std::int64_t p, std::int64_t r) {
    MachineSpec machine = hmm(32, d, p, 2, 400);
    machine.resident_blocks = r;
    return *latency_hiding(machine, counts).global;
  };
  CHECK(!global(12, 1024, 1).machine_hides());
  CHECK(global(12, 1024, 1).enough_multiprocessors == Number(13));
  CHECK(global(13, 1024, 1).machine_hides());
  CHECK(!global(13, 1024, 1).enough_multiprocessors);
  CHECK(global(12, 1024, 1).enough_threads == Number(1088)); // 12 * 1056 = 12672
  CHECK(global(12, 1088, 1).machine_hides());
  CHECK(!global(12, 1056, 1).machine_hides());
  CHECK(global(2, 1024, 1).enough_resident_blocks == Number(7)); // 6 * 2048 = 12288
  CHECK(!global(2, 1024, 6).machine_hides());
  CHECK(global(2, 1024, 7).machine_hides());
  CHECK(global(2, 1024, 6).enough_threads == Number(1088)); // with six blocks of so many each
}

TEST_CASE("threads that are not resident hide nothing") {
  Counts counts;
  counts.global = {accesses(1000, 40, 400)};
  counts.shared = {accesses(1, 3, 2)};
  const LatencyHiding verdict = latency_hiding(hmm(32, 14, 1024, 2, 400), counts);
  CHECK(verdict.global->machine_hides());
  CHECK(!verdict.global->hidden());
  CHECK(verdict.global->resident == 1280);
  CHECK(!verdict.global->enough_threads); // the machine needs no change, the launches do
  CHECK(verdict.shared->hidden());
  CHECK(verdict.occupancy[0].resident == 3);
  CHECK(verdict.occupancy[0].room == 32);
}

TEST_CASE("more blocks must fit the shared memory") {
  MachineSpec machine = hmm(4, 2, 4, 2, 7);
  machine.shared->capacity = 191;
  Counts counts;
  counts.shared_words = 48;
  counts.global = {accesses(80, 2, 7)};
  counts.shared = {accesses(304, 1, 2), accesses(304, 1, 2)};
  const LatencyHiding three = latency_hiding(machine, counts);
  CHECK(three.blocks_that_fit == Number(3));
  CHECK(!three.global->enough_resident_blocks); // four are needed
  CHECK(three.shared->enough_resident_blocks == Number(2));
  machine.shared->capacity = 192;
  CHECK(latency_hiding(machine, counts).global->enough_resident_blocks == Number(4));
}

TEST_CASE("ports: more threads fill the pipeline, and stages take less time") {
  MachineSpec machine = hmm(4, 2, 16, 2, 7);
  machine.global->ports = 3;
  Counts counts;
  counts.global = {accesses(80, 8, 7)};
  counts.shared = {UnitCounts{}, UnitCounts{}};
  const LatencyHiding verdict = latency_hiding(machine, counts);
  CHECK(verdict.global->needed == 84);
  CHECK(verdict.global->bandwidth == 27);
  CHECK(verdict.global->latency == 70);
  CHECK(!verdict.shared->used());
}

TEST_CASE("of the multiprocessors, the one with the greatest bound speaks") {
  Counts counts;
  counts.global = {UnitCounts{}};
  counts.shared = {accesses(10, 2, 2), accesses(11, 1, 2), accesses(20, 4, 2)};
  counts.shared[0].stages = 22;
  const LatencyHiding verdict = latency_hiding(hmm(4, 3, 16, 2, 7), counts);
  CHECK(verdict.shared->multiprocessor == 0);
  CHECK(verdict.largest == Limitation::shared_bandwidth);
  counts.shared[0].stages = 21;
  const LatencyHiding other = latency_hiding(hmm(4, 3, 16, 2, 7), counts);
  CHECK(other.shared->multiprocessor == 1);
  CHECK(other.largest == Limitation::shared_latency);
  CHECK(other.largest_bound == 22);
}

TEST_CASE("a run without memory has no largest bound") {
  Counts counts;
  counts.global = {UnitCounts{}};
  counts.shared = {UnitCounts{}};
  const LatencyHiding verdict = latency_hiding(hmm(4, 1, 16, 2, 7), counts);
  CHECK(!verdict.largest);
  CHECK(!verdict.global->used());
  CHECK(name_of(Limitation::shared_latency) == "shared_latency");
  CHECK(hiding_fields().size() == 5);
}

} // namespace memlane
