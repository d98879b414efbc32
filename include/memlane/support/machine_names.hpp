// The names that programs, claims and papers have for quantities of a machine: the one table that
// the language, the machine files and emission read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace memlane {

enum class MachineQuantity : std::uint8_t {
  width,
  multiprocessors,
  threads,
  latency,        ///< of the shared memory on an HMM, else of the only one
  global_latency, ///< of an HMM
  capacity,       ///< as latency
  small_capacity, ///< these three are of machines to come
  transfer_time,
  processors,
  instruction_cost,
  barrier_cost,
  launch_cost,
  lockstep,
  volatility,
};

/// Where a name stands for its quantity.
enum class NamePlace : std::uint8_t { programs, claims };

struct MachineName {
  std::string_view name;
  MachineQuantity quantity;
  std::string_view meaning;
  NamePlace place = NamePlace::programs;
  bool wide = false;    ///< a long
  bool setting = false; ///< a bool
  bool later = false;   ///< no machine of this version has it: known, but not suggested
};

inline constexpr std::array machine_names = [] {
  using enum MachineQuantity;
  using enum NamePlace;
  return std::array{
      MachineName{"w", width, "width"},
      MachineName{"b", width, "width"},
      MachineName{"width", width, "width"},
      MachineName{"d", multiprocessors, "number of multiprocessors"},
      MachineName{"k", multiprocessors, "number of multiprocessors"},
      MachineName{"mps", multiprocessors, "number of multiprocessors"},
      MachineName{"p", threads, "number of threads"},
      MachineName{"l", latency, "latency"},
      MachineName{"L", global_latency, "global latency"},
      MachineName{"M", capacity, "capacity", programs, true},
      MachineName{"capacity", capacity, "capacity", programs, true},
      MachineName{"Z", small_capacity, "capacity", programs, true, false, true},
      MachineName{"U", transfer_time, "transfer time", programs, true, false, true},
      MachineName{"P", processors, "number of multiprocessors", programs, false, false, true},
      MachineName{"instruction_cost", instruction_cost, "cost of an instruction", claims, true},
      MachineName{"barrier_cost", barrier_cost, "cost of a barrier", claims, true},
      MachineName{"launch_cost", launch_cost, "cost of a launch", claims, true},
      MachineName{"lockstep", lockstep, "warps in lockstep", claims, false, true},
      MachineName{"volatile", volatility, "shared memory ends with its block", claims, false, true},
  };
}();

/// Null: it is no name of a machine.
constexpr const MachineName* find_machine_name(std::string_view name) {
  for (const MachineName& known : machine_names)
    if (known.name == name) return &known;
  return nullptr;
}

} // namespace memlane
