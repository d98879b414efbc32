// A machine: its parameters (configs/README.md section 1), checked once and then immutable.
#pragma once

#include "memlane/support/decimal.hpp"
#include "memlane/support/machine_names.hpp"
#include "memlane/support/units.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

enum class Model { dmm, umm, hmm, agpu, mmm };

/// What a run's time is made of.
enum class TimeOf : std::uint8_t {
  requests,   ///< the time units in which memory units serve them
  statements, ///< their costs
  blocks,     ///< a schedule of them, in which no memory serves requests
};

/// What a kind of machine is.
struct ModelTraits {
  Model model;
  std::string_view name;
  std::string_view with_article;
  TimeOf time;
  bool has_shared; ///< a discrete memory unit in each multiprocessor
  bool has_global; ///< a unified memory unit
};
/// In display order: as enumerated.
inline constexpr std::array model_traits = {
    ModelTraits{Model::dmm, "dmm", "a dmm", TimeOf::requests, true, false},
    ModelTraits{Model::umm, "umm", "a umm", TimeOf::requests, false, true},
    ModelTraits{Model::hmm, "hmm", "an hmm", TimeOf::requests, true, true},
    ModelTraits{Model::agpu, "agpu", "an agpu", TimeOf::statements, true, true},
    ModelTraits{Model::mmm, "mmm", "an mmm", TimeOf::blocks, true, true},
};
constexpr const ModelTraits& traits_of(Model model) {
  return model_traits[static_cast<std::size_t>(model)];
}

/// `discrete`: each bank has its own address (DMM); `unified`: one address group in a time unit
/// (UMM).
enum class UnitKind { discrete, unified };

enum class BlockSchedule { static_, dynamic };

/// Which reads of global memory need not ask it for address groups again (configs/README.md section
/// 10): none, or those of a block for what it has read before.
enum class Reuse : std::uint8_t { none, block };

/// The order in which a warp issues its steps (configs/README.md section 10): as in the program, or
/// reads as early as they may be.
enum class Schedule : std::uint8_t { program, hoisted };

/// What an operator is for the units of operations (configs/README.md section 10): the first that
/// applies.
enum class OperationClass : std::uint8_t {
  double_,  ///< an operand or the result is a double
  special,  ///< a root, a sine, …
  division, ///< of integers
  tensor,   ///< a product of tiles; only the unit of the key `tensor` executes it
  other,
};
inline constexpr std::size_t operation_classes = 5;

std::string_view name_of(Model model);
std::string_view name_of(UnitKind kind);
std::string_view name_of(BlockSchedule schedule);
std::string_view name_of(Reuse reuse);
std::string_view name_of(Schedule schedule);
std::string_view name_of(OperationClass operation);

/// One memory unit.
struct UnitSpec {
  UnitKind kind = UnitKind::discrete;
  Cycles latency{1};                    ///< l (L of the HMM's global unit), at least 1
  std::int64_t ports = 1;               ///< stages accepted in a time unit
  std::optional<std::int64_t> capacity; ///< words; none: unbounded
  std::int64_t reserved = 0; ///< shared words that each resident block takes beside its own
  std::optional<std::int64_t> group = {}; ///< words of a stage of a unified unit; none: w
  // What atomics cost (configs/README.md section 11): stages of a discrete unit for each one that
  // their lanes take, and the least time for which a group of a unified unit serves one.
  Decimal atomic_stages = Decimal::of(1);
  Cycles atomic_service{1};
  std::int64_t least_stages = 1; ///< of each request to a shared unit, or to an own port
  std::int64_t widest = 4;       ///< bytes of a lane, up to which PTX's shared reads are merged
  // Of an HMM's global unit (configs/README.md section 10):
  bool own_port = false;                 ///< each multiprocessor has a port of its own to it
  std::optional<std::int64_t> line = {}; ///< words of a stage of that port; none: w
  Reuse reuse = Reuse::none;
  Cycles reuse_latency{1}; ///< of a read that needs no group

  bool operator==(const UnitSpec&) const = default;
};

/// A unit of each multiprocessor that executes operations as a memory unit serves requests.
struct OperationUnit {
  std::string name;
  std::int64_t ports = 1;
  Cycles latency{1};
  std::array<std::int64_t, operation_classes> stages{}; ///< by class; 0: it executes none of it

  bool operator==(const OperationUnit&) const = default;
};

