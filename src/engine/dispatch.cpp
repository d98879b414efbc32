// Dispatch of requests to memory units (configs/README.md sections 2 and 3, phase 4).
#include "launch_state.hpp"

#include "memlane/machine/stages.hpp"

#include <algorithm>
#include <utility>

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

/// What a request takes of its unit (section 2; of atomics, section 11).
struct Service {
  std::int64_t stages = 0;
  std::int64_t added = 0;               ///< of these, as in RequestTally
  std::int64_t least_time = 0;          ///< alone on the machine
  std::vector<AtomicGroup> groups = {}; ///< of an atomic on a unified unit, else empty
};

/// The words of the usual request are those that were collected.
Service service_of(const Launch& launch, const UnitSpec& unit, const Request& request) {
  const std::int64_t words = request.words_of_lane, of_stage = launch.machine.stage_words(unit);
  Service service;
  std::int64_t plain = 0; // stages on the papers' machine
  if (request.kind == AccessKind::atomic && unit.kind == UnitKind::discrete) {
    plain = unmerged_stages(of_stage, request.addresses, words);
    service.stages = times_rounded_up(plain, unit.atomic_stages);
  } else if (request.kind == AccessKind::atomic) {
    service.groups = atomic_groups(of_stage, request.addresses, words);
    service.stages = static_cast<std::int64_t>(service.groups.size());
    service.least_time = least_time(unit, service.groups);
    return service;
  } else {
    plain = words == 1 ? memlane::stages(unit.kind, of_stage, launch.addresses)
                       : stages_of_lanes(unit.kind, of_stage, request.addresses, words);
    service.stages = plain;
  }
  service.stages = std::max(service.stages, least_stages(unit));
  service.added = service.stages - plain;
  service.least_time = least_time(unit, service.stages);
  return service;
}

/// The port takes the warp's request or operation.
void end_port_wait(Launch& launch, std::int64_t warp) {
  if (launch.state(warp).issued < launch.now) end_wait(launch, {WaitCause::port, warp});
}

/// The port takes the warp's request, which is in flight from now on. The warp goes on in the next
/// time unit, or when fewer than k of its requests are on their way (section 10). Returns the
/// place of the flight.
std::int64_t begin_flight(Launch& launch, std::int64_t warp) {
  poll(launch);
  end_port_wait(launch, warp);
  launch.for_units_of(launch.mp_of(warp), [&](UnitState& serving) {
    settle(serving.ledger, serving.port, *serving.account, launch.now);
    serving.ledger.in_flight += 1;
  });
  launch.queued -= 1;
  launch.in_flight += 1;
  WarpState& state = launch.state(warp);
  const Request& request = *state.step.request;
  const std::int64_t number = state.flights
                                  .begin(launch.now, returns(request.kind, request.uses_old),
                                         static_cast<std::int32_t>(request.site))
                                  .number;
  state.stalled = state.flights.on_their_way() == launch.machine.requests_in_flight;
  state.waiting = state.stalled ? WaitCause::requests : WaitCause::port;
  if (!state.stalled) wait_until(launch, later(launch.now, {1}), EventKind::wake, warp);
  auto place = static_cast<std::int64_t>(launch.flights.size());
  if (launch.free_flights.empty()) {
    launch.flights.emplace_back();
  } else {
    place = launch.free_flights.back();
    launch.free_flights.pop_back();
  }
  launch.flight(place) = {launch.ref(warp), warp, number, request.kind, request.site, launch.now};
  return place;
}

/// Tells the observer.
void report(Launch& launch, std::int64_t flight, std::int64_t stages, Cycles last,
            Cycles completion) {
  const Flight& of = launch.flight(flight);
  const WarpState& state = launch.state(of.warp);
  launch.observer.dispatched({launch.number, launch.mp_of(of.warp), of.ref, of.number,
                              state.step.request, stages, later(launch.start, state.issued),
                              later(launch.start, launch.now), later(launch.start, last),
                              completion});
}

/// The stages that the words of the collected request need of the unit of the array.
std::int64_t needed_of(const Launch& launch, const UnitSpec& unit) {
  return needed_stages(pieces(launch.addresses, 1), launch.machine.stage_words(unit));
}

/// `service`: of the unit of the array, and what the request took of an own port before it.
void count(const Launch& launch, RequestTally& tally, const Request& request, const UnitSpec& unit,
           const Service& service, const PortTally& port) {
  const MachineSpec& machine = launch.machine;
  tally.add(service.stages, 1);
  tally.added += service.added;
  if (writes(request.kind)) tally.concurrent_writes += repeated(launch.addresses);
  const bool of_memory = &unit == &machine.memory_unit();
  if (of_memory && counts_groups(machine, launch.shape))
    tally.groups += pieces(launch.addresses, machine.width);
  tally.further_needed += std::max(least_stages(unit), needed_of(launch, unit)) - 1;
  tally.port += port;
}

