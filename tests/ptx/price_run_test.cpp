// Numbers of whole runs that are known: stages of transposes, sectors, a trace's replay.
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include "memlane/trace/replay.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <sstream>

namespace memlane::test {

namespace {

constexpr int side = 1024;

/// A transpose of 1024 x 1024 floats by blocks of 32 x 8 threads, which is checked.
void transpose(PricedRun& run, const std::string& name) {
  auto* const out = run.kernels.array<float>(side * side, "out");
  auto* const in = run.kernels.array<float>(side * side, "in");
  for (int k = 0; k < side * side; ++k) in[k] = static_cast<float>(k);
  const auto done = run.launch(name, grid_of({32, 32, 1}, {32, 8, 1}), out, in, side);
  REQUIRE(done);
  REQUIRE(*done);
  bool right = true;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) right = right && out[x * side + y] == in[y * side + x];
  CHECK(right);
}

} // namespace

TEST_CASE("transposes have the stages that everyone knows") {
  constexpr std::int64_t requests = side * side / 32;
  const MachineSpec machine = hmm(16, 32, 20, 400);
  SECTION("naive: a write takes 32 stages and as many sectors") {
    PricedRun run("price.ptx", machine);
    transpose(run, "transpose_naive");
    const LineCounts line = run.line("out[x * n + y + j] = in[(y + j) * n + x]");
    CHECK(line.requests == 2 * requests);
    CHECK(line.stages == 33 * requests);
    CHECK(line.worst == 32);
    CHECK(run.sectors("out[x * n + y + j]") ==
          ptx::SectorCounts{2 * requests, (32 + 4) * requests, 8 * requests});
    const RunResult result = run.pricing.result();
    CHECK(result.launches.size() == 1);
    CHECK(result.kernels.count("transpose_naive") == 1);
    CHECK(result.counts.global[0].writes == requests);
    CHECK(result.counts.global[0].congestion.at(32) == requests);
    CHECK(result.counts.global[0].concurrent_writes == 0);
  }
  SECTION("tiled without padding: a read of shared memory takes 32 stages") {
    PricedRun run("price.ptx", machine);
    transpose(run, "transpose_tiled");
    const LineCounts line = run.line("out[(y + j) * n + x] = part");
    CHECK(line.requests == 2 * requests);
    CHECK(line.stages == 33 * requests);
    const RunResult result = run.pricing.result();
    std::int64_t stages = 0;
    for (const UnitCounts& unit : result.counts.shared) stages += unit.congestion.at(32);
    CHECK(stages == requests);
    CHECK(result.counts.global[0].stages == 2 * requests);
  }
  SECTION("padded: every request takes one stage") {
    PricedRun run("price.ptx", machine);
    transpose(run, "transpose_padded");
    CHECK(run.line("out[(y + j) * n + x] = part").stages == 2 * requests);
    const Counts counts = run.pricing.result().counts;
    CHECK(counts.global[0].stages == 2 * requests);
    CHECK(counts.barriers == 1024);
    CHECK(counts.shared_words == 32 * 33);
  }
}

TEST_CASE("a run takes the time of its replayed trace") {
  for (const char* const name : {"transpose_naive", "transpose_tiled"}) {
    MachineSpec machine = hmm(3, 32, 5, 60);
    machine.instruction_cost = {1};
    machine.resident_blocks = 2;
    const auto launch = [name](PricedRun& run) {
      auto* const out = run.kernels.array<float>(128 * 128, "out");
      auto* const in = run.kernels.array<float>(128 * 128, "in");
      for (int times = 0; times < 2; ++times)
        REQUIRE(run.launch(name, grid_of({4, 4, 1}, {32, 8, 1}), out, in, 128));
    };
    const Sources none;
    std::stringstream text;
    TraceWriter writer(text, machine, none, 1000); // no lines
    PricedRun traced("price.ptx", machine, {}, &writer);
    launch(traced);
    writer.finish(true);
    const Result<Trace> trace = read_trace(text, "trace");
    REQUIRE(trace);
    Observer nobody;
    const Replay replayed = replay(*trace, machine, {}, nobody);
    REQUIRE(replayed.stop == Stop::none);
    PricedRun priced("price.ptx", machine);
    launch(priced);
    const Counts counts = priced.pricing.result().counts;
    CHECK(counts.time == replayed.counts.time);
    CHECK(counts.barriers == replayed.counts.barriers);
    CHECK(counts.instructions == replayed.counts.instructions);
    CHECK(counts.global[0] == replayed.counts.global[0]);
    CHECK(counts.shared == replayed.counts.shared);
  }
}

