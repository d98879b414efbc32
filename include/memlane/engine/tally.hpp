// The tally of a launch: how often each instruction was executed, how many stages its requests
// took, and where the time of each memory unit went. Room `count` derives all counts of all models
// from tallies and static facts of the code.
#pragma once

#include "memlane/engine/kernel_info.hpp"
#include "memlane/support/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

// Where the time of a memory unit goes (configs/README.md section 5), and what latency costs it.

/// The account also bounds the exposed latency with 2, 4, … 2^latency_doublings times the threads
/// or resident blocks.
inline constexpr std::size_t latency_doublings = 12;

/// What a warp waits for (configs/README.md section 10, "What warps wait for").
enum class WaitCause : std::uint8_t {
  port,        ///< its request or operation has not entered its unit
  requests,    ///< as many of its requests as it may have are on their way
  value,       ///< a read is on its way whose value it needs
  fence,       ///< it waits for all its requests
  reuse,       ///< one of the last three, for a read that needed no address group
  operation,   ///< a unit executes its operation
  computation, ///< instruction_cost passes
  barrier,     ///< barrier_cost passes
};
inline constexpr std::size_t wait_causes = 8;
/// `port`, `requests`, …
std::string_view name_of(WaitCause cause);

/// Idle time of a unit that is charged to waits for values of one read by one instruction.
struct ValueWait {
  std::int32_t instruction = -1; ///< which waits: index into KernelInfo::instructions; -1: a
                                 ///< barrier, or the end of the warp
  std::int32_t site = -1;        ///< of the read; -1: unknown
  std::int64_t time = 0;

  bool operator==(const ValueWait&) const = default;
};

/// One memory unit over a launch or a run: time = busy + the four idle kinds.
struct UnitAccount {
  std::int64_t busy = 0; ///< time units in which at least one stage entered
  std::int64_t idle_latency = 0;
  std::int64_t idle_barrier = 0;
  std::int64_t idle_drain = 0;
  std::int64_t idle_empty = 0;
  std::int64_t resident_warps = 0; ///< the most that it served at the same time
  /// A lower bound of the run's time: the most time units for which an address group served atomics
  /// without a pause (configs/README.md section 11). Those of launches add up.
  std::int64_t service_bound = 0;
  /// Another one ([NI] section IV, the latency limitation): a warp waits for
  /// each of its requests, so the longest chain of requests takes at least this long. A request of
  /// s stages takes latency - 1 + ceil(s / ports). A block's bound is the sum over its intervals
  /// between barriers; bounds of blocks that follow each other on a multiprocessor add up, and so
  /// do those of launches.
  std::int64_t latency_bound = 0;
  /// The time units by which the longest chains exceed the time of the stages (stages / ports).
  /// They are compared between two barriers if the unit serves one block at a time, else over a
  /// whole launch, and summed.
  std::int64_t exposed = 0;
  /// An upper bound of `exposed` in a run with 2^(k + 1) times the threads or resident blocks.
  /// Equal to `exposed` if they would change nothing, or if this run's requests do not tell. Larger
  /// blocks may leave room for fewer of them, which may hide less.
  std::array<std::int64_t, latency_doublings> exposed_with_threads{}, exposed_with_blocks{};
  /// Beyond the papers' machines: the idle time by what warps waited for. The rest of it comes
  /// before the first warps start, or after the last wait has ended.
  std::array<std::int64_t, wait_causes> waits{};
  std::vector<ValueWait> value_waits; ///< the parts of waits[value], sorted

  std::int64_t idle() const { return idle_latency + idle_barrier + idle_drain + idle_empty; }
  /// Charges time to a wait; the time may be negative.
  void charge(WaitCause cause, const ValueWait& wait);
  /// Adds another launch on the same unit. `resident_warps` becomes the larger of the two.
  UnitAccount& operator+=(const UnitAccount& other);
  bool operator==(const UnitAccount&) const = default;
};

/// Executions of an instruction by warps with an active thread, and by active threads.
struct Executions {
  std::int64_t warps = 0;
  std::int64_t threads = 0;

  bool operator==(const Executions&) const = default;
};

/// The number of requests that took `stages` stages (configs/README.md section 2).
struct EqualRequests {
  std::int64_t stages = 0;
  std::int64_t requests = 0;

  bool operator==(const EqualRequests&) const = default;
};

