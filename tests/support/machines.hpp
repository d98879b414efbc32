// Machines for tests.
#pragma once

#include "memlane/machine/spec.hpp"

namespace memlane::test {

inline MachineSpec dmm(std::int64_t width, std::int64_t latency, std::int64_t threads = 1024) {
  MachineSpec machine;
  machine.model = Model::dmm;
  machine.width = width;
  machine.threads = threads;
  machine.shared = UnitSpec{UnitKind::discrete, {latency}, 1, {}};
  return machine;
}
inline MachineSpec umm(std::int64_t width, std::int64_t latency, std::int64_t threads = 1024) {
  MachineSpec machine = dmm(width, latency, threads);
  machine.model = Model::umm;
  machine.shared.reset();
  machine.global = UnitSpec{UnitKind::unified, {latency}, 1, {}};
  return machine;
}
inline MachineSpec hmm(std::int64_t mps, std::int64_t width, std::int64_t shared_latency,
                       std::int64_t global_latency, std::int64_t threads = 1024) {
  MachineSpec machine = dmm(width, shared_latency, threads);
  machine.model = Model::hmm;
  machine.multiprocessors = mps;
  machine.global = UnitSpec{UnitKind::unified, {global_latency}, 1, {}};
  return machine;
}
/// As machine files give it: its units take one time unit, a block is one warp.
inline MachineSpec agpu(std::int64_t mps, std::int64_t width, std::int64_t capacity) {
  MachineSpec machine = hmm(mps, width, 1, 1, width);
  machine.model = Model::agpu;
  machine.shared->capacity = capacity;
  return machine;
}

} // namespace memlane::test
