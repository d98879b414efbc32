#include "memlane/machine/spec.hpp"

#include <cassert>

namespace memlane {

std::string_view name_of(Model model) {
  switch (model) {
  case Model::dmm: return "dmm";
  case Model::umm: return "umm";
  case Model::hmm: return "hmm";
  case Model::agpu: return "agpu";
  case Model::mmm: return "mmm";
  }
  assert(false);
  return "";
}

std::string_view name_of(UnitKind kind) {
  return kind == UnitKind::discrete ? "discrete" : "unified";
}

std::string_view name_of(BlockSchedule schedule) {
  return schedule == BlockSchedule::static_ ? "static" : "dynamic";
}

std::map<std::string, std::int64_t, std::less<>> letters(const MachineSpec& machine) {
  std::map<std::string, std::int64_t, std::less<>> values;
  for (const char* name : {"width", "w", "b"}) values[name] = machine.width;
  for (const char* name : {"mps", "d", "k"}) values[name] = machine.multiprocessors;
  values["p"] = machine.threads;

  // The DMM and the UMM write l for the latency of their only memory; only the HMM has both l and
  // L.
  const UnitSpec& near_unit = machine.shared ? *machine.shared : *machine.global;
  values["l"] = near_unit.latency.value;
  if (machine.shared && machine.global) values["L"] = machine.global->latency.value;
  if (near_unit.capacity) {
    values["M"] = *near_unit.capacity;
    values["capacity"] = *near_unit.capacity;
  }
  return values;
}

} // namespace memlane
