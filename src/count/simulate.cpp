#include "memlane/count/simulate.hpp"

#include "memlane/count/conflict_free.hpp"
#include "memlane/count/run_counter.hpp"

namespace memlane {

RunResult simulate(const ir::Program& program, const MachineSpec& machine,
                   const RunOptions& options, const Sources& sources, Observer& observer) {
  RunCounter counter(program, machine, sources, observer);
  return counter.result(run_reference(program, machine, options, sources, counter));
}

RunResult simulate_conflict_free(const ir::Program& program, const MachineSpec& machine,
                                 const RunOptions& options, const Sources& sources,
                                 const IsConflictFree& is_conflict_free) {
  Observer no_observer;
  RunCounter counter(program, machine, sources, no_observer);
  return counter.result(
      run_conflict_free(program, machine, options, sources, counter, is_conflict_free));
}

std::optional<RunResult> try_fast(const ir::Program& program, const MachineSpec& machine,
                                  const RunOptions& options, const Sources& sources, int tile_lanes,
                                  EngineUse* use, Observer* observer) {
  Observer no_observer;
  RunCounter counter(program, machine, sources, observer ? *observer : no_observer);
  auto outcome = run_fast(program, machine, options, sources, counter, tile_lanes, use);
  if (!outcome) return std::nullopt;
  return counter.result(std::move(*outcome));
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
  Observer no_observer;
  RunCounter counter(program, machine, sources, observer ? *observer : no_observer);
  return counter.result(run_timing(program, machine, options, sources, counter, tile_lanes));
}

} // namespace memlane
