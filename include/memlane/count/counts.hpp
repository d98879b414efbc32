// The counts of a run, derived from the tallies of its launches. Integers only: room `report`
// computes ratios.
#pragma once

#include "memlane/engine/outcome.hpp"
#include "memlane/engine/tally.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// One memory unit over a launch or a run: its requests, and where its time went.
struct UnitCounts : UnitAccount {
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

/// What one source line cost.
struct LineCounts {
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t worst = 0; ///< most stages of one request
};

struct FnCounts {
  std::int64_t calls = 0; ///< summed over threads
  std::int64_t steps = 0; ///< executed by warps, on the slowest multiprocessor
};

/// Counts of a run, or of all launches of one kernel.
struct Counts {
  Cycles time{0};
  std::int64_t launches = 0;
  std::int64_t barriers = 0; ///< released, summed over blocks
  std::int64_t instructions =
      0; ///< counted operators executed by warps (configs/README.md section 6)
  std::int64_t shared_words = 0;  ///< most shared memory of any block
  std::vector<UnitCounts> shared; ///< one a multiprocessor; empty where the machine has none
  std::vector<UnitCounts> global; ///< one, or empty
  std::map<std::pair<std::int32_t, std::int32_t>, LineCounts> lines; ///< by (file, line)

  Counts& operator+=(const Counts& other);
};

/// A run and its counts.
struct RunResult : RunOutcome {
  Counts counts;
  std::map<std::string, Counts> kernels; ///< by kernel name
  std::map<std::string, FnCounts> fns;
};

} // namespace memlane
