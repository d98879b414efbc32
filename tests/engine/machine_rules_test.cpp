// The rules of a launch that both engines follow.
#include "machine_rules.hpp"
#include "script.hpp"
#include "support/catch.hpp"

namespace memlane::test {
namespace {

using reference::BlockAssignment;
using reference::Residency;
using Starts = std::vector<std::pair<std::int64_t, std::int64_t>>; ///< (block, multiprocessor)

Starts started(BlockAssignment& blocks) {
  Starts starts;
  while (const auto next = blocks.next()) starts.emplace_back(next->block, next->multiprocessor);
  return starts;
}

} // namespace

TEST_CASE("blocks start on the multiprocessor that the schedule says, as long as it has room") {
  MachineSpec machine = hmm(2, 4, 1, 5);
  machine.resident_blocks = 2;
  const LaunchShape shape{7, 4, 0};
  BlockAssignment fixed(machine, shape, {machine, shape});
  CHECK(started(fixed) == Starts{{0, 0}, {2, 0}, {1, 1}, {3, 1}});
  fixed.leave(1);
  fixed.leave(1);
  CHECK(started(fixed) == Starts{{5, 1}}); // blocks of odd numbers are over
  fixed.leave(0);
  CHECK(started(fixed) == Starts{{4, 0}});
  machine.block_schedule = BlockSchedule::dynamic;
  BlockAssignment dynamic(machine, shape, {machine, shape});
  CHECK(started(dynamic) == Starts{{0, 0}, {1, 1}, {2, 0}, {3, 1}});
  dynamic.leave(1);
  CHECK(started(dynamic) == Starts{{4, 1}});
  for (const std::int64_t mp : {0, 0, 1, 1}) dynamic.leave(mp);
  CHECK(started(dynamic) == Starts{{5, 0}, {6, 1}});
  CHECK(!dynamic.over());
  for (const std::int64_t mp : {0, 1}) dynamic.leave(mp);
  CHECK(dynamic.over());
}

TEST_CASE("resident blocks share a capacity, and warps take memory") {
  MachineSpec machine = hmm(2, 4, 1, 5);
  machine.resident_blocks = 8;
  machine.shared->capacity = 20;
  const Residency residency(machine, {100, 10, 6});
  CHECK(residency.slots == 3);
  CHECK(residency.most_slots == 3);
  CHECK(residency.warps_of_block == 3);
  CHECK(residency.warps() == 2 * 3 * 3);
  Limits limits;
  limits.memory = 18 * reference::bytes_of_warp;
  CHECK(residency.fits(limits));
  limits.memory -= 1;
  CHECK(!residency.fits(limits));
  CHECK(Residency(machine, {1, 4, 0}).multiprocessors == 1);
}

TEST_CASE("a multiprocessor holds as many blocks as words, registers and threads have room") {
  MachineSpec machine = hmm(2, 4, 1, 5);
  machine.resident_blocks = 8;
  const auto slots = [&](std::int64_t registers) {
    LaunchShape shape{100, 10, 6}; // 12 threads in whole warps
    shape.registers = registers;
    return Residency(machine, shape).slots;
  };
  CHECK(slots(255) == 8);
  machine.shared->capacity = 60;
  CHECK(slots(0) == 8);
  machine.shared->reserved = 3;
  CHECK(slots(0) == 6);
  machine.max_threads = 71;
  CHECK(slots(0) == 5);
  machine.registers = 12 * 16 * 4;
  CHECK(slots(0) == 5);
  CHECK(slots(9) == 4); // 16 each
  CHECK(slots(16) == 4);
  CHECK(slots(17) == 2);
}

TEST_CASE("room for not a single block is an error that says what is too small") {
  MachineSpec machine = hmm(2, 4, 1, 5);
  machine.threads = 64;
  const auto refused = [&](LaunchShape shape, const std::string& way_out) {
    auto fault = shape_fault(machine, "k", shape);
    if (!fault) fault = capacity_fault(machine, "k", shape, 0);
    return fault && fault->help.find(way_out) != std::string::npos;
  };
  machine.max_threads = 11;
  CHECK(!refused({1, 8, 0}, ""));
  CHECK(refused({1, 9, 0}, "--set max_threads=12"));
  machine.registers = 12 * 16 - 1;
  CHECK(!refused({1, 8, 0, false, nullptr, 16}, ""));
  machine.max_threads.reset();
  CHECK(refused({1, 12, 0, false, nullptr, 9}, "--set registers=192"));
  machine.shared->capacity = 8;
  machine.shared->reserved = 3;
  CHECK(!refused({1, 4, 5}, ""));
  CHECK(refused({1, 4, 6}, "--set shared.capacity=9"));
}

} // namespace memlane::test
