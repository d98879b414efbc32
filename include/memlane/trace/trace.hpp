// A request trace: the memory requests of every warp of every launch, without values.
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

/// The formats of traces. Of `wide`, lanes may have several words, and there are atomics, volatile
/// reads, registers, classes of operations, and waits for earlier requests; `plain` is read, too.
enum class TraceFormat : std::uint8_t { plain = 1, wide = 2 };
/// Most words of a lane.
inline constexpr std::int64_t most_words_of_lane = 64;

/// A request, an arrival at a barrier, computation, or a wait of a warp.
struct TraceStep {
  StepKind kind = StepKind::request;
  UnitId unit = UnitId::global;
  AccessKind access = AccessKind::read;
  std::uint8_t words = 1;   ///< request: words of a lane, from its address on
  bool is_volatile = false; ///< request
  bool uses_old = false;    ///< request: an atomic whose old value is used
  OperationClass operation = OperationClass::other; ///< compute
  std::int32_t line = 0; ///< the program's line that makes it or waits; 0: unknown
  std::int32_t file = 0; ///< the line's: index into Trace::files
  /// Request: index of its first address; compute: counted operators; wait: index of the first
  /// request that it awaits.
  std::int64_t value = 0;
  std::int32_t awaited = 0; ///< wait: how many it awaits
};

struct TraceLaunch {
  LaunchShape shape;      ///< 0 shared words, or 0 registers: unknown
  std::int64_t stage = 0; ///< LaunchTally::stage
  /// By (block, warp), in program order; warps without steps are absent.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TraceStep>> warps;
  std::vector<std::int64_t> addresses; ///< `width` for each request; -1: inactive lane
  std::vector<std::uint32_t> awaited;  ///< as Step::awaited
};

struct Trace {
  std::string name;                      ///< the file's name
  std::vector<std::string> files = {""}; ///< paths that lines name; the program's has none
  TraceFormat format = TraceFormat::plain;
  std::int64_t width = 1;
  std::vector<TraceLaunch> launches;
  bool uses_shared = false;
  bool uses_global = false;
  std::int64_t requests = 0;
  bool complete = false; ///< it has its last line, which counts the requests
};

/// Reads a trace in JSON Lines, with every check that needs no machine. Errors are at `name:line`:
/// the first of each line, at most 20. `limits.check` may stop the reading (stopped_while).
Result<Trace> read_trace(std::istream& in, std::string name, const Limits& limits = {});

} // namespace memlane
