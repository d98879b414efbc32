// The events of a run, for those who count or record them.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"

#include <cstdint>
#include <span>

namespace memlane {

/// A request that its memory unit has taken.
struct Dispatch {
  std::int64_t launch = 0;
  std::int64_t multiprocessor = 0;
  WarpRef warp;
  const Request* request = nullptr;
  std::int64_t stages = 0;
  Cycles time{0};       ///< of its first stage, from the start of the run
  Cycles completion{0}; ///< from the start of the run
};

/// An instruction that a warp executes.
struct Execution {
  WarpRef warp;
  std::size_t instruction = 0;          ///< of the kernel's code
  std::span<const std::uint8_t> active; ///< by lane: 1 if it is active; at least one is
};

/// The words that a warp's load or store accesses; those of a deferred store once it is made.
struct WarpAccess {
  WarpRef warp;
  std::size_t instruction = 0;             ///< the load, the store or the deferred store
  UnitId unit = UnitId::global;            ///< which memory the addresses are of
  std::span<const std::int64_t> addresses; ///< by lane; -1: not active
};

/// Both engines report the beginning and end of runs and launches. An observer can also ask for
/// each warp's executions, from both engines: a maximum over threads, or what warps do side by
/// side, does not follow from sums. It can ask for the steps of warps in time; then the reference
/// engine runs the program. Each function does nothing unless it is overridden.
class Observer {
public:
  virtual ~Observer() = default;
  /// Asks for the steps of warps, in order of time.
  virtual bool wants_steps() const { return false; }
  /// Asks for executions and accesses. The fast engine then skips nothing and uses one thread. A
  /// run without data reports only the instructions that ir::without_data has left in the program.
  virtual bool wants_executions() const { return false; }
  /// A run begins, or begins again from its start: everything reported before is void.
  virtual void run_begins() {}
  virtual void launch_begins(std::int64_t /*launch*/, const LaunchShape&,
                             std::string_view /*kernel*/) {}
  /// The launch has ended, or the run with it.
  virtual void launch_ends(std::int64_t /*launch*/, const LaunchTally&) {}

  // Executions in the launch that has begun last. Those of one warp come in its order, barriers
  // included; between two barriers, those of different warps come in any order.
  virtual void executed(const Execution&) {}
  /// Follows the execution of the load or store, or of the drain that performs a deferred store.
  virtual void accessed(const WarpAccess&) {}

  // Steps of warps:
  virtual void dispatched(const Dispatch&) {}
  virtual void computed(std::int64_t /*launch*/, WarpRef, std::int64_t /*count*/) {}
  /// The warp has arrived at a barrier.
  virtual void arrived(std::int64_t /*launch*/, WarpRef) {}
  virtual void released(std::int64_t /*launch*/, std::int64_t /*block*/) {}
};

} // namespace memlane
