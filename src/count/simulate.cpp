#include "memlane/count/simulate.hpp"

#include "model_counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace memlane {

RunCounter::RunCounter(const ir::Program& program, const MachineSpec& machine,
                       const Sources& sources, const RunOptions& options, Observer& next)
    : program_(program), machine_(machine), sources_(sources), options_(options), next_(next) {
  forget_run();
}

RunCounter::~RunCounter() = default;

/// Begins anew, with fresh counters of the models that count this run.
void RunCounter::forget_run() {
  kernels_.clear();
  listed_.clear();
  in_concurrent_ = false;
  fns_.assign(program_.fns.size(), {});
  // Without memory for one of them the run must stop, also if it begins again.
  std::erase_if(counters_, [](const auto& counter) { return !counter->over_memory(); });
  if (!has_requests(machine_.model)) counters_.push_back(mmm_counter(machine_));
  if (options_.pram && !over_memory())
    counters_.push_back(
        pram_counter(machine_, sources_,
                     options_.allow_races || program_.allows_some_races() || options_.timing_only,
                     options_.limits.memory));
  if (options_.bsp_multiprocessors > 0)
    counters_.push_back(bsp_counter(options_.bsp_multiprocessors));
}

bool RunCounter::over_memory() const {
  return std::any_of(counters_.begin(), counters_.end(),
                     [](const auto& counter) { return counter->over_memory(); });
}

void RunCounter::run_begins() {
  forget_run();
  next_.run_begins();
}

void RunCounter::concurrent_begins(std::int64_t stage) {
  in_concurrent_ = true;
  next_.concurrent_begins(stage);
}

void RunCounter::concurrent_ends() {
  in_concurrent_ = false;
  next_.concurrent_ends();
}

void RunCounter::launch_begins(std::int64_t launch, const LaunchShape& shape,
                               std::string_view kernel) {
  blocks_ = shape.blocks;
  for (const auto& counter : counters_) counter->launch_begins(launch, shape);
  next_.launch_begins(launch, shape, kernel);
}

void RunCounter::executed(const Execution& execution) {
  for (const auto& counter : counters_) counter->executed(execution);
  if (ExecutionObserver* const next = next_.executions()) next->executed(execution);
}

void RunCounter::accessed(const WarpAccess& access) {
  for (const auto& counter : counters_) counter->accessed(access);
  if (ExecutionObserver* const next = next_.executions()) next->accessed(access);
}

void RunCounter::launch_ends(std::int64_t launch, const LaunchTally& tally) {
  LaunchSums& sums = kernels_.try_emplace(tally.kernel, *tally.kernel, machine_).first->second;
  ModelCounts counted;
  for (const auto& counter : counters_) counter->set_launch(tally, counted);
  counted = sums.add(tally, std::move(counted));
  const Cycles time = time_on(machine_, tally.time, counted);
  if (listed_.size() < most_listed_launches)
    listed_.push_back({std::move(counted), tally.kernel->name, tally.stage, in_concurrent_, blocks_,
                       tally.threads, time});
  count_calls(tally, sums.kernel(), fns_);
  next_.launch_ends(launch, tally);
}

namespace {

/// Where accesses may race, what warps request depends on their order: it is not known what more
/// threads or blocks would hide.
void forget_predictions(Counts& counts) {
  for (auto* units : {&counts.shared, &counts.global})
    for (UnitCounts& unit : *units) {
      unit.exposed_with_threads.fill(unit.exposed);
      unit.exposed_with_blocks.fill(unit.exposed);
    }
}

} // namespace

RunResult RunCounter::result(RunOutcome outcome) const {
  RunResult result{std::move(outcome), {}, listed_, {}, {}, {}, {}};
  const bool with_requests = has_requests(machine_.model);
  if (machine_.shared && with_requests)
    result.counts.shared.resize(static_cast<std::size_t>(machine_.multiprocessors));
  if (machine_.global && with_requests) result.counts.global.resize(1);
  if (!is_timed(machine_.model)) forget_time(result.counts);
  for (const auto& counter : counters_) counter->set_none(result.counts);
  for (const std::int32_t kernel : program_.kernels) {
    const std::string& name = program_.functions[static_cast<std::size_t>(kernel)].name;
    static_cast<ModelCounts&>(result.kernels[name]) = result.counts;
  }
  for (const auto& [kernel, launches] : kernels_) {
    const Counts counts = launches.counts();
    result.counts += counts;
    result.kernels[launches.kernel().name] += counts;
    if (with_requests) launches.add_accesses(program_.arrays, result.accesses);
  }
  if (program_.allows_some_races()) forget_predictions(result.counts);
  result.counts.agpu.global_words = result.global_words;
  for (auto& [name, counts] : result.kernels) counts.agpu.global_words = result.global_words;
  for (LaunchCounts& launch : result.launches) launch.agpu.global_words = result.global_words;
  for (std::size_t fn = 0; fn < program_.fns.size(); ++fn)
    result.fns[program_.fns[fn]] = fn < fns_.size() ? fns_[fn] : FnCounts{};
  for (const auto& counter : counters_) counter->finish(result);
  return result;
}

