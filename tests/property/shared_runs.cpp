// Runs that are timed on several machines: each has the counts of a run of its own.
#include "compiling.hpp"
#include "difference.hpp"
#include "program_generator.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/engine/run.hpp"
#include "memlane/ir/without_data.hpp"

#include <optional>
#include <vector>

namespace memlane::test {
namespace {

constexpr std::uint64_t shared_programs = MEMLANE_PROPERTY_PROGRAMS / (sanitized ? 10 : 4);

void forget_bounds(std::vector<UnitCounts>& units) {
  for (UnitCounts& unit : units) {
    unit.latency_bound = unit.exposed = 0;
    unit.exposed_with_threads = unit.exposed_with_blocks = {};
  }
}

void forget_bounds(Counts& counts) {
  forget_bounds(counts.shared);
  forget_bounds(counts.global);
  for (auto& port : counts.ports) {
    port.latency_bound = port.exposed = 0;
    port.exposed_with_threads = port.exposed_with_blocks = {};
  }
}

std::vector<MachineSpec> with_latencies(const MachineSpec& machine, std::uint64_t seed) {
  std::vector<MachineSpec> machines(4, machine);
  const std::int64_t latencies[] = {1, 50, 100'000};
  for (std::size_t k = 1; k < machines.size(); ++k) {
    if (machines[k].shared) machines[k].shared->latency = {latencies[(k + seed) % 3]};
    if (machines[k].global && seed % 4 != 0) machines[k].global->latency = {latencies[k - 1]};
  }
  return machines;
}

std::optional<RunResult> alone(const ir::Program& code, const MachineSpec& machine,
                               const RunOptions& options, const Sources& sources) {
  if (options.timing_only) return tallied_timing(code, machine, options, sources).result;
  auto run = tallied_fast(code, machine, options, sources);
  if (!run) return std::nullopt;
  return std::move(run->result);
}

/// Returns how many machines were timed beside the first.
std::size_t check_shared(const ir::Program& code, const std::vector<MachineSpec>& machines,
                         const RunOptions& options, const Sources& sources) {
  std::vector<const MachineSpec*> all;
  for (const MachineSpec& machine : machines) {
    REQUIRE(differ_in_latency(machines.front(), machine));
    all.push_back(&machine);
  }
  const auto runs = simulate_on_all(code, all, options, sources);
  REQUIRE(runs.front());
  std::size_t shared = 0;
  for (std::size_t k = 0; k < machines.size(); ++k) {
    if (!runs[k]) continue;
    INFO("machine " << k);
    std::optional<RunResult> expected = alone(code, machines[k], options, sources);
    if (k > 0) REQUIRE(expected);
    if (!expected) continue;
    shared += k > 0 ? 1 : 0;
    if (k > 0) forget_bounds(expected->counts);
    for (auto& [name, counts] : expected->kernels)
      if (k > 0) forget_bounds(counts);
    Difference difference;
    difference.compare_counts(*runs[k], *expected);
    CHECK(difference.text().empty());
    INFO(difference.text());
    CHECK(runs[k]->stop == expected->stop);
    CHECK(runs[k]->verify == expected->verify);
    CHECK(runs[k]->outputs == expected->outputs);
    CHECK(runs[k]->time == expected->time);
    CHECK(runs[k]->engine.restarts == expected->engine.restarts);
    REQUIRE(runs[k]->launches.size() == expected->launches.size());
    for (std::size_t launch = 0; launch < expected->launches.size(); ++launch)
      CHECK(runs[k]->launches[launch].time == expected->launches[launch].time);
  }
  return shared;
}

} // namespace

TEST_CASE("a run that is timed on several machines has the counts of a run on each") {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= shared_programs; ++seed) {
    MachineSpec machine = seed % 8 == 7 ? random_gpu(seed) : random_machine(seed);
    machine.block_schedule = BlockSchedule::static_;
    const bool has_shared = machine.shared.has_value();
    const std::string text = seed % 5 == 0   ? data_loop_program(seed, has_shared)
                             : seed % 5 == 1 ? race_free_program(seed, has_shared)
                             : seed % 5 == 2 ? atomic_program(seed, has_shared)
                             : seed % 5 == 3 ? folded_program(seed, has_shared)
                                             : random_program(seed, has_shared);
    INFO("program " << seed << "\n" << text);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    REQUIRE(code);
    if (!check_machine(*code, machine)) continue;
    RunOptions options;
    options.limits.steps = 2'000'000;
    for (const ir::Array& array : code->arrays)
      if (array.space == ir::Space::memory) options.outputs.push_back(array.name);
    shared += check_shared(*code, with_latencies(machine, seed), options, sources);
  }
  CHECK(shared > shared_programs);
}

TEST_CASE("so has one without data and one of alike blocks") {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= shared_programs; ++seed) {
    MachineSpec machine = random_machine(seed % 3 == 0 ? seed : 3 * seed + 2);
    machine.block_schedule = BlockSchedule::static_;
    const std::string generated =
        seed % 3 == 0 ? regular_program(seed, machine.shared.has_value()) : alike_program(seed);
    const std::string text = seed % 2 == 0 ? thrice(generated) : generated;
    INFO("program " << seed << "\n" << text);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    REQUIRE(code);
    if (!check_machine(*code, machine)) continue;
    RunOptions options;
    options.limits.steps = 2'000'000;
    const std::vector<MachineSpec> machines = with_latencies(machine, seed);
    shared += check_shared(*code, machines, options, sources);
    const auto timed = ir::without_data(*code, options.limits);
    if (!timed) continue;
    options.timing_only = true;
    shared += check_shared(*timed, machines, options, sources);
  }
  CHECK(shared > shared_programs);
}

} // namespace memlane::test
