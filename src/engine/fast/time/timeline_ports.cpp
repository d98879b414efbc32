// Own ports of multiprocessors to global memory, and units of operations (configs/README.md section
// 10).
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

using reference::later;

void Timeline::set_up_beyond() {
  const std::int64_t warps_of_mp = slots_of_mp_ * launch_.warps_of_block;
  if (several_) flights_of_.resize(warps_.size());
  if (has_own_ports_ && !several_) needed_.resize(warps_.size());
  if (machine_.operations.empty()) return;
  operators_.resize(warps_.size());
  for (std::int64_t mp = 0; mp < multiprocessors_; ++mp)
    for (std::size_t k = 0; k < machine_.operations.size(); ++k) {
      const OperationUnit& spec = machine_.operations[k];
      OperationState& unit = operations_.emplace_back();
      unit.spec = &spec;
      unit.unit = {UnitKind::discrete, spec.latency, spec.ports, {}};
      unit.account = &tally_->operations[k * static_cast<std::size_t>(machine_.multiprocessors) +
                                         static_cast<std::size_t>(mp)];
      unit.first_warp = mp * warps_of_mp;
      unit.served = warps_of_mp;
      unit.waiting = reference::WarpSet(warps_of_mp);
    }
}

// Own ports.

/// The log of the block's present interval that has the warp's steps.
const StepLog& Timeline::log_of(const Warp& state) {
  return slot(state.slot).executed.present().tiles[static_cast<std::size_t>(state.tile)];
}

/// The warp waits for it, so its interval is the block's present one.
const PortAccess& Timeline::port_access(const Warp& state) {
  return log_of(state).ports[static_cast<std::size_t>(state.atomic)];
}

/// Adds to the tally of a site's requests at own ports.
void Timeline::add_to_port(std::int64_t block, std::int32_t mp, std::uint32_t site,
                           std::int64_t PortTally::*count, std::int64_t more) {
  const auto of = static_cast<std::size_t>(block % machine_.multiprocessors);
  tally_->multiprocessors[of].of_site(site).port.*count += more;
  if (tally_->dynamic.empty()) return;
  auto& ran = tally_->dynamic[static_cast<std::size_t>(mp)];
  if (ran.size() <= site) ran.resize(site + 1);
  ran[site].port.*count += more;
}

/// The request is in flight; it leaves the port when its stages have entered.
void Timeline::dispatch_at_own_port(Unit& port, std::int64_t index) {
  Warp& state = warp(index);
  const PortAccess& access = port_access(state);
  const auto touched = std::span(log_of(state).groups).subspan(access.first, access.count);
  const std::int64_t request = several_ ? take_off(index, reference::never) : index;
  Needed& needed = needed_[static_cast<std::size_t>(request)];
  needed.count = access.reuses ? slot(state.slot).read.insert(touched) : access.count;
  if (access.atomic) needed.of_atomic.assign(touched.begin(), touched.end());
  if (several_) flying_[static_cast<std::size_t>(request)].reused = needed.count == 0;
  if (const std::int64_t reused = access.count - needed.count; reused > 0) {
    const std::int64_t block = slot(state.slot).block, extra = access.count - access.needed;
    add_to_port(block, state.mp, access.site, &PortTally::reused, reused);
    add_to_port(block, state.mp, access.site, &PortTally::reused_extra, std::min(reused, extra));
  }
  port.account->busy += reference::enter(port.port, *port.spec, now_, access.stages);
  state.begin = now_;
  queued_ -= 1;
  in_flight_ += 1;
  due_.add(later(now_, {access.stages}), due_number(Due::departure, request), now_);
}

