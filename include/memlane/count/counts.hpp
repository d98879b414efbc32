// The counts of a run, derived from the tallies of its launches. Integers only: room `show`
// computes ratios.
#pragma once

#include "memlane/engine/outcome.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace memlane {

// The version of what a run means.

/// Changes only when the same program on the same machine would give another number.
constexpr int semantics = 6;

// What a run costs on other models of parallel machines, as far as warps report it: the steps, work
// and class of a PRAM, the operators and words of BSP (configs/README.md section 9).

/// Which PRAM a run needs. A later one can do all that an earlier one can.
enum class PramClass : std::uint8_t {
  erew, ///< exclusive read, exclusive write: no two threads access one word in one round
  crew, ///< concurrent read, exclusive write
  crcw, ///< concurrent read, concurrent write
};
/// `EREW`, `CREW` or `CRCW`.
std::string_view name_of(PramClass needs);

/// Where a run needs its class: the smallest line of the earliest round that does.
struct PramPlace {
  std::int64_t launch = 0;
  std::int64_t round = 0; ///< counted from 0 in the launch
  SourceLine line{0, 0};

  bool operator==(const PramPlace&) const = default;
  bool operator<(const PramPlace& other) const { // libc++ 13 has no <=> of pairs
    return std::tie(launch, round, line) < std::tie(other.launch, other.round, other.line);
  }
};

/// A run, the launches of a kernel, or one launch on a PRAM.
struct PramCounts {
  std::int64_t steps = 0; ///< rounds: in each, every warp that can makes one request
  std::int64_t work = 0;  ///< active threads, summed over the rounds
  PramClass needs = PramClass::erew;
  PramPlace place;  ///< unless it needs EREW only
  std::string file; ///< the file of the place's line, as the program names it

  /// Adds launches that come before or after these, or between them.
  PramCounts& operator+=(const PramCounts& other);
  bool operator==(const PramCounts&) const = default;
};

/// A run, the launches of a kernel, or one launch on `multiprocessors` of BSP: block g is on
/// multiprocessor g mod `multiprocessors`, and a launch is a superstep.
struct BspCounts {
  std::int64_t multiprocessors = 1;
  /// Counted operators, once for each warp that executes one: of each launch's multiprocessor with
  /// the most, summed over the launches.
  std::int64_t operators = 0;
  /// Words of memory arrays, reads and writes by threads: likewise.
  std::int64_t words = 0;

  BspCounts& operator+=(const BspCounts& other);
  bool operator==(const BspCounts&) const = default;
};

// The counts of a run, of its kernels and of its launches.

/// One memory unit over a launch or a run: its requests, and where its time went.
struct UnitCounts : UnitAccount {
  bool timed = true; ///< false on an AGPU: then nothing is known of its time
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t reads = 0;             ///< requests that read
  std::int64_t writes = 0;            ///< requests that write
  std::int64_t concurrent_writes = 0; ///< words that two or more lanes of one request wrote
  std::map<std::int64_t, std::int64_t> congestion; ///< stages s -> requests that took s
  std::int64_t further_needed = 0;                 ///< as in RequestTally
  std::int64_t flown = 0;                          ///< as in PortTally
  /// Whether idle time is told by what warps waited for (UnitAccount::waits).
  bool tells_waits = false;
  /// Idle time while warps waited for values, by the line that waits and the read's line. (The
  /// account's own `value_waits` are empty here.)
  std::map<std::pair<SourceLine, SourceLine>, std::int64_t> waits_of_lines;

  /// Idle time that is charged to no wait.
  std::int64_t idle_without_wait() const;
  /// Stages lost to conflicts.
  std::int64_t conflicts() const { return stages - requests - further_needed; }
  UnitCounts& operator+=(const UnitCounts& other);
};

/// The port that a multiprocessor has of its own to global memory, over a launch or a run
/// (configs/README.md section 10). Its stages are lines, at least those of `global.least_stages`.
struct PortCounts : UnitCounts {
  std::int64_t lines = 0;               ///< touched by its requests
  std::int64_t groups = 0;              ///< address groups touched
  std::int64_t groups_reused = 0;       ///< those of them that reads need not ask for again
  std::int64_t groups_reused_extra = 0; ///< of these, as in PortTally

  PortCounts& operator+=(const PortCounts& other);
};

/// The sum of several units; `resident_warps` is their maximum.
UnitCounts sum_of(const std::vector<UnitCounts>& units);

