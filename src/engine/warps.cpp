// Zero-time steps of warps (configs/README.md section 3, phase 2): instructions up to the next
// wait, and barriers.
#include "launch_state.hpp"

#include <algorithm>
#include <utility>

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
  launch.state(warp).waiting = WaitCause::computation;
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
  if (step->kind == StepKind::wait) launch.observer.awaits(launch.number, launch.ref(warp), *step);
  return true;
}

/// The wait for requests that is over now: before the warp's step, or for one of as many as it may
/// have.
EndedWait ended_wait(const WarpState& state, std::int64_t warp, Cycles now, bool before_step) {
  const bool wait = state.step.kind == StepKind::wait;
  const bool all = !before_step || (wait && state.step.awaited.empty());
  const WarpFlights::Last last = all    ? state.flights.last(now)
                                 : wait ? state.flights.last(now, state.step.awaited)
                                        : state.flights.last_read(now);
  const WaitCause cause = last.reused    ? WaitCause::reuse
                          : !before_step ? WaitCause::requests
                          : all          ? WaitCause::fence
                                         : WaitCause::value;
  if (!wait) return {cause, warp};
  return {cause, warp, state.step.instruction, last.site};
}

/// The warp executes its step, which waits for no request. False: it goes on to the next one. It
/// does not wait for a request without active threads.
bool take_step(Launch& launch, std::int64_t warp, bool computed) {
  WarpState& state = launch.state(warp);
  const Step& step = state.step;
  const bool operates = step.kind == StepKind::compute && launch.machine.unit_of(step.operation);
  const bool waits = step.kind == StepKind::request && has_active_thread(*step.request);
  if (computed &&
      (operates || waits || step.kind == StepKind::barrier || step.kind == StepKind::end))
    end_wait(launch, {WaitCause::computation, warp});
  switch (step.kind) {
  case StepKind::request:
    if (waits) offer(launch, warp);
    return waits;
  case StepKind::barrier: arrive(launch, warp); return true;
  case StepKind::compute: return compute(launch, warp, step);
  case StepKind::wait: return false;
  case StepKind::end: end(launch, warp); return true;
  case StepKind::stop: launch.outcome.stop = Stop::steps; return true;
  }
  return true;
}

/// The warp continues to its next wait. Computations that follow each other are one.
void go_on(Launch& launch, std::int64_t warp) {
  WarpState& state = launch.state(warp);
  const std::optional<WaitCause> over = std::exchange(state.waiting, std::nullopt);
  const bool computed = over == WaitCause::computation;
  if (over == WaitCause::port) end_wait(launch, {WaitCause::port, warp});
  if (over == WaitCause::requests) end_wait(launch, ended_wait(state, warp, launch.now, false));
  for (bool waited = state.waits;; waited = false) {
    poll(launch);
    if (launch.stopped() || !find_step(launch, warp)) return;
    if (waits_for_requests(state)) {
      if (computed) end_wait(launch, {WaitCause::computation, warp});
      state.stalled = state.waits = true;
      return;
    }
    if (waited) end_wait(launch, ended_wait(state, warp, launch.now, true));
    if (take_step(launch, warp, computed)) return;
  }
}

} // namespace

void wait_until(Launch& launch, Cycles time, EventKind kind, std::int64_t index) {
  launch.events.push({time, kind, index});
  launch.timed += 1;
}

void end_wait(Launch& launch, const EndedWait& wait) {
  if (!launch.tells_waits) return;
  launch.for_units_of(launch.mp_of(wait.warp), [&](UnitState& unit) {
    settle(unit.ledger, unit.port, *unit.account, launch.now);
    charge(unit.ledger, *unit.account, launch.now, wait);
  });
}

void operate(Launch& launch, std::int64_t warp) {
  launch.state(warp).issued = launch.now;
  const OperationUnit* const wanted =
      launch.machine.unit_of(launch.operators[static_cast<std::size_t>(warp)].operation);
  const std::size_t units = launch.machine.operations.size();
  const auto first = static_cast<std::size_t>(launch.mp_of(warp)) * units;
  const auto which = static_cast<std::size_t>(wanted - launch.machine.operations.data());
  OperationState& unit = launch.operations[first + which];
  unit.waiting.insert(warp - unit.first_warp);
  launch.observer.operator_issued(launch.number, launch.ref(warp));
}

void release(Launch& launch, std::int64_t index) {
  SlotState& slot = launch.slot(index);
  if (launch.machine.barrier_cost.value > 0)
    end_wait(launch, {WaitCause::barrier, index * launch.warps_of_block});
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
