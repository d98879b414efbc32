#include "support/catch.hpp"
#include "support/machine_files.hpp"

#include "memlane/study/gpu/gpu_machine.hpp"

#include <fmt/format.h>

#include <set>

namespace memlane::measure {
namespace {

const std::string machines = std::string(MEMLANE_SOURCE_DIR) + "/configs/machines";

MachineSpec shipped(std::string_view name) {
  Sources sources;
  const auto machine =
      load_machine(sources, std::string(name), {}, test::machine_files_on_disk(machines));
  INFO(name);
  REQUIRE(machine.ok());
  return machine->spec;
}

/// The clocks and the bus of the GPU of a shipped machine, as NVIDIA's figures are.
struct Figures {
  std::string_view machine;
  int capability, clock, memory_clock, bus_bits; ///< MHz
  std::int64_t gigabytes;
};
constexpr Figures geforces[] = {
    {"hmm-gtx1650", 75, 1665, 6000, 128, 4},        {"hmm-rtx2060", 75, 1680, 7000, 192, 6},
    {"hmm-rtx3060-laptop", 86, 1700, 6000, 192, 6}, {"hmm-rtx3060", 86, 1780, 7500, 192, 12},
    {"hmm-rtx3060ti", 86, 1665, 7000, 256, 8},      {"hmm-rtx3070ti", 86, 1770, 9500, 256, 8},
    {"hmm-rtx3080", 86, 1710, 9500, 320, 10},       {"hmm-a6000", 86, 1800, 8000, 384, 48},
    {"hmm-rtx4090", 89, 2520, 10500, 384, 24},
};

} // namespace

TEST_CASE("the shipped machines of the GeForce GPUs are those of what a driver tells of them") {
  for (const Figures& figures : geforces) {
    MachineSpec machine = shipped(figures.machine);
    GpuFacts facts;
    facts.name = figures.machine;
    facts.capability = figures.capability;
    facts.multiprocessors = machine.multiprocessors;
    facts.block_threads = machine.threads;
    facts.threads = *machine.max_threads;
    facts.registers = *machine.registers;
    facts.blocks = machine.resident_blocks;
    facts.shared_bytes = *machine.shared->capacity * 4;
    facts.reserved_bytes = machine.shared->reserved * 4;
    facts.clock = std::int64_t{figures.clock} * 1000000;
    facts.memory_clock = std::int64_t{figures.memory_clock} * 1000000;
    facts.bus_bits = figures.bus_bits;
    facts.memory_bytes = figures.gigabytes << 30;
    const KnownGpu& nearest = nearest_gpu(figures.capability);
    MachineSpec made = gpu_machine(facts, nearest, shipped(nearest.machine));
    INFO(figures.machine << "\n" << made.notes);
    machine.name = made.name;
    machine.notes = made.notes;
    CHECK(made == machine);
  }
}

TEST_CASE("every shipped machine of a GPU is known by its GPU's name") {
  std::set<std::string> known;
  for (const KnownGpu& gpu : known_gpus()) {
    const MachineSpec machine = shipped(gpu.machine);
    INFO(gpu.machine);
    REQUIRE(machine.clock);
    // A time unit is about a clock.
    CHECK(std::abs(gpu.clock - *machine.clock) < gpu.clock / 8);
    if (gpu.device.empty()) continue;
    known.insert(std::string(gpu.machine));
    CHECK(gpu_called(fmt::format("NVIDIA {}", gpu.device)) == &gpu);
    CHECK(gpu_called(gpu.device) == &gpu);
  }
  std::set<std::string> with_keys;
  for (const std::string& name : test::machine_files_on_disk(machines).shipped)
    if (shipped(name).has_own_ports()) with_keys.insert(name);
  CHECK(known == with_keys);
  CHECK(gpu_called("") == nullptr);
  CHECK(gpu_called("NVIDIA ") == nullptr);
  CHECK(gpu_called("NVIDIA GeForce RTX 3081") == nullptr);
}

TEST_CASE("a generation without a machine has the guesses of the nearest one before it") {
  CHECK(nearest_gpu(86).machine == "hmm-rtx3080");
  CHECK(nearest_gpu(87).machine == "hmm-rtx3080");
  CHECK(nearest_gpu(103).machine == "hmm-b200");
  CHECK(nearest_gpu(121).machine == "hmm-rtx4090");
  CHECK(nearest_gpu(52).machine == "hmm-gtx1650");
  CHECK(nearest_gpu(30).machine == "hmm-titan");
}

} // namespace memlane::measure
