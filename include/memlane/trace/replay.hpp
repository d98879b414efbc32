// Prices a recorded trace on a machine.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/machine_run.hpp"
#include "memlane/support/source.hpp"
#include "memlane/trace/trace.hpp"

namespace memlane {

/// The program's lines that a trace names, as places: the machine and observers know spans, a
/// trace knows line numbers.
class TraceLines {
public:
  explicit TraceLines(const Trace& trace);

  /// A line's span; no place for 0. Requires a line of the trace.
  Span span(std::int32_t line) const;
  /// The line of such a span; 0 if it is no place.
  std::int32_t line(Span span) const;
  const Sources& sources() const { return sources_; }

private:
  std::vector<std::int32_t> lines_; ///< rising
  Sources sources_;                 ///< one file of as many empty lines, so that byte k is line k+1
};

struct Replay {
  Stop stop = Stop::none;
  Diagnostics errors;
  Counts counts;                ///< of all launches
  std::vector<Counts> launches; ///< of each that was begun
};

/// Whether the trace fits the machine: README.md, "Request traces".
Status check_replay(const Trace& trace, const MachineSpec& machine);

/// Runs the launches in order. The machine decides kind, latency and ports of the units; a DMM or
/// UMM takes all requests into its only one. Checks first. Requests seen by the observer have
/// spans of TraceLines(trace).
Replay replay(const Trace& trace, const MachineSpec& machine, const Limits& limits,
              Observer& observer);

} // namespace memlane
