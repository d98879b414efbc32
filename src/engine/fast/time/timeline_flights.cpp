// Several requests of a warp on their way (configs/README.md section 10).
#include "timeline.hpp"

namespace memlane::fast {

/// The warp's request is on its way, and has a number. The warp goes on in the next time unit, or
/// when fewer than k of its requests are on their way.
std::int64_t Timeline::take_off(std::int64_t index, Cycles due) {
  auto request = static_cast<std::int64_t>(flying_.size());
  if (free_.empty()) {
    flying_.emplace_back();
    if (has_own_ports_) needed_.resize(flying_.size());
  } else {
    request = free_.back();
    free_.pop_back();
  }
  Warp& state = warp(index);
  reference::WarpFlights& flights = flights_of_[static_cast<std::size_t>(index)];
  const bool atomic = state.ask == Ask::port && port_access(state).atomic;
  auto& flight = flights.begin(now_, state.returns);
  flight.end = due;
  flight.request = static_cast<std::int32_t>(request);
  flying_[static_cast<std::size_t>(request)] = {index,
                                                flight.number,
                                                slot(state.slot).block,
                                                atomic,
                                                false,
                                                state.ask == Ask::port ? port_access(state).site
                                                                       : 0,
                                                now_,
                                                state.ask != Ask::shared};
  state.stalled = flights.on_their_way() == machine_.requests_in_flight;
  state.waiting = state.stalled ? WaitCause::requests : WaitCause::port;
  if (!state.stalled) going_on_.push_back(index);
  return request;
}

/// A request is complete. Its warp may have ended, and another block have its place.
void Timeline::land(std::int64_t request) {
  const Flight& flight = flying_[static_cast<std::size_t>(request)];
  free_.push_back(request);
  Warp& state = warp(flight.warp);
  if (slot(state.slot).block != flight.block) return;
  flights_of_[static_cast<std::size_t>(flight.warp)].complete(flight.number, now_, flight.reused);
  if (std::exchange(state.stalled, false)) ready_.push_back(flight.warp);
}

/// Only now is it known that the requests before it had "another to come" (section 5).
void Timeline::make_another(std::int64_t index) {
  flights_of_[static_cast<std::size_t>(index)].make_another(now_, [&](Cycles begin, Cycles end) {
    for_units_of(warp(index).mp, [&](Unit& unit) {
      settle(unit);
      if (!unit.ledger.undecided.empty())
        reference::decide_latency(unit.ledger, *unit.account, begin, end);
    });
  });
}

bool Timeline::waits_for(std::int64_t index, const Wait& wait) {
  return flights_of_[static_cast<std::size_t>(index)].has(wait.earlier);
}

/// At a barrier and at its end a warp waits for those that return a value.
bool Timeline::has_reads(std::int64_t index) {
  return flights_of_[static_cast<std::size_t>(index)].has_reads();
}

} // namespace memlane::fast
