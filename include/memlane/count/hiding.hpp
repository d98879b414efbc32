// Why a run took its time: latency that too few warps hide, and every time unit by its cause.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/count/fields.hpp"
#include "memlane/machine/spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

// Whether a run had enough warps with requests to hide the latency of its memory: the conditions
// and limitations of [NI], sections III to VI. The paper counts threads; the engines count the
// warps that make requests between two barriers (engine/tally.hpp).

/// The run's time without the cost of its launches, which no change spares: what is worth words is
/// a share of this.
std::int64_t time_beside_launches(const MachineSpec& machine, const Counts& counts);

/// Another value for a key of the machine, and an upper bound of the latency still exposed with it.
struct HidingAdvice {
  std::int64_t value = 0;
  std::int64_t exposed = 0;
};

/// One memory unit. Its pipeline holds w words in each of `latency` stages, so it is full only if
/// w x latency threads have a request in it ([NI] section IV: wL <= dp, wl <= p). Beyond the
/// papers, ports x latency stages fill it. A request of a whole warp takes s = ceil(w / g) of them
/// or more, where a stage has g words, at least the unit's least_stages; and a warp has k =
/// requests_in_flight requests at a time: ports x latency / (k x s) warps fill it.
struct UnitHiding {
  std::int64_t multiprocessor = 0; ///< where the shared unit with the greatest bound is
  std::int64_t needed = 0;         ///< threads: w x latency x ports / (k x s)
  std::int64_t room = 0;           ///< threads: those of room_for_threads, for the global unit x d
  std::int64_t resident = 0;       ///< threads of the most warps that were resident at once
  std::int64_t active = 0;         ///< threads of the warps that had requests, on average
  /// Lower bounds of the run's time. Bandwidth: ceil(stages / ports), the paper's n/w, without the
  /// address groups that reads of a block use again, which no port sees. Latency: the
  /// time of the longest chain of requests, the paper's nL/dp if all threads make equally many.
  std::int64_t bandwidth = 0;
  std::int64_t latency = 0;
  /// A lower bound, too: UnitAccount::service_bound. 0 without atomics on global memory.
  std::int64_t atomics = 0;
  /// Time units by which the longest chains exceed the time of the stages; 0: all latency is
  /// hidden.
  std::int64_t exposed = 0;
  /// Where the bounds do not tell: the unit's idle_latency, if it is more than `exposed` and 5 % of
  /// time_beside_launches. On machines with the keys of section 10 a chain may take longer than its
  /// bound, for which each read may be a reuse, and on its way with others.
  std::int64_t untold = 0;
  /// The smallest of 2, 4, 8, … times the machine's threads (or resident blocks) that hides at
  /// least 95 % of the latency that any number of them can hide. None if that is less than 5 % of
  /// time_beside_launches.
  std::optional<HidingAdvice> threads, resident_blocks;

  bool used() const { return bandwidth > 0; }
  bool hidden() const { return exposed == 0 && untold == 0; }
};

/// A unit of operations, or the own port to global memory, on the multiprocessor where it has the
/// most stages.
struct BusiestUnit {
  std::string unit; ///< its name; empty: the own port
  std::int64_t multiprocessor = 0;
  std::int64_t bound = 0; ///< a lower bound of the run's time: ceil(stages / ports)
};

enum class Limitation {
  global_bandwidth,
  global_latency,
  shared_bandwidth,
  shared_latency,
  global_atomics,
  operations,
  own_port
};
inline constexpr Limitation last_limitation = Limitation::own_port;
/// `global_bandwidth`, …
std::string_view name_of(Limitation limitation);

/// Warps of a multiprocessor.
struct Occupancy {
  std::int64_t resident = 0; ///< the most at the same time
  std::int64_t room = 0;     ///< the most that it can hold: room_for_threads / w
};

/// A run's account of latency. A DMM has only the shared unit, a UMM only the global one.
struct LatencyHiding {
  std::optional<UnitHiding> global, shared;
  std::optional<BusiestUnit> own_port;   ///< none: no requests, or no own ports
  std::optional<BusiestUnit> operations; ///< of all units; none: none was asked
  std::optional<Limitation> largest;     ///< the one with the greatest bound; none: all are 0
  std::int64_t largest_bound = 0;
  std::vector<Occupancy> occupancy; ///< indexed by multiprocessor
};

/// The least stages of a request in which each lane of a whole warp accesses a word of its own.
std::int64_t stages_of_warp(const MachineSpec& machine, const UnitSpec& spec);

/// Requires the counts of a whole run that has ended.
LatencyHiding latency_hiding(const MachineSpec& machine, const Counts& counts);

/// The integers of a unit's account.
const std::vector<Field<UnitHiding>>& hiding_fields();

// Every time unit of a memory unit by its cause: the account of its time (engine/tally.hpp), with
// busy time split into first and extra stages and the cost of launches apart.

enum class Cause : std::uint8_t {
  first_stages, ///< busy with the first stages of requests
  extra_stages, ///< busy with the stages beyond the first
  latency,
  barrier,
  drain,
  launch, ///< launch_cost
  empty,
};
/// `first_stages`, `extra_stages`, …
std::string_view name_of(Cause cause);
inline constexpr std::size_t cause_count = 7;

/// Time units by cause; they add up to the run's time.
using TimeByCause = std::array<std::int64_t, cause_count>;

/// Address groups among the stages of the global unit that never entered it (section 10), and those
/// of them that are extra stages of their requests.
struct ReusedGroups {
  std::int64_t groups = 0, extra = 0;
};
/// Added over own ports.
ReusedGroups reused_groups(const Counts& counts);

/// The causes of one unit's time. A unit with several ports accepts several stages in a busy time
/// unit: busy time is then split in the proportion of the stages that entered.
TimeByCause causes_of(const UnitCounts& unit, std::int64_t launches, Cycles launch_cost,
                      const ReusedGroups& reused = {});

/// Idle time that is charged to waits of one line for the values of another line's reads.
struct LineWait {
  SourceLine waits{0, 0}; ///< {0, 0}: barriers and the ends of warps
  SourceLine read{0, 0};  ///< {0, 0}: unknown
  std::int64_t time = 0;
};
/// Of a unit, the most time first.
std::vector<LineWait> line_waits(const UnitCounts& unit);

/// The idle time of a unit by what warps waited for (configs/README.md section 10, "What warps wait
/// for").
struct IdleByWait {
  std::array<std::int64_t, wait_causes> waits{};
  std::int64_t none = 0;       ///< charged to no wait
  std::vector<LineWait> lines; ///< of waits for values
};
/// None where idle time is not told by waits.
std::optional<IdleByWait> idle_by_wait(const UnitCounts& unit);

/// A memory unit of a run: which one, and where its time went.
struct ExplainedUnit {
  UnitId unit = UnitId::global;
  /// Where the shared unit with the greatest bound is, or the busiest own port.
  std::int64_t multiprocessor = 0;
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t conflicts = 0; ///< stages that are lost
  TimeByCause time{};
  bool own_port = false; ///< a multiprocessor's own one to global memory
  std::optional<IdleByWait> idle = {};

  /// Whether each request needs one stage, and no more, wherever its words lie.
  bool needs_one_stage() const { return stages - conflicts == requests; }
};

/// The global unit, and the shared unit with the greatest bound; the unit whose bound is the run's
/// largest comes first. Then the busiest own port. Of a stopped run the bounds are those of the
/// ended launches. Units without requests are left out. Empty where time is not counted in units
/// (AGPU).
std::vector<ExplainedUnit> explained_units(const MachineSpec& machine, const Counts& counts);

} // namespace memlane
