// A request trace: what every warp of every launch asked of the memory, without values.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/limits.hpp"

#include <istream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// One line of a warp: a request, an arrival at a barrier, or computation.
struct TraceStep {
  StepKind kind = StepKind::request;
  UnitId unit = UnitId::global;
  bool write = false;
  std::int32_t line = 0;  ///< of the program; unknown: 0
  std::int64_t value = 0; ///< request: where its addresses begin; compute: counted operators
};

struct TraceLaunch {
  LaunchShape shape; ///< no shared words: it does not say how many, if it uses some
  /// By (block, warp), in the warp's own order; a warp without steps is absent.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TraceStep>> warps;
  std::vector<std::int64_t> addresses; ///< `width` a request; -1: an inactive or missing thread
};

struct Trace {
  std::string name; ///< in messages: the file
  std::int64_t width = 1;
  std::vector<TraceLaunch> launches;
  bool uses_shared = false; ///< some request goes to it
  bool uses_global = false;
  std::int64_t requests = 0;
  bool whole = false; ///< its last line says that it is
};

/// Reads a trace in JSON Lines, and checks everything that can be known without a machine. Errors
/// are at `name:line`, the first of a line, at most 20.
/// `limits.check` may end the reading (stopped_while).
Result<Trace> read_trace(std::istream& in, std::string name, const Limits& limits = {});

} // namespace memlane
