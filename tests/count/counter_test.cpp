// The observer that adds up the counts of a run.
#include "support/catch.hpp"

#include "memlane/count/simulate.hpp"

namespace memlane::test {

TEST_CASE("a run that begins again keeps that its counts had too little memory") {
  const ir::Program program;
  MachineSpec machine;
  machine.model = Model::umm;
  machine.width = 1;
  const Sources sources;
  RunOptions options;
  options.pram = true;
  options.limits.memory = 8;
  Observer no_observer;
  RunCounter counter(program, machine, sources, options, no_observer);
  KernelInfo kernel;
  kernel.instructions.resize(1);
  kernel.sites.resize(1);
  const std::vector<std::int64_t> addresses = {0};
  counter.run_begins();
  counter.launch_begins(0, {1, 1, 0, false, &kernel}, "kernel");
  REQUIRE(counter.executions());
  CHECK(!counter.over_memory());
  counter.executions()->accessed({{}, kernel.sites.data(), UnitId::global, addresses});
  CHECK(counter.over_memory());
  counter.run_begins();
  CHECK(counter.over_memory());
}

} // namespace memlane::test
