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
  latency,        ///< the latency of an HMM's shared memory, or of the only memory
  global_latency, ///< HMMs only
  capacity,       ///< the capacity of the same memory as `latency`
  local_words,    ///< MMMs only, like the next two
  transfer_time,
  processors,  ///< none: unbounded
  tensor_size, ///< rows of a tile of the tensor unit; none: there is none
  tensor_latency,
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
      MachineName{"Z", local_words, "words of a local memory", programs, true},
      MachineName{"U", transfer_time, "time to move a word", programs, true},
      MachineName{"P", processors, "number of multiprocessors"},
      MachineName{"tensor_size", tensor_size, "rows of a tile of the tensor unit"},
      MachineName{"tensor_latency", tensor_latency, "latency of the tensor unit"},
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
