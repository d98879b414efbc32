// Which reads the steps of PTX wait for, in both ways of pricing (configs/README.md, "Requests in
// flight").
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

namespace memlane::test {

namespace {

/// HMM, latencies 4 and 20, one multiprocessor.
MachineSpec machine_with(std::int64_t k) {
  MachineSpec machine = hmm(1, 32, 4, 20);
  machine.requests_in_flight = k;
  return machine;
}

/// One warp; arrays of 64 ints.
Seen seen(const std::string& kernel, const MachineSpec& machine, int arrays = 3) {
  const auto launch = [&](PricedRun& run) {
    int* const x = run.kernels.array<int>(64, "x");
    int* const y = run.kernels.array<int>(64, "y");
    int* const z = run.kernels.array<int>(64, "z");
    const ptx::GridShape shape = grid_of({1, 1, 1}, {32, 1, 1});
    const Result<bool> done =
        arrays == 3 ? run.launch(kernel, shape, x, y, z) : run.launch(kernel, shape, x, y);
    if (!done || !*done) throw std::runtime_error("the launch fails");
    return run.pricing.time().value;
  };
  return seen_in_both_ways("in_flight.ptx", machine, launch);
}

} // namespace

TEST_CASE("PTX: a stored value waits for its read") {
  CHECK(seen("three_reads", machine_with(1)) == Seen{{0, 20, 40, 60}, 64});
  CHECK(seen("three_reads", machine_with(2)) == Seen{{0, 1, 20, 21}, 40});
  CHECK(seen("three_reads", machine_with(3)) == Seen{{0, 1, 2, 21}, 25});
}

TEST_CASE("PTX: an address waits for its read") {
  CHECK(seen("chain_of_reads", machine_with(4)) == Seen{{0, 20, 40}, 60});
}

TEST_CASE("PTX: a fence waits for writes, a barrier does not") {
  CHECK(seen("behind_a_fence", machine_with(4), 2) == Seen{{0, 20}, 40});
  CHECK(seen("behind_a_barrier", machine_with(4), 2) == Seen{{0, 1}, 21});
}

TEST_CASE("PTX: a condition waits for its read") {
  // nvcc reads y first, and asks x.
  CHECK(seen("conditions", machine_with(4)) == Seen{{0, 1, 21}, 41});
}

TEST_CASE("PTX: a product of matrices waits for the values of its parts") {
  CHECK(seen("products", machine_with(4)) == Seen{{0, 1, 21}, 41});
}

TEST_CASE("PTX: a call waits for the values that it passes") {
  CHECK(seen("calls", machine_with(4)) == Seen{{0, 1, 21}, 41});
}

TEST_CASE("PTX: an atomic is a read where something reads its old value") {
  const MachineSpec machine = machine_with(4);
  // The second one enters at 1, and z waits for it.
  CHECK(seen("updates", machine) == Seen{{0, 1, 2, 21}, 41});
}

TEST_CASE("PTX: a step that costs time waits before it begins") {
  MachineSpec machine = machine_with(4);
  machine.instruction_cost = {1};
  // Reads are operators, and so are the sums of addresses.
  const Seen one = seen("chain_of_reads", machine);
  REQUIRE(one.dispatched.size() == 3);
  CHECK(one.dispatched[1] > one.dispatched[0] + 20);
  machine.instruction_cost = {0};
  machine.operations = {{"issue", 4, {4}, {0, 0, 20, 0, 1}}};
  const Seen other = seen("chain_of_reads", machine);
  CHECK(other.dispatched[1] >= other.dispatched[0] + 20 + 4);
}

} // namespace memlane::test
