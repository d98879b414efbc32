// What can be seen of a run while it goes on.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"

#include <cstdint>
#include <span>

namespace memlane {

/// A request as the machine served it.
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

/// Called in order of time; each function does nothing unless overridden. Both engines tell of runs
/// and launches, and of what each warp executes where that is wanted: the most that any thread
/// did, or what warps do side by side, cannot be told from sums. The steps of warps in time are
/// told by the reference engine only: it runs what is observed by an observer that wants them.
class Observer {
public:
  virtual ~Observer() = default;
  /// Whether the steps of warps are wanted, too.
  virtual bool wants_steps() const { return false; }
  /// Whether executions and accesses are wanted, too. The fast engine then skips nothing and uses
  /// one thread. A run without data tells of the rest of the program (ir::without_data).
  virtual bool wants_executions() const { return false; }
  /// A run begins, or begins again from its start: nothing that was told before counts.
  virtual void run_begins() {}
  virtual void launch_begins(std::int64_t /*launch*/, const LaunchShape&,
                             std::string_view /*kernel*/) {}
  /// The launch has ended, or the run with it.
  virtual void launch_ends(std::int64_t /*launch*/, const LaunchTally&) {}

  // Executions, of the launch that has begun last. Each warp's come in the order of its code,
  // barriers among them; those of different warps between two barriers in any order.
  virtual void executed(const Execution&) {}
  /// Behind the execution of the load or store, or of the drain that makes a deferred one.
  virtual void accessed(const WarpAccess&) {}

  // Steps of warps:
  virtual void dispatched(const Dispatch&) {}
  virtual void computed(std::int64_t /*launch*/, WarpRef, std::int64_t /*count*/) {}
  /// The warp has arrived at a barrier.
  virtual void arrived(std::int64_t /*launch*/, WarpRef) {}
  virtual void released(std::int64_t /*launch*/, std::int64_t /*block*/) {}
};

} // namespace memlane