TEST_CASE("a run with wide accesses and atomics takes the time of its replayed trace") {
  MachineSpec machine = hmm(2, 32, 5, 60);
  machine.shared->atomic_stages = {1750000};
  machine.global->atomic_service = {9};
  machine.global->group = 8;
  machine.global->ports = 2;
  machine.resident_blocks = 4;
  machine.registers = 3 * 40 * 96;
  const auto launch = [](PricedRun& run) {
    ptx::GridShape shape = grid_of({4, 1, 1}, {80, 1, 1});
    shape.registers = 37;
    for (int times = 0; times < 2; ++times)
      REQUIRE(run.launch("mixed", shape, run.kernels.array<unsigned long long>(96, "longs"),
                         run.kernels.array<unsigned short>(24, "shorts"),
                         run.kernels.array<int>(8, "out")));
    REQUIRE(run.launch("doubles_of_shared", grid_of({1, 1, 1}, {64, 1, 1}), 1));
  };
  std::stringstream text;
  const Sources none;
  TraceWriter writer(text, machine, none, std::nullopt, TraceFormat::wide);
  PricedRun traced("atomics.ptx", machine, {}, &writer);
  writer.lines_are_of(traced.pricing.sources());
  launch(traced);
  writer.finish(true);
  const Result<Trace> trace = read_trace(text, "trace");
  REQUIRE(trace);
  CHECK(trace->launches[0].shape.registers == 37);
  Observer nobody;
  const Replay replayed = replay(*trace, machine, {}, nobody);
  REQUIRE(replayed.stop == Stop::none);
  PricedRun priced("atomics.ptx", machine);
  launch(priced);
  const Counts counts = priced.pricing.result().counts;
  CHECK(counts.time == replayed.counts.time);
  CHECK(counts.global[0] == replayed.counts.global[0]);
  CHECK(counts.global[0].conflicts() == replayed.counts.global[0].conflicts());
  CHECK(counts.shared == replayed.counts.shared);
  // By the lines of the CUDA source.
  std::map<std::int32_t, std::int64_t> requests, replayed_requests;
  for (const auto& [place, line] : counts.lines) requests[place.second] += line.requests;
  for (const auto& [place, line] : replayed.counts.lines)
    replayed_requests[place.second] += line.requests;
  std::erase_if(requests, [](const auto& line) { return line.second == 0; });
  CHECK(requests == replayed_requests);
}

