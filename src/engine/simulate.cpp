#include "host.hpp"
#include "ordered_stream.hpp"
#include "saturate.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/machine/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace memlane {

namespace {

/// Moves a request's words together, into the first of the address groups (in a memory of banks:
/// rows of its banks) that they lie in. What needs all its groups stays where it is. So each block
/// asks for groups that it asks for anyway, and reads of others reuse no more of them than before.
void move_together(Request& request, std::int64_t group_words) {
  const std::int64_t words = request.words_of_lane;
  std::set<std::int64_t> touched;
  std::map<std::int64_t, std::int64_t> places; // by element: where it lies among the moved words
  for (const std::int64_t address : request.addresses) {
    if (address < 0) continue;
    places.try_emplace(address, static_cast<std::int64_t>(places.size()) * words);
    for (std::int64_t word = address; word < address + words; ++word)
      touched.insert(word / group_words);
  }
  request.in_fewest_lines = true;
  const std::vector<std::int64_t> groups(touched.begin(), touched.end());
  const std::int64_t needed =
      needed_stages(static_cast<std::int64_t>(places.size()) * words, group_words);
  if (static_cast<std::int64_t>(groups.size()) <= needed) return;
  for (std::int64_t& address : request.addresses) {
    if (address < 0) continue;
    const std::int64_t place = places.at(address);
    address =
        groups[static_cast<std::size_t>(place / group_words)] * group_words + place % group_words;
  }
}

/// Warps whose chosen requests take no more stages than their words need: the machine sees their
/// words moved together. Passes everything on to another stream, which performs the requests with
/// their own addresses.
class ConflictFreeStream final : public WarpStream {
public:
  ConflictFreeStream(WarpStream& inner, const MachineSpec& machine, const IsConflictFree& is_chosen)
      : inner_(inner), machine_(machine), is_chosen_(is_chosen) {}

  Status start(std::int64_t block, Tally& tally) override { return inner_.start(block, tally); }
  Result<Step> next(WarpRef warp) override {
    Result<Step> step = inner_.next(warp);
    if (!step || step->kind != StepKind::request || !is_chosen_(*step->request)) return step;
    Request& request = requests_[{warp.block, warp.warp}];
    request = *step->request;
    move_together(request, request.unit == UnitId::global
                               ? machine_.stage_words(machine_.memory_unit())
                               : machine_.width);
    step->request = &request;
    return step;
  }
  Status perform(WarpRef warp) override { return inner_.perform(warp); }
  void released(std::int64_t block) override { inner_.released(block); }
  void finish(std::int64_t block) override {
    requests_.erase(requests_.lower_bound({block, 0}), requests_.lower_bound({block + 1, 0}));
    inner_.finish(block);
  }

private:
  WarpStream& inner_;
  const MachineSpec& machine_;
  const IsConflictFree& is_chosen_;
  std::map<std::pair<std::int64_t, std::int64_t>, Request> requests_; ///< keyed by block and warp
};

/// An MMM has no number of threads that blocks have by default.
Diagnostics launches_without_threads(const ir::Program& program) {
  Diagnostics errors;
  for (const ir::Function& function : program.functions)
    for (const ir::Instruction& in : function.code) {
      if (in.op != ir::Opcode::launch) continue;
      const auto& site = program.launches[static_cast<std::size_t>(in.immediate)];
      if (site.threads >= 0) continue;
      const ir::Function& kernel = program.functions[static_cast<std::size_t>(site.kernel)];
      errors.push_back(error_at(
          in.span,
          fmt::format("the launch of {} does not name its threads, and an MMM has no p",
                      kernel.name),
          {fmt::format("write launch {}() … threads=64: at most Z, the machine's local_words",
                       kernel.name)}));
    }
  return errors;
}

} // namespace