/// Counts the request and performs its accesses.
void perform(Launch& launch, std::int64_t warp, const UnitSpec& unit, const Service& service,
             const PortTally& port = {}) {
  const WarpRef ref = launch.ref(warp);
  const Request& request = *launch.state(warp).step.request;
  count(launch, launch.tally_of_block(ref.block).of_site(request.site), request, unit, service,
        port);
  if (auto& ran = launch.outcome.tally.dynamic; !ran.empty()) {
    auto& requests = ran[static_cast<std::size_t>(launch.mp_of(warp))];
    if (requests.size() <= request.site) requests.resize(request.site + 1);
    count(launch, requests[request.site], request, unit, service, port);
  }
  const Status performed = launch.stream.perform(ref);
  if (!performed) launch.fail(performed.errors());
}

/// Adds to the loads of the warp's block.
void load(Launch& launch, std::int64_t warp, std::int64_t stages, std::int64_t least_time) {
  const Request& request = *launch.state(warp).step.request;
  launch.slot(launch.slot_of(warp))
      .stages[static_cast<std::size_t>(launch.served_by(request.unit))] += stages;
  note_request(launch, warp, request, least_time);
}

/// How long the request was on its way.
void add_flown(Launch& launch, const Flight& flight, Cycles end) {
  const std::int64_t flown = (end - flight.begin).value;
  launch.tally_of_block(flight.ref.block).of_site(flight.site).port.flown += flown;
  if (auto& ran = launch.outcome.tally.dynamic; !ran.empty())
    ran[static_cast<std::size_t>(launch.mp_of(flight.warp))][flight.site].port.flown += flown;
}

/// A request of s stages occupies the port for s stages and completes l after the last one; an
/// atomic on a unified unit, l after the last time unit in which one of its groups is served.
void dispatch(Launch& launch, UnitState& unit, std::int64_t warp) {
  const std::int64_t flight = begin_flight(launch, warp);
  const Request& request = *launch.state(warp).step.request;
  collect(launch, request);
  const Service service = service_of(launch, *unit.spec, request);
  const Port before = unit.port;
  unit.account->busy += enter(unit.port, *unit.spec, launch.now, service.stages);
  const Cycles last = unit.port.last;
  const Cycles served = service.groups.empty()
                            ? last
                            : unit.atomics.serve(*unit.spec, before, launch.now, service.groups);
  load(launch, warp, service.stages, service.least_time);
  unit.stages += service.stages;
  perform(launch, warp, *unit.spec, service);
  if (launch.stopped()) return;
  const Cycles end = later(served, unit.spec->latency);
  if (!service.groups.empty()) add_flown(launch, launch.flight(flight), end);
  launch.events.push({end, EventKind::completion, flight});
  report(launch, flight, service.stages, last, later(launch.start, end));
}

// Own ports (section 10).

/// The address groups that the request touches, rising.
std::vector<AtomicGroup> groups_of(const Launch& launch, const Request& request) {
  const std::int64_t words = launch.machine.stage_words(*launch.machine.global);
  if (request.kind == AccessKind::atomic)
    return atomic_groups(words, request.addresses, request.words_of_lane);
  std::vector<AtomicGroup> groups;
  for (const Address address : launch.addresses) {
    const std::int64_t group = address.value / words;
    if (groups.empty() || groups.back().group != group) groups.push_back({group, 1});
  }
  return groups;
}

/// A request of s stages leaves its multiprocessor's port after s time units. At its dispatch it is
/// known which groups it needs: those of a read that no read of its block has asked for.
void dispatch_at_own_port(Launch& launch, UnitState& port, std::int64_t warp) {
  const std::int64_t flight = begin_flight(launch, warp);
  const Request& request = *launch.state(warp).step.request;
  const UnitSpec& global = *launch.machine.global;
  collect(launch, request);
  std::vector<AtomicGroup> groups = groups_of(launch, request);
  const auto touched = static_cast<std::int64_t>(groups.size());
  const std::int64_t words = launch.machine.line_words();
  const std::int64_t fewest = needed_stages(pieces(launch.addresses, 1), words);
  const std::int64_t lines = request.in_fewest_lines ? fewest : pieces(launch.addresses, words);
  const std::int64_t stages = stages_of_lines(global, lines);
  const bool reuse = reuses(global, request.kind, request.is_volatile);
  const bool atomic = request.kind == AccessKind::atomic;
  load(launch, warp, touched, least_time_behind(global, stages, groups, atomic, reuse));
  if (reuse) {
    auto& read = launch.slot(launch.slot_of(warp)).read;
    std::erase_if(groups,
                  [&](const AtomicGroup& group) { return !read.insert(group.group).second; });
  }
  const auto needed = static_cast<std::int64_t>(groups.size());
  port.account->busy += enter(port.port, *port.spec, launch.now, stages);
  port.stages += stages;
  launch.units.back().stages += touched;
  launch.events.push({later(launch.now, {stages}), EventKind::departure, flight});
  launch.flight(flight).reused = groups.empty();
  launch.flight(flight).groups = std::move(groups);
  const std::int64_t reused = touched - needed;
  perform(launch, warp, global, {.stages = touched},
          {stages, stages_of_lines(global, fewest), lines, reused,
           std::min(reused, touched - needed_of(launch, global))});
  if (!launch.stopped())
    report(launch, flight, stages, later(launch.now, {stages - 1}), Dispatch::unknown);
}

