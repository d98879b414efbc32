// The state of the machine, or of one multiprocessor, in which periods are looked for.
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

/// All that decides what happens next, with times relative to now, without the repetitions left.
/// Empty if logs still grow.
std::vector<std::int64_t> Timeline::state_of(const Scope& scope) {
  std::vector<std::int64_t> state;
  if (scope.whole)
    state = {assignment_.started(), assignment_.finished(), queued_, in_flight_, timed_};
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at)
    if (slot(at).block >= 0 && slot(at).executed.present().partial) return {};
  add_state_of_slots(scope, state);
  for (std::size_t k = scope.first_unit; k < scope.first_unit + scope.units; ++k) {
    Unit& unit = units_[k];
    settle(unit);
    const std::int64_t last = std::max<std::int64_t>((unit.port.last - now_).value, -1);
    state.insert(state.end(), {last, last < 0 ? 0 : unit.port.entered, unit.cursor,
                               unit.ledger.in_flight, unit.ledger.at_barrier,
                               std::max<std::int64_t>((unit.ledger.until - now_).value, 0),
                               std::max<std::int64_t>((unit.latency_until - now_).value, 0)});
    unit.open = first_open(unit);
    for (std::size_t at = unit.open; at < unit.ledger.undecided.size(); ++at) {
      const reference::Undecided& span = unit.ledger.undecided[at];
      state.insert(state.end(),
                   {(span.begin - now_).value, (span.end - now_).value, span.at_barrier ? 1 : 0});
    }
  }
  for (std::int64_t k = 0; k < scope.warps; ++k)
    add_state_of_warp(scope, scope.first_warp + k, state);
  if (!scope.whole) return state;
  std::vector<std::int64_t> held = held_;
  std::sort(held.begin(), held.end());
  state.insert(state.end(), held.begin(), held.end());
  return state;
}

void Timeline::add_state_of_slots(const Scope& scope, std::vector<std::int64_t>& state) {
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at) {
    const Slot& of = slot(at);
    state.insert(state.end(),
                 {of.block, of.at_barrier, of.ended, static_cast<std::int64_t>(of.executed.place()),
                  of.executed.left() < 0 ? 0 : 1,
                  std::max<std::int64_t>((of.opens - now_).value, 0)});
  }
}

void Timeline::add_state_of_warp(const Scope& scope, std::int64_t index,
                                 std::vector<std::int64_t>& state) {
  const Warp& of = warp(index);
  bool matters = of.end > now_;
  for_units_of(of.mp, [&](Unit& unit) {
    if (!scope.whole && &unit == &units_.back()) return;
    const auto& undecided = unit.ledger.undecided;
    matters |= unit.open < undecided.size() && undecided[unit.open].begin < of.end;
  });
  state.insert(state.end(), {of.next, of.left < 0 ? 0 : 1, of.requested ? 1 : 0,
                             waits(index) ? 1 : 0, static_cast<std::int64_t>(of.ask), of.stages,
                             std::max<std::int64_t>((of.wakes - now_).value, 0)});
  // A flight that is over matters while it may decide the kind of an idle span.
  state.push_back(matters ? (of.begin - now_).value : 1);
  state.push_back(matters ? (of.end - now_).value : 1);
}

bool Timeline::waits(std::int64_t index) {
  bool waits = false;
  for_units_of(warp(index).mp,
               [&](Unit& unit) { waits |= unit.waiting.contains(index - unit.first_warp); });
  return waits;
}

/// The first idle span whose kind a request may still decide: it lies after the beginning of a
/// flight whose warp has made no request since.
std::size_t Timeline::first_open(const Unit& unit) {
  const auto& spans = unit.ledger.undecided;
  if (spans.empty()) return 0;
  Cycles begin = reference::never;
  for (std::int64_t k = 0; k < unit.served; ++k) {
    const Warp& of = warp(unit.first_warp + k);
    if (of.requested && of.begin < begin && !waits(unit.first_warp + k)) begin = of.begin;
  }
  const auto before = [](const reference::Undecided& span, Cycles time) {
    return span.begin < time;
  };
  return static_cast<std::size_t>(std::lower_bound(spans.begin(), spans.end(), begin, before) -
                                  spans.begin());
}

} // namespace memlane::fast