TEST_CASE("launches that ask what an earlier one asked are timed once, and every number stays") {
  std::vector<MachineSpec> machines(3, hmm(3, 32, 5, 60));
  machines[1].instruction_cost = {1};
  machines[1].resident_blocks = 2;
  machines[2].block_schedule = BlockSchedule::dynamic;
  for (const MachineSpec& machine : machines) {
    // What the histogram's warps write together depends on the data.
    const auto launch_all = [](PricedRun& run) {
      auto* const out = run.kernels.array<float>(128 * 128, "out");
      auto* const in = run.kernels.array<float>(128 * 128, "in");
      auto* const bins = run.kernels.array<int>(64, "bins");
      auto* const data = run.kernels.array<std::uint8_t>(3000, "data");
      for (int times = 0; times < 3; ++times) {
        in[7] += 1;
        REQUIRE(run.launch("transpose_naive", grid_of({4, 4, 1}, {32, 8, 1}), out, in, 128));
        CHECK(out[7 * 128] == in[7]);
        for (int k = 0; k < 3000; ++k)
          data[k] = static_cast<std::uint8_t>(times == 1 ? k % 7 : k % 61);
        REQUIRE(run.launch("histogram", grid_of({6, 1, 1}, {64, 1, 1}), bins, data, 3000));
      }
      REQUIRE(run.launch("transpose_naive", grid_of({16, 1, 1}, {32, 8, 1}), out, in, 64));
      REQUIRE(run.launch("transpose_naive", grid_of({2, 2, 1}, {32, 8, 1}), out, in, 64));
    };
    ptx::PriceOptions options;
    options.times_each = true;
    PricedRun each("price.ptx", machine, options), once("price.ptx", machine);
    launch_all(each);
    launch_all(once);
    CHECK(each.pricing.equal_launches() == 0);
    CHECK(once.pricing.equal_launches() == 3);
    const RunResult a = each.pricing.result(), b = once.pricing.result();
    REQUIRE(a.launches.size() == b.launches.size());
    for (std::size_t k = 0; k < a.launches.size(); ++k)
      CHECK(a.launches[k].time == b.launches[k].time);
    CHECK(a.launches[1].time != a.launches[3].time);
    CHECK(a.counts.time == b.counts.time);
    CHECK(a.counts.barriers == b.counts.barriers);
    CHECK(a.counts.instructions == b.counts.instructions);
    CHECK(a.counts.global[0] == b.counts.global[0]);
    CHECK(a.counts.shared == b.counts.shared);
    CHECK(a.steps == b.steps);
    CHECK(a.races.races == b.races.races);
    CHECK(each.pricing.sectors() == once.pricing.sectors());
    CHECK(each.pricing.time() == once.pricing.time());
  }
}

TEST_CASE("blocks that wait for each other come to their ends, and values are right") {
  PricedRun run("price.ptx", hmm(2, 32, 1, 10));
  constexpr int threads = 7 * 40, steps = 5;
  auto* const data = run.kernels.array<int>(2 * threads, "data");
  auto* const arrived = run.kernels.array<int>(1, "arrived");
  for (int k = 0; k < threads; ++k) data[k] = 100 * k;
  REQUIRE(run.launch("grid_steps", grid_of({7, 1, 1}, {40, 1, 1}), data, arrived, steps));
  bool right = true;
  for (int k = 0; k < threads; ++k)
    right =
        right && data[(steps % 2) * threads + k] == 100 * ((k + threads - steps) % threads) + steps;
  CHECK(right);
  auto* const sums = run.kernels.array<int>(50, "sums");
  auto* const flags = run.kernels.array<int>(50, "flags");
  auto* const in = run.kernels.array<int>(50, "in");
  for (int k = 0; k < 50; ++k) in[k] = k;
  REQUIRE(run.launch("chain", grid_of({50, 1, 1}, {32, 1, 1}), sums, flags, in));
  CHECK(sums[0] == 49 * 50 / 2);
}

TEST_CASE("rounds in which a wait looks in vain are not counted") {
  MachineSpec machine = hmm(2, 32, 4, 20);
  const int way = GENERATE(0, 1, 2); // in order, with requests in flight, hoisted
  if (way > 0) machine.requests_in_flight = 4;
  if (way > 1) machine.schedule = Schedule::hoisted;
  const auto run_blocks = [&](const char* name, std::int64_t blocks, std::int64_t delay) {
    PricedRun run("waits.ptx", machine);
    auto* const flags = run.kernels.array<int>(16, "flags");
    auto* const out = run.kernels.array<int>(16, "out");
    const auto done = std::string(name) == "after"
                          ? run.launch(name, grid_of({blocks, 1, 1}, {64, 1, 1}), flags, out,
                                       static_cast<int>(delay))
                          : run.launch(name, grid_of({blocks, 1, 1}, {64, 1, 1}), flags, out);
    REQUIRE(done);
    REQUIRE(*done);
    std::int64_t reads = 0;
    for (const UnitCounts& unit : run.pricing.result().counts.global) reads += unit.reads;
    return std::pair(reads, run.pricing.result().counts.time.value);
  };
  // Two looks of each block but the last are counted, however long it waits.
  CHECK(run_blocks("after", 2, 0).first == 2);
  CHECK(run_blocks("after", 5, 0).first == 4 * 2);
  CHECK(run_blocks("after", 5, 100000).first == 4 * 2 + 5 * 100000);
  // nvcc has moved the first look before the loop: the second one leaves another register.
  CHECK(run_blocks("after_sleeping", 5, 0).first == 4 * 3);
  CHECK(run_blocks("after", 2, 0).second < 500);
}

