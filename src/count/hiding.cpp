#include "memlane/count/hiding.hpp"

#include <algorithm>
#include <array>

namespace memlane {
namespace {

/// Both at least 1.
std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a - 1) / b + 1; }

std::optional<std::int64_t> blocks_that_fit(const MachineSpec& machine, const Counts& counts) {
  // Only the HMM's blocks share a capacity: elsewhere each has its own words of the one memory.
  const bool bounded = machine.global && machine.shared && machine.shared->capacity;
  if (!bounded || counts.shared_words == 0) return std::nullopt;
  return *machine.shared->capacity / counts.shared_words;
}

/// The smallest values that make room for all the warps that a unit needs.
void find_enough(UnitHiding& unit, const MachineSpec& machine, std::int64_t multiprocessors,
                 std::optional<std::int64_t> fitting) {
  if (unit.machine_hides()) return;
  const std::int64_t warps = unit.needed / machine.width;
  const std::int64_t warps_of_block = machine.threads / machine.width;
  const std::int64_t blocks = machine.resident_blocks * multiprocessors;
  unit.enough_threads = divide_up(warps, blocks) * machine.width;
  const std::int64_t resident = divide_up(warps, multiprocessors * warps_of_block);
  if (!fitting || resident <= *fitting) unit.enough_resident_blocks = resident;
}

UnitHiding unit_hiding(const MachineSpec& machine, const UnitSpec& spec, const UnitCounts& counts,
                       std::int64_t multiprocessors, std::optional<std::int64_t> fitting) {
  UnitHiding unit;
  unit.needed = machine.width * spec.latency.value * spec.ports;
  unit.room = machine.threads * machine.resident_blocks * multiprocessors;
  unit.resident = machine.width * counts.resident_warps;
  unit.bandwidth = counts.stages == 0 ? 0 : divide_up(counts.stages, spec.ports);
  unit.latency = counts.latency_bound;
  find_enough(unit, machine, multiprocessors, fitting);
  return unit;
}

UnitHiding global_hiding(const MachineSpec& machine, const Counts& counts,
                         std::optional<std::int64_t> fitting) {
  UnitHiding unit = unit_hiding(machine, *machine.global, counts.global.front(),
                                machine.multiprocessors, fitting);
  if (machine.model == Model::hmm && !unit.machine_hides()) {
    unit.enough_multiprocessors = divide_up(unit.needed, machine.threads * machine.resident_blocks);
  }
  return unit;
}

/// Of the multiprocessor with the greatest bound, the first of equals.
UnitHiding shared_hiding(const MachineSpec& machine, const Counts& counts,
                         std::optional<std::int64_t> fitting) {
  UnitHiding busiest;
  for (std::size_t mp = 0; mp < counts.shared.size(); ++mp) {
    UnitHiding unit = unit_hiding(machine, *machine.shared, counts.shared[mp], 1, fitting);
    unit.multiprocessor = static_cast<std::int64_t>(mp);
    const auto bound = [](const UnitHiding& of) { return std::max(of.bandwidth, of.latency); };
    if (mp == 0 || bound(unit) > bound(busiest)) busiest = unit;
  }
  return busiest;
}

void find_largest(LatencyHiding& verdict) {
  const auto consider = [&](Limitation limitation, std::int64_t bound) {
    if (bound <= verdict.largest_bound) return;
    verdict.largest = limitation;
    verdict.largest_bound = bound;
  };
  if (verdict.global) {
    consider(Limitation::global_bandwidth, verdict.global->bandwidth);
    consider(Limitation::global_latency, verdict.global->latency);
  }
  if (verdict.shared) {
    consider(Limitation::shared_bandwidth, verdict.shared->bandwidth);
    consider(Limitation::shared_latency, verdict.shared->latency);
  }
}

} // namespace

std::string_view name_of(Limitation limitation) {
  constexpr std::array<std::string_view, 4> names = {"global_bandwidth", "global_latency",
                                                     "shared_bandwidth", "shared_latency"};
  return names[static_cast<std::size_t>(limitation)];
}

LatencyHiding latency_hiding(const MachineSpec& machine, const Counts& counts) {
  LatencyHiding verdict;
  verdict.blocks_that_fit = blocks_that_fit(machine, counts);
  if (machine.global && !counts.global.empty()) {
    verdict.global = global_hiding(machine, counts, verdict.blocks_that_fit);
  }
  if (machine.shared && !counts.shared.empty()) {
    verdict.shared = shared_hiding(machine, counts, verdict.blocks_that_fit);
  }
  find_largest(verdict);
  const std::int64_t room = machine.threads / machine.width * machine.resident_blocks;
  for (const UnitCounts& unit : counts.shared.empty() ? counts.global : counts.shared) {
    verdict.occupancy.push_back({unit.resident_warps, room});
  }
  return verdict;
}

const std::vector<Field<UnitHiding>>& hiding_fields() {
  static const std::vector<Field<UnitHiding>> fields = {
      {"needed_threads", "threads", "that fill the pipeline: width x latency x ports",
       [](const UnitHiding& u) { return u.needed; }},
      {"room_threads", "threads", "that the machine holds: d x p x resident_blocks, shared: one d",
       [](const UnitHiding& u) { return u.room; }},
      {"resident_threads", "threads", "of the most warps that were resident at once",
       [](const UnitHiding& u) { return u.resident; }},
      {"bandwidth", "time units", "that the stages take at least",
       [](const UnitHiding& u) { return u.bandwidth; }},
      {"latency", "time units", "that the resident warps wait at least",
       [](const UnitHiding& u) { return u.latency; }},
  };
  return fields;
}

} // namespace memlane
