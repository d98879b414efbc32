// Accounts of latency with numbers derived by hand from [NI].
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

/// `requests` without conflicts by `warps`, in one launch, as many by each. More threads or blocks
/// change nothing.
UnitCounts accesses(std::int64_t requests, std::int64_t warps, std::int64_t latency) {
  UnitCounts unit;
  unit.requests = unit.stages = requests;
  unit.congestion[1] = requests;
  unit.resident_warps = warps;
  unit.latency_bound = requests / warps * latency;
  unit.exposed = std::max<std::int64_t>(0, unit.latency_bound - requests);
  unit.exposed_with_threads.fill(unit.exposed);
  unit.exposed_with_blocks.fill(unit.exposed);
  return unit;
}

} // namespace

TEST_CASE("one memory: n/w against nl/p, hidden from p = wl on") {
  // Contiguous access to n = 64 words, w = 4, l = 5: n/w = 16, nl/p = 20 with 16 threads.
  MachineSpec machine = hmm(4, 1, 16, 1, 5);
  machine.model = Model::umm;
  machine.shared.reset();
  Counts counts;
  counts.time = Cycles{23};
  counts.global = {accesses(16, 4, 5)};
  const LatencyHiding account = latency_hiding(machine, counts);
  REQUIRE(account.global);
  CHECK(!account.shared);
  CHECK(account.global->needed == 20);
  CHECK(account.global->room == 16);
  CHECK(account.global->resident == 16);
  CHECK(account.global->active == 16);
  CHECK(!account.global->hidden());
  CHECK(account.global->bandwidth == 16);
  CHECK(account.global->latency == 20);
  CHECK(account.global->exposed == 4);
  CHECK(account.largest == Limitation::global_latency);
  CHECK(account.largest_bound == 20);
  CHECK(!account.global->threads);
  CHECK(!account.global->resident_blocks);
  REQUIRE(account.occupancy.size() == 1);
  CHECK(account.occupancy[0].resident == 4);
  CHECK(account.occupancy[0].room == 4);

  machine.threads = 32;
  counts.global = {accesses(16, 8, 5)};
  const LatencyHiding hidden = latency_hiding(machine, counts);
  CHECK(hidden.global->hidden());
  CHECK(hidden.global->latency == 10);
  CHECK(hidden.largest == Limitation::global_bandwidth);
}

TEST_CASE("MUL-HMM at (n, m, w, d, p, l, L) = (8, 4, 4, 2, 4, 2, 7)") {
  // Global: 2 n^3 / m + n^2 = 320 words. Shared, by multiprocessor: s^2 / d = 2 tiles, each
  // s (2 m^2 + 4 m^3) + 2 m^2 = 608 words. Requests are a fourth of the words.
  const MachineSpec machine = hmm(4, 2, 4, 2, 7);
  Counts counts;
  counts.time = Cycles{928}; // in lockstep
  counts.global = {accesses(80, 2, 7)};
  counts.shared = {accesses(304, 1, 2), accesses(304, 1, 2)};
  const LatencyHiding account = latency_hiding(machine, counts);
  CHECK(account.global->needed == 28);
  CHECK(account.global->room == 8);
  CHECK(account.global->bandwidth == 80);
  CHECK(account.global->latency == 280);
  CHECK(account.shared->needed == 8);
  CHECK(account.shared->room == 4);
  CHECK(account.shared->bandwidth == 304);
  CHECK(account.shared->latency == 608);
  CHECK(account.shared->multiprocessor == 0);
  CHECK(account.largest == Limitation::shared_latency);
  CHECK(account.largest_bound == 608);
}

TEST_CASE("advice is the smallest value that does what its key can do, and worth its words") {
  Counts counts;
  counts.time = Cycles{1000};
  counts.global = {accesses(100, 1, 6)};
  counts.shared = {UnitCounts{}};
  UnitCounts& unit = counts.global[0];
  REQUIRE(unit.exposed == 500);
  const MachineSpec machine = hmm(4, 1, 8, 2, 6);
  const auto advice = [&](std::vector<std::int64_t> with) {
    with.resize(latency_doublings, with.back());
    std::copy(with.begin(), with.end(), unit.exposed_with_threads.begin());
    return latency_hiding(machine, counts).global->threads;
  };
  CHECK(!advice({500}));
  CHECK(!advice({451})); // less than a twentieth of the time
  REQUIRE(advice({450}));
  CHECK(advice({450})->value == 16);
  CHECK(advice({450})->exposed == 450);
  CHECK(advice({300, 100, 0})->value == 64);
  CHECK(advice({300, 25, 0})->value == 32); // all but a twentieth
  CHECK(advice({300, 25, 0})->exposed == 25);
  CHECK(advice({300, 26, 0})->value == 64);
}