Status check_machine(const ir::Program& program, const MachineSpec& machine) {
  Diagnostics errors;
  if (machine.model == Model::mmm) errors = launches_without_threads(program);
  for (const ir::Function& function : program.functions)
    for (const ir::Statement& statement : function.statements)
      if (machine.model == Model::agpu && statement.left_out)
        errors.push_back(
            error_at(statement.span,
                     "how often this is executed depends on data: the time of an AGPU "
                     "run counts it",
                     {"run it without --timing-only: then the data is computed, too"}));
  for (const ir::Array& array : program.arrays)
    if (array.space == ir::Space::shared && !traits_of(machine.model).has_shared)
      errors.push_back(error_at(
          array.span, fmt::format("array {} is shared, and a UMM has no shared memory", array.name),
          {"declare it as memory, or run the program on a DMM or an HMM"}));
  if (!errors.empty()) return errors;
  return Done{};
}

Status check_limits(const MachineSpec& machine, const Limits& limits) {
  if (is_timed(machine.model) || limits.time == INT64_MAX) return Done{};
  return error_in("--max-time",
                  fmt::format("the time of an {} is counted, and known at the end of a run",
                              machine.model == Model::agpu ? "AGPU" : "MMM"),
                  {"limit the work: --max-steps or --max-seconds"});
}

namespace {

/// Checks that the memory arrays fit the machine's memory.
Status check_capacity(const ir::Program& program, const MachineSpec& machine,
                      const Memory& memory) {
  const UnitSpec& unit = machine.memory_unit();
  if (!unit.capacity || memory.end <= *unit.capacity) return Done{};
  std::size_t largest = 0;
  for (std::size_t k = 0; k < memory.arrays.size(); ++k)
    if (memory.arrays[k].elements > memory.arrays[largest].elements) largest = k;
  return error_at(
      program.arrays[largest].span,
      fmt::format("the memory arrays take {} words, more than the machine's capacity "
                  "of {}; {} is the largest",
                  memory.end, *unit.capacity, program.arrays[largest].name),
      {fmt::format("choose smaller arrays, or change the machine: --set capacity={}", memory.end)});
}

/// False if the budget is then stopped.
bool read_outputs(const ir::Program& program, const RunOptions& options, const Memory& memory,
                  Budget& budget, RunOutcome& result) {
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const std::string& name = program.arrays[k].name;
    const auto& wanted = options.outputs;
    if (program.arrays[k].space != ir::Space::memory) continue;
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    std::vector<ir::Value>& values = result.outputs[name];
    values.reserve(static_cast<std::size_t>(memory.arrays[k].elements));
    for (std::int64_t i = 0; i < memory.arrays[k].elements; ++i) {
      if (i % words_between == words_between - 1 && !budget.ask({})) return false;
      values.push_back(memory.arrays[k].words.get(i));
    }
  }
  return true;
}

void stop_with(RunOutcome& result, const Diagnostics& errors) {
  result.stop = Stop::error;
  result.errors = errors;
}

void report_memory(const ir::Program& program, const MachineSpec& machine, Memory& memory,
                   ValueObserver& observer) {
  std::vector<ArrayView> arrays;
  for (std::size_t k = 0; k < memory.arrays.size(); ++k) {
    if (program.arrays[k].space != ir::Space::memory) continue;
    ArrayState& state = memory.arrays[k];
    arrays.push_back({static_cast<std::int32_t>(k),
                      machine.global ? UnitId::global : UnitId::shared, state.base, state.elements,
                      &state.extents, &state.placement,
                      [words = &state.words](std::int64_t element) -> std::optional<ir::Value> {
                        return words->get(element);
                      }});
  }
  observer.memory_made(arrays);
}

