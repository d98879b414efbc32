// What can be seen of a run while it goes on.
#pragma once

#include "memlane/engine/stream.hpp"

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

/// Called in order of time; each function does nothing unless overridden.
class Observer {
public:
  virtual ~Observer() = default;
  virtual void launch_begins(std::int64_t /*launch*/, const LaunchShape&,
                             std::string_view /*kernel*/) {}
  virtual void launch_ends(std::int64_t /*launch*/, Cycles /*time*/) {}
  virtual void dispatched(const Dispatch&) {}
  virtual void computed(std::int64_t /*launch*/, WarpRef, std::int64_t /*count*/) {}
  /// The warp has arrived at a barrier.
  virtual void arrived(std::int64_t /*launch*/, WarpRef) {}
  virtual void released(std::int64_t /*launch*/, std::int64_t /*block*/) {}
};

} // namespace memlane
