// Every time unit has one cause: causes add up to the time, and accesses to the lines.
#include "compiling.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/hiding.hpp"

#include <numeric>

namespace memlane::test {
namespace {

constexpr std::uint64_t explained_programs = tried(200);

std::int64_t total(const TimeByCause& time) {
  return std::accumulate(time.begin(), time.end(), std::int64_t{0});
}

void check_accesses(const RunResult& run) {
  std::map<SourceLine, LineCounts> lines;
  for (const AccessCounts& access : run.accesses) {
    LineCounts& line = lines[access.line];
    line.requests += access.requests;
    line.stages += access.stages;
    line.worst = std::max(line.worst, access.worst);
  }
  for (const auto& [place, line] : run.counts.lines) {
    CHECK(lines[place].requests == line.requests);
    CHECK(lines[place].stages == line.stages);
    CHECK(lines[place].worst == line.worst);
  }
}

} // namespace

TEST_CASE("the causes of each unit's time add up to the run's time, accesses to lines") {
  std::int64_t units = 0, split = 0, launches = 0;
  for (std::uint64_t seed = 1; seed <= explained_programs; ++seed) {
    MachineSpec machine = random_machine(seed);
    if (seed % 3 == 0) machine.launch_cost = Cycles{static_cast<std::int64_t>(seed % 7)};
    Sources sources;
    const std::string text = race_free_program(seed, machine.shared.has_value());
    const auto code = compiled(sources, text, machine);
    if (!code || !check_machine(*code, machine)) continue;
    RunOptions options;
    options.verify = false;
    options.limits.steps = 2'000'000;
    const RunResult run = simulate_fast(*code, machine, options, sources);
    if (run.stop != Stop::none) continue;
    INFO(text);
    check_accesses(run);
    for (const auto* all : {&run.counts.global, &run.counts.shared})
      for (const UnitCounts& unit : *all) {
        const TimeByCause time = causes_of(unit, run.counts.launches, machine.launch_cost);
        CHECK(total(time) == run.counts.time.value);
        for (const std::int64_t part : time) CHECK(part >= 0);
        const std::int64_t extra = time[static_cast<std::size_t>(Cause::extra_stages)];
        if (unit.busy == unit.stages) CHECK(extra == unit.conflicts());
        if (unit.conflicts() == 0) CHECK(extra == 0);
        CHECK(time[static_cast<std::size_t>(Cause::launch)] ==
              run.counts.launches * machine.launch_cost.value);
        ++units;
        split += extra > 0 ? 1 : 0;
        launches += time[static_cast<std::size_t>(Cause::launch)] > 0 ? 1 : 0;
      }
    for (const ExplainedUnit& unit : explained_units(machine, run.counts))
      CHECK(total(unit.time) == run.counts.time.value);
  }
  constexpr auto programs = static_cast<std::int64_t>(explained_programs);
  CHECK(units > programs);
  CHECK(split > programs / 10);
  CHECK(launches > programs / 10);
}

TEST_CASE("what lines cost of a unit adds up to what the unit has taken") {
  std::int64_t runs = 0, reused = 0, operated = 0;
  for (std::uint64_t seed = 1; seed <= explained_programs; ++seed) {
    MachineSpec machine = random_gpu(seed);
    if (machine.operations.empty() && !machine.lockstep && seed % 2 == 0) {
      machine.instruction_cost = {0};
      machine.operations = {{"all", 1, {2}, {3, 1, 4, 2, 1}}};
    }
    for (const std::string& text : {race_free_program(seed, true), atomic_program(seed, true)}) {
      Sources sources;
      const auto code = compiled(sources, text, machine);
      if (!code || !check_machine(*code, machine)) continue;
      RunOptions options;
      options.verify = false;
      options.limits.steps = 200'000;
      const RunResult run = simulate_fast(*code, machine, options, sources);
      if (run.stop != Stop::none) continue;
      INFO(text << "seed " << seed);
      ++runs;
      const ReusedGroups groups = reused_groups(run.counts);
      std::int64_t entered = sum_of(run.counts.global).stages - groups.groups, at_ports = 0;
      CHECK(groups.extra <= std::min(groups.groups, sum_of(run.counts.global).conflicts()));
      for (const PortCounts& port : run.counts.ports) at_ports += port.stages;
      for (const AccessCounts& access : run.accesses) {
        at_ports -= access.port_stages;
        if (access.unit == UnitId::global) entered -= access.stages - access.reused;
      }
      CHECK(entered == 0);
      CHECK(at_ports == 0);
      reused += groups.groups > 0 ? 1 : 0;
      for (const OperationUnit& unit : machine.operations) {
        std::int64_t stages = 0;
        for (const OperationAccount& account : run.counts.operations)
          if (account.unit == unit.name) stages += account.stages;
        operated += stages > 0 ? 1 : 0;
        for (const auto& [place, line] : run.counts.lines)
          stages -= std::inner_product(unit.stages.begin(), unit.stages.end(),
                                       line.operations.begin(), std::int64_t{0});
        CHECK(stages == 0);
      }
      for (const ExplainedUnit& unit : explained_units(machine, run.counts)) {
        CHECK(total(unit.time) == run.counts.time.value);
        for (const std::int64_t part : unit.time) CHECK(part >= 0);
      }
    }
  }
  constexpr auto programs = static_cast<std::int64_t>(explained_programs);
  CHECK(runs > programs);
  CHECK(reused > programs / 20);
  CHECK(operated > programs / 20);
}

} // namespace memlane::test