void run(const Launcher& launcher, HostRuns how, const ir::Program& program,
         const MachineSpec& machine, const RunOptions& options, const Sources& sources,
         Observer& observer, RunOutcome& result) {
  Budget budget;
  budget.limits = &options.limits;
  std::optional<PhaseClock> clock;
  if (options.clock) budget.clock = &clock.emplace(options.clock, result.engine.seconds);
  if (options.limits.progress) options.limits.progress->begin_run();
  Result<Memory> memory = make_memory(program, machine, options, budget);
  if (!memory) return stop_with(result, memory.errors());
  if (budget.stop != Stop::none) {
    result.stop = budget.stop;
    result.reached = budget.stop == Stop::memory ? memory_text(budget)
                                                 : "nothing yet: the arrays' initial values";
    return;
  }
  result.global_words = memory->words;
  if (Status fits = check_capacity(program, machine, *memory); !fits)
    return stop_with(result, fits.errors());
  if (observer.values()) report_memory(program, machine, *memory, *observer.values());
  RaceLog races(program, *memory, sources, options);
  Printer printer(program, options.print);
  Host host({program, machine, budget, *memory, races, printer, sources, observer.executions(),
             observer.values()},
            launcher, how, options, observer, result);
  bool whole = host.run_main();
  result.races = races.counts();
  if (whole && !read_outputs(program, options, *memory, budget, result)) {
    whole = false;
    result.stop = budget.stop;
    result.reached = "the end of main; the arrays' contents are not read";
    result.outputs.clear();
  }
  if (whole && options.verify && program.verify >= 0) host.run_verify();
  result.steps = budget.steps;
}

} // namespace

namespace {

/// The bytes of registers of all threads that are resident at the same time.
std::int64_t resident_registers(const RunState& run, const ir::Function& kernel,
                                const LaunchShape& shape) {
  const MachineSpec& machine = run.machine;
  const std::int64_t places =
      reference::saturating_multiply(machine.multiprocessors, machine.resident_blocks);
  const std::int64_t warps = (shape.threads - 1) / machine.width + 1;
  const std::int64_t threads = reference::saturating_multiply(warps, machine.width);
  return bytes_of_registers(
      kernel, reference::saturating_multiply(std::min(places, shape.blocks), threads));
}

} // namespace

RunOutcome run_reference(const ir::Program& program, const MachineSpec& machine,
                         const RunOptions& options, const Sources& sources, Observer& observer) {
  return run_conflict_free(program, machine, options, sources, observer, {});
}

RunOutcome run_conflict_free(const ir::Program& program, const MachineSpec& machine,
                             const RunOptions& options, const Sources& sources, Observer& observer,
                             const IsConflictFree& is_conflict_free) {
  const auto run = [&](const RunState& state, const ir::Function& kernel, const LaunchShape& shape,
                       std::vector<ir::Value> formals, std::int64_t number, Cycles start) {
    const auto stream = kernel_stream(state, kernel, shape, std::move(formals), number);
    if (!is_conflict_free)
      return run_launch(machine, shape, *stream, number, start, options.limits, observer.times());
    ConflictFreeStream conflict_free(*stream, machine, is_conflict_free);
    return run_launch(machine, shape, conflict_free, number, start, options.limits,
                      observer.times());
  };
  const Launcher reference{resident_registers, run};
  return run_with(reference, HostRuns::as_lane, program, machine, options, sources, observer);
}

RunOutcome run_with(const Launcher& launcher, HostRuns how, const ir::Program& program,
                    const MachineSpec& machine, const RunOptions& options, const Sources& sources,
                    Observer& observer) {
  RunOutcome result;
  observer.run_begins();
  result.verify = program.verify >= 0 ? Verdict::not_run : Verdict::none;
  Status fits = check_machine(program, machine);
  if (fits) fits = check_limits(machine, options.limits);
  if (!fits) {
    stop_with(result, fits.errors());
    return result;
  }
  // The limit may exceed the memory available: then the allocator stops the run.
  const auto out_of_memory = [&] {
    result.stop = Stop::memory;
    result.reached = "there is not enough memory for the arrays";
  };
  try {
    run(launcher, how, program, machine, options, sources, observer, result);
  } catch (const std::bad_alloc&) {
    out_of_memory();
  } catch (const std::length_error&) {
    out_of_memory();
  }
  return result;
}

} // namespace memlane
