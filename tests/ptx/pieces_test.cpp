// Steps of PTX that a machine issues in an order of its own, and shared reads that it merges
// (configs/README.md, "Reads that are hoisted", "Shared reads that are merged"), in both ways of
// pricing.
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/trace/replay.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <sstream>

namespace memlane::test {

namespace {

/// HMM, latencies 4 and 20, one multiprocessor.
MachineSpec machine_that(std::int64_t k, Schedule schedule, std::int64_t widest = 4) {
  MachineSpec machine = hmm(1, 32, 4, 20);
  machine.requests_in_flight = k;
  machine.schedule = schedule;
  machine.shared->widest = widest;
  return machine;
}
constexpr Schedule in_order = Schedule::program, early = Schedule::hoisted;

/// A kernel that copies two arrays to shared memory.
Seen seen_copies(const MachineSpec& machine, const std::string& kernel = "copies") {
  const auto launch = [&](PricedRun& run) {
    int* const x = run.kernels.array<int>(32, "x");
    int* const y = run.kernels.array<int>(32, "y");
    int* const z = run.kernels.array<int>(32, "z");
    for (int k = 0; k < 32; ++k) x[k] = k, y[k] = 100 + k;
    const ptx::GridShape shape = grid_of({1, 1, 1}, {32, 1, 1});
    const Result<bool> done = kernel == "copies" ? run.launch(kernel, shape, x, y, z)
                                                 : run.launch(kernel, shape, x, y, z, 5);
    if (!done || !*done) throw std::runtime_error("the launch fails");
    CHECK(z[0] == 131);
    CHECK(z[31] == 100);
    return run.pricing.time().value;
  };
  return seen_in_both_ways("pieces.ptx", machine, launch);
}

/// Reads of shared memory, and all its stages, of a kernel with one array; both ways of pricing.
struct Reads {
  std::int64_t requests = 0, stages = 0;
  bool operator==(const Reads&) const = default;
};
Reads reads_of(const std::string& file, const std::string& kernel, std::int64_t widest,
               Schedule schedule = in_order) {
  Reads reads;
  std::vector<int> values;
  for (const std::int64_t width : {std::int64_t{4}, widest})
    for (const bool reference : {false, true}) {
      DispatchTimes observer;
      PricedRun run(file, machine_that(3, schedule, width), {}, reference ? &observer : nullptr);
      int* const z = run.kernels.array<int>(32, "z");
      const Result<bool> done = run.launch(kernel, grid_of({1, 1, 1}, {32, 1, 1}), z);
      REQUIRE((done && *done));
      std::vector<int> now(z, z + 32);
      CHECK((values.empty() || values == now));
      values = std::move(now);
      const UnitCounts shared = run.pricing.result().counts.shared[0];
      const Reads found{shared.reads, shared.stages};
      if (reference) CHECK(reads == found);
      reads = found;
    }
  return reads;
}

} // namespace

TEST_CASE("PTX: reads are issued before steps that they do not depend on") {
  // x, s at 20, y, s at 41; the barrier waits for no write.
  CHECK(seen_copies(machine_that(3, in_order)) == Seen{{0, 20, 21, 41, 42, 46}, 66});
  CHECK(seen_copies(machine_that(3, early)) == Seen{{0, 1, 20, 21, 22, 26}, 46});
  CHECK(seen_copies(machine_that(2, early)) == Seen{{0, 1, 20, 21, 24, 28}, 48});
  CHECK(seen_copies(machine_that(1, in_order)) == Seen{{0, 20, 24, 44, 48, 52}, 72});
  CHECK(seen_copies(machine_that(1, early)) == Seen{{0, 20, 40, 44, 48, 52}, 72});
}

TEST_CASE("PTX: no step is issued before what ends its piece") {
  const auto gain = [](const std::string& name) {
    const MachineSpec plain = machine_that(5, in_order), hoisted = machine_that(5, early);
    return seen_copies(plain, "around_" + name).end - seen_copies(hoisted, "around_" + name).end;
  };
  CHECK(gain("nothing") == 20);
  for (const char* const name : {"an_atomic", "a_volatile_write", "a_shuffle", "a_vote", "a_fence",
                                 "a_barrier", "a_call", "some_lanes", "a_loop"}) {
    INFO(name);
    CHECK(gain(name) <= 1); // behind it, the second read may be issued before another write
  }
}

TEST_CASE("PTX: shared reads at successive offsets are merged to one request") {
  // Behind 8 writes, eight words of a row: 8 stages a request, whatever its width.
  const std::string file = "../../../configs/kernels/rows.ptx";
  CHECK(reads_of(file, "rows", 4) == Reads{8, 8 + 64});
  CHECK(reads_of(file, "rows", 8) == Reads{4, 8 + 32});
  CHECK(reads_of(file, "rows", 16) == Reads{2, 8 + 16});
  CHECK(reads_of(file, "rows", 16, early) == Reads{2, 8 + 16});
}

TEST_CASE("PTX: reads are merged only where all lanes are aligned, and across no write") {
  const std::string file = "pieces.ptx";
  CHECK(reads_of(file, "odd_rows", 16).requests == 8);
  CHECK(reads_of(file, "odd_rows", 16, early).requests == 8);
  // Four, two, and two behind the write.
  CHECK(reads_of(file, "rows_and_a_write", 16).requests == 3);
  CHECK(reads_of(file, "rows_and_a_write", 8).requests == 4);
  CHECK(reads_of(file, "rows_and_a_write", 16, early).requests == 3);
}

namespace {

struct PricedProduct {
  std::int64_t time = 0, requests = 0, stages = 0;
  std::vector<float> values;
};

/// A product of 64 x 64 floats.
PricedProduct product_on(const MachineSpec& machine, Observer* observer = nullptr) {
  PricedRun run("pieces.ptx", machine, {}, observer);
  constexpr std::size_t n = 64;
  float* const a = run.kernels.array<float>(n * n, "a");
  float* const b = run.kernels.array<float>(n * n, "b");
  float* const c = run.kernels.array<float>(n * n, "c");
  for (std::size_t k = 0; k < n * n; ++k) {
    a[k] = static_cast<float>(k % 7);
    b[k] = static_cast<float>(k % 5);
  }
  const Result<bool> done =
      run.launch("narrow_sgemm", grid_of({1, 1, 1}, {256, 1, 1}), a, b, c, static_cast<int>(n));
  REQUIRE((done && *done));
  PricedProduct product;
  product.time = run.pricing.time().value;
  const auto counts = run.pricing.result().counts;
  for (const auto* units : {&counts.shared, &counts.global})
    for (const UnitCounts& unit : *units) {
      product.requests += unit.requests;
      product.stages += unit.stages;
    }
  product.values.assign(c, c + n * n);
  return product;
}

} // namespace

TEST_CASE("PTX: hoisted and merged reads make a product of matrices faster") {
  const auto product = [](Schedule schedule, std::int64_t widest) {
    MachineSpec machine = machine_that(4, schedule, widest);
    machine.shared->latency = {24};
    machine.global->latency = {600};
    return product_on(machine);
  };
  const PricedProduct plain = product(in_order, 4), hoisted = product(early, 4),
                      merged = product(in_order, 16), both = product(early, 16);
  CHECK(hoisted.values == plain.values);
  CHECK(both.values == plain.values);
  CHECK(hoisted.requests == plain.requests);
  CHECK(hoisted.stages == plain.stages);
  CHECK(hoisted.time < plain.time);
  CHECK(merged.time < plain.time);
  CHECK(both.time < merged.time);
  CHECK(both.time < hoisted.time);
  // In each of the 4 rounds 8 warps make 16 * 8 shared reads, or a fourth of them.
  CHECK(plain.requests - merged.requests == 4 * 8 * 16 * 6);
  CHECK(both.requests == merged.requests);
}

TEST_CASE("PTX: idle time of hoisted reads is charged to the line that waits for them") {
  for (const bool reference : {false, true}) {
    DispatchTimes observer;
    PricedRun run("pieces.ptx", machine_that(3, early), {}, reference ? &observer : nullptr);
    int* const x = run.kernels.array<int>(32, "x");
    int* const y = run.kernels.array<int>(32, "y");
    int* const z = run.kernels.array<int>(32, "z");
    const Result<bool> done = run.launch("copies", grid_of({1, 1, 1}, {32, 1, 1}), x, y, z);
    REQUIRE((done && *done));
    const UnitCounts global = run.pricing.result().counts.global[0];
    REQUIRE(!global.waits_of_lines.empty());
    for (const auto& [lines, time] : global.waits_of_lines) {
      CHECK(lines.first.second > 0); // the instruction that waits is known
      CHECK(lines.second.second > 0);
    }
  }
}

TEST_CASE("PTX: a trace of hoisted and merged reads has their time") {
  for (const std::int64_t k : {1, 4}) {
    const MachineSpec machine = machine_that(k, early, 16);
    Sources sources;
    std::ostringstream out;
    TraceWriter writer(out, machine, sources, 1000, TraceFormat::wide); // no lines
    const PricedProduct priced = product_on(machine, &writer);
    writer.finish(true);
    CHECK(priced.time == product_on(machine).time);
    std::istringstream in(out.str());
    const Result<Trace> trace = read_trace(in, "a trace");
    REQUIRE(static_cast<bool>(trace));
    Observer no_observer;
    const Replay replay = memlane::replay(*trace, machine, {}, no_observer);
    CHECK(replay.stop == Stop::none);
    CHECK(replay.counts.time.value == priced.time);
  }
}

} // namespace memlane::test
