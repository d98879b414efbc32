#include "machine_rules.hpp"

#include <fmt/format.h>

namespace memlane::reference {

namespace {

/// The most warps that may be resident at the same time.
constexpr std::int64_t most_warps = std::int64_t{1} << 27;

/// The registers of a thread are given out in multiples of this.
constexpr std::int64_t register_unit = 8;

/// T: a block's threads, in whole warps.
std::int64_t whole_threads(const MachineSpec& machine, const LaunchShape& shape) {
  return saturating_multiply(divide_up(shape.threads, machine.width), machine.width);
}

/// The registers of a block.
std::int64_t block_registers(const MachineSpec& machine, const LaunchShape& shape) {
  const std::int64_t of_thread = divide_up(shape.registers, register_unit) * register_unit;
  return saturating_multiply(whole_threads(machine, shape), of_thread);
}

/// Blocks that one multiprocessor can hold (configs/README.md section 4): as many as the launch has
/// for it, and as have room. 0: not one.
std::int64_t most_slots_of(const MachineSpec& machine, const LaunchShape& shape) {
  std::int64_t most = std::max<std::int64_t>(1, divide_up(shape.blocks, machine.multiprocessors));
  const auto bound = [&](const std::optional<std::int64_t>& room, std::int64_t of_block) {
    if (room && of_block > 0) most = std::min(most, *room / of_block);
  };
  if (machine.global && machine.shared)
    bound(machine.shared->capacity, shape.shared_words + machine.shared->reserved);
  bound(machine.registers, block_registers(machine, shape));
  bound(machine.max_threads, whole_threads(machine, shape));
  return most;
}

} // namespace

Cycles AtomicService::serve(const UnitSpec& unit, const Port& before, Cycles now,
                            std::span<const AtomicGroup> groups) {
  std::int64_t place = before.last == now ? before.entered : 0; // in the port's time units
  Cycles last = now;
  for (const AtomicGroup& group : groups)
    last = std::max(last, serve_one(unit, later(now, {place++ / unit.ports}), group));
  return last;
}

Cycles AtomicService::serve_one(const UnitSpec& unit, Cycles enters, const AtomicGroup& group) {
  if (served_.size() >= most_) forget_old(enters);
  Served& served = served_[group.group];
  if (served.end < enters) served.begin = enters;
  served.end = later(std::max(served.end, enters), {service_time(unit, group)});
  longest_ = std::max(longest_, (served.end - served.begin).value);
  return served.end - Cycles{1};
}

void AtomicService::repeat(Cycles begin, Cycles now, std::int64_t time) {
  for (auto& [group, served] : served_) {
    if (served.begin > begin || served.end <= now) continue;
    served.begin = served.begin - Cycles{time};
    longest_ = std::max(longest_, (served.end - served.begin).value);
  }
}

Cycles AtomicService::busy_until(Cycles now) const {
  each_busy(now, [&](std::int64_t, Cycles end) {
    now = std::max(now, end - Cycles{1});
    return true;
  });
  return now;
}

Cycles GroupQueue::drained(const UnitSpec& unit, AtomicService atomics, Cycles now) const {
  Cycles last = atomics.busy_until(now);
  std::int64_t place = 0;
  auto group = of_atomics_.begin();
  for (const Waiting& waiting : waiting_)
    for (std::size_t k = 0; k < waiting.left; ++k) {
      const Cycles enters = later(now, {place++ / unit.ports});
      last = std::max(last, waiting.atomic ? atomics.serve_one(unit, enters, *group++) : enters);
    }
  return last;
}

void AtomicService::forget_old(Cycles now) {
  std::erase_if(served_, [&](const auto& served) { return served.second.end < now; });
  most_ = std::max<std::size_t>(1024, 2 * served_.size());
}

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
  if (started_ == blocks_ || look_at_ == resident_.size()) return {};
  const auto fewest = std::min_element(resident_.begin(), resident_.end());
  if (*fewest >= slots_) {
    look_at_ = resident_.size();
    return {};
  }
  return Start{started_, fewest - resident_.begin()};
}

void BlockAssignment::leave(std::int64_t multiprocessor) {
  const auto mp = static_cast<std::size_t>(multiprocessor);
  resident_[mp] -= 1;
  look_at_ = std::min(look_at_, mp);
  finished_ += 1;
}

void BlockAssignment::pass(std::int64_t multiprocessor, std::int64_t blocks) {
  dealt_[static_cast<std::size_t>(multiprocessor)] += blocks;
  started_ += blocks;
  finished_ += blocks;
}

std::int64_t BlockAssignment::left(std::size_t multiprocessor) const {
  const auto first = static_cast<std::int64_t>(multiprocessor);
  return divide_up(blocks_ - first, all_multiprocessors_) - dealt_[multiprocessor];
}

} // namespace memlane::reference