/// M / m: how many blocks a shared memory has room for, exactly.
struct Multiplicity {
  std::int64_t capacity = 1; ///< M, words
  std::int64_t used = 1;     ///< m, words of a block, at least 1

  std::string text() const; ///< the quotient in lowest terms: `48`, `585/2`
};

/// What [K] counts of a run, of a kernel's launches or of one launch (configs/README.md section 6).
struct AgpuCounts {
  /// None where a block had other than w threads, and for a trace, which has no statements.
  std::optional<std::int64_t> time = 0;
  std::optional<std::int64_t> io =
      0;                         ///< blocks of b words; none as for `time`, but of a trace known
  std::int64_t shared_words = 0; ///< m: the most of any block
  std::optional<std::int64_t> global_words; ///< words of all memory arrays; none: traces, CUDA
  /// None if no block has shared words, or the shared memory is unbounded.
  std::optional<Multiplicity> multiplicity;

  /// The greatest number of shared words has the least multiplicity.
  AgpuCounts& operator+=(const AgpuCounts& other);
};

/// An upper bound of an MMM's time: whole + rest/of, exactly.
struct MmmBound {
  std::int64_t whole = 0;
  std::int64_t rest = 0; ///< less than `of`
  std::int64_t of = 1;   ///< at least 1; it has no common divisor with `rest`

  std::string text() const; ///< `60`, `292 1/2`
  double value() const;     ///< the nearest double
  bool operator==(const MmmBound&) const = default;
};

/// What [HMX] counts of a run, of a kernel's launches or of one launch (configs/README.md section
/// 8). A count that does not fit 64 bits is INT64_MAX; then the run ends with an error.
struct MmmCounts {
  std::optional<std::int64_t> processors; ///< P of the machine; none: unbounded
  std::int64_t work = 0;                  ///< W: counted operators of all threads
  /// S: of the heaviest path of launches; of a kernel or a launch, of the block with the most.
  std::int64_t span = 0;
  std::int64_t overhead = 0;        ///< O: of all blocks, (r + s)·U each
  std::int64_t local_accesses = 0;  ///< accesses of all threads to shared arrays
  std::int64_t blocks = 0;          ///< N
  std::int64_t path = 0;            ///< Λ: launches that must follow each other
  std::int64_t antichain = 0;       ///< K: the most blocks that are independent
  std::int64_t block_cost = 0;      ///< C: the most S + O of a block
  std::int64_t time = 0;            ///< T_P: the makespan of the greedy schedule
  std::int64_t sequential_time = 0; ///< T_1: S + O of all blocks
  std::int64_t unbounded_time = 0;  ///< the heaviest path by S + O
  // The left sides of inequalities (1) and (2), summed over the blocks:
  std::int64_t transfer_time = 0; ///< `overhead` or less: the thread that moves most words
  std::int64_t thread_time = 0;   ///< `sequential_time` or less: the thread that takes longest

  /// Theorem 1: (N/P + Λ)·C.
  MmmBound theorem1() const;
  /// (N/K + Λ)·C; none for fewer than K multiprocessors, where it is no bound.
  std::optional<MmmBound> corollary1() const;
  bool operator==(const MmmCounts&) const = default;
};

/// What models of parallel machines count, beside the time of the machine: of a run, of a kernel's
/// launches, or of one launch.
struct ModelCounts {
  AgpuCounts agpu;
  std::optional<PramCounts> pram; ///< if RunOptions::pram asks for it
  std::optional<BspCounts> bsp;   ///< if RunOptions::bsp_multiprocessors does
  std::optional<MmmCounts> mmm;   ///< MMMs only; not part of sums

  ModelCounts& operator+=(const ModelCounts& other);
};

/// What a source line's reads or writes of one array cost.
struct AccessCounts {
  SourceLine line{0, 0};
  std::string array;
  UnitId unit = UnitId::global;
  AccessKind kind = AccessKind::read;
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t worst = 0;          ///< most stages of one request
  std::int64_t further_needed = 0; ///< as in RequestTally
  std::int64_t flown = 0;          ///< as in PortTally
  std::int64_t reused = 0;         ///< likewise: stages that never entered the unit
  std::int64_t port_stages = 0;    ///< at own ports

  /// Stages lost to conflicts.
  std::int64_t conflicts() const { return stages - requests - further_needed; }
};

