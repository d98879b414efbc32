// What a timeline is given: a launch, and the blocks that something executes for it, whatever
// language they are written in.
#pragma once

#include "accounts.hpp"
#include "steps.hpp"

#include "memlane/engine/outcome.hpp"
#include "memlane/engine/run.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace memlane::fast {

// The launch.

/// Why execution stopped early.
enum class Halted : std::uint8_t {
  no,
  unsure, ///< races have to be looked for word by word from the start: FastRun::unproven says where
  refused, ///< an error, a limit, or what this engine does not do: the reference engine will say it
  asked,   ///< the caller's check
  spins,   ///< a loop may wait for what another warp writes (FastRun::most_rounds)
};

/// What the launches of a run share: whether it goes on, and the work that was done and spared.
struct TimedRun {
  Halted halted = Halted::no;
  Stop stop = Stop::none; ///< `asked`: the caller's reason
  Span uncountable;       ///< `refused`: the place of `too_large`, if known
  std::string reason;     ///< `refused`: why; empty: an error or a limit
  Span refused_at;        ///< `refused`: the place, if known
  EngineWork work;        ///< what was skipped, and of how much
  std::uint64_t polls = 0;

  bool halt(Halted why) {
    halted = why;
    return false;
  }
  /// Counts of this code overflow, which the reference engine would take too long to find.
  bool too_large(Span code) {
    uncountable = code;
    return halt(Halted::refused);
  }
  bool spin(std::string why, Span at) {
    reason = std::move(why);
    refused_at = at;
    return halt(Halted::spins);
  }
  /// The reason is the first one's.
  bool refuse(std::string why, Span at) {
    if (halted == Halted::refused) return false;
    reason = std::move(why);
    refused_at = at;
    return halt(Halted::refused);
  }
};

struct TimedLaunch {
  TimedLaunch(TimedRun& of_run, const MachineSpec& on, const LaunchShape& its_shape, Span its_code,
              int warps_together)
      : timed(of_run), machine(on), shape(its_shape), code(its_code),
        warps_of_block((its_shape.threads + on.width - 1) / on.width), tile_warps(warps_together) {}
  virtual ~TimedLaunch() = default;

  TimedRun& timed;
  const MachineSpec& machine;
  LaunchShape shape;
  Span code; ///< the kernel's place, for `too_large`
  std::int64_t warps_of_block;
  int tile_warps;               ///< warps of a block that are executed, and logged, together
  bool warps_end_apart = false; ///< some may end before a barrier that others wait at
  bool ordered = false; ///< has atomics: its blocks are executed in a given order, as a whole
  // How far the timeline has come, for RunProgress:
  Cycles now{0};
  std::int64_t blocks_done = 0;
  std::function<Cycles()> drained; ///< as LaunchTime has it, while a timeline runs
  /// Set if all blocks ask the same, and are executed as a whole: executes one whose steps are not
  /// asked for. False has halted the run.
  std::function<bool(std::int64_t block)> execute_alike;

  /// Asks the caller's check now and then; false: stop.
  bool poll() { return (++timed.polls & 0xfff) != 0 || ask(); }

protected:
  virtual bool ask() = 0;
};

// An executed block: all that its warps ask, from barrier to barrier.

/// What a block asks of the unit of each kind.
struct BlockLoads {
  std::array<reference::BlockLoad, 2> of{}; ///< indexed by UnitId
  std::array<std::int64_t, 2> stages{};
  std::vector<RequestTally> requests; ///< filled only by a dynamic schedule (LaunchTally::dynamic)
};

/// Whether a warp ends in an interval that is not its block's last.
enum class WarpEnd : std::uint8_t {
  no,
  now,    ///< behind its steps, where the others arrive at the barrier
  before, ///< in an earlier one
};

