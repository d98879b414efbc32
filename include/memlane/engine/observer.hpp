// What can be seen of a run while it goes on.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"

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

/// Called in order of time; each function does nothing unless overridden. Both engines tell of runs
/// and launches. The steps of warps, one by one, are told by the reference engine only: it runs
/// what is observed by an observer that wants them.
class Observer {
public:
  virtual ~Observer() = default;
  /// Whether the steps of warps are wanted, too.
  virtual bool wants_steps() const { return false; }
  /// A run begins, or begins again from its start: nothing that was told before counts.
  virtual void run_begins() {}
  virtual void launch_begins(std::int64_t /*launch*/, const LaunchShape&,
                             std::string_view /*kernel*/) {}
  /// The launch has ended, or the run with it.
  virtual void launch_ends(std::int64_t /*launch*/, const LaunchTally&) {}

  // Steps of warps:
  virtual void dispatched(const Dispatch&) {}
  virtual void computed(std::int64_t /*launch*/, WarpRef, std::int64_t /*count*/) {}
  /// The warp has arrived at a barrier.
  virtual void arrived(std::int64_t /*launch*/, WarpRef) {}
  virtual void released(std::int64_t /*launch*/, std::int64_t /*block*/) {}
};

} // namespace memlane
