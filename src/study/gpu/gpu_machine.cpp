#include "memlane/study/gpu/gpu_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::measure {
namespace {

constexpr double used_bandwidth = 0.92;
constexpr double rounded_sectors = 0.04; // most of a time unit that is a clock
constexpr std::int64_t word = 4, sector = 32;
constexpr double mega = 1e6, giga = 1e9;

double bandwidth_of(const GpuFacts& facts) {
  return 2.0 * static_cast<double>(facts.memory_clock) * static_cast<double>(facts.bus_bits) / 8;
}

/// The time unit of a GPU, and what comes in it.
struct TimeUnit {
  double sectors; ///< in a clock
  std::int64_t ports;
  std::int64_t clock; ///< time units in a second
};

TimeUnit time_unit_of(const GpuFacts& facts) {
  const auto clock = static_cast<double>(facts.clock);
  const double sectors = used_bandwidth * bandwidth_of(facts) / static_cast<double>(sector) / clock;
  const double ports = std::max(1.0, std::round(sectors));
  const bool is_clock = std::abs(ports / sectors - 1) <= rounded_sectors;
  const double unit = is_clock ? clock : std::round(clock * sectors / ports / mega) * mega;
  return {sectors, std::llround(ports), std::llround(unit)};
}

/// Times of another machine, which are whole numbers of clocks, in time units of this one.
class OtherUnits {
public:
  OtherUnits(const KnownGpu& known, const MachineSpec& machine, const GpuFacts& facts,
             const TimeUnit& unit)
      : clocks_(static_cast<double>(known.clock) / static_cast<double>(*machine.clock)),
        units_(static_cast<double>(unit.clock) / static_cast<double>(facts.clock)) {}

  std::int64_t operator()(std::int64_t time) const {
    const double clocks = std::round(static_cast<double>(time) * clocks_);
    return std::max<std::int64_t>(1, std::llround(clocks * units_));
  }
  Cycles operator()(Cycles time) const { return {(*this)(time.value)}; }
  /// To hundredths.
  Decimal operator()(Decimal stages) const {
    const double clocks = std::round(static_cast<double>(stages.millionths) * clocks_ / 1e5) * 1e5;
    return {std::max<std::int64_t>(Decimal::one, std::llround(clocks * units_ / 1e4) * 10000)};
  }

private:
  double clocks_, units_;
};

std::string told(const GpuFacts& facts) {
  std::string text = fmt::format(
      "{} multiprocessors, {:.4g} GHz, {:.0f} GB/s ({} bits at {:.0f} MHz) and {:.3g} GiB; of a "
      "multiprocessor {} resident threads, {}{} registers and {} KiB of shared memory",
      facts.multiprocessors, static_cast<double>(facts.clock) / giga, bandwidth_of(facts) / giga,
      facts.bus_bits, static_cast<double>(facts.memory_clock) / mega,
      static_cast<double>(facts.memory_bytes) / (1 << 30), facts.threads,
      facts.blocks ? fmt::format("{} blocks, ", *facts.blocks) : "", facts.registers,
      facts.shared_bytes / 1024);
  if (facts.reserved_bytes.value_or(0) > 0)
    text += fmt::format(", of which a block takes {} bytes itself", *facts.reserved_bytes);
  return text + fmt::format(": CUDA's driver, for {} of compute capability {}.{}.", facts.name,
                            facts.capability / 10, facts.capability % 10);
}

std::string told_of_unit(const GpuFacts& facts, const TimeUnit& unit) {
  if (unit.clock == facts.clock)
    return fmt::format("A time unit is a clock; 92 % of the bandwidth are {:.1f} sectors of 32 "
                       "bytes in each.",
                       unit.sectors);
  return fmt::format("A time unit is {:.3f} clocks ({:.0f} MHz), so that 92 % of the bandwidth are "
                     "{} sectors of 32 bytes in each; what follows in clocks is rounded to it.",
                     static_cast<double>(facts.clock) / static_cast<double>(unit.clock),
                     static_cast<double>(unit.clock) / mega, unit.ports);
}

std::string guessed(const GpuFacts& facts, const KnownGpu& known) {
  return fmt::format(
      "Guesses, those of {0} in clocks: l, L, least stages, lines, reuse and its latency, costs of "
      "atomics, units for operations, requests in flight, a barrier, a launch{1}{2}. 'memlane "
      "explain machine {0}' "
      "says where they come from.",
      known.machine, facts.blocks ? "" : ", resident blocks",
      facts.reserved_bytes ? "" : ", reserved shared memory");
}

} // namespace

