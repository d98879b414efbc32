// Where the seconds of a run go, by a clock of the caller.
#pragma once

#include "memlane/engine/engine_use.hpp"

#include <functional>
#include <utility>

namespace memlane {

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

} // namespace memlane
