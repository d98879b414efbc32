// Zero-time steps of warps (configs/README.md section 3, phase 2): instructions up to the next
// wait, and barriers.
#include "launch_state.hpp"

#include <algorithm>

namespace memlane::reference {

namespace {

bool has_active_thread(const Request& request) {
  return std::any_of(request.addresses.begin(), request.addresses.end(),
                     [](std::int64_t address) { return address >= 0; });
}

/// The request starts to wait for its unit.
void queue(Launch& launch, std::int64_t warp) {
  UnitState& unit = launch.entrance(launch.state(warp).step.request->unit, launch.mp_of(warp));
  unit.waiting.insert(warp - unit.first_warp);
  launch.queued += 1;
}

void offer(Launch& launch, std::int64_t warp) {
  WarpState& state = launch.state(warp);
  // Only now it is known that the previous requests had "another to come" (section 5).
  state.flights.make_another(launch.now, [&](Cycles begin, Cycles end) {
    launch.for_units_of(launch.mp_of(warp), [&](UnitState& unit) {
      settle(unit.ledger, unit.port, *unit.account, launch.now);
      decide_latency(unit.ledger, *unit.account, begin, end);
    });
  });
  state.issued = launch.now;
  launch.observer.issued(launch.number, launch.ref(warp), *state.step.request);
  if (launch.machine.lockstep) {
    launch.held.push_back(warp);
  } else {
    queue(launch, warp);
  }
}

/// Opens the barrier, or starts to wait for its cost.
void open_barrier_if_all_arrived(Launch& launch, std::int64_t index) {
  const SlotState& slot = launch.slot(index);
  if (!opens_barrier(slot.at_barrier, slot.ended, launch.warps_of_block)) return;
  if (launch.machine.barrier_cost.value == 0) return release(launch, index);
  wait_until(launch, later(launch.now, launch.machine.barrier_cost), EventKind::release, index);
}

void arrive(Launch& launch, std::int64_t warp) {
  launch.observer.arrived(launch.number, launch.ref(warp));
  launch.for_units_of(launch.mp_of(warp), [&](UnitState& unit) {
    settle(unit.ledger, unit.port, *unit.account, launch.now);
    unit.ledger.at_barrier += 1;
  });
  launch.state(warp).at_barrier = true;
  launch.slot(launch.slot_of(warp)).at_barrier += 1;
  open_barrier_if_all_arrived(launch, launch.slot_of(warp));
}

void end(Launch& launch, std::int64_t warp) {
  const std::int64_t index = launch.slot_of(warp);
  launch.observer.ended(launch.number, launch.ref(warp));
  launch.slot(index).ended += 1;
  if (launch.slot(index).ended == launch.warps_of_block) launch.ended_slots.push_back(index);
  open_barrier_if_all_arrived(launch, index);
}

/// Whether the counted operators take time.
bool compute(Launch& launch, std::int64_t warp, const Step& step) {
  const std::int64_t count = step.count;
  if (launch.machine.unit_of(step.operation)) {
    launch.operators[static_cast<std::size_t>(warp)] = {step.operation, count};
    launch.timed += 1;
    operate(launch, warp);
    return true;
  }
  const Cycles cost{saturating_multiply(count, launch.machine.instruction_cost.value)};
  const Cycles until = later(launch.now, cost);
  launch.observer.computed(launch.number, launch.ref(warp), count, step.operation,
                           later(launch.start, until));
  if (cost.value == 0) return false;
  wait_until(launch, until, EventKind::wake, warp);
  return true;
}

/// Whether the warp's step waits for requests that are on their way (section 10): a barrier and the
/// warp's end wait for those that return a value.
bool waits_for_requests(const WarpState& state) {
  switch (state.step.kind) {
  case StepKind::wait: return state.flights.has(state.step.awaited);
  case StepKind::barrier:
  case StepKind::end: return state.flights.has_reads();
  default: return false;
  }
}

/// The warp's next step, or the one before which it has waited. False: there is none.
bool find_step(Launch& launch, std::int64_t warp) {
  WarpState& state = launch.state(warp);
  if (std::exchange(state.waits, false)) return true;
  const Result<Step> step = launch.stream.next(launch.ref(warp));
  if (!step) {
    launch.fail(step.errors());
    return false;
  }
  state.step = *step;
  if (step->kind == StepKind::wait)
    launch.observer.awaits(launch.number, launch.ref(warp), step->awaited);
  return true;
}

/// The warp continues to its next wait. It does not wait for a request without active threads.
void go_on(Launch& launch, std::int64_t warp) {
  WarpState& state = launch.state(warp);
  for (;;) {
    poll(launch);
    if (launch.stopped() || !find_step(launch, warp)) return;
    if (waits_for_requests(state)) {
      state.stalled = state.waits = true;
      return;
    }
    switch (state.step.kind) {
    case StepKind::request:
      if (has_active_thread(*state.step.request)) return offer(launch, warp);
      break;
    case StepKind::barrier: return arrive(launch, warp);
    case StepKind::compute:
      if (compute(launch, warp, state.step)) return;
      break;
    case StepKind::wait: break;
    case StepKind::end: return end(launch, warp);
    case StepKind::stop: launch.outcome.stop = Stop::steps; return;
    }
  }
}

} // namespace

void wait_until(Launch& launch, Cycles time, EventKind kind, std::int64_t index) {
  launch.events.push({time, kind, index});
  launch.timed += 1;
}

void operate(Launch& launch, std::int64_t warp) {
  const OperationUnit* const wanted =
      launch.machine.unit_of(launch.operators[static_cast<std::size_t>(warp)].operation);
  const std::size_t units = launch.machine.operations.size();
  const auto first = static_cast<std::size_t>(launch.mp_of(warp)) * units;
  const auto which = static_cast<std::size_t>(wanted - launch.machine.operations.data());
  OperationState& unit = launch.operations[first + which];
  unit.waiting.insert(warp - unit.first_warp);
}

void release(Launch& launch, std::int64_t index) {
  SlotState& slot = launch.slot(index);
  end_interval(launch, index);
  launch.stream.released(slot.block);
  launch.observer.released(launch.number, slot.block);
  launch.outcome.tally.barriers += 1;
  launch.for_units_of(index / launch.slots_of_mp, [&](UnitState& unit) {
    settle(unit.ledger, unit.port, *unit.account, launch.now);
    unit.ledger.at_barrier -= slot.at_barrier;
  });
  slot.at_barrier = 0;
  for (std::int64_t i = 0; i < launch.warps_of_block; ++i) {
    const std::int64_t warp = index * launch.warps_of_block + i;
    if (!launch.state(warp).at_barrier) continue;
    launch.state(warp).at_barrier = false;
    launch.ready.insert(warp);
  }
}

void take_zero_time_steps(Launch& launch) {
  // Steps of different warps at the same time are independent: memory changes only at dispatch. The
  // order by number is for observers.
  while (!launch.ready.empty() && !launch.stopped()) {
    const std::int64_t warp = launch.ready.next(0);
    launch.ready.erase(warp);
    go_on(launch, warp);
  }
}

void begin_round(Launch& launch) {
  if (!launch.machine.lockstep) return;
  if (launch.queued > 0 || launch.in_flight > 0 || launch.timed > 0) return;
  for (const std::int64_t warp : launch.held) queue(launch, warp);
  launch.held.clear();
}

// Chains of requests as the reference machine finds them (accounts.hpp).

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
  if (launch.machine.requests_in_flight > 1 && !returns(request.kind, request.uses_old)) return;
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
      slot.loads[at].add_interval(
          *spec, overlapped(launch.chains[at].take(first, last), launch.machine.requests_in_flight),
          slot.stages[at]);
    slot.stages[at] = 0;
  }
}

} // namespace memlane::reference
