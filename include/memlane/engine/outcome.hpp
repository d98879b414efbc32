// The result of a run without its counts, which an observer derives from the launches' tallies.
#pragma once

#include "memlane/engine/engine_use.hpp"
#include "memlane/ir/value.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"
#include "memlane/support/units.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memlane {

/// The result of verify. None: the program has no verify, or verify executed no assert.
enum class Verdict : std::uint8_t { none, passed, failed, not_run };

/// Races of one array between two lines.
struct RacePair {
  Diagnostic first;    ///< at the later access; its first note is at the earlier one
  std::string array;   ///< of a replayed trace: its memory, `global` or `shared`
  std::string allowed; ///< why, as the program says of the array, or `racy`; empty: all are
  bool later_writes = false, earlier_writes = false;
  std::int64_t races = 0;
};

struct RaceCounts {
  std::int64_t races = 0; ///< found and allowed
  std::vector<RacePair> pairs;
};

struct RunOutcome {
  Stop stop = Stop::none;
  Diagnostics errors;  ///< of the program, at run time; a failed verify's message too
  std::string reached; ///< for a stop at a limit: how far the run had come
  /// For Stop::error: a launch does not fit on this machine (too many threads or shared words, or
  /// an AGPU's blocks of other than b threads). On other machines the program may be right.
  bool unfit = false;
  Cycles time{0};
  std::int64_t launches = 0;
  std::int64_t steps = 0;        ///< instructions executed
  std::int64_t host_words = 0;   ///< words main read from and wrote to memory arrays
  std::int64_t global_words = 0; ///< words of all memory arrays, layouts' spare words included
  Verdict verify = Verdict::none;
  RaceCounts races;
  std::map<std::string, std::vector<ir::Value>> outputs; ///< row-major
  EngineUse engine;
};

} // namespace memlane
