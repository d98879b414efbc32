// The result of a run without its counts, which an observer derives from the launches' tallies;
// which engine made it, and with how much work.
#pragma once

#include "memlane/engine/kernel_info.hpp"
#include "memlane/ir/arithmetic.hpp"
#include "memlane/support/diagnostic.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"
#include "memlane/support/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

// Which engine made a result, what it executed and skipped for that, and where the seconds went.

/// What the fast engine went through, and how much of it one of its ways of skipping spared it.
struct SparedWork {
  std::int64_t total = 0;
  std::int64_t skipped = 0;

  void add(const SparedWork& other);
};

/// The work skipped by the fast engine, over all launches of a run. With several worker threads,
/// `iterations` and `intervals` vary between runs: each thread replays only intervals that it has
/// recorded, and gives up loops that were not worth their watching in its blocks.
struct EngineWork {
  SparedWork iterations; ///< kernels' loop iterations, one for all warps of a tile: extrapolated
  SparedWork intervals;  ///< parts between barriers, summed over blocks: replayed, or of blocks
                         ///< that were not executed since they are alike, or known
  SparedWork blocks;     ///< of one warp each, in launches where they may be executed together
  SparedWork time_units; ///< time of launches, summed over multiprocessors: in repeated periods

  EngineWork& operator+=(const EngineWork& other);
};

/// The words for one way of skipping: "<name>: 3 of 8 <unit> <done>, <skipped>".
struct WorkColumn {
  std::string_view name, unit, done, skipped;
  SparedWork EngineWork::*of;
};
std::span<const WorkColumn> work_columns();

/// What a run is doing. One phase is under way at a time.
enum class EnginePhase : std::uint8_t {
  arrays,    ///< initial values
  host,      ///< main
  execution, ///< kernels run; on the reference engine with their time
  timeline,  ///< the fast engine's: when everything happens
  verify,
  discarded, ///< attempts before the run started again
};
inline constexpr std::size_t engine_phases = 6;
std::string_view name_of(EnginePhase phase);

/// Seconds by phase.
using PhaseSeconds = std::array<double, engine_phases>;

struct EngineUse {
  bool fast = false;
  std::string reason;        ///< why it is the reference engine; empty where it is not
  Span reason_at;            ///< where in the program, if anywhere
  std::int64_t restarts = 0; ///< how often the run began again from the start
  /// Accesses of a kernel to an array that have no closed form, so that the fast engine looked for
  /// their races word by word.
  struct ByWord {
    std::string kernel, array;
    Span at; ///< the first of them between two barriers
  };
  std::vector<ByWord> by_word; ///< sorted by kernel, array and place
  EngineWork work;             ///< work of the fast engine, without attempts that were discarded
  PhaseSeconds seconds{};      ///< measured by RunOptions::clock; without it 0

  /// An attempt before this one took so long.
  void discard(const PhaseSeconds& attempt);
};

// The result of a run without its counts, which an observer derives from the launches' tallies.

/// The result of verify. None: the program has no verify, or verify executed no assert.
enum class Verdict : std::uint8_t { none, passed, failed, not_run };

/// Races of one array between two lines.
struct RacePair {
  Diagnostic first;    ///< the later access; its first note is the earlier one
  std::string array;   ///< a replayed trace's is its memory, `global` or `shared`
  std::string allowed; ///< why, as the program says of the array, or `racy`; empty: all are
  AccessKind later = AccessKind::read, earlier = AccessKind::read;
  std::int64_t races = 0;
  std::string kernel = {}; ///< of a CUDA program: where the later access is; empty: another run
};

struct RaceCounts {
  std::int64_t races = 0; ///< found and allowed
  std::vector<RacePair> pairs;
};

struct RunOutcome {
  Stop stop = Stop::none;
  Diagnostics errors;  ///< the program's, at run time; a failed verify's message too
  std::string reached; ///< how far the run had come when a limit stopped it
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
