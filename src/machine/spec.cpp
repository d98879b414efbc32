#include "memlane/machine/spec.hpp"

#include <algorithm>

namespace memlane {

std::string_view name_of(Model model) { return traits_of(model).name; }

std::string_view name_of(UnitKind kind) {
  return kind == UnitKind::discrete ? "discrete" : "unified";
}

std::string_view name_of(BlockSchedule schedule) {
  return schedule == BlockSchedule::static_ ? "static" : "dynamic";
}

std::string_view name_of(Reuse reuse) { return reuse == Reuse::none ? "none" : "block"; }
std::string_view name_of(Schedule schedule) {
  return schedule == Schedule::program ? "program" : "hoisted";
}

std::string_view name_of(OperationClass operation) {
  constexpr std::array<std::string_view, operation_classes> names = {"double", "special",
                                                                     "division", "tensor", "other"};
  return names[static_cast<std::size_t>(operation)];
}

const OperationUnit* MachineSpec::unit_of(OperationClass operation) const {
  for (const OperationUnit& unit : operations)
    if (unit.stages[static_cast<std::size_t>(operation)] > 0) return &unit;
  return nullptr;
}

std::int64_t MachineSpec::words_of(std::int64_t bytes) const {
  std::int64_t words = 1;
  while (word_bytes && words * *word_bytes < bytes) words *= 2;
  return words;
}

std::optional<double> MachineSpec::seconds(std::int64_t time) const {
  if (!clock) return std::nullopt;
  return static_cast<double>(time) / static_cast<double>(*clock);
}

MachineSpec machine_of(Model model) {
  MachineSpec machine;
  machine.model = model;
  if (traits_of(model).has_shared) machine.shared = UnitSpec{UnitKind::discrete, {1}, 1, {}};
  if (traits_of(model).has_global) machine.global = UnitSpec{UnitKind::unified, {1}, 1, {}};
  return machine;
}

std::int64_t room_for_threads(const MachineSpec& machine) {
  return std::min(machine.threads * machine.resident_blocks,
                  machine.max_threads.value_or(INT64_MAX));
}

/// A product of tiles of s x s words takes s^2 stages and ends s^2 + l time units after it began.
static void derive_tensor_unit(MachineSpec& machine) {
  constexpr auto tensor = static_cast<std::size_t>(OperationClass::tensor);
  std::erase_if(machine.operations,
                [](const OperationUnit& unit) { return unit.stages[tensor] > 0; });
  if (!machine.tensor_size) return;
  OperationUnit unit{"tensor", 1, {machine.tensor_latency.value + 1}, {}};
  unit.stages[tensor] = *machine.tensor_size * *machine.tensor_size;
  machine.operations.push_back(std::move(unit));
}

void derive_values(MachineSpec& machine) {
  derive_tensor_unit(machine);
  if (machine.model == Model::agpu) machine.threads = machine.width;
  if (machine.model == Model::mmm) // Thread numbers of a block fit a program's int.
    machine.threads = std::min(machine.local_words, std::int64_t{1} << 30);
}

/// Its warps and its multiprocessor are not of the model ([HMX] section 2.1).
static std::optional<std::int64_t> value_on_mmm(MachineQuantity quantity,
                                                const MachineSpec& machine) {
  if (quantity == MachineQuantity::local_words) return machine.local_words;
  if (quantity == MachineQuantity::transfer_time) return machine.transfer;
  if (quantity == MachineQuantity::processors) return machine.processors;
  return std::nullopt;
}

// The DMM and the UMM write l for the latency of their only memory; only the HMM has both l and L.
// p is the threads of a multiprocessor, but the AGPU's p counts the cores of all ([K] section 3.2).
std::optional<std::int64_t> value_of(MachineQuantity quantity, const MachineSpec& machine) {
  if (machine.model == Model::mmm) return value_on_mmm(quantity, machine);
  const UnitSpec& near_unit = machine.shared ? *machine.shared : *machine.global;
  const bool timed = is_timed(machine.model);
  const bool is_agpu = machine.model == Model::agpu;
  switch (quantity) {
  case MachineQuantity::width: return machine.width;
  case MachineQuantity::multiprocessors: return machine.multiprocessors;
  case MachineQuantity::threads:
    return is_agpu ? machine.multiprocessors * machine.width : machine.threads;
  case MachineQuantity::latency:
    if (timed) return near_unit.latency.value;
    return std::nullopt;
  case MachineQuantity::global_latency:
    if (timed && machine.shared && machine.global) return machine.global->latency.value;
    return std::nullopt;
  case MachineQuantity::capacity:
    if (near_unit.capacity) return *near_unit.capacity;
    return std::nullopt;
  case MachineQuantity::local_words:
  case MachineQuantity::transfer_time:
  case MachineQuantity::processors: return std::nullopt;
  case MachineQuantity::tensor_size: return machine.tensor_size;
  case MachineQuantity::tensor_latency:
    if (machine.tensor_size) return machine.tensor_latency.value;
    return std::nullopt;
  case MachineQuantity::instruction_cost: return machine.instruction_cost.value;
  case MachineQuantity::barrier_cost: return machine.barrier_cost.value;
  case MachineQuantity::launch_cost: return machine.launch_cost.value;
  case MachineQuantity::lockstep: return machine.lockstep;
  case MachineQuantity::volatility: return machine.is_volatile;
  }
  return std::nullopt;
}

std::map<std::string, std::int64_t, std::less<>> letters(const MachineSpec& machine) {
  std::map<std::string, std::int64_t, std::less<>> values;
  for (const MachineName& name : machine_names) {
    const auto value = value_of(name.quantity, machine);
    if (value && name.place == NamePlace::programs) values.emplace(name.name, *value);
  }
  return values;
}

} // namespace memlane