TEST_CASE("a wait that cannot end, and a launch that does not fit, say so") {
  PricedRun run("price.ptx", hmm(2, 32, 1, 10, 128));
  auto* const flag = run.kernels.array<int>(1, "flag");
  const auto large = run.launch("never", grid_of({1, 1, 1}, {256, 1, 1}), flag);
  REQUIRE(!large);
  CHECK(render(large.errors(), run.pricing.sources()).find("--set threads=256") !=
        std::string::npos);
  const auto done = run.launch("never", grid_of({3, 1, 1}, {64, 1, 1}), flag);
  REQUIRE(done);
  CHECK(!*done);
  CHECK(run.result.waits_for_ever);
  CHECK(run.pricing.result().stop == Stop::error);
  MachineSpec other = hmm(1, 16, 1, 1);
  CHECK(!ptx::Pricing::check(other));
  CHECK(!ptx::Pricing::check(agpu(1, 32, 100)));
  CHECK(ptx::Pricing::check(umm(32, 5)));
  PricedRun one_memory("price.ptx", umm(32, 5));
  auto* const out = one_memory.kernels.array<int>(64, "out");
  CHECK(!one_memory.launch("no_barrier", grid_of({1, 1, 1}, {64, 1, 1}), out));
  CHECK(one_memory.launch("same_word", grid_of({1, 1, 1}, {64, 1, 1}), out));
}

TEST_CASE("limits end a launch with what it did until then") {
  ptx::PriceOptions options;
  options.limits.time = 5000;
  PricedRun run("price.ptx", hmm(2, 32, 1, 100), options);
  auto* const out = run.kernels.array<float>(side * side, "out");
  auto* const in = run.kernels.array<float>(side * side, "in");
  const auto done = run.launch("transpose_naive", grid_of({32, 32, 1}, {32, 8, 1}), out, in, side);
  REQUIRE(done);
  CHECK(!*done);
  CHECK(run.pricing.result().stop == Stop::time);
  CHECK(run.pricing.result().counts.time.value == 5000);
  options.limits.time = INT64_MAX;
  options.limits.steps = 100000;
  PricedRun steps("price.ptx", hmm(2, 32, 1, 100), options);
  auto* const to = steps.kernels.array<float>(side * side, "out");
  REQUIRE(steps.launch("transpose_naive", grid_of({32, 32, 1}, {32, 8, 1}), to,
                       steps.kernels.array<float>(side * side, "in"), side));
  CHECK(steps.pricing.result().stop == Stop::steps);
}

