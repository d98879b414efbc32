// Fuzzes traces: errors, or a replay on every machine that accepts them.
#include "fuzz.hpp"
#include "property/compiling.hpp"

#include "memlane/trace/replay.hpp"

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace memlane;
  std::istringstream in(test::text_of(data, size));
  const auto trace = read_trace(in, "t.jsonl");
  if (!trace) {
    test::require(!render(trace.errors(), Sources()).empty());
    return 0;
  }
  Limits limits;
  limits.steps = 10'000;
  limits.time = 1'000'000;
  for (std::uint64_t model = 0; model < 3; ++model) {
    MachineSpec machine = test::random_machine(model);
    if (trace->width > 64) continue;
    machine.threads = machine.threads / machine.width * trace->width;
    machine.width = trace->width;
    Observer observer;
    const Replay replayed = replay(*trace, machine, limits, observer);
    test::require(replayed.stop != Stop::error || !replayed.errors.empty());
  }
  return 0;
}