/// A DMM has only `shared`, a UMM only `global`; an HMM and an AGPU have `global`, and `shared` for
/// each MP. An AGPU and an MMM are not timed: their units take one time unit, and their time is a
/// count. An MMM's warps of 32 and its one multiprocessor only order what a block does and what its
/// blocks do: no count depends on them.
struct MachineSpec {
  std::string name;
  std::string notes;
  Model model = Model::umm;
  std::int64_t width = 32;          ///< w: banks of a unit, threads of a warp
  std::int64_t multiprocessors = 1; ///< d
  /// Of one multiprocessor, a multiple of w: p, on an AGPU w.
  std::int64_t threads = 32;
  std::optional<UnitSpec> shared;
  std::optional<UnitSpec> global;
  bool lockstep = false;
  Cycles instruction_cost{0};
  Cycles barrier_cost{0};
  Cycles launch_cost{0};
  std::int64_t resident_blocks = 1;
  std::optional<std::int64_t> registers;   ///< of a multiprocessor; none: enough
  std::optional<std::int64_t> max_threads; ///< resident on a multiprocessor; none: unbounded
  BlockSchedule block_schedule = BlockSchedule::static_;
  /// A class of operations has at most one unit. The tensor unit is one of them, the last.
  std::vector<OperationUnit> operations;
  std::optional<std::int64_t> tensor_size; ///< rows of a tile; none: there is no tensor unit
  Cycles tensor_latency{0};
  std::int64_t requests_in_flight = 1; ///< k: of a warp, that may be on their way
  Schedule schedule = Schedule::program;
  std::optional<std::int64_t> word_bytes; ///< none: each element is a word
  std::optional<std::int64_t> clock;      ///< time units in a second; none: unknown
  /// Each block starts with erased shared memory. Of an AGPU it may be false: then the arrays
  /// declared at a program's top level belong to the multiprocessor.
  bool is_volatile = true;
  // Of an MMM (configs/README.md section 8), else 0 and none:
  std::int64_t local_words = 0;           ///< Z: words of a local memory
  std::int64_t transfer = 0;              ///< U: time to move a word, in local operations
  std::optional<std::int64_t> processors; ///< P; none: unbounded

  bool operator==(const MachineSpec&) const = default;

  /// The unit of `memory` arrays: the only one of a DMM or a UMM, otherwise the global one.
  const UnitSpec& memory_unit() const { return global ? *global : *shared; }
  /// Words of an address group of a unified unit, banks of a discrete one.
  std::int64_t stage_words(const UnitSpec& unit) const { return unit.group.value_or(width); }
  bool has_own_ports() const { return global && global->own_port; }
  /// Whether requests to global memory pass ports of multiprocessors, or operators units of their
  /// own, or warps have several requests on their way.
  bool is_beyond_papers() const {
    return has_own_ports() || !operations.empty() || requests_in_flight > 1;
  }
  /// Words of a stage of a multiprocessor's own port to the global unit.
  std::int64_t line_words() const { return global->line.value_or(width); }
  /// Words of an element of so many bytes, a power of two.
  std::int64_t words_of(std::int64_t bytes) const;
  /// Seconds of so many time units; none: the machine has no clock.
  std::optional<double> seconds(std::int64_t time) const;
  /// Whether operators other than products of tiles take time.
  bool times_operators() const { return operations.size() > (tensor_size ? 1 : 0); }
  /// The unit that executes operations of the class; null: they take no time.
  const OperationUnit* unit_of(OperationClass operation) const;
};

constexpr bool is_timed(Model model) { return traits_of(model).time == TimeOf::requests; }
/// Whether its time is the sum of its statements' costs.
constexpr bool counts_statements(Model model) {
  return traits_of(model).time == TimeOf::statements;
}
/// Whether its memory units serve requests, which are counted with their stages.
constexpr bool has_requests(Model model) { return traits_of(model).time != TimeOf::blocks; }
/// Whether it has one memory, which serves every array.
constexpr bool has_one_memory(Model model) {
  return !(traits_of(model).has_shared && traits_of(model).has_global);
}

/// A machine of the model with the memory units that it has, and default values.
MachineSpec machine_of(Model model);

/// Threads that a multiprocessor can hold: resident_blocks blocks of p, at most max_threads.
std::int64_t room_for_threads(const MachineSpec& machine);

/// Sets what its other values determine: the threads of a block on an AGPU, one warp ([K] section
/// 3.2), and on an MMM, as many as Z allows; the tensor unit (configs/README.md section 10).
void derive_values(MachineSpec& machine);

/// The papers' letters and the machine names of programs/README.md, "Names", that this machine
/// gives a value: width w b, mps d k, p (on an AGPU all cores, kb), l, capacity M (of the shared
/// memory on an HMM or AGPU, else of the only one), and L on an HMM; an MMM has Z, U and P alone. A
/// letter without a value here is absent.
std::map<std::string, std::int64_t, std::less<>> letters(const MachineSpec& machine);

/// A quantity that a name stands for, settings as 0 or 1; none where this machine does not have it.
std::optional<std::int64_t> value_of(MachineQuantity quantity, const MachineSpec& machine);

} // namespace memlane