TEST_CASE("a run that is timed again without a change takes as long") {
  MachineSpec machine = hmm(3, 32, 5, 60);
  machine.instruction_cost = {1};
  machine.resident_blocks = 2;
  machine.launch_cost = {7};
  machine.shared->atomic_stages = {1750000};
  machine.global->atomic_service = {9};
  if (GENERATE(false, true)) {
    machine.block_schedule = BlockSchedule::dynamic;
    machine.global->group = 8;
    machine.global->ports = 2;
  }
  ptx::PriceOptions options;
  options.explains = true;
  options.reference = GENERATE(false, true);
  const auto check_same = [](const PricedRun& run) {
    REQUIRE(run.pricing.keeps_requests());
    const ptx::VariedRun again = run.pricing.time_again({}, {});
    const Counts counts = run.pricing.result().counts;
    CHECK(again.stop == Stop::none);
    CHECK(again.time == counts.time.value);
    CHECK(again.requests == sum_of(counts.global).requests + sum_of(counts.shared).requests);
    CHECK(again.lost == sum_of(counts.global).conflicts() + sum_of(counts.shared).conflicts());
    CHECK(again.global_latency == counts.global[0].idle_latency);
    for (std::size_t mp = 0; mp < counts.shared.size(); ++mp)
      CHECK(again.shared_latency[mp] == counts.shared[mp].idle_latency);
    // Kernels and launches account for all of it.
    std::int64_t of_kernels = 0, of_launches = 0;
    for (const ptx::KernelRun& kernel : run.pricing.kernels())
      of_kernels += kernel.counts.time.value;
    for (const ptx::TimedLaunch& launch : run.pricing.launches()) {
      of_launches += launch.time.value;
      std::int64_t causes = 0;
      for (const std::int64_t time : launch.unit->time) causes += time;
      CHECK(causes == launch.time.value);
    }
    CHECK(of_kernels == counts.time.value);
    CHECK(of_launches == counts.time.value);
  };
  SECTION("kernels with barriers, atomics, loops that wait, equal launches") {
    PricedRun run("price.ptx", machine, options);
    auto* const out = run.kernels.array<float>(128 * 128, "out");
    auto* const in = run.kernels.array<float>(128 * 128, "in");
    auto* const data = run.kernels.array<int>(4096, "data");
    auto* const flags = run.kernels.array<int>(64, "flags");
    for (const char* const name : {"transpose_naive", "transpose_tiled", "transpose_padded"})
      for (int times = 0; times < 3; ++times)
        REQUIRE(run.launch(name, grid_of({4, 4, 1}, {32, 8, 1}), out, in, 128));
    REQUIRE(run.launch("sums", grid_of({9, 1, 1}, {256, 1, 1}), out, in, 2200));
    REQUIRE(run.launch("histogram", grid_of({6, 1, 1}, {64, 1, 1}), data, data + 1024, 3000));
    REQUIRE(run.launch("grid_steps", grid_of({5, 1, 1}, {40, 1, 1}), data, flags, 3));
    check_same(run);
    if (!options.reference) CHECK(run.pricing.equal_launches() >= 6);
  }
  SECTION("wide accesses and all atomics") {
    PricedRun run("atomics.ptx", machine, options);
    REQUIRE(run.launch(
        "mixed", grid_of({4, 1, 1}, {80, 1, 1}), run.kernels.array<unsigned long long>(96, "longs"),
        run.kernels.array<unsigned short>(24, "shorts"), run.kernels.array<int>(8, "out")));
    REQUIRE(run.launch("doubles_of_shared", grid_of({3, 1, 1}, {64, 1, 1}), 1));
    check_same(run);
  }
}

TEST_CASE("memory that a launch brings has the name that its kernel gives it") {
  ptx::PriceOptions options;
  options.explains = true;
  for (const auto& [kernel, name] : {std::pair("turn", "turned"), std::pair("sort", "sorted")}) {
    PricedRun run("written.ptx", hmm(1, 32, 20, 400), options);
    ptx::GridShape grid = grid_of({1, 1, 1}, {32, 1, 1});
    grid.dynamic_shared = 256;
    REQUIRE(run.launch(kernel, grid, run.kernels.array<int>(32, "out")));
    REQUIRE(run.pricing.shared_arrays().size() == 1);
    CHECK(run.pricing.shared_arrays().front().name == name);
  }
}

TEST_CASE("arrays of other kernels take no shared memory of a block") {
  MachineSpec machine = hmm(1, 32, 20, 400);
  machine.shared->capacity = 64;
  PricedRun run("written.ptx", machine); // one of its kernels has 4096 words
  ptx::GridShape grid = grid_of({1, 1, 1}, {32, 1, 1});
  int* const out = run.kernels.array<int>(32, "out");
  grid.dynamic_shared = 256;
  CHECK(run.launch("turn", grid, out));
  grid.dynamic_shared = 260;
  CHECK_FALSE(run.launch("turn", grid, out));
  CHECK_FALSE(run.launch("large", grid_of({1, 1, 1}, {32, 1, 1}), out));
}