/// Phase 1: requests leave own ports, those of lower multiprocessors first. One at a time leaves
/// each port.
void Timeline::depart() {
  std::sort(leaving_.begin(), leaving_.end(),
            [&](std::int64_t a, std::int64_t b) { return warp_of(a) < warp_of(b); });
  for (const std::int64_t request : leaving_) {
    const Needed& needed = needed_[static_cast<std::size_t>(request)];
    const bool atomic = several_ ? flying_[static_cast<std::size_t>(request)].atomic
                                 : port_access(warp(request)).atomic;
    if (needed.count == 0)
      complete_behind(request, later(now_, machine_.global->reuse_latency));
    else if (atomic)
      groups_.join(request, needed.of_atomic);
    else
      groups_.join(request, static_cast<std::size_t>(needed.count));
  }
  leaving_.clear();
}

void Timeline::complete_behind(std::int64_t request, Cycles end) {
  if (several_) {
    const Flight& flight = flying_[static_cast<std::size_t>(request)];
    add_to_port(flight.block, warp(flight.warp).mp, flight.site, &PortTally::flown,
                (end - flight.begin).value);
  } else {
    Warp& of = warp(request);
    add_to_port(slot(of.slot).block, of.mp, port_access(of).site, &PortTally::flown,
                (end - of.begin).value);
    of.end = end;
  }
  due_.add(end, due_number(Due::completion, request), now_);
}

void Timeline::enter_groups() {
  Unit& device = units_.back();
  settle(device);
  const std::int64_t entered = groups_.enter(
      *device.spec, device.atomics, now_, [](std::int64_t, std::int64_t) {},
      [&](std::int64_t request, Cycles last) {
        complete_behind(request, later(last, device.spec->latency));
      });
  device.account->busy += reference::enter(device.port, *device.spec, now_, entered);
}

Cycles Timeline::drained() const {
  Cycles last = now_;
  for (const Unit& unit : units_)
    last = std::max({last, unit.port.last, unit.atomics.busy_until(now_)});
  return groups_.empty()
             ? last
             : std::max(last, groups_.drained(*units_.back().spec, units_.back().atomics, now_));
}

// Operations.

/// The warp's next operator starts to wait for its unit.
void Timeline::operate(std::int64_t index) {
  const OperationClass operation = operators_[static_cast<std::size_t>(index)].operation;
  const std::size_t units = machine_.operations.size();
  const auto which =
      static_cast<std::size_t>(machine_.unit_of(operation) - machine_.operations.data());
  OperationState& unit = operations_[static_cast<std::size_t>(warp(index).mp) * units + which];
  warp(index).issued = now_;
  unit.waiting.insert(index - unit.first_warp);
  if (unit.listed) return;
  unit.listed = true;
  operating_.push_back(&unit);
}

/// Phase 1: operators that are complete.
void Timeline::end_operations() {
  for (const std::int64_t index : operated_) {
    end_wait({WaitCause::operation, index});
    if (--operators_[static_cast<std::size_t>(index)].count > 0) {
      operate(index);
      continue;
    }
    timed_ -= 1;
    ready_.push_back(index);
  }
  operated_.clear();
}

void Timeline::dispatch_operations() {
  std::erase_if(operating_, [&](OperationState* unit) {
    while (!unit->waiting.empty() && reference::has_room(unit->port, unit->unit, now_)) {
      const std::int64_t next = unit->waiting.next(unit->cursor);
      unit->waiting.erase(next);
      unit->cursor = next + 1 == unit->served ? 0 : next + 1;
      const std::int64_t index = unit->first_warp + next;
      const OperationClass operation = operators_[static_cast<std::size_t>(index)].operation;
      end_port_wait(index);
      const std::int64_t stages = unit->spec->stages[static_cast<std::size_t>(operation)];
      unit->account->operations += 1;
      unit->account->stages += stages;
      unit->account->busy += reference::enter(unit->port, unit->unit, now_, stages);
      warp(index).wakes = later(unit->port.last, unit->unit.latency);
      due_.add(warp(index).wakes, due_number(Due::operator_, index), now_);
    }
    unit->listed = !unit->waiting.empty();
    return !unit->listed;
  });
}

} // namespace memlane::fast
