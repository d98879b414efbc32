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

} // namespace memlane::test
