// Dispatch of requests to memory units (configs/README.md sections 2 and 3, phase 4).
#include "launch_state.hpp"

#include "memlane/machine/stages.hpp"

#include <algorithm>

namespace memlane::reference {

namespace {

/// The words of the active lanes, sorted.
void collect(Launch& launch, const Request& request) {
  launch.addresses.clear();
  for (const std::int64_t address : request.addresses)
    for (std::int64_t word = 0; address >= 0 && word < request.words_of_lane; ++word)
      launch.addresses.push_back({address + word});
  std::sort(launch.addresses.begin(), launch.addresses.end());
}

/// The number of words that occur at least twice in the sorted addresses.
std::int64_t repeated(const std::vector<Address>& addresses) {
  std::int64_t words = 0;
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    const bool same = addresses[i] == addresses[i - 1];
    if (same && (i == 1 || addresses[i - 2] != addresses[i])) ++words;
  }
  return words;
}

/// The different pieces of so many words among the sorted addresses.
std::int64_t pieces(const std::vector<Address>& addresses, std::int64_t words) {
  std::int64_t pieces = 0, last = -1;
  for (const Address address : addresses) {
    const std::int64_t piece = address.value / words;
    pieces += piece != last ? 1 : 0;
    last = piece;
  }
  return pieces;
}

void count(const Launch& launch, RequestTally& tally, const Request& request, const UnitSpec& unit,
           std::int64_t stages) {
  const MachineSpec& machine = launch.machine;
  tally.add(stages, 1);
  if (writes(request.kind)) tally.concurrent_writes += repeated(launch.addresses);
  const bool of_memory = &unit == &machine.memory_unit();
  if (of_memory && counts_groups(machine, launch.shape))
    tally.groups += pieces(launch.addresses, machine.width);
  tally.further_needed += needed_stages(pieces(launch.addresses, 1), machine.stage_words(unit)) - 1;
}

/// What a request takes of its unit (section 2; of atomics, section 11).
struct Service {
  std::int64_t stages = 0;
  std::int64_t least_time = 0;     ///< alone on the machine
  std::vector<AtomicGroup> groups; ///< of an atomic on a unified unit, else empty
};

/// The words of the usual request are those that were collected.
Service service_of(const Launch& launch, const UnitSpec& unit, const Request& request) {
  const std::int64_t words = request.words_of_lane, of_stage = launch.machine.stage_words(unit);
  Service service;
  if (request.kind == AccessKind::atomic && unit.kind == UnitKind::discrete) {
    service.stages =
        times_rounded_up(unmerged_stages(of_stage, request.addresses, words), unit.atomic_stages);
  } else if (request.kind == AccessKind::atomic) {
    service.groups = atomic_groups(of_stage, request.addresses, words);
    service.stages = static_cast<std::int64_t>(service.groups.size());
    service.least_time = least_time(unit, service.groups);
    return service;
  } else {
    service.stages = words == 1 ? memlane::stages(unit.kind, of_stage, launch.addresses)
                                : stages_of_lanes(unit.kind, of_stage, request.addresses, words);
  }
  service.least_time = least_time(unit, service.stages);
  return service;
}

/// A request of s stages occupies the port for s stages and completes l after the last one; an
/// atomic on a unified unit, l after the last time unit in which one of its groups is served.
void dispatch(Launch& launch, UnitState& unit, std::int64_t warp) {
  poll(launch);
  WarpState& state = launch.state(warp);
  const Request& request = *state.request;
  const std::int64_t mp = launch.mp_of(warp);
  collect(launch, request);
  const Service service = service_of(launch, *unit.spec, request);
  const std::int64_t stages = service.stages;
  launch.for_units_of(mp, [&](UnitState& serving) {
    settle(serving.ledger, serving.port, *serving.account, launch.now);
    serving.ledger.in_flight += 1;
  });
  const Port before = unit.port;
  unit.account->busy += enter(unit.port, *unit.spec, launch.now, stages);
  state.begin = launch.now;
  const Cycles last = unit.port.last;
  const Cycles served = service.groups.empty()
                            ? last
                            : unit.atomics.serve(*unit.spec, before, launch.now, service.groups);
  state.end = later(served, unit.spec->latency);
  launch.slot(launch.slot_of(warp))
      .stages[static_cast<std::size_t>(launch.served_by(request.unit))] += stages;
  note_request(launch, warp, request, service.least_time);
  launch.queued -= 1;
  launch.in_flight += 1;
  launch.events.push({state.end, EventKind::completion, warp});
  unit.stages += stages;
  const WarpRef ref = launch.ref(warp);
  count(launch, launch.tally_of_block(ref.block).of_site(request.site), request, *unit.spec,
        stages);
  if (auto& ran = launch.outcome.tally.dynamic; !ran.empty()) {
    auto& requests = ran[static_cast<std::size_t>(mp)];
    if (requests.size() <= request.site) requests.resize(request.site + 1);
    count(launch, requests[request.site], request, *unit.spec, stages);
  }
  const Status performed = launch.stream.perform(ref);
  if (!performed) return launch.fail(performed.errors());
  launch.observer.dispatched({launch.number, mp, ref, &request, stages,
                              later(launch.start, state.issued), later(launch.start, launch.now),
                              later(launch.start, last), later(launch.start, state.end)});
}

} // namespace

void dispatch(Launch& launch) {
  for (UnitState& unit : launch.units) {
    while (!unit.waiting.empty() && has_room(unit.port, *unit.spec, launch.now)) {
      const std::int64_t next = unit.waiting.next(unit.cursor);
      unit.waiting.erase(next);
      unit.cursor = (next + 1) % unit.served;
      dispatch(launch, unit, unit.first_warp + next);
      if (launch.stopped()) return;
    }
  }
}

void poll(Launch& launch) {
  if (++launch.polled % 4096 != 0 || !launch.limits.check || launch.stopped()) return;
  if (RunProgress* const progress = launch.limits.progress) {
    progress->worked();
    progress->update_launch(launch.now.value, launch.blocks.finished());
  }
  launch.outcome.stop = launch.limits.check();
}

} // namespace memlane::reference
