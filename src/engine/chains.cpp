// Chains of requests as the reference machine finds them (request_chains.hpp).
#include "launch_state.hpp"

namespace memlane::reference {

namespace {

/// Ends the warp's round of a forall, and the forall, too, unless `next` is the same one.
void end_round(Launch& launch, std::int64_t warp, std::uint32_t next) {
  const WarpState& state = launch.state(warp);
  for (RequestChains& chains : launch.chains) {
    if (state.forall == 0) {
      chains.end_serial(warp, warp + 1);
      continue;
    }
    chains.end_round(warp, warp + 1, state.round);
    if (state.forall != next) chains.end_forall(warp, warp + 1);
  }
}

} // namespace

void note_request(Launch& launch, std::int64_t warp, const Request& request, std::int64_t time) {
  WarpState& state = launch.state(warp);
  if (state.forall != request.forall || state.round != request.round) {
    end_round(launch, warp, request.forall);
    state.forall = request.forall;
    state.round = request.round;
  }
  launch.chains[static_cast<std::size_t>(launch.served_by(request.unit))].add(warp, time);
}

void end_interval(Launch& launch, std::int64_t index) {
  SlotState& slot = launch.slot(index);
  const std::int64_t first = index * launch.warps_of_block;
  const std::int64_t last = first + launch.warps_of_block;
  for (std::int64_t warp = first; warp < last; ++warp) {
    end_round(launch, warp, 0);
    launch.state(warp).forall = 0;
    launch.state(warp).round = 0;
  }
  for (const UnitId id : {UnitId::shared, UnitId::global}) {
    const auto at = static_cast<std::size_t>(id);
    const auto& spec = id == UnitId::shared ? launch.machine.shared : launch.machine.global;
    if (spec)
      slot.loads[at].add_interval(*spec, launch.chains[at].take(first, last), slot.stages[at]);
    slot.stages[at] = 0;
  }
}

} // namespace memlane::reference
