// What warps' steps wait for, and the order in which they issue them (LaunchRun::followed).
#pragma once

#include "fast/time.hpp"
#include "lane_reads.hpp"
#include "program_pieces.hpp"

namespace memlane::fast {

/// Follows one warp, or several that do the same. Where the machine hoists reads it is the only one
/// of a tile: the log has the steps of each piece that has ended in the order in which they are
/// issued, and their waits. Else waits() has those before the latest step.
class WarpSteps {
public:
  explicit WarpSteps(const MachineSpec& machine);

  /// The warp goes on with this log, which has what came before.
  void begin(const StepLog& log) { piece_ = log.entries.size(); }
  /// Before the lanes execute the instruction, a counted operator of the machine or not. False:
  /// data decides what later steps wait for, and there is none.
  bool execute(const WarpInstruction& now, bool operates, StepLog& log);
  /// Nothing that it executes needs a read, until it makes one.
  bool is_idle() const { return !hoists_ && reads_.empty(); }
  /// The waits before the latest step, of the log, in their order; to be cleared once logged.
  std::vector<std::uint32_t>& waits() { return waits_; }
  /// The reads of the register that later steps may need.
  std::vector<std::int64_t> reads_of(ir::Register reg, std::span<const std::uint8_t> lanes) const {
    return reads_.of(reg, lanes);
  }
  /// The next step needs these.
  void need(std::span<const std::int64_t> reads, std::int32_t instruction);

  struct OwnRequest {
    UnitId unit = UnitId::global;
    std::int32_t instruction = 0, site = 0;
    bool returns = false; ///< a value, in the register
    ir::Register to = -1;
    std::span<const std::uint8_t> lanes;
  };
  /// The warp makes a request, which then gets an entry.
  void request(const OwnRequest& own, StepLog& log);
  /// The latest step may have an entry.
  void logged(const StepLog& log);
  /// The warp is at a barrier or at its end.
  void end_interval(StepLog& log);
  /// All its reads are complete: no later step waits for them.
  void forget_reads() {
    reads_.keep_if([](std::int64_t) { return false; });
  }

private:
  void wait(std::vector<std::uint32_t> awaited, std::int32_t instruction, StepLog& log);
  void wait_for_needed(StepLog& log);
  void end_piece(StepLog& log);

  bool several_, hoists_;
  LaneReads reads_;
  LatestSites sites_;
  std::int64_t requests_ = 0; ///< so far, where the steps are issued as they are executed
  std::vector<std::uint32_t> waits_;
  ProgramPieces pieces_;
  /// A step of the present piece that has an entry.
  struct Logged {
    std::int64_t number = 0;
    std::int32_t site = -1; ///< of a request
  };
  std::size_t piece_ = 0; ///< where the piece's entries begin in the log
  std::vector<Logged> logged_;
  std::int32_t site_ = -1; ///< of the latest step
  std::vector<Entry> entries_;
};

/// What the warps of a tile execute: WarpInstruction, lane by lane of all of them.
struct TileInstruction {
  const ir::Instruction& in;
  std::int32_t instruction = 0;
  const std::uint8_t* lanes = nullptr;
  const std::int32_t* counts = nullptr; ///< active lanes of each warp
  bool whole = false;                   ///< all threads are active
  /// WarpInstruction::element; else empty.
  std::function<std::int64_t(int warp, int lane)> element;
  bool depends_on_data = false;
};

/// Follows the warps of a tile, together as long as they do the same.
class TileSteps {
public:
  /// `full`: warps without missing threads, all but one at most.
  TileSteps(const MachineSpec& machine, int warps, int full);

  void begin(const StepLog& log) { groups_.front().steps.begin(log); }
  /// WarpSteps::execute. False also if the log would have too many waits.
  bool execute(const TileInstruction& now, bool operates, StepLog& log);
  /// By warp, and the read's number.
  using Reads = std::vector<std::pair<int, std::int64_t>>;
  /// The reads of the register that later steps may need, in these lanes.
  Reads reads_of(ir::Register reg, const TileInstruction& now);
  /// The next step of the lanes' warps needs these.
  void need(const Reads& reads, const TileInstruction& now);
  /// `own` is without lanes. False: too many waits.
  bool request(WarpSteps::OwnRequest own, const TileInstruction& now, StepLog& log);
  void logged(const StepLog& log) { groups_.front().steps.logged(log); }
  /// The warps are at a barrier or at their end. `keeps_reads`: what was read still matters.
  bool end_interval(bool keeps_reads, StepLog& log);

private:
  /// Warps that have done the same since the latest barrier.
  struct Group {
    std::vector<int> warps;
    WarpSteps steps;
  };
  bool is_active(const Group& group, const TileInstruction& now) const {
    return now.counts[group.warps.front()] > 0;
  }
  std::span<const std::uint8_t> lanes_of(const Group& group, const TileInstruction& now) const {
    return {now.lanes + group.warps.front() * width_, static_cast<std::size_t>(width_)};
  }
  bool alike(const TileInstruction& now, int a, int b) const;
  void part(const TileInstruction& now);
  void unite();
  bool log_waits(StepLog& log);

  WarpSteps fresh_;
  int width_, warps_, full_;
  std::vector<Group> groups_;
  std::vector<std::uint16_t> wait_of_warp_;
};

} // namespace memlane::fast
