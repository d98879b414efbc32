// Races of a replayed trace, which has no values: found from its requests alone.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/machine/spec.hpp"

#include <memory>

namespace memlane {

/// Finds races between warps, blocks and launches (configs/README.md section 7). Races between
/// iterations or between the paths of an `if` cannot be found: a trace does not contain them. Each
/// block has its own shared memory, except on a DMM, where it is the only memory.
class ReplayRaces final : public Observer, public TimeObserver {
public:
  explicit ReplayRaces(const MachineSpec& machine);
  ~ReplayRaces() override;

  TimeObserver* times() override { return this; }
  void concurrent_begins(std::int64_t stage) override;
  void concurrent_ends() override;
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void dispatched(const Dispatch& dispatch) override;
  void released(std::int64_t launch, std::int64_t block) override;

  /// Accesses that raced, and the first race of each pair of places.
  const RaceCounts& counts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace memlane
