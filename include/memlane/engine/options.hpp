// The options of a run.
#pragma once

#include "memlane/ir/arithmetic.hpp"
#include "memlane/support/limits.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Worker threads supplied by the caller: the library starts none. No result depends on them.
struct SideBySide {
  std::size_t threads = 1; ///< threads that work at the same time
  /// Calls work(0), …, work(count - 1) once each, starting them in this order and running as many
  /// at a time as possible: a call may wait for earlier ones. Returns when all calls have returned,
  /// and rethrows their exception. Required if `threads` > 1; `count` is then threads + 1, as
  /// one call always waits.
  std::function<void(std::size_t count, const std::function<void(std::size_t)>& work)> run;
  /// Launches that execute fewer instructions of warps than this, going by earlier launches or
  /// their first blocks, use one worker.
  std::int64_t least = std::int64_t{1} << 13;
};

/// A run prints at most this many lines, then says that it omits the rest.
inline constexpr std::int64_t most_printed_lines = 1000;

/// Receives the lines of `print` statements, in the order of the run. A run that begins again sends
/// the same lines again; `number`, from 0, identifies them.
using PrintLine = std::function<void(std::int64_t number, const std::string& line)>;

/// The order in which a launch with atomics computes its accesses (configs/README.md section 11).
enum class ExecutionOrder : std::uint8_t {
  rising,   ///< by block, interval between barriers, warp, step, lane
  reversed, ///< blocks, warps and lanes of an atomic from the last to the first
  random,   ///< these in a random order of the run's seed
};
/// `rising`, `reversed` or `random`.
constexpr std::string_view name_of(ExecutionOrder order) {
  return order == ExecutionOrder::rising     ? "rising"
         : order == ExecutionOrder::reversed ? "reversed"
                                             : "random";
}

/// What blocks have read, written and counted in runs that share it; made by `make_known_blocks`.
class KnownBlocks;

struct RunOptions {
  std::uint64_t seed = 1;
  ExecutionOrder atomics = ExecutionOrder::rising;
  bool allow_races = false; ///< all
  /// The program's text may allow some (ir::Program::allows_some_races).
  bool heed_racy_text = true;
  bool verify = true;
  /// Also counts what a PRAM does, and what BSP does on so many multiprocessors (0: no). Both need
  /// the executions of warps (engine/observer.hpp).
  bool pram = false;
  std::int64_t bsp_multiprocessors = 0;
  /// Memory arrays have addresses but no contents. Set by `run_timing`.
  bool timing_only = false;
  /// Where limits.steps ends a run of run_timing, the reference engine repeats it to say where.
  /// False: the run only says that.
  bool locate_stop = true;
  Limits limits; ///< all worker threads call `check`
  SideBySide side_by_side;
  /// Arrays read from files: replace the initial values; row-major, one value an element. Many runs
  /// may share them.
  std::map<std::string, std::shared_ptr<const std::vector<ir::Value>>> inputs;
  /// Arrays whose final contents the outcome will contain.
  std::vector<std::string> outputs;
  PrintLine print; ///< may be empty
  /// Set: blocks that find what an earlier run's block has read are not executed again, and no
  /// launch without atomics is timed. The counts of blocks are those of a run without it; time, and
  /// how units spent it, says nothing. For runs of one program (the object) on one machine, which
  /// may run at the same time. Where it does not serve (KnownBlocks), a run is as without it.
  std::shared_ptr<KnownBlocks> known_blocks;
  /// Seconds since any moment, for EngineUse::seconds; without it they are not counted.
  std::function<double()> clock;
};

} // namespace memlane
