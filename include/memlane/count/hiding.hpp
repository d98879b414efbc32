// Whether a run had threads enough to hide the latency of its memory: the conditions and the four
// limitations of [NI], sections III to VI. They are the paper's bounds, worked out from the counts
// of the run; what really happened is in the counts' busy and idle times.
#pragma once

#include "memlane/count/fields.hpp"
#include "memlane/machine/spec.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace memlane {

/// One memory unit. Its pipeline holds w words in each of `latency` stages, so that it is full only
/// if so many threads have a request in it ([NI] section IV: wL <= dp, wl <= p).
///
/// **Resident threads** are w for each warp that was resident at once, at most, over the launches;
/// with one block of p threads on each multiprocessor these are the paper's dp and p.
struct UnitHiding {
  std::int64_t multiprocessor = 0; ///< of a shared unit: the one with the greatest bound
  std::int64_t needed = 0;         ///< threads: w x latency x ports
  std::int64_t room = 0;           ///< threads: p x resident_blocks, for the global unit x d
  std::int64_t resident = 0;       ///< threads
  /// Bounds from below of the run's time. Bandwidth: stages / ports, rounded up (the paper's n/w).
  /// Latency: over the launches, requests x latency / resident warps (the paper's nL/dp).
  std::int64_t bandwidth = 0;
  std::int64_t latency = 0;
  /// Where `needed` is more than `room`: the smallest value that makes room enough when it alone is
  /// changed. None where there is no such value: d does nothing for a shared unit, and only an HMM
  /// has it; more blocks must fit the shared memory.
  std::optional<std::int64_t> enough_threads; ///< a multiple of w
  std::optional<std::int64_t> enough_multiprocessors;
  std::optional<std::int64_t> enough_resident_blocks;

  bool used() const { return bandwidth > 0; }
  bool machine_hides() const { return needed <= room; }
  bool hidden() const { return needed <= resident; }
};

enum class Limitation { global_bandwidth, global_latency, shared_bandwidth, shared_latency };
/// `global_bandwidth`, …
std::string_view name_of(Limitation limitation);

/// Warps of a multiprocessor.
struct Occupancy {
  std::int64_t resident = 0; ///< at once, at most
  std::int64_t room = 0;     ///< that it could hold: resident_blocks x p / w
};

/// The verdict of a run. A DMM has the shared unit alone, a UMM the global one.
struct LatencyHiding {
  std::optional<UnitHiding> global, shared;
  std::optional<Limitation> largest; ///< the greatest bound, the first of equals; none: all are 0
  std::int64_t largest_bound = 0;
  std::vector<Occupancy> occupancy; ///< by multiprocessor
  /// Blocks whose shared arrays fit a multiprocessor's shared memory at once; none: any number.
  std::optional<std::int64_t> blocks_that_fit;
};

/// The verdict from the counts of a whole run that came to its end.
LatencyHiding latency_hiding(const MachineSpec& machine, const Counts& counts);

/// The integers of a unit's verdict.
const std::vector<Field<UnitHiding>>& hiding_fields();

} // namespace memlane