const std::vector<KnownGpu>& known_gpus() {
  static const std::vector<KnownGpu> table = {
      {35, "hmm-titan", 837000000, "GeForce GTX TITAN"},
      {50, "hmm-gtx1650", 1665000000, ""},
      {60, "hmm-v100", 1380000000, ""},
      {61, "hmm-gtx1650", 1665000000, ""},
      {70, "hmm-v100", 1380000000, "Tesla V100-PCIE-16GB"},
      {70, "hmm-v100", 1380000000, "Tesla V100-SXM2-16GB"},
      {75, "hmm-gtx1650", 1665000000, "GeForce GTX 1650"},
      {75, "hmm-rtx2060", 1680000000, "GeForce RTX 2060"},
      {75, "hmm-t4", 1590000000, "Tesla T4"},
      {80, "hmm-a100", 1410000000, "A100-SXM4-80GB"},
      {80, "hmm-a100", 1410000000, "A100 80GB PCIe"},
      {86, "hmm-rtx3080", 1710000000, "GeForce RTX 3080"},
      {86, "hmm-rtx3060", 1780000000, "GeForce RTX 3060"},
      {86, "hmm-rtx3060-laptop", 1700000000, "GeForce RTX 3060 Laptop GPU"},
      {86, "hmm-rtx3060ti", 1665000000, "GeForce RTX 3060 Ti"},
      {86, "hmm-rtx3070ti", 1770000000, "GeForce RTX 3070 Ti"},
      {86, "hmm-a6000", 1800000000, "RTX A6000"},
      {89, "hmm-rtx4090", 2520000000, "GeForce RTX 4090"},
      {89, "hmm-l4", 2040000000, "L4"},
      {90, "hmm-h100-pcie", 1755000000, "H100 PCIe"},
      {90, "hmm-h100", 1980000000, "H100 80GB HBM3"},
      {90, "hmm-h200", 1980000000, "H200"},
      {100, "hmm-b200", 1980000000, "B200"},
      {120, "hmm-rtx4090", 2520000000, ""},
  };
  return table;
}

const KnownGpu& nearest_gpu(int capability) {
  const KnownGpu* nearest = &known_gpus().front();
  for (const KnownGpu& known : known_gpus())
    if (known.capability <= capability && known.capability > nearest->capability) nearest = &known;
  return *nearest;
}

const KnownGpu* gpu_called(std::string_view name) {
  constexpr std::string_view maker = "NVIDIA ";
  if (name.substr(0, maker.size()) == maker) name.remove_prefix(maker.size());
  for (const KnownGpu& known : known_gpus())
    if (known.device == name && !name.empty()) return &known;
  return nullptr;
}

MachineSpec gpu_machine(const GpuFacts& facts, const KnownGpu& known, const MachineSpec& machine) {
  const TimeUnit unit = time_unit_of(facts);
  const OtherUnits in_units(known, machine, facts, unit);
  MachineSpec made = machine;
  made.name = facts.name;
  made.notes =
      fmt::format("{}\n{}\n{}", told(facts), told_of_unit(facts, unit), guessed(facts, known));
  made.width = facts.warp;
  made.multiprocessors = facts.multiprocessors;
  made.threads = facts.block_threads;
  made.registers = facts.registers;
  made.max_threads = facts.threads;
  made.resident_blocks = facts.blocks.value_or(machine.resident_blocks);
  made.clock = unit.clock;
  made.shared->capacity = facts.shared_bytes / word;
  made.shared->reserved = facts.reserved_bytes.value_or(machine.shared->reserved * word) / word;
  made.shared->latency = in_units(machine.shared->latency);
  made.shared->atomic_stages = in_units(machine.shared->atomic_stages);
  made.global->ports = unit.ports;
  made.global->capacity = facts.memory_bytes / word;
  made.global->latency = in_units(machine.global->latency);
  made.global->reuse_latency = in_units(machine.global->reuse_latency);
  made.global->atomic_service = in_units(machine.global->atomic_service);
  for (OperationUnit& operations : made.operations) {
    operations.latency = in_units(operations.latency);
    for (std::int64_t& stages : operations.stages)
      if (stages > 0) stages = in_units(stages);
  }
  made.barrier_cost = in_units(machine.barrier_cost);
  made.launch_cost = {std::llround(static_cast<double>(machine.launch_cost.value) *
                                   static_cast<double>(unit.clock) /
                                   static_cast<double>(*machine.clock))};
  return made;
}

} // namespace memlane::measure
