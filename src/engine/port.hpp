// The ports of a memory unit's pipeline (configs/README.md section 3, "Ports").
#pragma once

#include "saturate.hpp"

#include "memlane/machine/spec.hpp"

namespace memlane::reference {

/// Up to `ports` stages enter in each time unit. The stages of a request that do not fit enter in
/// the next ones.
struct Port {
  Cycles last{-1};          ///< the latest time unit in which a stage enters
  std::int64_t entered = 0; ///< stages that enter in that time unit
};

/// Whether a request may be dispatched at `now`.
constexpr bool has_room(const Port& port, const UnitSpec& unit, Cycles now) {
  return port.last < now || (port.last == now && port.entered < unit.ports);
}

/// The first time, not before `now`, at which there is room.
constexpr Cycles next_room(const Port& port, const UnitSpec& unit, Cycles now) {
  if (port.last < now) return now;
  return port.entered < unit.ports ? port.last : later(port.last, {1});
}

/// The stages of one request enter from `now` on; requires room at `now` and at least one stage.
/// Returns how many further time units become busy. The request completes a latency after the
/// beginning of `port.last`.
constexpr std::int64_t enter(Port& port, const UnitSpec& unit, Cycles now, std::int64_t stages) {
  const bool fresh = port.last < now;
  if (fresh) port = {now, 0};
  const std::int64_t room = unit.ports - port.entered;
  if (stages <= room) {
    port.entered += stages;
    return fresh ? 1 : 0;
  }
  const std::int64_t spilled = stages - room;
  const std::int64_t units = (spilled - 1) / unit.ports + 1;
  port = {later(now, {units}), spilled - (units - 1) * unit.ports};
  return units + (fresh ? 1 : 0);
}

} // namespace memlane::reference
