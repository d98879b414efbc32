// A time chart of a run: what every warp, multiprocessor and memory unit does in each time unit of
// a window. Plain data; `report` draws it (timeline_report.hpp).
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/ir/arithmetic.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// Times count from the start of the run, in time units; a span [from, to) excludes `to`. What is
/// in progress at the window's ends is listed with its own times, which may lie outside of it.
struct Timeline {
  /// A memory unit. `multiprocessor`: whose shared memory it is; none: it serves all.
  struct Unit {
    UnitId unit = UnitId::global;
    std::optional<std::int64_t> multiprocessor;
    UnitKind kind = UnitKind::unified;
    std::int64_t latency = 1;
    std::int64_t ports = 1;
    std::optional<std::int64_t> group = {}; ///< words of a stage, where they are fewer than w
    std::string operations = {};            ///< the name of a unit of operations; else empty

    /// A multiprocessor's own one to global memory.
    bool is_own_port() const { return unit == UnitId::global && multiprocessor; }
    /// `global`, `shared 3`, `fp64 3`; `port 3` is a multiprocessor's own one to global memory.
    std::string name() const {
      const std::string what = !operations.empty()      ? operations
                               : unit == UnitId::shared ? "shared"
                               : is_own_port()          ? "port"
                                                        : "global";
      return multiprocessor ? what + ' ' + std::to_string(*multiprocessor) : what;
    }
  };

  /// A warp's operation, or an address group of its request behind an own port, enters a unit in
  /// the time units [from, to).
  struct Entry {
    std::int64_t launch = 0, block = 0, warp = 0;
    std::int64_t unit = 0; ///< index into `others`
    std::int64_t port = 0;
    std::int64_t from = 0, to = 0;
  };

  /// A memory array, or the shared array of one block of one launch.
  struct Array {
    std::string name;
    std::int64_t unit = 0; ///< index into `units`
    std::optional<std::int64_t> launch, block;
    std::int64_t first = 0; ///< address of its first word in the unit
    std::int64_t words = 0; ///< the words it occupies, spare ones of its layout included
    std::vector<std::int64_t> extents;
    ir::Scalar type = ir::Scalar::int32;
    std::string layout; ///< its name in programs
    /// Index into `placements`: where elements are; none: element i is word i (or see notes).
    std::optional<std::int64_t> words_of;
    /// By word, when the window begins or the block starts. A word without a value is spare or
    /// unwritten, as are all behind the end of the list. None: too large (see notes).
    std::optional<std::vector<std::optional<ir::Value>>> initial;
  };

  struct Launch {
    std::int64_t launch = 0;
    std::string kernel;
    Span span; ///< where the kernel is declared
    std::int64_t begin = 0;
    std::optional<std::int64_t> end;                 ///< none: not within the window
    std::int64_t blocks = 0, threads = 0, warps = 0; ///< threads and warps of a block
  };

  /// A request, from the moment at which its warp begins to wait for the port. Stages enter in the
  /// time units dispatched … last; the request is in the pipeline until `completed`.
  struct Request {
    std::int64_t launch = 0, block = 0, warp = 0, multiprocessor = 0;
    std::int64_t number = 0; ///< of the warp's requests
    std::int64_t unit = 0;   ///< index into `units`
    bool write = false;      ///< or an atomic
    bool atomic = false;
    Span span;                         ///< the array element in the source
    std::optional<std::int64_t> array; ///< index into `arrays`; none: values were not recorded
    std::int64_t issued = 0;
    std::int64_t dispatched = 0; ///< the time unit in which its first stage enters
    std::int64_t port = 0; ///< the port of its first stage; the next stage takes the next port
    std::int64_t last = 0; ///< the time unit in which its last stage enters
    std::int64_t stages = 0;
    std::int64_t completed = 0;          ///< as Dispatch::completion
    std::int64_t words_of_lane = 1;      ///< that a lane accesses, from its address on
    std::vector<std::int64_t> addresses; ///< one for each lane; -1: inactive
    std::vector<ir::Value> values; ///< one for each lane, read or written; empty: not recorded
  };

  /// A warp whose request or operator waits for its port when the window ends.
  struct Waiting {
    std::int64_t launch = 0, block = 0, warp = 0;
    std::optional<std::int64_t> unit; ///< index into `units`; none: a unit of operations
    Span span;
    std::int64_t issued = 0;
  };

