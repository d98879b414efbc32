// Whether a run had enough warps with requests to hide the latency of its memory, after the
// conditions and limitations of [NI], sections III to VI. The paper counts threads; here it is
// counted which warps make requests, from barrier to barrier (engine/account.hpp).
#pragma once

#include "memlane/count/fields.hpp"
#include "memlane/machine/spec.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace memlane {

/// Another value of a machine's key, and the time units that remain exposed with it, at most.
struct HidingAdvice {
  std::int64_t value = 0;
  std::int64_t exposed = 0;
};

/// One memory unit. Its pipeline holds w words in each of `latency` stages, so that it is full only
/// if so many threads have a request in it ([NI] section IV: wL <= dp, wl <= p).
struct UnitHiding {
  std::int64_t multiprocessor = 0; ///< of a shared unit: the one with the greatest bound
  std::int64_t needed = 0;         ///< threads: w x latency x ports
  std::int64_t room = 0;           ///< threads: p x resident_blocks, for the global unit x d
  std::int64_t resident = 0;       ///< threads of the most warps that were resident at once
  std::int64_t active = 0;         ///< threads of the warps that had requests, on average
  /// Bounds from below of the run's time. Bandwidth: stages / ports, rounded up (the paper's n/w).
  /// Latency: the time of the longest chain of requests (the paper's nL/dp, if all threads make
  /// equally many).
  std::int64_t bandwidth = 0;
  std::int64_t latency = 0;
  /// Time units by which the longest chains exceed what their stages take: 0 where latency is
  /// hidden throughout.
  std::int64_t exposed = 0;
  /// The smallest of 2, 4, 8, … times the machine's value that hides all that more threads, or
  /// more resident blocks, can hide, to within a twentieth. None where that is less than a
  /// twentieth of the run's time.
  std::optional<HidingAdvice> threads, resident_blocks;

  bool used() const { return bandwidth > 0; }
  bool hidden() const { return exposed == 0; }
};

enum class Limitation { global_bandwidth, global_latency, shared_bandwidth, shared_latency };
/// `global_bandwidth`, …
std::string_view name_of(Limitation limitation);

/// Warps of a multiprocessor.
struct Occupancy {
  std::int64_t resident = 0; ///< at once, at most
  std::int64_t room = 0;     ///< that it could hold: resident_blocks x p / w
};

/// A run's account of latency. A DMM has the shared unit alone, a UMM the global one.
struct LatencyHiding {
  std::optional<UnitHiding> global, shared;
  std::optional<Limitation> largest; ///< the greatest bound, the first of equals; none: all are 0
  std::int64_t largest_bound = 0;
  std::vector<Occupancy> occupancy; ///< by multiprocessor
};

/// The account from the counts of a whole run that came to its end.
LatencyHiding latency_hiding(const MachineSpec& machine, const Counts& counts);

/// The integers of a unit's account.
const std::vector<Field<UnitHiding>>& hiding_fields();

} // namespace memlane
