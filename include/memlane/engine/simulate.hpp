// One run of a compiled program on a machine: memory, host code, launches, the check of the result.
#pragma once

#include "memlane/engine/machine_run.hpp"
#include "memlane/ir/program.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// What verify says of the result. None: there is no verify, or it ended without any assert.
enum class Verdict : std::uint8_t { none, passed, failed, not_run };

/// Worker threads that the caller supplies; a run has none of its own. No number depends on them.
struct SideBySide {
  std::size_t threads = 1; ///< that may work at once
  /// Calls work(0), …, work(count - 1), each once, begun in this order, as many at a time as it
  /// can: one may wait for what those before it do. Returns when all have, and throws what one has
  /// thrown. Needed for more than one thread. (There is one more than `threads`, which wait in
  /// turns.)
  std::function<void(std::size_t count, const std::function<void(std::size_t)>& work)> run;
  /// Launches of fewer threads (of the model) are not worth it.
  std::int64_t least = std::int64_t{1} << 15;
};

/// A run shows no more lines than this, and then says so.
inline constexpr std::int64_t most_printed_lines = 1000;

/// Receives the lines that `print` statements show, in the order of the run. A run that begins
/// again, on another engine, shows the same lines again: `number`, from 0, tells them apart.
using PrintLine = std::function<void(std::int64_t number, const std::string& line)>;

struct RunOptions {
  std::uint64_t seed = 1;
  bool allow_races = false;
  bool verify = true;
  /// Memory arrays have places but no contents: for `simulate_timing`.
  bool timing_only = false;
  Limits limits; ///< with several threads `check` is called by all of them
  SideBySide side_by_side;
  /// Arrays read from files: replace the initial values; row-major, one value an element.
  std::map<std::string, std::vector<ir::Value>> inputs;
  /// Arrays whose final contents are wanted.
  std::vector<std::string> outputs;
  PrintLine print; ///< without it, nothing is shown
};

struct RaceCounts {
  std::int64_t races = 0; ///< found under allow_races
  Diagnostics first;      ///< the first of each pair of lines
};

struct FnCounts {
  std::int64_t calls = 0; ///< summed over threads
  std::int64_t steps = 0; ///< executed by warps, on the slowest multiprocessor
};

/// Which engine a run's result is from, and how it came to that.
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
  std::vector<ByWord> by_word; ///< by kernel, array and place
};

struct RunResult {
  Stop stop = Stop::none;
  Diagnostics errors;  ///< of the program, at run time; a failed verify's message too
  std::string reached; ///< for a stop at a limit: how far the run had come
  Counts counts;
  std::map<std::string, Counts> kernels; ///< by kernel name
  std::map<std::string, FnCounts> fns;
  std::int64_t steps = 0;        ///< instructions executed
  std::int64_t host_words = 0;   ///< words main read from and wrote to memory arrays
  std::int64_t global_words = 0; ///< words of all memory arrays, layouts' spare words included
  Verdict verify = Verdict::none;
  RaceCounts races;
  std::map<std::string, std::vector<ir::Value>> outputs; ///< row-major
  EngineUse engine;
};

/// Whether the program can run on the machine at all: shared arrays on a unified machine, more
/// than this version executes. Errors name the array or construct and its place.
Status check_machine(const ir::Program& program, const MachineSpec& machine);

/// Bytes of arrays that a run takes of `limits.memory` before main begins; the greatest number if
/// they cannot be counted.
std::int64_t bytes_of_arrays(const ir::Program& program, const RunOptions& options);

/// Runs main on the reference engine, then verify. Deterministic in program, machine, inputs, seed.
RunResult simulate(const ir::Program& program, const MachineSpec& machine,
                   const RunOptions& options, const Sources& sources, Observer& observer);

/// The same result from the fast engine, which executes many warps at a time and keeps timing apart
/// from data: equal in every array, count, time, error and limit. Nothing where it leaves the run
/// to `simulate`: with races allowed; where a race cannot be excluded, or an error or a limit ends
/// the run. Observers are `simulate`'s, too. `tile_lanes`: threads of a block that are executed
/// together, which changes nothing but how long it takes; 0: as fits the processor's caches. `use`:
/// set in either case.
std::optional<RunResult> try_fast(const ir::Program& program, const MachineSpec& machine,
                                  const RunOptions& options, const Sources& sources,
                                  int tile_lanes = 0, EngineUse* use = nullptr);

/// Time and counts of a run without its data, for a program as ir::without_data leaves it: no array
/// has contents, and rounds of a loop that are known to repeat the one before are not executed, so
/// that the cost of a regular loop does not depend on how often it runs. Equal in time and counts
/// to the run of the whole program, if that ends without an error, and in steps except those that
/// data decides about; nothing is verified, and races and words that were never written are not
/// looked for. `limits.steps` bounds the instructions that are executed. Where the fast engine
/// gives up, the reference engine runs the program, with arrays.
RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes = 0);

/// `try_fast`, else `simulate`.
RunResult simulate_fast(const ir::Program& program, const MachineSpec& machine,
                        const RunOptions& options, const Sources& sources);

} // namespace memlane
