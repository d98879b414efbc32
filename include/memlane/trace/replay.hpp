// Simulates a recorded trace on a machine.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/run.hpp"
#include "memlane/support/diagnostic.hpp"
#include "memlane/trace/trace.hpp"

namespace memlane {

/// The files that lines of the trace name, without their texts.
Sources files_of(const Trace& trace);

/// Converts a trace's lines to spans, which the simulation uses, and back.
class TraceLines {
public:
  explicit TraceLines(const Trace& trace);

  /// The unknown span for line 0. Requires a line of the trace: file and number.
  Span span(SourceLine line) const;
  /// {0, 0} for the unknown span.
  SourceLine line(Span span) const;
  const Sources& sources() const { return sources_; }

private:
  std::vector<SourceLine> lines_; ///< ascending
  /// Those of files_of, then a file with as many empty lines as there are: byte k is line k + 1.
  Sources sources_;
  std::int32_t file_ = 0; ///< the number of that file
};

struct Replay {
  Stop stop = Stop::none;
  Diagnostics errors;
  Counts counts;                ///< summed over all launches
  std::vector<Counts> launches; ///< one for each launch started
};

/// Errors if the trace does not fit the machine (programs/README-traces.md).
Status check_replay(const Trace& trace, const MachineSpec& machine);

/// Checks the trace, then runs its launches in order, with the machine's units: a DMM or UMM has
/// one for all requests. The observer's requests have spans of TraceLines(trace).
Replay replay(const Trace& trace, const MachineSpec& machine, const Limits& limits,
              Observer& observer);

} // namespace memlane
