// The reference machine: read it beside configs/README.md sections 3 to 5. DMM and UMM are HMMs
// with one multiprocessor and one memory unit, so this is the machine of all three models.
#include "launch_state.hpp"

#include <algorithm>

namespace memlane {

namespace reference {

namespace {

void set_up(Launch& launch) {
  LaunchTally& tally = launch.outcome.tally;
  const auto mps = static_cast<std::size_t>(launch.residency.multiprocessors);
  const std::int64_t warps_of_mp = launch.slots_of_mp * launch.warps_of_block;
  const std::int64_t warps = launch.residency.warps();
  launch.warps.resize(static_cast<std::size_t>(warps));
  launch.slots.resize(mps * static_cast<std::size_t>(launch.slots_of_mp));
  launch.ready = WarpSet(warps);
  launch.chains.fill(RequestChains(warps, useful_doublings(launch.machine)));
  for (std::size_t mp = 0; mp < mps && launch.machine.shared; ++mp) {
    launch.units.emplace_back(*launch.machine.shared, tally.shared[mp],
                              static_cast<std::int64_t>(mp) * warps_of_mp, warps_of_mp);
  }
  for (std::size_t mp = 0; mp < mps && launch.machine.has_own_ports(); ++mp) {
    launch.own_port = own_port_of(*launch.machine.global);
    launch.units.emplace_back(launch.own_port, tally.ports[mp],
                              static_cast<std::int64_t>(mp) * warps_of_mp, warps_of_mp);
  }
  if (!launch.machine.operations.empty()) launch.operators.resize(static_cast<std::size_t>(warps));
  for (std::size_t mp = 0; mp < mps; ++mp)
    for (std::size_t k = 0; k < launch.machine.operations.size(); ++k) {
      const OperationUnit& spec = launch.machine.operations[k];
      launch.operations.push_back(
          {&spec,
           {UnitKind::discrete, spec.latency, spec.ports, {}},
           &tally.operations[k * static_cast<std::size_t>(launch.machine.multiprocessors) + mp],
           static_cast<std::int64_t>(mp) * warps_of_mp,
           warps_of_mp,
           0,
           WarpSet(warps_of_mp),
           {}});
    }
  if (launch.machine.global) {
    launch.units.emplace_back(*launch.machine.global, tally.global[0], 0, warps);
  }
  // No warp waits while the launch cost passes.
  for (UnitState& unit : launch.units) unit.ledger.uncharged = -launch.machine.launch_cost.value;
}

/// Phase 1: the events at `now`.
void complete(Launch& launch) {
  std::vector<std::int64_t> departing;
  while (!launch.events.empty() && launch.events.top().time == launch.now) {
    const Event event = launch.events.top();
    launch.events.pop();
    switch (event.kind) {
    case EventKind::completion: land(launch, event.index); break;
    case EventKind::departure: departing.push_back(event.index); break;
    case EventKind::operated:
      end_wait(launch, {WaitCause::operation, event.index});
      launch.state(event.index).waiting.reset();
      if (Operators& of_warp = launch.operators[static_cast<std::size_t>(event.index)];
          --of_warp.left > 0) {
        operate(launch, event.index);
        break;
      }
      [[fallthrough]];
    case EventKind::wake:
      launch.timed -= 1;
      launch.ready.insert(event.index);
      break;
    case EventKind::release:
      launch.timed -= 1;
      release(launch, event.index);
      break;
    }
  }
  depart(launch, std::move(departing));
}

/// The next time at which anything can happen. The state is constant until then, so the machine
/// advances to it in one step.
Cycles next_time(const Launch& launch) {
  Cycles next = launch.events.empty() ? never : launch.events.top().time;
  for (const UnitState& unit : launch.units) {
    if (!unit.waiting.empty()) next = std::min(next, next_room(unit.port, *unit.spec, launch.now));
  }
  for (const OperationState& unit : launch.operations)
    if (!unit.waiting.empty()) next = std::min(next, next_room(unit.port, unit.unit, launch.now));
  if (!launch.groups.empty()) next = std::min(next, later(launch.now, {1}));
  return next;
}

/// The time units of a launch, each in its phases (section 3); `limit` is the last time allowed.
void run(Launch& launch, Cycles limit) {
  launch.now = launch.machine.launch_cost;
  while (launch.now <= limit) {
    launch.observer.time_advances(later(launch.start, launch.now));
    complete(launch); // (1)
    do {
      take_zero_time_steps(launch); // (2)
      if (launch.stopped()) return;
    } while (change_blocks(launch)); // (3)
    if (launch.blocks.over() && launch.in_flight == 0) return;
    begin_round(launch);
    if (launch.now == limit) break;
    dispatch(launch); // (4)
    if (launch.stopped()) return;
    launch.now = next_time(launch);
  }
  launch.now = std::max(Cycles{0}, limit);
  launch.outcome.stop = Stop::time;
}

/// Closes the accounts of all units, also of those that served no block.
void account(Launch& launch) {
  LaunchTally& tally = launch.outcome.tally;
  tally.time = launch.now;
  std::vector<std::int64_t> stages;
  for (UnitState& unit : launch.units) {
    close(unit.ledger, unit.port, *unit.account, launch.now);
    unit.account->service_bound = unit.atomics.longest();
    stages.push_back(unit.stages);
  }
  launch.loads.finish(tally, stages);
  for (OperationState& unit : launch.operations)
    if (unit.port.last >= launch.now)
      unit.account->busy += (launch.now - unit.port.last).value - 1; // a limit has ended the launch
  for (OperationAccount& unit : tally.operations) unit.idle = launch.now.value - unit.busy;
  const auto used = static_cast<std::size_t>(launch.residency.multiprocessors);
  for (auto* of_mp : {&tally.shared, &tally.ports})
    for (std::size_t mp = used; mp < of_mp->size(); ++mp)
      (*of_mp)[mp].idle_empty = launch.now.value;
}

} // namespace

Launch::Launch(const MachineSpec& machine_spec, const LaunchShape& launch_shape,
               WarpStream& warp_stream, std::int64_t launch_number, Cycles start_time,
               const Limits& run_limits, TimeObserver* run_observer)
    : machine(machine_spec), shape(launch_shape), stream(warp_stream),
      observer(run_observer ? *run_observer : no_observer), limits(run_limits),
      number(launch_number), start(start_time), tells_waits(machine_spec.is_beyond_papers()),
      residency(machine_spec, launch_shape), warps_of_block(residency.warps_of_block),
      slots_of_mp(residency.slots), ready(0), blocks(machine_spec, launch_shape, residency),
      loads(machine_spec, launch_shape, residency) {}

} // namespace reference

LaunchTally empty_tally(const MachineSpec& machine, const LaunchShape& shape) {
  const auto multiprocessors = static_cast<std::size_t>(machine.multiprocessors);
  LaunchTally tally;
  tally.kernel = shape.kernel;
  tally.threads = shape.threads;
  tally.shared_words = shape.shared_words;
  tally.multiprocessors.resize(multiprocessors);
  if (!reference::deals_statically(machine)) tally.dynamic.resize(multiprocessors);
  if (machine.shared) tally.shared.resize(multiprocessors);
  if (machine.has_own_ports()) tally.ports.resize(multiprocessors);
  if (machine.global) tally.global.resize(1);
  for (const OperationUnit& unit : machine.operations)
    for (std::int64_t mp = 0; mp < machine.multiprocessors; ++mp)
      tally.operations.push_back({unit.name, mp, 0, 0, 0, 0});
  return tally;
}

LaunchOutcome run_launch(const MachineSpec& machine, const LaunchShape& shape, WarpStream& warps,
                         std::int64_t number, Cycles start, const Limits& limits,
                         TimeObserver* observer) {
  using namespace reference;
  Launch launch(machine, shape, warps, number, start, limits, observer);
  launch.outcome.tally = empty_tally(machine, shape);
  if (!launch.residency.fits(limits)) {
    launch.outcome.stop = Stop::memory;
    return launch.outcome;
  }
  set_up(launch);
  run(launch, last_time(limits, start));
  account(launch);
  return std::move(launch.outcome);
}

} // namespace memlane
