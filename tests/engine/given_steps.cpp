#include "given_steps.hpp"

#include "memlane/machine/stages.hpp"

namespace memlane::test {
namespace {

/// A request as those who execute it give it to the machine.
void give_request(const Request& request, std::int64_t warp, const MachineSpec& machine,
                  BlockSteps& steps) {
  const bool active = std::any_of(request.addresses.begin(), request.addresses.end(),
                                  [](std::int64_t address) { return address >= 0; });
  if (!active) return;
  const UnitId id = !machine.global   ? UnitId::shared
                    : !machine.shared ? UnitId::global
                                      : request.unit;
  const UnitSpec& unit = id == UnitId::shared ? *machine.shared : *machine.global;
  const std::int64_t of_stage = machine.stage_words(unit), words = request.words_of_lane;
  if (id == UnitId::global && machine.has_own_ports()) {
    const bool atomic = request.kind == AccessKind::atomic;
    const std::int64_t lines =
        stages_of_lanes(UnitKind::unified, machine.line_words(), request.addresses, words);
    std::vector<AtomicGroup> groups = atomic_groups(of_stage, request.addresses, words);
    for (AtomicGroup& group : groups) group.lanes = atomic ? group.lanes : 1;
    const std::int64_t needed =
        needed_stages(stages_of_lanes(UnitKind::unified, 1, request.addresses, words), of_stage);
    return steps.at_port(warp, {request.site, std::max(unit.least_stages, lines), needed,
                                request.kind, request.is_volatile, request.uses_old, groups});
  }
  const std::int64_t least = least_stages(unit);
  const bool gets = returns(request.kind, request.uses_old);
  if (request.kind != AccessKind::atomic)
    return steps.request(
        warp, request.unit,
        std::max(least, stages_of_lanes(unit.kind, of_stage, request.addresses, words)), gets,
        request.site);
  if (unit.kind == UnitKind::unified)
    return steps.atomic(warp, atomic_groups(of_stage, request.addresses, words), gets,
                        request.site);
  const std::int64_t stages = unmerged_stages(machine.width, request.addresses, words);
  steps.request(warp, request.unit, std::max(least, times_rounded_up(stages, unit.atomic_stages)),
                gets, request.site);
}

} // namespace

void give_steps(const Script& script, std::int64_t block, const MachineSpec& machine,
                std::int64_t warps, BlockSteps& steps) {
  std::vector<std::size_t> at(static_cast<std::size_t>(warps));
  std::vector<bool> ended(static_cast<std::size_t>(warps));
  for (bool arrived = true; arrived;) {
    arrived = false;
    for (std::int64_t warp = 0; warp < warps; ++warp) {
      const auto w = static_cast<std::size_t>(warp);
      if (ended[w]) continue;
      const auto acts = script.find({block, warp});
      bool waits = false;
      while (!waits && acts != script.end() && at[w] < acts->second.size()) {
        const Act& act = acts->second[at[w]++];
        waits = act.kind == StepKind::barrier;
        if (act.kind == StepKind::compute) steps.compute(warp, act.count, act.operation);
        if (act.kind == StepKind::wait) steps.wait(warp, act.awaited, act.instruction);
        if (act.kind == StepKind::request) give_request(act.request, warp, machine, steps);
      }
      arrived = arrived || waits;
      if (waits) continue;
      ended[w] = true;
      steps.end(warp);
    }
    if (arrived) steps.barrier();
  }
  steps.finish();
}

} // namespace memlane::test
