// The limits of a run and what it has used of them; where its seconds go.
#pragma once

#include "memlane/engine/outcome.hpp"
#include "memlane/engine/run.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace memlane {

// Where the seconds of a run go, by a clock of the caller.

class PhaseClock {
public:
  /// `clock`: seconds since any moment. Refers to both.
  PhaseClock(const std::function<double()>& clock, PhaseSeconds& seconds)
      : clock_(clock), seconds_(seconds), since_(clock()) {}
  ~PhaseClock() { enter(phase_); }

  /// Another phase begins; returns the one that it interrupts.
  EnginePhase enter(EnginePhase next) {
    const double now = clock_();
    seconds_[static_cast<std::size_t>(phase_)] += now - since_;
    since_ = now;
    return std::exchange(phase_, next);
  }

private:
  const std::function<double()>& clock_;
  PhaseSeconds& seconds_;
  EnginePhase phase_ = EnginePhase::arrays;
  double since_;
};

/// The run is in a phase while this lives. `clock`: null where no seconds are asked for.
class InPhase {
public:
  InPhase(PhaseClock* clock, EnginePhase phase)
      : clock_(clock), before_(clock ? clock->enter(phase) : phase) {}
  ~InPhase() {
    if (clock_) clock_->enter(before_);
  }
  InPhase(const InPhase&) = delete;
  InPhase& operator=(const InPhase&) = delete;

private:
  PhaseClock* clock_;
  EnginePhase before_;
};

// The limits of a run and what it has used of them.

/// Shared by host code and all warps of a run. Once `stop` is set, nothing more is executed.
struct Budget {
  const Limits* limits = nullptr;
  std::int64_t steps = 0;  ///< instructions executed
  std::int64_t bytes = 0;  ///< held by arrays
  std::int64_t wanted = 0; ///< bytes needed, if `stop` is memory
  Span at;                 ///< the next instruction, if `stop` is set
  Stop stop = Stop::none;
  PhaseClock* clock = nullptr; ///< clock of the run's thread; null: not asked for

  /// Takes a step for one instruction. False if none is left or the caller's check says stop.
  bool step(Span span) {
    if (steps >= limits->steps) return halt(Stop::steps, span);
    // A loop without requests never returns to the machine, so the check is called from here, too.
    if ((steps & 0x3fff) == 0x3fff && limits->check) {
      if (limits->progress) limits->progress->worked();
      if (!ask(span)) return false;
    }
    ++steps;
    return true;
  }

  /// False if the caller's check says stop: between long pieces of work that take no steps.
  bool ask(Span span) {
    if (!limits->check) return true;
    const Stop asked = limits->check();
    return asked == Stop::none || halt(asked, span);
  }

  /// The number of steps that may be taken before the next call of `step`.
  std::int64_t unasked() const {
    return std::max<std::int64_t>(0, std::min(limits->steps - steps, 0x3fff - (steps & 0x3fff)));
  }

  /// Takes bytes for arrays before they are allocated. False if too few are left. INT64_MAX: too
  /// many to be counted.
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
