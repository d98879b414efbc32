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

std::int64_t address_groups(const Launch& launch) {
  std::int64_t groups = 0, last = -1;
  for (const Address address : launch.addresses) {
    const std::int64_t group = address.value / launch.machine.width;
    groups += group != last ? 1 : 0;
    last = group;
  }
  return groups;
}

void count(const Launch& launch, RequestTally& tally, AccessKind kind, std::int64_t stages) {
  tally.add(stages, 1);
  if (writes(kind)) tally.concurrent_writes += repeated(launch.addresses);
  if (counts_groups(launch.machine, launch.shape)) tally.groups += address_groups(launch);
}

/// A request of s stages occupies the port for s stages and completes l after the last one.
void dispatch(Launch& launch, UnitState& unit, std::int64_t warp) {
  poll(launch);
  WarpState& state = launch.state(warp);
  const Request& request = *state.request;
  const std::int64_t mp = launch.mp_of(warp);
  collect(launch, request);
  const std::int64_t width = launch.machine.width;
  // The words of the usual request are those that were collected.
  const std::int64_t stages =
      request.words_of_lane == 1
          ? memlane::stages(unit.spec->kind, width, launch.addresses)
          : stages_of_lanes(unit.spec->kind, width, request.addresses, request.words_of_lane);
  launch.for_units_of(mp, [&](UnitState& serving) {
    settle(serving.ledger, serving.port, *serving.account, launch.now);
    serving.ledger.in_flight += 1;
  });
  unit.account->busy += enter(unit.port, *unit.spec, launch.now, stages);
  state.begin = launch.now;
  const Cycles last = unit.port.last;
  state.end = later(last, unit.spec->latency);
  launch.slot(launch.slot_of(warp))
      .stages[static_cast<std::size_t>(launch.served_by(request.unit))] += stages;
  note_request(launch, warp, request, least_time(*unit.spec, stages));
  launch.queued -= 1;
  launch.in_flight += 1;
  launch.events.push({state.end, EventKind::completion, warp});
  unit.stages += stages;
  const WarpRef ref = launch.ref(warp);
  count(launch, launch.tally_of_block(ref.block).of_site(request.site), request.kind, stages);
  if (auto& ran = launch.outcome.tally.dynamic; !ran.empty()) {
    auto& requests = ran[static_cast<std::size_t>(mp)];
    if (requests.size() <= request.site) requests.resize(request.site + 1);
    count(launch, requests[request.site], request.kind, stages);
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