TEST_CASE("what is worth words is a share of the time beside the cost of launches") {
  Counts counts;
  counts.time = Cycles{11'000};
  counts.launches = 2;
  counts.global = {accesses(100, 1, 6)};
  counts.shared = {UnitCounts{}};
  UnitCounts& unit = counts.global[0];
  unit.exposed_with_threads.fill(450);
  MachineSpec machine = hmm(4, 1, 8, 2, 6);
  CHECK(!latency_hiding(machine, counts).global->threads);
  machine.launch_cost = Cycles{5000};
  REQUIRE(time_beside_launches(machine, counts) == 1000);
  CHECK(latency_hiding(machine, counts).global->threads);

  unit.exposed = 0;
  unit.idle_latency = 51;
  CHECK(latency_hiding(machine, counts).global->untold == 51);
  CHECK(!latency_hiding(machine, counts).global->hidden());
  machine.launch_cost = Cycles{0};
  CHECK(latency_hiding(machine, counts).global->hidden());
}

TEST_CASE("threads that are resident and make no requests hide nothing") {
  Counts counts;
  counts.time = Cycles{80'300};
  counts.global = {accesses(200, 1, 400)}; // of one busy warp
  counts.global[0].resident_warps = 32;
  counts.shared = {accesses(3, 3, 2)};
  const LatencyHiding account = latency_hiding(hmm(32, 1, 1024, 2, 400), counts);
  CHECK(account.global->resident == 1024);
  CHECK(account.global->active == 32);
  CHECK(account.global->latency == 80'000);
  CHECK(account.global->exposed == 79'800);
  CHECK(account.largest == Limitation::global_latency);
  CHECK(!account.global->threads);
  CHECK(account.shared->hidden());
  CHECK(account.occupancy[0].resident == 3);
  CHECK(account.occupancy[0].room == 32);
}

TEST_CASE("ports: more threads fill the pipeline, and stages take less time") {
  MachineSpec machine = hmm(4, 2, 16, 2, 7);
  machine.global->ports = 3;
  Counts counts;
  counts.global = {accesses(80, 8, 7)};
  counts.shared = {UnitCounts{}, UnitCounts{}};
  const LatencyHiding account = latency_hiding(machine, counts);
  CHECK(account.global->needed == 84);
  CHECK(account.shared->needed == 8);
  CHECK(account.global->bandwidth == 27);
  CHECK(account.global->latency == 70);
  CHECK(!account.shared->used());
}

TEST_CASE("a request of several stages fills more of the pipeline") {
  MachineSpec machine = hmm(4, 2, 16, 2, 7);
  machine.global->ports = 3;
  machine.global->group = 2;
  machine.shared->least_stages = 4;
  Counts counts;
  counts.global = {accesses(80, 8, 7)};
  counts.shared = {UnitCounts{}, UnitCounts{}};
  // 3 ports with L = 7 hold 21 stages. A warp of 4 threads fills 2 of them.
  CHECK(latency_hiding(machine, counts).global->needed == 42);
  CHECK(latency_hiding(machine, counts).shared->needed == 2);
  machine.requests_in_flight = 4;
  CHECK(latency_hiding(machine, counts).global->needed == 11);
}

TEST_CASE("of the multiprocessors, the one with the greatest bound speaks") {
  Counts counts;
  counts.global = {UnitCounts{}};
  counts.shared = {accesses(10, 2, 2), accesses(11, 1, 2), accesses(20, 4, 2)};
  counts.shared[0].stages = 22;
  const LatencyHiding account = latency_hiding(hmm(4, 3, 16, 2, 7), counts);
  CHECK(account.shared->multiprocessor == 0);
  CHECK(account.largest == Limitation::shared_bandwidth);
  counts.shared[0].stages = 21;
  const LatencyHiding other = latency_hiding(hmm(4, 3, 16, 2, 7), counts);
  CHECK(other.shared->multiprocessor == 1);
  CHECK(other.largest == Limitation::shared_latency);
  CHECK(other.largest_bound == 22);
}

TEST_CASE("atomics on one address group and a unit of operations have bounds, too") {
  MachineSpec machine = hmm(4, 2, 16, 2, 7);
  machine.operations = {{"issue", 2, Cycles{4}, {}}, {"fp64", 1, Cycles{4}, {}}};
  Counts counts;
  counts.time = Cycles{100};
  counts.global = {accesses(8, 8, 7)};
  counts.global[0].service_bound = 40;
  counts.shared = {UnitCounts{}, UnitCounts{}};
  CHECK(latency_hiding(machine, counts).largest == Limitation::global_atomics);
  CHECK(latency_hiding(machine, counts).largest_bound == 40);
  counts.operations = {
      {"issue", 0, 60, 60, 50, 50}, {"issue", 1, 70, 99, 60, 40}, {"fp64", 1, 3, 48, 48, 52}};
  const LatencyHiding account = latency_hiding(machine, counts);
  CHECK(account.largest == Limitation::operations);
  CHECK(account.largest_bound == 50); // 99 stages at 2 ports
  REQUIRE(account.operations);
  CHECK(account.operations->unit == "issue");
  CHECK(account.operations->multiprocessor == 1);
}

TEST_CASE("a run without memory has no largest bound") {
  Counts counts;
  counts.global = {UnitCounts{}};
  counts.shared = {UnitCounts{}};
  const LatencyHiding account = latency_hiding(hmm(4, 1, 16, 2, 7), counts);
  CHECK(!account.largest);
  CHECK(!account.global->used());
  CHECK(name_of(Limitation::shared_latency) == "shared_latency");
  CHECK(name_of(Limitation::operations) == "operations");
  CHECK(hiding_fields().size() == 7);
}

} // namespace memlane
