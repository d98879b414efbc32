// The counts of a run, derived from the tallies of its launches. Integers only: room `report`
// computes ratios.
#pragma once

#include "memlane/count/pram.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// One memory unit over a launch or a run: its requests, and where its time went.
struct UnitCounts : UnitAccount {
  bool timed = true; ///< false on an AGPU: then nothing is known of its time
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t reads = 0;             ///< requests that read
  std::int64_t writes = 0;            ///< requests that write
  std::int64_t concurrent_writes = 0; ///< words that two or more lanes of one request wrote
  std::map<std::int64_t, std::int64_t> congestion; ///< stages s -> requests that took s

  std::int64_t conflicts() const { return stages - requests; }
  UnitCounts& operator+=(const UnitCounts& other);
};

/// The sum of several units; `resident_warps` is their maximum.
UnitCounts sum_of(const std::vector<UnitCounts>& units);

/// M / m: how many blocks a shared memory has room for, exactly.
struct Multiplicity {
  std::int64_t capacity = 1; ///< M, words
  std::int64_t used = 1;     ///< m, words of a block, at least 1

  std::string text() const; ///< in lowest terms: `48`, `585/2`
};

/// What [K] counts of a run, of a kernel's launches or of one launch (configs/README.md section 6).
struct AgpuCounts {
  /// None where a block had other than w threads, and for a trace, which has no statements.
  std::optional<std::int64_t> time = 0;
  std::optional<std::int64_t> io =
      0;                         ///< blocks of b words; none as for `time`, but of a trace known
  std::int64_t shared_words = 0; ///< m: the most of any block
  std::optional<std::int64_t> global_words; ///< of all memory arrays; none: a trace
  /// None if no block has shared words, or the shared memory is unbounded.
  std::optional<Multiplicity> multiplicity;

  /// The greatest number of shared words has the least multiplicity.
  AgpuCounts& operator+=(const AgpuCounts& other);
};

/// What a source line's reads or writes of one array cost.
struct AccessCounts {
  SourceLine line{0, 0};
  std::string array;
  UnitId unit = UnitId::global;
  bool write = false;
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t worst = 0; ///< most stages of one request

  std::int64_t conflicts() const { return stages - requests; }
};

/// What one source line cost.
struct LineCounts {
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t worst = 0; ///< most stages of one request
  // After [K]; none as in AgpuCounts:
  std::optional<std::int64_t> agpu_time = 0; ///< on the slowest multiprocessor of each launch
  std::optional<std::int64_t> io = 0;
  std::int64_t operators = 0;

  LineCounts& operator+=(const LineCounts& other);
};

struct FnCounts {
  std::int64_t calls = 0; ///< summed over threads
  std::int64_t steps = 0; ///< executed by warps, on the slowest multiprocessor
};

/// Counts of a run, or of all launches of one kernel.
struct Counts {
  Cycles time{0};         ///< on an AGPU: agpu.time
  bool time_known = true; ///< false: of a trace on an AGPU
  std::int64_t launches = 0;
  std::int64_t barriers = 0; ///< released, summed over blocks
  std::int64_t instructions =
      0; ///< counted operators executed by warps (configs/README.md section 6)
  std::int64_t shared_words = 0;  ///< most shared memory of any block
  std::vector<UnitCounts> shared; ///< one a multiprocessor; empty where the machine has none
  std::vector<UnitCounts> global; ///< one, or empty
  AgpuCounts agpu;
  std::optional<PramCounts> pram; ///< if RunOptions::pram asks for it
  std::optional<BspCounts> bsp;   ///< if RunOptions::bsp_multiprocessors does
  std::map<SourceLine, LineCounts> lines;

  Counts& operator+=(const Counts& other);
};

/// One launch of a run.
struct LaunchCounts {
  std::string kernel;
  std::int64_t blocks = 0;
  std::int64_t threads = 0; ///< of a block
  Cycles time{0};           ///< as in Counts
  AgpuCounts agpu;
  std::optional<PramCounts> pram; ///< as in Counts
  std::optional<BspCounts> bsp;
};

/// A result lists as many launches as this, the first ones.
inline constexpr std::size_t most_listed_launches = 1000;

/// A run and its counts.
struct RunResult : RunOutcome {
  Counts counts;
  std::vector<LaunchCounts> launches;    ///< the first most_listed_launches
  std::map<std::string, Counts> kernels; ///< by kernel name
  std::map<std::string, FnCounts> fns;
  /// Of every line with requests, by line, array, and reads before writes. Of a trace empty.
  std::vector<AccessCounts> accesses;
};

} // namespace memlane