namespace memlane {

std::optional<LaunchFault> shape_fault(const MachineSpec& machine, const std::string& kernel,
                                       const LaunchShape& shape) {
  if (shape.blocks < 1)
    return LaunchFault{
        fmt::format("a launch needs at least 1 block, {} gets {}", kernel, shape.blocks),
        "write if blocks > 0 { launch … } around it if there may be nothing to do"};
  if (shape.blocks > INT32_MAX)
    return LaunchFault{fmt::format("a launch has at most {} blocks, which an int can number; {} "
                                   "gets {}",
                                   INT32_MAX, kernel, shape.blocks),
                       "give each block more to do"};
  if (shape.threads < 1)
    return LaunchFault{
        fmt::format("a launch needs at least 1 thread, {} gets {}", kernel, shape.threads),
        machine.model == Model::mmm
            ? fmt::format("a block of an MMM has 1 to Z = {} threads", machine.local_words)
            : "without threads=… a block has all p threads of a multiprocessor"};
  if (machine.model == Model::agpu && shape.threads != machine.width)
    return LaunchFault{fmt::format("{} is launched with blocks of {} threads, and a block of an "
                                   "AGPU has b = {}: one warp a multiprocessor",
                                   kernel, shape.threads, machine.width),
                       "write launch … blocks=k threads=b and let each block do its part, or run "
                       "the program on an HMM",
                       true};
  if (machine.model == Model::mmm && shape.threads > machine.local_words)
    return LaunchFault{fmt::format("{} is launched with {} threads, and a block of an MMM has at "
                                   "most Z: {} > {}",
                                   kernel, shape.threads, shape.threads, machine.local_words),
                       fmt::format("launch more blocks of fewer threads, or change the machine: "
                                   "--set local_words={}",
                                   shape.threads),
                       true};
  if (machine.model == Model::mmm && shape.threads > machine.threads)
    return LaunchFault{fmt::format("{} is launched with {} threads, and a block has at most {}",
                                   kernel, shape.threads, machine.threads),
                       "launch more blocks of fewer threads"};
  if (shape.threads > machine.threads)
    return LaunchFault{
        fmt::format("{} is launched with {} threads, more than the {} of a multiprocessor (p)",
                    kernel, shape.threads, machine.threads),
        fmt::format("launch more blocks, or change the machine: --set threads={}",
                    (shape.threads + machine.width - 1) / machine.width * machine.width),
        true};
  if (const std::int64_t threads = reference::whole_threads(machine, shape);
      machine.max_threads && threads > *machine.max_threads)
    return LaunchFault{fmt::format("{} is launched with {} threads in whole warps, more than the "
                                   "{} that a multiprocessor holds (max_threads)",
                                   kernel, threads, *machine.max_threads),
                       fmt::format("launch more blocks, or change the machine: --set "
                                   "max_threads={}",
                                   threads),
                       true};
  if (const std::int64_t registers = reference::block_registers(machine, shape);
      machine.registers && registers > *machine.registers)
    return LaunchFault{
        fmt::format("a block of {} has {} registers, {} in each thread, more than "
                    "the {} of a multiprocessor",
                    kernel, registers, shape.registers, *machine.registers),
        fmt::format("launch more blocks, or change the machine: --set registers={}", registers),
        true};
  return {};
}

/// [HMX] section 2.1: no quantity of a block exceeds Z.
static std::optional<LaunchFault> local_memory_fault(const MachineSpec& machine,
                                                     const std::string& kernel,
                                                     const LaunchShape& shape) {
  if (shape.shared_words <= machine.local_words) return {};
  return LaunchFault{
      fmt::format("a block of {} has {} shared words, and a local memory of the MMM has Z: {} > {}",
                  kernel, shape.shared_words, shape.shared_words, machine.local_words),
      fmt::format("make the arrays smaller, or change the machine: --set local_words={}",
                  shape.shared_words),
      true};
}

std::optional<LaunchFault> capacity_fault(const MachineSpec& machine, const std::string& kernel,
                                          const LaunchShape& shape, std::int64_t memory_end) {
  if (machine.model == Model::mmm) return local_memory_fault(machine, kernel, shape);
  // A DMM's only memory holds the memory arrays, followed by each block's shared arrays.
  const bool one_memory = !machine.global.has_value();
  std::int64_t words = 0;
  if (__builtin_mul_overflow(shape.shared_words, one_memory ? shape.blocks : 1, &words))
    words = INT64_MAX / 2;
  if (!machine.shared || !machine.shared->capacity || (one_memory && words == 0)) return {};
  const std::int64_t before = one_memory ? memory_end : machine.shared->reserved;
  if (before + words <= *machine.shared->capacity) return {};
  if (machine.model == Model::agpu)
    return LaunchFault{
        fmt::format("a block of {} has m = {} shared words, and the shared memory M = {}: the "
                    "multiplicity M/m would be below 1",
                    kernel, words, *machine.shared->capacity),
        fmt::format("make the arrays smaller, or change the machine: --set shared.capacity={}",
                    words),
        true};
  return LaunchFault{fmt::format("{} needs {} shared words{}, more than the capacity of {}", kernel,
                                 words,
                                 one_memory   ? fmt::format(" after {} words of memory", before)
                                 : before > 0 ? fmt::format(" and {} reserved ones", before)
                                              : "",
                                 *machine.shared->capacity),
                     fmt::format("make the arrays smaller, or change the machine: --set {}={}",
                                 one_memory ? "capacity" : "shared.capacity", before + words),
                     true};
}

} // namespace memlane
