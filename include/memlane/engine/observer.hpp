// The events of a run, for those who count or record them.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"
#include "memlane/machine/layout.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace memlane {

/// A request that its memory unit has taken.
struct Dispatch {
  std::int64_t launch = 0;
  std::int64_t multiprocessor = 0;
  WarpRef warp;
  std::int64_t number = 0; ///< of the warp's requests with an active thread; the first is 0
  const Request* request = nullptr;
  std::int64_t stages = 0;
  // From the start of the run:
  Cycles issued{0}; ///< when the warp began to wait for the port
  Cycles time{0};   ///< when its first stage enters
  Cycles last{0};   ///< when its last stage enters
  /// A latency after `last`; of an atomic, after its last service. Behind a multiprocessor's own
  /// port it is not known yet (`unknown`): TimeObserver::completes tells it.
  Cycles completion{0};
  static constexpr Cycles unknown{INT64_MAX};
};

/// An instruction that a warp executes.
struct Execution {
  WarpRef warp;
  std::size_t instruction = 0;          ///< index into the kernel's code
  std::span<const std::uint8_t> active; ///< one for each lane, 1 if it is active; at least one is
  const KernelInfo* kernel = nullptr;
};

/// The words that a warp's load or store accesses; those of a deferred store once it is made.
struct WarpAccess {
  WarpRef warp;
  const SiteInfo* site = nullptr;          ///< the load, the store or the deferred store
  UnitId unit = UnitId::global;            ///< which memory the addresses are of
  std::span<const std::int64_t> addresses; ///< one for each lane; -1: not active
};

/// A block that starts.
struct BlockStart {
  std::int64_t launch = 0;
  std::int64_t block = 0;
  std::int64_t multiprocessor = 0;
  std::int64_t slot = 0; ///< its place on the multiprocessor
};

/// An array as the warps of a launch access it. What it points at is valid until the block ends, of
/// a memory array until the run ends.
struct ArrayView {
  std::int32_t array = 0; ///< index into Program::arrays
  UnitId unit = UnitId::global;
  std::int64_t first = 0; ///< address of its first word
  std::int64_t elements = 0;
  const std::vector<std::int64_t>* extents = nullptr;
  const Placement* placement = nullptr;
  /// The present value of an element; none: nothing was written to it.
  std::function<std::optional<ir::Value>(std::int64_t element)> value;
};

/// The value that a lane has read or written.
struct LaneValue {
  int lane = 0;
  std::int64_t element = 0;
  ir::Value value;
};

/// The registers of a warp that has executed everything up to its next step.
struct WarpRegisters {
  WarpRef warp;
  const KernelInfo* kernel = nullptr;
  std::size_t instruction = 0;      ///< the next one
  const ir::Value* first = nullptr; ///< register 0
  std::size_t lanes = 0;
  std::size_t threads = 0; ///< the warp's threads: the first lanes

  std::span<const ir::Value> row(ir::Register reg) const {
    return {first + static_cast<std::size_t>(reg) * lanes, threads};
  }
};

/// Receives what warps execute, from both engines: a maximum over threads, or what warps do side by
/// side, does not follow from sums. Executions are of the launch that has begun last. Those of one
/// warp come in its order, barriers included; between two barriers, those of different warps come
/// in any order. The fast engine then skips nothing and uses one thread. A run without data reports
/// only the instructions that ir::without_data has left in the program.
class ExecutionObserver {
public:
  virtual ~ExecutionObserver() = default;
  virtual void executed(const Execution&) {}
  /// Follows the execution of the load or store, or of the drain that performs a deferred store.
  virtual void accessed(const WarpAccess&) {}
};

/// Receives the steps of warps in order of time, from the reference engine.
class TimeObserver {
public:
  virtual ~TimeObserver() = default;
  /// What follows happens at this time, from the start of the run.
  virtual void time_advances(Cycles /*now*/) {}
  virtual void block_starts(const BlockStart&) {}
  /// The warp has a request that waits for its unit from now on.
  virtual void issued(std::int64_t /*launch*/, WarpRef, const Request&) {}
  /// The warp has an operator that waits for its unit of operations from now on; `computed` tells
  /// when the unit takes it.
  virtual void operator_issued(std::int64_t /*launch*/, WarpRef) {}
  virtual void dispatched(const Dispatch&) {}
  /// The completion of a warp's request (Dispatch::number) that was unknown at its dispatch, from
  /// the start of the run; later than now.
  virtual void completes(std::int64_t /*launch*/, WarpRef, std::int64_t /*number*/,
                         Cycles /*completion*/) {}
  /// Behind an own port: an address group of the warp's request enters the device's port of this
  /// number now.
  virtual void enters_device(std::int64_t /*launch*/, WarpRef, std::int64_t /*port*/) {}
  /// Whether it asks for waits for earlier requests on machines where none is on its way, too.
  virtual bool wants_waits() const { return false; }
  /// The warp has come to a step that waits for earlier requests (StepKind::wait).
  virtual void awaits(std::int64_t /*launch*/, WarpRef, const Step&) {}
  /// The warp has executed counted operators of a class, and goes on at `until`.
  virtual void computed(std::int64_t /*launch*/, WarpRef, std::int64_t /*count*/, OperationClass,
                        Cycles /*until*/) {}
  /// The warp has arrived at a barrier.
  virtual void arrived(std::int64_t /*launch*/, WarpRef) {}
  virtual void released(std::int64_t /*launch*/, std::int64_t /*block*/) {}
  /// The warp's instructions are over.
  virtual void ended(std::int64_t /*launch*/, WarpRef) {}
  virtual void block_ends(std::int64_t /*launch*/, std::int64_t /*block*/) {}
};

/// Receives arrays, registers, and the values that are read and written, from the reference engine.
class ValueObserver {
public:
  virtual ~ValueObserver() = default;
  /// The memory arrays, before main begins.
  virtual void memory_made(std::span<const ArrayView>) {}
  /// The shared arrays of a block that is about to start, in the order of Function::shared.
  virtual void block_memory_made(std::int64_t /*block*/, std::span<const ArrayView>) {}
  /// Precedes the dispatch of the request that accesses the array.
  virtual void transferred(WarpRef, std::int32_t /*array*/, std::span<const LaneValue>) {}
  /// Precedes each step of a warp.
  virtual void before_step(const WarpRegisters&) {}
  virtual void host_wrote(std::int32_t /*array*/, std::int64_t /*element*/, ir::Value) {}
};

/// Both engines report the beginning and end of runs and launches. An observer may have parts that
/// receive more; the reference engine runs a program whose times or values are observed. Each
/// function does nothing unless it is overridden.
class Observer {
public:
  virtual ~Observer() = default;
  // Its parts; null: it has none.
  virtual ExecutionObserver* executions() { return nullptr; }
  virtual TimeObserver* times() { return nullptr; }
  virtual ValueObserver* values() { return nullptr; }

  /// A run begins, or begins again from its start: everything reported before is void.
  virtual void run_begins() {}
  /// The launches up to `concurrent_ends` are independent of each other, and of this stage
  /// (LaunchTally::stage).
  virtual void concurrent_begins(std::int64_t /*stage*/) {}
  virtual void concurrent_ends() {}
  virtual void launch_begins(std::int64_t /*launch*/, const LaunchShape&,
                             std::string_view /*kernel*/) {}
  /// The launch has ended, or the run with it.
  virtual void launch_ends(std::int64_t /*launch*/, const LaunchTally&) {}
};

} // namespace memlane