  /// A warp waits at a barrier. `released` counts the barrier's cost; none: not within the window.
  struct Barrier {
    std::int64_t launch = 0, block = 0, warp = 0;
    std::int64_t arrived = 0;
    std::optional<std::int64_t> released;
  };

  /// A warp computes: counted operators that cost time.
  struct Compute {
    std::int64_t launch = 0, block = 0, warp = 0;
    std::int64_t issued = 0; ///< when the warp began to wait for its unit of operations
    std::int64_t from = 0, to = 0;
  };

  /// A warp's instructions are over, and it waits for the end of its block.
  struct Done {
    std::int64_t launch = 0, block = 0, warp = 0;
    std::int64_t from = 0;
  };

  /// A block is resident, or has ended before the window and has requests under way. `slot`: its
  /// place on the multiprocessor. `to`: none: not within the window.
  struct Block {
    std::int64_t launch = 0, block = 0, multiprocessor = 0, slot = 0;
    std::int64_t from = 0;
    std::optional<std::int64_t> to;
  };

  /// A variable of a warp's threads has changed: its values by lane, of the existing threads.
  struct RegisterChange {
    std::int64_t launch = 0, block = 0, warp = 0;
    std::int64_t time = 0;
    std::int64_t name = 0; ///< index into `register_names`
    ir::Scalar type = ir::Scalar::int32;
    std::vector<ir::Value> values;
  };

  /// The host writes an element of a memory array between two launches.
  struct HostWrite {
    std::int64_t time = 0;
    std::int64_t array = 0; ///< index into `arrays`
    std::int64_t word = 0;
    ir::Value value;
  };

  std::int64_t from = 0, to = 0;    ///< the window
  std::optional<std::int64_t> time; ///< the time of the whole run; none: it was stopped
  std::int64_t width = 1;
  /// The shared ones by multiprocessor, then the global one or the own ports to it.
  std::vector<Unit> units;
  /// Units that no request names: the global one behind own ports, then those of operations, by
  /// multiprocessor.
  std::vector<Unit> others;
  std::vector<Entry> entries; ///< to these, sorted by begin
  std::vector<Array> arrays;
  std::vector<std::vector<std::int64_t>> placements; ///< the word of each element, row-major
  std::vector<Launch> launches;
  std::vector<Request> requests; ///< sorted by dispatch
  std::vector<Waiting> waiting;
  std::vector<Barrier> barriers; ///< sorted by arrival
  std::vector<Compute> computes;
  std::vector<Done> done;
  std::vector<Block> blocks; ///< sorted by start
  std::vector<std::string> register_names;
  std::vector<RegisterChange> registers; ///< sorted by time
  bool has_registers = false;            ///< registers were recorded
  std::vector<HostWrite> host_writes;    ///< sorted by time
  std::vector<std::string> notes;        ///< what was left out, in sentences
};

/// What a warp of a resident block does. In each time unit it does one of these: where it has
/// several requests on their way, what it does beside their being in the pipeline.
enum class WarpState : std::uint8_t {
  waits,       ///< its request waits for the port
  enters,      ///< the first stage of its request enters
  conflict,    ///< a further stage of its request enters, in a later time unit
  in_pipeline, ///< all stages have entered
  at_barrier,
  computes,
  done, ///< it has no instructions left, other warps of its block have
};

struct WarpSpan {
  std::int64_t launch = 0, block = 0, warp = 0;
  std::int64_t from = 0, to = 0;
  WarpState state = WarpState::waits;
  std::optional<std::size_t> request; ///< number of the request whose port it has or had
};

/// All spans in the window, by launch, block, warp and time. Those of a warp follow each other from
/// its block's start to its end. O(n log n).
std::vector<WarpSpan> warp_spans(const Timeline& timeline);

/// Stages of a request enter through one port in the time units [from, to).
struct PortUse {
  std::int64_t port = 0;
  std::int64_t from = 0, to = 0;
};

/// For each port that a request's stages take. `ports`: of the unit.
std::vector<PortUse> port_uses(const Timeline::Request& request, std::int64_t ports);

/// Ends the window earlier: removes what begins at `to` or later.
void trim(Timeline& timeline, std::int64_t to);

} // namespace memlane
