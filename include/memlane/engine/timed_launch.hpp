// Launches whose warps something else than memlane's interpreters executes: it says block by block
// what the warps ask, and the machine finds when each of it happens. The same time and accounts as
// those of run_launch (engine/run.hpp) for the same steps.
#pragma once

#include "memlane/engine/outcome.hpp"
#include "memlane/engine/run.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/machine/stages.hpp"
#include "memlane/support/limits.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace memlane {

/// What the warps of one block ask, from barrier to barrier. The calls of one warp come in its
/// order; between two barriers, those of different warps in any. Repeated steps are kept once.
class BlockSteps {
public:
  /// Refers to the machine.
  BlockSteps(const MachineSpec& machine, std::int64_t warps);
  ~BlockSteps();
  BlockSteps(BlockSteps&&) noexcept;
  BlockSteps& operator=(BlockSteps&&) noexcept;

  /// A request of that many stages, at least one, to the unit of shared or of global memory; a
  /// machine with one unit serves all requests with it. `returns`: the warp gets a value. `site`:
  /// its instruction's number among KernelInfo::sites.
  void request(std::int64_t warp, UnitId unit, std::int64_t stages, bool returns, std::size_t site);
  /// An atomic on the unit of global memory, where that is a unified one: its groups, rising. On a
  /// discrete unit an atomic is a request.
  void atomic(std::int64_t warp, std::span<const AtomicGroup> groups, bool returns,
              std::size_t site);
  /// A request to global memory where multiprocessors have own ports to it: its stages in that
  /// port, how many address groups its words need, and those that it touches, rising. A read reuses
  /// groups if the machine says so.
  struct AtPort {
    std::size_t site = 0;
    std::int64_t stages = 1, needed = 1;
    AccessKind kind = AccessKind::read;
    bool is_volatile = false;
    bool uses_old = false;
    std::span<const AtomicGroup> groups;
  };
  void at_port(std::int64_t warp, const AtPort& request);
  /// Counted operators of one class, which take instruction_cost time units each or are operations.
  void compute(std::int64_t warp, std::int64_t count,
               OperationClass operation = OperationClass::other);
  /// The warp waits for earlier requests of its own, as StepKind::wait (Step::instruction).
  void wait(std::int64_t warp, std::span<const std::uint32_t> awaited, std::int32_t instruction);
  /// The warp's instructions are over: barriers do not wait for it any more.
  void end(std::int64_t warp);
  /// What all warps asked from one barrier to the next, or to the block's end.
  class Interval;
  /// All warps that have not ended have arrived at a barrier of the whole block; one has. If it
  /// `keeps`, returns the interval that has ended; null: some warps have ended.
  std::shared_ptr<const Interval> barrier(bool keeps = false);
  /// All warps have ended, or the block is given up; nothing follows. Likewise; null: some warps
  /// had ended before a barrier.
  std::shared_ptr<const Interval> finish(bool keeps = false);
  /// The warps ask what they, or those of another block of the launch, asked in an interval that
  /// was kept, which ends as that did. Requires that they have asked nothing since the latest
  /// barrier, and that none has ended.
  void again(const Interval& interval);

  /// Bytes of the steps that are kept.
  std::int64_t bytes() const;
  /// The block's requests by site (KernelInfo::sites), for LaunchTally::dynamic; filled only where
  /// that is.
  std::vector<RequestTally> requests;

private:
  friend class GivenSteps;
  struct State;
  std::unique_ptr<State> state_;
};

/// How far the machine has come when it starts a block, in time units from the launch's beginning.
struct LaunchTime {
  Cycles now;
  /// When its ports and address groups are done with what has been asked of them, if nothing else
  /// comes. O(groups in the queue).
  std::function<Cycles()> drained;
};

/// Gives the steps of a block, finished; each block is asked for once, in the order in which the
/// machine starts them. A stop ends the launch: its requests up to there are counted.
using TakeSteps =
    std::function<Stop(std::int64_t block, const LaunchTime& time, BlockSteps& steps)>;

/// Blocks that the machine holds at the same time. Requires a shape that fits the machine.
std::int64_t blocks_of_wave(const MachineSpec& machine, const LaunchShape& shape);

/// Times one launch that begins at `start`. Requires a shape that fits the machine. The tally's
/// multiprocessors have no counts of instructions and requests: those who execute know them.
/// Stops where `take` stops, at the limits of time and memory, and where `limits.check` says so.
LaunchOutcome time_launch(const MachineSpec& machine, const LaunchShape& shape, Cycles start,
                          const Limits& limits, const TakeSteps& take, EngineWork& work);

} // namespace memlane
