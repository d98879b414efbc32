// What launches of PTX cost on a machine: their warps' requests are counted and timed as those of
// other programs (configs/README.md sections 2 to 5).
//
// A warp's accesses to global memory are requests to the global unit, those to shared memory to
// the shared unit. A word has 4 bytes; an access of s bytes has max(1, s / 4) words, and is one
// request (sections 10 and 11). An asynchronous copy is a read of global and a write of shared
// memory, an atomic is counted as a write. Local memory, parameters and constants make no requests.
// Barriers of the whole block are barriers; others, fences and operations of a warp order accesses
// and take no time.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/count/hiding.hpp"
#include "memlane/engine/observer.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/ptx/module.hpp"
#include "memlane/support/diagnostic.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::ptx {

class DeviceMemory;
class Image;
struct Code;
struct GridResult;
struct GridShape;

/// The text of a source that PTX was compiled from, by the path that it names; none: not there.
using ReadSource = std::function<std::optional<std::string>(const std::string& path)>;

/// Whether unordered accesses to a word are looked for, and whether one ends the run.
enum class RaceCheck : std::uint8_t { off, count, error };

struct PriceOptions {
  bool reference = false; ///< on the reference machine, time unit by time unit
  /// Also launches whose requests are those of an earlier one; the reference machine does.
  bool times_each = false;
  RaceCheck races = RaceCheck::count;
  /// About so many blocks of a launch are executed, in full waves, and its time is estimated from
  /// theirs (SampledLaunches); 0: all of them. Of the fast engine.
  std::int64_t sample_blocks = 0;
  bool executes_all = false; ///< the other blocks are executed afterwards, and not priced
  Limits limits;
  /// The run is to be explained: kernels and launches are accounted for one by one, and requests
  /// are kept, so that the run can be timed again with a change.
  bool explains = false;
  /// Seconds since any moment, for EngineUse::seconds; may be empty.
  std::function<double()> clock;
};

/// Bytes of global memory that requests moved in pieces of 32 bytes, by source line.
struct SectorCounts {
  std::int64_t requests = 0;
  std::int64_t sectors = 0; ///< pieces that requests touched, request by request
  /// Pieces that as many words would touch side by side.
  std::int64_t needed = 0;

  bool operator==(const SectorCounts&) const = default;
};

/// Launches that were priced in part (PriceOptions::sample_blocks). All other
/// results count these blocks alone.
struct SampledLaunches {
  std::int64_t launches = 0;
  std::int64_t blocks = 0, priced = 0; ///< of these launches
  Cycles further{0};                   ///< estimated: what the other blocks add to the run's time
  std::int64_t waves = INT64_MAX;      ///< the least number of waves that an estimate is made from
};

/// An array that a kernel has in shared memory.
struct SharedArray {
  std::string kernel, name; ///< as PTX has them
  std::int64_t begin = 0, words = 0;
  std::int64_t lost = 0;    ///< stages of its requests that conflicts add
  std::int64_t aligned = 1; ///< words at whose multiples its lanes begin, since they access so many
};

/// Spare words behind every row of an array, as `[32][33]` has them.
struct PaddedArray : SharedArray {
  std::int64_t row = 1, spare = 0; ///< words
};

/// A change of a run whose requests are kept.
struct Variation {
  const MachineSpec* machine = nullptr; ///< another one of the same width; null: the run's own
  std::optional<PaddedArray> padded;
  /// Requests of this line take the stages that their words need, wherever they lie.
  std::optional<SourceLine> conflict_free;
};

/// What a changed run takes.
struct VariedRun {
  bool fits = true; ///< the machine can run the launches
  Stop stop = Stop::none;
  std::int64_t time = 0;
  std::int64_t requests = 0, lost = 0;
  std::int64_t global_latency = 0;          ///< UnitAccount::idle_latency
  std::vector<std::int64_t> shared_latency; ///< by multiprocessor
};

/// All launches of a kernel.
struct KernelRun {
  std::string kernel;
  Counts counts;
  std::vector<AccessCounts> accesses; ///< as in RunResult
};

/// A launch that has ended, and the unit with the largest bound of its time.
struct TimedLaunch {
  std::int64_t number = 0; ///< of the program's launches
  std::string kernel;
  std::int64_t blocks = 0, threads = 0; ///< threads of a block
  Cycles time{0};
  std::optional<ExplainedUnit> unit; ///< none: it made no requests
};

/// What a request accesses.
struct LaneWords {
  std::vector<std::int64_t> first; ///< by lane: the first word; -1: not active
  std::int64_t of_lane = 1;        ///< words side by side
};

/// Executes and prices the launches of a run, one after the other.
class Pricing {
public:
  /// Refers to machine and observer. `read`: the sources that PTX was compiled from; may be empty.
  /// `observer`: is told of launches; if it observes times, the reference machine runs them. May be
  /// null.
  Pricing(const MachineSpec& machine, PriceOptions options, ReadSource read,
          Observer* observer = nullptr);
  ~Pricing();

  /// Errors: the machine has no time units (AGPU, MMM), or its width is not 32.
  static Status check(const MachineSpec& machine);

  /// Whether the machine can run a launch. The arguments are launch()'s.
  Status fits(const Module& module, const Sources& texts, const Code& kernel,
              const GridShape& shape);
  /// Executes and prices a launch; what it did is in `result`. `texts`: has the module's PTX. The
  /// module and the image are those of all launches of its kernels. False: the run is over (stop,
  /// errors and faults), and no further launch may follow. Errors: the launch does not fit the
  /// machine; nothing was executed.
  Result<bool> launch(const Module& module, const Sources& texts, const Image& image,
                      const Code& kernel, const GridShape& shape,
                      const std::vector<std::uint8_t>& params, const DeviceMemory& device,
                      GridResult& result);

  /// Of all launches so far.
  Cycles time() const;
  /// Why the run is over; none: it goes on.
  Stop stop() const;
  /// With PriceOptions::sample_blocks.
  const SampledLaunches& sampled() const;
  bool executes_all() const; ///< PriceOptions has it
  /// Everything so far. Its places are in sources().
  RunResult result() const;
  /// Launches that were executed, but not timed: an earlier one of the kernel, with blocks of the
  /// same number and size, had made the same requests with the same stages. Every other result is
  /// what it would be if they had been.
  std::int64_t equal_launches() const;
  /// Which accesses were looked at for races: all, part (a launch accessed more memory than the
  /// search keeps) or none.
  std::string_view race_search() const;
  bool stops_at_races() const;
  /// The sources that were read, and the PTX of what has no other.
  const Sources& sources() const;
  /// By line of the sources; of lines that access global memory.
  const std::map<SourceLine, SectorCounts>& sectors() const;

  // With PriceOptions::explains:

  std::vector<KernelRun> kernels() const;
  /// The address of word 0 of global memory in the latest launch.
  std::uint64_t origin() const;
  /// The first most_listed_launches.
  const std::vector<TimedLaunch>& launches() const;
  /// Whether all requests are kept; false: there were too many, and none is.
  bool keeps_requests() const;
  /// The arrays in shared memory of all kernels, by kept requests. Linear in these.
  std::vector<SharedArray> shared_arrays() const;
  /// A request that takes the most stages of those of a line to a memory. None: there is none.
  /// Linear in the kept requests.
  std::optional<LaneWords> costliest_request(SourceLine line, UnitId unit, AccessKind kind) const;
  /// The time of all launches with a change. Nothing is executed. Requires keeps_requests.
  VariedRun time_again(const Variation& variation, const Limits& limits) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace memlane::ptx