namespace {

/// Observes and counts a run, which stops if the counts need too much memory.
class CountedRun {
public:
  CountedRun(const ir::Program& program, const MachineSpec& machine, const RunOptions& options,
             const Sources& sources, Observer* observer)
      : counter_(program, machine, sources, options, observer ? *observer : no_observer_),
        options_(options) {
    if (!options.pram) return;
    watched_ = options;
    watched_->limits.check = [this] {
      if (counter_.over_memory()) return Stop::memory;
      return options_.limits.check ? options_.limits.check() : Stop::none;
    };
  }
  CountedRun(const CountedRun&) = delete;

  RunCounter& counter() { return counter_; }
  const RunOptions& options() const { return watched_ ? *watched_ : options_; }
  RunResult result(RunOutcome outcome) const {
    if (counter_.over_memory())
      outcome.reached = fmt::format("the words that the threads of a launch access, compared round "
                                    "by round for the class of PRAM, need more than {} bytes",
                                    options_.limits.memory);
    return counter_.result(std::move(outcome));
  }

private:
  Observer no_observer_;
  RunCounter counter_;
  const RunOptions& options_;
  std::optional<RunOptions> watched_;
};

} // namespace

RunResult simulate(const ir::Program& program, const MachineSpec& machine,
                   const RunOptions& options, const Sources& sources, Observer& observer) {
  CountedRun run(program, machine, options, sources, &observer);
  return run.result(run_reference(program, machine, run.options(), sources, run.counter()));
}

RunResult simulate_conflict_free(const ir::Program& program, const MachineSpec& machine,
                                 const RunOptions& options, const Sources& sources,
                                 const IsConflictFree& is_conflict_free) {
  CountedRun run(program, machine, options, sources, nullptr);
  return run.result(
      run_conflict_free(program, machine, run.options(), sources, run.counter(), is_conflict_free));
}

std::optional<RunResult> try_fast(const ir::Program& program, const MachineSpec& machine,
                                  const RunOptions& options, const Sources& sources, int tile_lanes,
                                  EngineUse* use, Observer* observer) {
  CountedRun run(program, machine, options, sources, observer);
  auto outcome = run_fast(program, machine, run.options(), sources, run.counter(), tile_lanes, use);
  if (!outcome) return std::nullopt;
  return run.result(std::move(*outcome));
}

namespace {

/// The fast engine left the run to this one.
RunResult simulate_after(EngineUse use, const ir::Program& program, const MachineSpec& machine,
                         const RunOptions& options, const Sources& sources, Observer* observer) {
  Observer no_observer;
  RunResult result =
      simulate(program, machine, options, sources, observer ? *observer : no_observer);
  for (std::size_t k = 0; k < engine_phases; ++k) use.seconds[k] += result.engine.seconds[k];
  result.engine = std::move(use);
  return result;
}

} // namespace

RunResult simulate_fast(const ir::Program& program, const MachineSpec& machine,
                        const RunOptions& options, const Sources& sources, Observer* observer) {
  EngineUse use;
  if (auto result = try_fast(program, machine, options, sources, 0, &use, observer))
    return std::move(*result);
  return simulate_after(std::move(use), program, machine, options, sources, observer);
}

bool differ_in_latency(const MachineSpec& a, const MachineSpec& b) {
  MachineSpec same = b;
  if (a.shared && b.shared) same.shared->latency = a.shared->latency;
  if (a.global && b.global) same.global->latency = a.global->latency;
  if (same.tensor_latency != a.tensor_latency) {
    same.tensor_latency = a.tensor_latency;
    derive_values(same);
  }
  same.transfer = a.transfer;
  same.processors = a.processors;
  return a.block_schedule == BlockSchedule::static_ && same == a;
}

std::vector<std::optional<RunResult>> simulate_on_all(const ir::Program& program,
                                                      std::span<const MachineSpec* const> machines,
                                                      const RunOptions& options,
                                                      const Sources& sources) {
  CountedRun run(program, *machines.front(), options, sources, nullptr);
  std::vector<std::unique_ptr<CountedRun>> others;
  std::vector<AlsoTimed> also;
  const bool shares = !options.known_blocks && options.limits.time == INT64_MAX;
  for (const MachineSpec* const machine : machines.subspan(shares ? 1 : machines.size())) {
    others.push_back(std::make_unique<CountedRun>(program, *machine, options, sources, nullptr));
    also.push_back({machine, &others.back()->counter()});
  }
  EngineUse use;
  std::optional<RunOutcome> outcome;
  if (options.timing_only)
    outcome =
        run_timing(program, *machines.front(), run.options(), sources, run.counter(), 0, also);
  else
    outcome =
        run_fast(program, *machines.front(), run.options(), sources, run.counter(), 0, &use, also);
  std::vector<std::optional<RunResult>> results(machines.size());
  for (std::size_t k = 0; k < also.size(); ++k) {
    if (!outcome || !also[k].time) continue;
    RunOutcome there = *outcome;
    there.time = *also[k].time;
    results[k + 1] = others[k]->result(std::move(there));
  }
  results.front() = outcome ? run.result(std::move(*outcome))
                            : simulate_after(std::move(use), program, *machines.front(), options,
                                             sources, nullptr);
  return results;
}

RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes,
                          Observer* observer) {
  CountedRun run(program, machine, options, sources, observer);
  return run.result(
      run_timing(program, machine, run.options(), sources, run.counter(), tile_lanes));
}

} // namespace memlane