/// A unit of operations (MachineSpec::operations) of one multiprocessor over a launch or a run.
struct OperationAccount {
  std::string unit; ///< its name
  std::int64_t multiprocessor = 0;
  std::int64_t operations = 0;
  std::int64_t stages = 0; ///< of these
  std::int64_t busy = 0; ///< time units in which at least one stage enters it; it idles in the rest
  std::int64_t idle = 0;

  /// Adds another launch; this may be no account yet.
  OperationAccount& operator+=(const OperationAccount& other);
  bool operator==(const OperationAccount&) const = default;
};

/// Requests at the port that a multiprocessor has to global memory (configs/README.md section 10).
struct PortTally {
  std::int64_t stages = 0; ///< of that port
  std::int64_t needed = 0; ///< stages that their words, or the least number, need in any case
  std::int64_t lines = 0;  ///< touched
  std::int64_t reused = 0; ///< address groups that reads need not ask for again
  /// Of these, the groups beyond those that the words of their request need (needed_stages). A
  /// request reuses the groups beyond first.
  std::int64_t reused_extra = 0;
  /// Time units from dispatch to completion, added over the requests. Also of atomics on a unified
  /// unit that multiprocessors have no ports to.
  std::int64_t flown = 0;

  PortTally& operator+=(const PortTally& other);
  bool operator==(const PortTally&) const = default;
};

/// The requests of one memory instruction.
struct RequestTally {
  std::vector<EqualRequests> by_stages; ///< fewest stages first
  std::int64_t concurrent_writes = 0;   ///< words that two or more lanes of one request wrote
  /// Address groups of w words accessed by its requests to the unit of memory arrays. Counted where
  /// they are needed and differ from the stages: counts_groups (src/engine/machine_rules.hpp).
  std::int64_t groups = 0;
  /// Stages beyond the first of each request that its words need wherever they lie
  /// (needed_stages): they are not lost.
  std::int64_t further_needed = 0;
  /// Stages that shared.least_stages and shared.atomic_cost add to those of the papers' machine.
  std::int64_t added = 0;
  PortTally port; ///< where multiprocessors have ports of their own to the unit, else zeros

  void add(std::int64_t stages, std::int64_t requests);
  std::int64_t requests() const;
  std::int64_t stages() const;
  RequestTally& operator+=(const RequestTally& other);
  bool operator==(const RequestTally&) const = default;
};

/// What warps executed. Its vectors may be empty: then no warp did.
struct Tally {
  std::vector<Executions> executed; ///< indexed by instruction
  /// By memory instruction, in the order of the code (KernelInfo::sites). A deferred store's
  /// requests are counted at its `defer`, although the `drain` makes them.
  std::vector<RequestTally> requests;
  /// By statement: executions by warps that performed neither a counted operator nor an access to a
  /// memory array. Only of statements that perform `sometimes` (ir::Performs).
  std::vector<std::int64_t> silent;

  /// The request tally of memory instruction number `site`; created if missing.
  RequestTally& of_site(std::size_t site);
  Tally& operator+=(const Tally& other);
  bool operator==(const Tally&) const = default;
};

/// One launch. Multiprocessors that executed nothing have an empty tally.
struct LaunchTally {
  const KernelInfo* kernel = nullptr; ///< valid during the run; null: a trace
  /// Orders the launches of a run: those of one stage are independent of each other, and begin when
  /// all launches of smaller stages have ended (configs/README.md section 3). Of a sum: the
  /// first's.
  std::int64_t stage = 0;
  Cycles time{0};                ///< its launch_cost included
  std::int64_t threads = 0;      ///< threads of a block
  std::int64_t barriers = 0;     ///< released, summed over blocks
  std::int64_t shared_words = 0; ///< words of a block
  /// By g mod d of block number g, as the static schedule assigns blocks (configs/README.md
  /// section 4).
  std::vector<Tally> multiprocessors;
  /// With the dynamic schedule: the requests by the multiprocessor that ran the block; else empty.
  std::vector<std::vector<RequestTally>> dynamic;
  std::vector<UnitAccount> shared; ///< one a multiprocessor; empty where the machine has none
  std::vector<UnitAccount> ports;  ///< the multiprocessors' own ones to global memory, likewise
  std::vector<UnitAccount> global; ///< one, or empty
  /// Of each unit of operations, one a multiprocessor.
  std::vector<OperationAccount> operations;

  /// Adds another launch of the same kernel.
  LaunchTally& operator+=(const LaunchTally& other);
};

/// Sums, element by element; the longer one gives the length.
void add_requests(std::vector<RequestTally>& sums, const std::vector<RequestTally>& others);

} // namespace memlane