/// What the tiles of a block ask between two barriers.
struct Interval {
  std::vector<StepLog> tiles;
  std::vector<WarpEnd> over; ///< by warp of the block; empty: none ends before the block
  bool last = false;         ///< the block ends behind it; else a barrier follows
  bool partial = false;      ///< not at its end: `BlockSource::extend` executes more

  bool operator==(const Interval&) const = default;
};

/// The intervals in order. Intervals that repeat, as in a loop with barriers over the tiles of a
/// matrix, are kept once.
class ExecutedBlock {
public:
  BlockLoads loads;

  /// Execution: a place for the next interval. `close` ends it, and returns what holds it, which
  /// must not be changed any more.
  Interval& open();
  std::shared_ptr<Interval> close();
  /// The next interval, which was opened and closed here or for another block, comes again.
  void again(std::shared_ptr<Interval> interval);

  /// Reading, from the first interval on, which is there once the first `open` has returned.
  Interval& present() { return *intervals_[at_]; }
  const Interval& present() const { return *intervals_[at_]; }
  /// Moves to the next interval. Requires that the present one is not the last.
  void advance();
  /// Which interval; all rounds of one have the same place.
  std::size_t place() const { return at_; }
  /// How many more rounds follow the present one; -1 outside rounds.
  std::int64_t left() const { return left_; }
  void set_left(std::int64_t left) { left_ = left; }

private:
  static constexpr std::size_t longest = 8; ///< intervals of a round
  /// Intervals that are executed once and `times` times more.
  struct Rounds {
    std::size_t first = 0, length = 0;
    std::int64_t times = 0;
  };
  bool continues_rounds(const std::shared_ptr<Interval>& interval);
  void find_rounds();

  std::vector<std::shared_ptr<Interval>> intervals_;
  std::vector<Rounds> rounds_;
  // Execution:
  bool in_rounds_ = false; ///< the latest intervals are those of the last rounds,
  std::size_t phase_ = 0;  ///< and this one is the next; those before it are not kept
  std::array<std::size_t, longest + 1> alike_{}; ///< latest intervals that are those so many before
  std::shared_ptr<Interval> next_;
  // Reading:
  std::size_t at_ = 0, next_rounds_ = 0;
  std::int64_t left_ = -1;
};

// Execution.

/// Executes blocks of a launch one after the other. A function that returns false has halted the
/// run (TimedRun::halted).
class BlockSource {
public:
  virtual ~BlockSource() = default;

  virtual bool start(std::int64_t block) = 0;
  /// Executes the next interval of the block.
  virtual bool advance(Interval& interval) = 0;
  /// Executes more of a partial interval, which adds to its log.
  virtual bool extend(Interval& interval) = 0;
  /// After the last interval: what the block has asked of the units.
  virtual bool finish(BlockLoads& loads) = 0;
  /// The tallies of all blocks that have finished, as LaunchTally::multiprocessors.
  virtual const std::vector<Tally>& tallies() const = 0;
  /// The launch is over.
  virtual void close() = 0;
};

/// Executes a block from its beginning to its end.
bool execute_block(BlockSource& source, std::int64_t block, ExecutedBlock& executed);

/// Gives a block that is executed as a whole; each is asked for once.
using TakeBlock = std::function<bool(std::int64_t block, ExecutedBlock& executed)>;

/// Such blocks for a timeline that takes one interval after the other.
class WholeBlocks final : public BlockSource {
public:
  /// Refers to `take`.
  explicit WholeBlocks(const TakeBlock& take) : take_(take) {}

  bool start(std::int64_t block) override;
  bool advance(Interval& interval) override;
  bool extend(Interval&) override { return true; } // no interval is partial
  bool finish(BlockLoads& loads) override;
  const std::vector<Tally>& tallies() const override { return tallies_; }
  void close() override {}

private:
  const TakeBlock& take_;
  ExecutedBlock executed_; ///< the present one
  bool begun_ = false;     ///< its first interval was asked for
  std::vector<Tally> tallies_;
};

} // namespace memlane::fast