/// The request completes so long after its last group has entered, or been served.
void complete_behind(Launch& launch, std::int64_t place, Cycles last, Cycles latency) {
  const Flight& flight = launch.flight(place);
  const Cycles end = later(last, latency);
  launch.events.push({end, EventKind::completion, place});
  add_flown(launch, flight, end);
  launch.observer.completes(launch.number, flight.ref, flight.number, later(launch.start, end));
}

/// The first groups of the queue enter the device's port.
void enter_groups(Launch& launch) {
  if (launch.groups.empty()) return;
  UnitState& device = launch.units.back();
  settle(device.ledger, device.port, *device.account, launch.now);
  const std::int64_t entered = launch.groups.enter(
      *device.spec, device.atomics, launch.now,
      [&](std::int64_t flight, std::int64_t port) {
        launch.observer.enters_device(launch.number, launch.flight(flight).ref, port);
      },
      [&](std::int64_t flight, Cycles last) {
        complete_behind(launch, flight, last, device.spec->latency);
      });
  device.account->busy += enter(device.port, *device.spec, launch.now, entered);
}

/// A unit of operations takes an operator of the warp: it is over a latency after its last stage.
void dispatch(Launch& launch, OperationState& unit, std::int64_t warp) {
  poll(launch);
  end_port_wait(launch, warp);
  launch.state(warp).waiting = WaitCause::operation;
  const OperationClass operation = launch.operators[static_cast<std::size_t>(warp)].operation;
  const std::int64_t stages = unit.spec->stages[static_cast<std::size_t>(operation)];
  unit.account->operations += 1;
  unit.account->stages += stages;
  unit.account->busy += enter(unit.port, unit.unit, launch.now, stages);
  const Cycles end = later(unit.port.last, unit.unit.latency);
  launch.events.push({end, EventKind::operated, warp});
  launch.observer.computed(launch.number, launch.ref(warp), 1, operation, later(launch.start, end));
}

/// Those who wait are dispatched in cyclic order, while the port has room.
template <class Unit, class F>
void dispatch_waiting(Launch& launch, Unit& unit, const UnitSpec& spec, F f) {
  while (!launch.stopped() && !unit.waiting.empty() && has_room(unit.port, spec, launch.now)) {
    const std::int64_t next = unit.waiting.next(unit.cursor);
    unit.waiting.erase(next);
    unit.cursor = (next + 1) % unit.served;
    f(unit.first_warp + next);
  }
}

} // namespace

void dispatch(Launch& launch) {
  for (UnitState& unit : launch.units)
    dispatch_waiting(launch, unit, *unit.spec, [&](std::int64_t warp) {
      const bool own = unit.spec == &launch.own_port;
      own ? dispatch_at_own_port(launch, unit, warp) : dispatch(launch, unit, warp);
    });
  for (OperationState& unit : launch.operations)
    dispatch_waiting(launch, unit, unit.unit,
                     [&](std::int64_t warp) { dispatch(launch, unit, warp); });
  if (!launch.stopped()) enter_groups(launch);
}

void land(Launch& launch, std::int64_t place) {
  const Flight& flight = launch.flight(place);
  launch.in_flight -= 1;
  launch.for_units_of(launch.mp_of(flight.warp), [&](UnitState& unit) {
    settle(unit.ledger, unit.port, *unit.account, launch.now);
    unit.ledger.in_flight -= 1;
  });
  launch.free_flights.push_back(place);
  if (launch.ref(flight.warp).block != flight.ref.block) return; // its warp has ended
  WarpState& state = launch.state(flight.warp);
  state.flights.complete(flight.number, launch.now, flight.reused);
  if (std::exchange(state.stalled, false)) launch.ready.insert(flight.warp);
}

void depart(Launch& launch, std::vector<std::int64_t> flights) {
  // One at a time leaves each port.
  std::sort(flights.begin(), flights.end(), [&](std::int64_t a, std::int64_t b) {
    return launch.flight(a).warp < launch.flight(b).warp;
  });
  for (const std::int64_t place : flights) {
    const Flight& flight = launch.flight(place);
    if (flight.groups.empty())
      complete_behind(launch, place, launch.now, launch.machine.global->reuse_latency);
    else if (flight.kind == AccessKind::atomic)
      launch.groups.join(place, flight.groups);
    else
      launch.groups.join(place, flight.groups.size());
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
