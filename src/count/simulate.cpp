#include "memlane/count/simulate.hpp"

#include "memlane/count/run_counter.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace memlane {

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

RunResult simulate_fast(const ir::Program& program, const MachineSpec& machine,
                        const RunOptions& options, const Sources& sources, Observer* observer) {
  EngineUse use;
  if (auto result = try_fast(program, machine, options, sources, 0, &use, observer))
    return std::move(*result);
  Observer no_observer;
  RunResult result =
      simulate(program, machine, options, sources, observer ? *observer : no_observer);
  for (std::size_t k = 0; k < engine_phases; ++k) use.seconds[k] += result.engine.seconds[k];
  result.engine = std::move(use);
  return result;
}

RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes,
                          Observer* observer) {
  CountedRun run(program, machine, options, sources, observer);
  return run.result(
      run_timing(program, machine, run.options(), sources, run.counter(), tile_lanes));
}

} // namespace memlane
