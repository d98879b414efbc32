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

} // namespace memlane::test
