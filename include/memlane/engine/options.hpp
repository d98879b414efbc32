// What a run may be asked for.
#pragma once

#include "memlane/ir/value.hpp"
#include "memlane/support/limits.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace memlane {

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
  /// Memory arrays have places but no contents: for `run_timing`.
  bool timing_only = false;
  bool address_groups = false; ///< count those of requests to a discrete unit, too (RequestTally)
  Limits limits;               ///< with several threads `check` is called by all of them
  SideBySide side_by_side;
  /// Arrays read from files: replace the initial values; row-major, one value an element.
  std::map<std::string, std::vector<ir::Value>> inputs;
  /// Arrays whose final contents are wanted.
  std::vector<std::string> outputs;
  PrintLine print; ///< without it, nothing is shown
  /// Seconds since any moment, for EngineUse::seconds; without it they are not counted.
  std::function<double()> clock;
};

} // namespace memlane
