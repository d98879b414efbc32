// Races of a run that carries no values, as a replayed trace: found from its requests alone.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/machine/spec.hpp"

#include <memory>

namespace memlane {

/// Finds races between warps and between blocks (configs/README.md section 7). Of iterations and of
/// the paths of an `if` a trace knows nothing. Shared memory is each block's own, unless the
/// machine is a DMM, whose only memory it is.
class ReplayRaces final : public Observer {
public:
  explicit ReplayRaces(const MachineSpec& machine);
  ~ReplayRaces() override;

  bool wants_steps() const override { return true; }
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
