// `concurrent` in random programs: whoever may race is found by both engines, replays find it, too,
// and all other programs have the results and times of the same launches one after the other.
#include "compiling.hpp"
#include "concurrent_generator.hpp"
#include "difference.hpp"
#include "support/catch.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/engine/replay_races.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/points/parallel_tasks.hpp"
#include "memlane/trace/replay.hpp"
#include "memlane/trace/trace.hpp"
#include "memlane/trace/trace_writer.hpp"

#include <fmt/format.h>

#include <sstream>

namespace memlane::test::concurrent_launches {
namespace {

constexpr std::uint64_t programs = MEMLANE_PROPERTY_PROGRAMS / 2;

std::vector<std::int64_t> stages_of(const std::vector<LaunchTally>& launches) {
  std::vector<std::int64_t> stages;
  for (const LaunchTally& launch : launches) stages.push_back(launch.stage);
  return stages;
}

std::vector<std::int64_t> stages_of(const ConcurrentProgram& program) {
  std::vector<std::int64_t> stages;
  for (const KnownLaunch& launch : program.launches) stages.push_back(launch.stage);
  return stages;
}

RunOptions options_of(std::uint64_t seed) {
  RunOptions options;
  options.outputs = {"a", "b", "c"};
  options.side_by_side = {1 + seed % 3, sweep::run_together, 0};
  return options;
}

ir::Program code_of(Sources& sources, const std::string& text, const MachineSpec& machine) {
  const auto code = compiled(sources, text, machine);
  if (!code) FAIL(render(code.errors(), sources) << text);
  return *code;
}

/// Whether the message names two launches that conflict at the word it names.
bool names_a_race(const ConcurrentProgram& program, const std::string& message) {
  for (std::size_t y = 0; y < program.launches.size(); ++y)
    for (std::size_t x = 0; x < y; ++x) {
      if (message.find(fmt::format("launch {} (", x)) == std::string::npos ||
          message.find(fmt::format("launch {} (", y)) == std::string::npos)
        continue;
      for (const std::set<ArrayWord>* all :
           {&program.launches[x].reads, &program.launches[x].writes})
        for (const ArrayWord& word : *all)
          if (program.race_at(x, y, word) &&
              message.find(fmt::format("race at {}[{}]:", word.first, word.second)) !=
                  std::string::npos)
            return true;
    }
  return false;
}

void check_race(const ConcurrentProgram& program, const ir::Program& code,
                const MachineSpec& machine, RunOptions options, const Sources& sources) {
  const TalliedRun stopped = tallied_reference(code, machine, options, sources);
  REQUIRE(stopped.result.stop == Stop::error);
  const std::string message = render(stopped.result.errors, sources);
  INFO(message);
  CHECK(names_a_race(program, message));
  CHECK_FALSE(tallied_fast(code, machine, options, sources));
  options.allow_races = true;
  const TalliedRun whole = tallied_reference(code, machine, options, sources);
  CHECK(whole.result.stop == Stop::none);
  CHECK(whole.result.races.races > 0);
  CHECK(stages_of(whole.launches) == stages_of(program));
}

void check_no_race(const ConcurrentProgram& program, const ir::Program& code,
                   const MachineSpec& machine, const RunOptions& options, const Sources& sources) {
  const TalliedRun reference = tallied_reference(code, machine, options, sources);
  INFO(render(reference.result.errors, sources));
  REQUIRE(reference.result.stop == Stop::none);
  CHECK(stages_of(reference.launches) == stages_of(program));
  const auto fast = tallied_fast(code, machine, options, sources);
  REQUIRE(fast);
  Difference difference;
  difference.compare_runs(*fast, reference);
  CHECK(difference.text() == "");
  CHECK(fast->result.outputs == reference.result.outputs);
  CHECK(stages_of(fast->launches) == stages_of(program));

  Sources others;
  const TalliedRun in_order =
      tallied_reference(code_of(others, program.in_order, machine), machine, options, others);
  CHECK(in_order.result.outputs == reference.result.outputs);
  CHECK(in_order.result.counts.time == reference.result.counts.time);
  CHECK(in_order.launches.size() == reference.launches.size());

  const Result<ir::Program> without = ir::without_data(code);
  REQUIRE(without);
  RunOptions bare = options;
  bare.outputs.clear();
  const TalliedRun timed = tallied_timing(*without, machine, bare, sources);
  CHECK(timed.result.counts.time == reference.result.counts.time);
  CHECK(stages_of(timed.launches) == stages_of(program));
}

} // namespace

TEST_CASE("launches of one concurrent race exactly where they meet at a written word") {
  std::int64_t races = 0, many = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const ConcurrentProgram program = concurrent_program(seed);
    const MachineSpec machine = random_machine(seed);
    Sources sources;
    INFO("program " << seed << ":\n" << program.text);
    const ir::Program code = code_of(sources, program.text, machine);
    if (program.races()) {
      ++races;
      check_race(program, code, machine, options_of(seed), sources);
    } else {
      many += program.launches.size() > 2 ? 1 : 0;
      check_no_race(program, code, machine, options_of(seed), sources);
    }
  }
  CHECK(races > static_cast<std::int64_t>(programs / 10));
  CHECK(many > static_cast<std::int64_t>(programs / 4));
}

TEST_CASE("a trace says which launches are independent, and its replay has the run's time") {
  std::int64_t races = 0;
  for (std::uint64_t seed = 1; seed <= programs / 2; ++seed) {
    const ConcurrentProgram program = concurrent_program(seed);
    const MachineSpec machine = random_machine(seed);
    Sources sources;
    INFO("program " << seed << ":\n" << program.text);
    const ir::Program code = code_of(sources, program.text, machine);
    RunOptions options;
    options.allow_races = true;
    std::ostringstream out;
    TraceWriter writer(out, machine, sources);
    RunCounter counter(code, machine, sources, options, writer);
    const RunResult run = counter.result(run_reference(code, machine, options, sources, counter));
    REQUIRE(run.stop == Stop::none);
    writer.finish(true);
    std::istringstream in(out.str());
    const Result<Trace> trace = read_trace(in, "trace");
    if (!trace) FAIL(render(trace.errors(), Sources{}));
    std::vector<std::int64_t> stages;
    for (const TraceLaunch& launch : trace->launches) stages.push_back(launch.stage);
    CHECK(stages == stages_of(program));
    ReplayRaces found(machine);
    CHECK(replay(*trace, machine, {}, found).counts.time == run.counts.time);
    if (!machine.global) continue; // a DMM's launches take the same addresses for shared arrays
    CHECK((found.counts().races > 0) == program.races());
    races += program.races() ? 1 : 0;
  }
  CHECK(races > 0);
}

} // namespace memlane::test::concurrent_launches