TEST_CASE("spare words in the rows of a shared array give the time of the padded kernel") {
  const MachineSpec machine = hmm(4, 32, 20, 400);
  ptx::PriceOptions options;
  options.explains = true;
  PricedRun tiled("price.ptx", machine, options), padded("price.ptx", machine);
  transpose(tiled, "transpose_tiled");
  transpose(padded, "transpose_padded");
  const std::vector<ptx::SharedArray> arrays = tiled.pricing.shared_arrays();
  REQUIRE(arrays.size() == 1);
  CHECK(arrays[0].words == 32 * 32);
  CHECK(arrays[0].lost == 31 * side * side / 32);
  const auto time_with = [&](std::int64_t row, std::int64_t spare) {
    ptx::Variation variation;
    variation.padded = ptx::PaddedArray{arrays[0], row, spare};
    return tiled.pricing.time_again(variation, {});
  };
  const ptx::VariedRun again = time_with(32, 1);
  CHECK(again.lost == 0);
  CHECK(again.time == padded.pricing.time().value);
  CHECK(again.time < tiled.pricing.time().value);
  // Two spare words leave two words of a column in each bank that it touches.
  CHECK(time_with(32, 2).lost == side * side / 32);
  // A block that does not fit is no run.
  MachineSpec small = machine;
  small.shared->capacity = 32 * 32;
  ptx::Variation variation;
  variation.padded = ptx::PaddedArray{arrays[0], 32, 1};
  variation.machine = &small;
  CHECK(!tiled.pricing.time_again(variation, {}).fits);
  // The column that conflicts, as words by lane.
  for (const AccessCounts& access : tiled.pricing.result().accesses) {
    if (access.worst != 32) continue;
    const auto words = tiled.pricing.costliest_request(access.line, access.unit, access.kind);
    REQUIRE(words);
    for (std::size_t lane = 1; lane < 32; ++lane)
      CHECK(words->first[lane] - words->first[lane - 1] == 32);
  }
}

TEST_CASE("the operators of lines take the stages of their unit") {
  MachineSpec machine = hmm(4, 32, 20, 400);
  machine.operations = {{"issue", 1, {1}, {16, 4, 20, 0, 1}}};
  const auto check_sum = [&](const PricedRun& run) {
    const Counts counts = run.pricing.result().counts;
    std::int64_t stages = 0;
    for (const OperationAccount& unit : counts.operations) stages += unit.stages;
    CHECK(stages > 0);
    for (const auto& [place, line] : counts.lines)
      for (std::size_t k = 0; k < operation_classes; ++k)
        stages -= line.operations[k] * machine.operations[0].stages[k];
    CHECK(stages == 0);
  };
  PricedRun naive("price.ptx", machine, {});
  transpose(naive, "transpose_naive");
  check_sum(naive);
  // Atomics of CUDA are operations, too; those of either memory only once.
  PricedRun atomics("atomics.ptx", machine, {});
  auto* const longs = atomics.kernels.array<unsigned long long>(96, "longs");
  auto* const shorts = atomics.kernels.array<unsigned short>(24, "shorts");
  auto* const out = atomics.kernels.array<int>(8, "out");
  const auto done = atomics.launch("mixed", grid_of({4, 1, 1}, {80, 1, 1}), longs, shorts, out);
  REQUIRE(done);
  REQUIRE(*done);
  check_sum(atomics);
}

TEST_CASE("a line without the stages that it loses takes what the others take") {
  const MachineSpec machine = hmm(4, 32, 20, 400);
  ptx::PriceOptions options;
  options.explains = true;
  PricedRun naive("price.ptx", machine, options);
  transpose(naive, "transpose_naive");
  const RunResult result = naive.pricing.result();
  ptx::Variation variation;
  for (const AccessCounts& access : result.accesses)
    if (access.worst == 32) variation.conflict_free = access.line;
  REQUIRE(variation.conflict_free);
  const ptx::VariedRun again = naive.pricing.time_again(variation, {});
  CHECK(again.lost == 0);
  CHECK(again.time < result.counts.time.value);
  CHECK(again.requests == 2 * side * side / 32);
  Limits limits;
  limits.time = 100;
  CHECK(naive.pricing.time_again({}, limits).stop == Stop::time);
}

} // namespace memlane::test
