// Launches of which a part of the blocks is executed: what is estimated, against whole runs.
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

namespace memlane::test {

namespace {

/// A transpose of side x side floats; `sample`: blocks, 0: all.
std::pair<RunResult, ptx::SampledLaunches> sampled_transpose(const std::string& kernel,
                                                             const MachineSpec& machine, int side,
                                                             std::int64_t sample) {
  ptx::PriceOptions options;
  options.sample_blocks = sample;
  PricedRun run("price.ptx", machine, options);
  const auto size = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  auto* const out = run.kernels.array<float>(size, "out");
  auto* const in = run.kernels.array<float>(size, "in");
  REQUIRE(run.launch(kernel, grid_of({side / 32, side / 32, 1}, {32, 8, 1}), out, in, side));
  return {run.pricing.result(), run.pricing.sampled()};
}

} // namespace

TEST_CASE("a sample has full waves and the launch's last one, and its estimate is near the time",
          "[release]") {
  for (const int keys : {0, 1, 4}) { // 4: requests of a warp on their way
    const bool real = keys > 0;
    MachineSpec machine = hmm(5, 32, 20, 400);
    machine.resident_blocks = 3; // a wave has 15 of the 1024 blocks, the last one 4
    if (real) {
      machine.global->group = 8;
      machine.global->ports = 4;
      machine.global->own_port = true;
      machine.block_schedule = BlockSchedule::dynamic;
      machine.barrier_cost = {60};
      machine.launch_cost = {1000};
      machine.requests_in_flight = keys;
    }
    for (const char* const kernel : {"transpose_naive", "transpose_tiled", "transpose_padded"}) {
      const auto [whole, none] = sampled_transpose(kernel, machine, 1024, 0);
      CHECK(none.launches == 0);
      const auto [part, sampled] = sampled_transpose(kernel, machine, 1024, 100);
      CHECK(sampled.launches == 1);
      CHECK(sampled.blocks == 1024);
      CHECK(sampled.priced == 7 * 15 + 4);
      CHECK(part.counts.time < whole.counts.time);
      CHECK(part.counts.global[0].requests * 1024 == whole.counts.global[0].requests * 109);
      const auto time = static_cast<double>(whole.counts.time.value);
      const auto estimated = static_cast<double>((part.counts.time + sampled.further).value);
      CAPTURE(kernel, keys, time, estimated);
      CHECK(std::abs(estimated / time - 1) < 0.03);
    }
  }
}

// Warps end while their atomics wait for one address group: blocks begin far faster than it serves.
TEST_CASE("an estimate knows of requests for which no warp waits") {
  MachineSpec machine = hmm(4, 32, 20, 400);
  machine.resident_blocks = 4;
  machine.requests_in_flight = 8;
  machine.global->ports = 4;
  machine.global->atomic_service = {20};
  const auto run = [&](std::int64_t sample) {
    ptx::PriceOptions options;
    options.sample_blocks = sample;
    PricedRun run("price.ptx", machine, options);
    const int n = 1 << 17;
    auto* const counts = run.kernels.array<int>(1, "counts");
    REQUIRE(run.launch("add_to_one", grid_of({n / 256, 1, 1}, {256, 1, 1}), counts));
    return (run.pricing.result().counts.time + run.pricing.sampled().further).value;
  };
  const auto whole = static_cast<double>(run(0)), estimated = static_cast<double>(run(64));
  CAPTURE(whole, estimated);
  CHECK(std::abs(estimated / whole - 1) < 0.03);
}

TEST_CASE("an estimate knows of later blocks that execute more") {
  MachineSpec machine = hmm(4, 32, 20, 400);
  machine.resident_blocks = 4;
  const auto run = [&](std::int64_t sample, bool all) {
    ptx::PriceOptions options;
    options.sample_blocks = sample;
    options.executes_all = all;
    PricedRun run("written.ptx", machine, options);
    auto* const in = run.kernels.array<int>(32 * 600, "in");
    auto* const out = run.kernels.array<int>(64 * 600, "out");
    REQUIRE(run.launch("rising", grid_of({600, 1, 1}, {64, 1, 1}), in, out));
    return static_cast<double>(
        (run.pricing.result().counts.time + run.pricing.sampled().further).value);
  };
  const double whole = run(0, false), estimated = run(96, true);
  CAPTURE(whole, estimated);
  CHECK(std::abs(estimated / whole - 1) < 0.25);
  CHECK(run(96, false) < 0.5 * whole); // not executed, they are not known
}

TEST_CASE("blocks outside a sample may be executed, too, and change no count") {
  MachineSpec machine = hmm(4, 32, 20, 400);
  machine.resident_blocks = 4;
  const auto run = [&](std::int64_t sample, bool all) {
    ptx::PriceOptions options;
    options.sample_blocks = sample;
    options.executes_all = all;
    PricedRun run("price.ptx", machine, options);
    const int side = 256;
    std::vector<float> values(side * side);
    std::iota(values.begin(), values.end(), 1.0F);
    auto* const out = run.kernels.array<float>(values.size(), "out");
    auto* const in = run.kernels.array<float>(values.size(), "in");
    std::copy(values.begin(), values.end(), in);
    REQUIRE(run.launch("transpose_tiled", grid_of({8, 8, 1}, {32, 8, 1}), out, in, side));
    std::size_t moved = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      moved += out[k % 256 * 256 + k / 256] == values[k] ? 1 : 0;
    const RunResult result = run.pricing.result();
    return std::tuple(moved, result.counts.time, result.counts.global[0].requests,
                      run.pricing.sampled().further);
  };
  const auto [part, time, requests, further] = run(1, false);
  CHECK(part == 48 * 1024);
  CHECK(run(1, true) == std::tuple(std::size_t{256 * 256}, time, requests, further));
}

TEST_CASE("a launch with no more blocks than its sample is executed as a whole") {
  MachineSpec machine = hmm(4, 32, 20, 400);
  machine.resident_blocks = 4;
  const auto [whole, none] = sampled_transpose("transpose_tiled", machine, 256, 0);
  for (const std::int64_t sample : {49, 64, 1000}) {
    const auto [same, sampled] = sampled_transpose("transpose_tiled", machine, 256, sample);
    CHECK(sampled.launches == 0);
    CHECK(same.counts.time == whole.counts.time);
    CHECK(same.counts.global == whole.counts.global);
  }
  const auto [part, sampled] = sampled_transpose("transpose_tiled", machine, 256, 1);
  CHECK(sampled.priced == 48); // three waves
}

} // namespace memlane::test
