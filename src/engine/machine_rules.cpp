#include "machine_rules.hpp"

namespace memlane::reference {

namespace {

/// The most warps that may be resident at the same time.
constexpr std::int64_t most_warps = std::int64_t{1} << 27;

std::int64_t most_slots_of(const MachineSpec& machine, const LaunchShape& shape) {
  std::int64_t most = divide_up(shape.blocks, machine.multiprocessors);
  if (machine.global && machine.shared && machine.shared->capacity && shape.shared_words > 0)
    most = std::min(most, *machine.shared->capacity / shape.shared_words);
  return std::max<std::int64_t>(1, most);
}

} // namespace

Residency::Residency(const MachineSpec& machine, const LaunchShape& shape)
    : multiprocessors(std::clamp<std::int64_t>(shape.blocks, 1, machine.multiprocessors)),
      slots(std::min(most_slots_of(machine, shape), machine.resident_blocks)),
      most_slots(most_slots_of(machine, shape)),
      warps_of_block(divide_up(shape.threads, machine.width)) {}

bool Residency::fits(const Limits& limits) const {
  return warps() <= most_warps && warps() <= limits.memory / bytes_of_warp;
}

bool deals_statically(const MachineSpec& machine) {
  return machine.block_schedule == BlockSchedule::static_ || machine.multiprocessors == 1;
}

BlockAssignment::BlockAssignment(const MachineSpec& machine, const LaunchShape& shape,
                                 const Residency& residency)
    : dynamic_(!deals_statically(machine)), blocks_(shape.blocks),
      all_multiprocessors_(machine.multiprocessors), slots_(residency.slots),
      dealt_(static_cast<std::size_t>(residency.multiprocessors)),
      resident_(static_cast<std::size_t>(residency.multiprocessors)) {}

std::optional<BlockAssignment::Start> BlockAssignment::next() {
  const auto start = dynamic_ ? next_dynamic() : next_static();
  if (!start) return {};
  resident_[static_cast<std::size_t>(start->multiprocessor)] += 1;
  started_ += 1;
  return start;
}

std::optional<BlockAssignment::Start> BlockAssignment::next_static() {
  for (; look_at_ < resident_.size(); ++look_at_) {
    const auto mp = static_cast<std::int64_t>(look_at_);
    const std::int64_t block = mp + dealt_[look_at_] * all_multiprocessors_;
    if (resident_[look_at_] >= slots_ || block >= blocks_) continue;
    dealt_[look_at_] += 1;
    return Start{block, mp};
  }
  return {};
}

std::optional<BlockAssignment::Start> BlockAssignment::next_dynamic() {
  const auto fewest = std::min_element(resident_.begin(), resident_.end());
  if (started_ == blocks_ || *fewest >= slots_) return {};
  return Start{started_, fewest - resident_.begin()};
}

void BlockAssignment::leave(std::int64_t multiprocessor) {
  const auto mp = static_cast<std::size_t>(multiprocessor);
  resident_[mp] -= 1;
  look_at_ = std::min(look_at_, mp);
  finished_ += 1;
}

} // namespace memlane::reference