/// What one source line costs on an MMM, by all threads.
struct MmmLineCounts {
  std::int64_t work = 0;           ///< counted operators
  std::int64_t reads = 0;          ///< words from global memory
  std::int64_t writes = 0;         ///< words to global memory
  std::int64_t local_accesses = 0; ///< accesses to shared arrays

  MmmLineCounts& operator+=(const MmmLineCounts& other);
  bool operator==(const MmmLineCounts&) const = default;
};

/// What one source line cost.
struct LineCounts {
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t worst = 0;          ///< most stages of one request
  std::int64_t further_needed = 0; ///< as in RequestTally
  // After [K]; none as in AgpuCounts:
  std::optional<std::int64_t> agpu_time = 0; ///< time on the slowest multiprocessor of each launch
  std::optional<std::int64_t> io = 0;
  std::int64_t operators = 0;
  /// Of these, those that a unit of operations may execute, by OperationClass: all but atomics of
  /// programs.
  std::array<std::int64_t, operation_classes> operations{};
  std::optional<MmmLineCounts> mmm = {}; ///< MMMs only, which have no requests

  /// Stages lost to conflicts.
  std::int64_t conflicts() const { return stages - requests - further_needed; }
  LineCounts& operator+=(const LineCounts& other);
};

struct FnCounts {
  std::int64_t calls = 0; ///< summed over threads
  std::int64_t steps = 0; ///< executed by warps, on the slowest multiprocessor
};

/// Counts of a run, or of all launches of one kernel.
struct Counts : ModelCounts {
  Cycles time{0};         ///< agpu.time on an AGPU, mmm.time on an MMM
  bool time_known = true; ///< false: of a trace on an AGPU
  std::int64_t launches = 0;
  std::int64_t barriers = 0; ///< released, summed over blocks
  std::int64_t instructions =
      0; ///< counted operators executed by warps (configs/README.md section 6)
  std::int64_t shared_words = 0;  ///< most shared memory of any block
  std::vector<UnitCounts> shared; ///< one a multiprocessor; empty where the machine has none
  std::vector<UnitCounts> global; ///< one, or empty
  std::vector<PortCounts> ports;  ///< one a multiprocessor, or empty
  std::vector<OperationAccount> operations; ///< as in LaunchTally
  std::map<SourceLine, LineCounts> lines;

  Counts& operator+=(const Counts& other);
};

/// One launch of a run.
struct LaunchCounts : ModelCounts {
  std::string kernel;
  std::int64_t stage = 0;  ///< as in LaunchTally
  bool concurrent = false; ///< it is inside a `concurrent { … }`
  std::int64_t blocks = 0;
  std::int64_t threads = 0; ///< threads of a block
  Cycles time{0};           ///< as in Counts
};

/// A result lists as many launches as this, the first ones.
inline constexpr std::size_t most_listed_launches = 1000;

/// One block of a run on an MMM ([HMX] section 2.3), and its place in the greedy schedule.
struct BlockCounts {
  std::string kernel;
  std::int64_t launch = 0;         ///< counted from 0
  std::int64_t block = 0;          ///< its number in the launch
  std::int64_t work = 0;           ///< W: counted operators of all its threads
  std::int64_t span = 0;           ///< S: most counted operators of a thread
  std::int64_t reads = 0;          ///< r: most words that a thread reads from global memory
  std::int64_t writes = 0;         ///< s: most words that a thread writes to global memory
  std::int64_t overhead = 0;       ///< O = (r + s)·U
  std::int64_t multiprocessor = 0; ///< unbounded: each block of a stage has its own
  std::int64_t start = 0;          ///< time units; it ends at start + S + O
  std::int64_t end = 0;

  bool operator==(const BlockCounts&) const = default;
};

/// A result lists as many blocks as this, the first ones.
inline constexpr std::size_t most_listed_blocks = 1000;

/// A run and its counts.
struct RunResult : RunOutcome {
  Counts counts;
  std::vector<LaunchCounts> launches;    ///< the first most_listed_launches
  std::vector<BlockCounts> blocks;       ///< the first most_listed_blocks on an MMM, else none
  std::map<std::string, Counts> kernels; ///< keyed by kernel name
  std::map<std::string, FnCounts> fns;
  /// Accesses of every line with requests, sorted by line and array, reads before writes. Empty for
  /// a trace.
  std::vector<AccessCounts> accesses;
};

} // namespace memlane
