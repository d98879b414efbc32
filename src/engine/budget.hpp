// How much a run may still do: its limits, and what it has used of them.
#pragma once

#include "phase_clock.hpp"

#include "memlane/engine/machine_run.hpp"

#include <algorithm>
#include <cstdint>

namespace memlane {

/// Shared by host code and all warps of a run. Once `stop` is set, nothing more is executed.
struct Budget {
  const Limits* limits = nullptr;
  std::int64_t steps = 0;  ///< instructions executed
  std::int64_t bytes = 0;  ///< held by arrays
  std::int64_t wanted = 0; ///< bytes that would have been needed, where `stop` is memory
  Span at;                 ///< of the instruction that was to come, where `stop` is set
  Stop stop = Stop::none;
  PhaseClock* clock = nullptr; ///< of the thread of the run; null: not asked for

  /// One more instruction; false where none is left, or the caller asked to stop.
  bool step(Span span) {
    if (steps >= limits->steps) return halt(Stop::steps, span);
    // A loop without requests never returns to the machine: the caller is asked from here, too.
    if ((steps & 0x3fff) == 0x3fff && limits->check)
      if (const Stop asked = limits->check(); asked != Stop::none) return halt(asked, span);
    ++steps;
    return true;
  }

  /// How many steps can be taken without asking for each.
  std::int64_t unasked() const {
    return std::max<std::int64_t>(0, std::min(limits->steps - steps, 0x3fff - (steps & 0x3fff)));
  }

  /// Takes bytes for arrays, before they are allocated; false where there are not as many.
  /// The greatest number stands for more than can be counted.
  bool reserve(std::int64_t more, Span span) {
    if (more < INT64_MAX && more <= limits->memory - bytes) {
      bytes += more;
      return true;
    }
    wanted = more > INT64_MAX - bytes ? INT64_MAX : bytes + more;
    return halt(Stop::memory, span);
  }

  bool halt(Stop why, Span span) {
    stop = why;
    at = span;
    return false;
  }
};

} // namespace memlane
