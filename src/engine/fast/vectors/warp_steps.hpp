// What a warp's steps wait for, and the order in which it issues them, where each warp is a tile of
// its own (LaunchRun::followed).
#pragma once

#include "fast/time.hpp"
#include "lane_reads.hpp"
#include "program_pieces.hpp"

namespace memlane::fast {

/// Follows one warp, and puts its waits into its log. Where the machine hoists reads, the log has
/// the steps of each piece that has ended in the order in which they are issued.
class WarpSteps {
public:
  explicit WarpSteps(const MachineSpec& machine);

  /// The warp goes on with this log, which has what came before.
  void begin(const StepLog& log) { piece_ = log.entries.size(); }
  /// Before the lanes execute the instruction, a counted operator of the machine or not. False:
  /// data decides what later steps wait for, and there is none.
  bool execute(const WarpInstruction& now, bool operates, StepLog& log);
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

private:
  void wait(std::vector<std::uint32_t> awaited, std::int32_t instruction, StepLog& log);
  void end_piece(StepLog& log);

  bool several_, hoists_;
  LaneReads reads_;
  LatestSites sites_;
  std::int64_t requests_ = 0; ///< so far, where the steps are issued as they are executed
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

} // namespace memlane::fast
