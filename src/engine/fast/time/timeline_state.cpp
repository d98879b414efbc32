// The state of the machine, or of one multiprocessor, in which periods are looked for.
#include "timeline.hpp"

#include <algorithm>
#include <initializer_list>

namespace memlane::fast {

/// Collects the numbers of a state, or compares them with an earlier state.
class Timeline::StateReader {
public:
  explicit StateReader(std::vector<std::int64_t>& into) : into_(&into) {}
  explicit StateReader(const std::vector<std::int64_t>* earlier) : earlier_(earlier) {}

  /// False: it differs from the earlier state.
  bool add(std::initializer_list<std::int64_t> numbers) {
    if (into_) {
      for (const std::int64_t number : numbers) into_->push_back(number);
      return true;
    }
    if (earlier_->size() - at_ < numbers.size()) return false;
    const auto from = earlier_->begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += numbers.size();
    return std::equal(numbers.begin(), numbers.end(), from);
  }
  bool is_complete() const { return into_ || at_ == earlier_->size(); }

private:
  std::vector<std::int64_t>* into_ = nullptr;
  const std::vector<std::int64_t>* earlier_ = nullptr;
  std::size_t at_ = 0;
};

bool Timeline::logs_grow(const Scope& scope) const {
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at) {
    const Slot& of = slots_[static_cast<std::size_t>(at)];
    if (of.block >= 0 && of.executed.present().partial) return true;
  }
  return false;
}

bool Timeline::has_state(const Scope& scope, const std::vector<std::int64_t>& earlier) {
  StateReader reader(&earlier);
  return !earlier.empty() && read_state(scope, reader) && reader.is_complete();
}

std::vector<std::int64_t> Timeline::state_of(const Scope& scope) {
  std::vector<std::int64_t> state;
  StateReader reader(state);
  read_state(scope, reader);
  return state;
}

/// All that decides what happens next, with times relative to now, without the repetitions left.
/// Most states differ early from the one they are compared with; the rest is then not read.
bool Timeline::read_state(const Scope& scope, StateReader& state) {
  if (scope.whole &&
      !state.add({assignment_.started(), assignment_.finished(), queued_, in_flight_, timed_}))
    return false;
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at)
    if (!read_slot(slot(at), state)) return false;
  for (std::size_t k = scope.first_unit; k < scope.first_unit + scope.units; ++k)
    if (!read_unit(units_[k], state)) return false;
  for (std::int64_t k = 0; k < scope.warps; ++k)
    if (!read_warp(scope, scope.first_warp + k, state)) return false;
  if (!scope.whole) return true;
  std::vector<std::int64_t> held = held_;
  std::sort(held.begin(), held.end());
  return std::all_of(held.begin(), held.end(),
                     [&](std::int64_t warp) { return state.add({warp}); });
}

bool Timeline::read_slot(const Slot& of, StateReader& state) {
  return state.add({of.block, of.at_barrier, of.ended,
                    static_cast<std::int64_t>(of.executed.place()), of.executed.left() < 0 ? 0 : 1,
                    std::max<std::int64_t>((of.opens - now_).value, 0)});
}

bool Timeline::read_unit(Unit& unit, StateReader& state) {
  settle(unit);
  const std::int64_t last = std::max<std::int64_t>((unit.port.last - now_).value, -1);
  if (!state.add({last, last < 0 ? 0 : unit.port.entered, unit.cursor, unit.ledger.in_flight,
                  unit.ledger.at_barrier,
                  std::max<std::int64_t>((unit.ledger.until - now_).value, 0),
                  std::max<std::int64_t>((unit.latency_until - now_).value, 0)}))
    return false;
  unit.open = first_open(unit);
  for (std::size_t at = unit.open; at < unit.ledger.undecided.size(); ++at) {
    const reference::Undecided& span = unit.ledger.undecided[at];
    if (!state.add({(span.begin - now_).value, (span.end - now_).value, span.at_barrier ? 1 : 0}))
      return false;
  }
  return true;
}

bool Timeline::read_warp(const Scope& scope, std::int64_t index, StateReader& state) {
  const Warp& of = warp(index);
  bool matters = of.end > now_;
  for_units_of(of.mp, [&](Unit& unit) {
    if (!scope.whole && &unit == &units_.back()) return;
    const auto& undecided = unit.ledger.undecided;
    matters |= unit.open < undecided.size() && undecided[unit.open].begin < of.end;
  });
  // A flight that is over matters while it may decide the kind of an idle span.
  return state.add({of.next, of.left < 0 ? 0 : 1, of.requested ? 1 : 0, waits(index) ? 1 : 0,
                    static_cast<std::int64_t>(of.ask), of.stages,
                    std::max<std::int64_t>((of.wakes - now_).value, 0),
                    matters ? (of.begin - now_).value : 1, matters ? (of.end - now_).value : 1});
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
