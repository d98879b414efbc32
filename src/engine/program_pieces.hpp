// The pieces of a program's warps, where the machine hoists reads (configs/README.md section 10,
// "Reads that are hoisted").
#pragma once

#include "lane_reads.hpp"

#include "memlane/engine/issue_order.hpp"
#include "memlane/engine/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memlane {

/// The present piece of one warp: its steps are added as they are executed, and handed over when it
/// ends. `reads`: of the warp; follows all steps.
class ProgramPieces {
public:
  /// `several`: the warp may have several requests on their way, so steps await reads of earlier
  /// pieces.
  explicit ProgramPieces(bool several) : several_(several) {}

  /// Whether the present piece ends before the lanes execute the instruction.
  bool ends_before(const WarpInstruction& now) const;
  /// The lanes execute the instruction; `ends_before` was false, or the piece has ended. It is a
  /// step if it is counted, or needs others. An access becomes one with its request.
  void execute(const WarpInstruction& now, LaneReads& reads);
  /// The warp makes a request, which `returns` a value or does not. Returns the step's number.
  std::int64_t request(UnitId unit, bool returns, std::int32_t instruction, LaneReads& reads);
  /// The number of the latest step.
  std::int64_t latest() const { return order_.latest(); }

  /// The piece ends: calls issue(IssueOrder::Issued, instruction) for each step, in the order in
  /// which they are issued.
  template <class Issue>
  void end(LaneReads& reads, Issue issue) {
    if (!instructions_.empty()) {
      const std::int64_t first =
          order_.latest() + 1 - static_cast<std::int64_t>(instructions_.size());
      for (const IssueOrder::Issued& issued : order_.end_piece())
        issue(issued, instructions_[static_cast<std::size_t>(issued.number - first)]);
      instructions_.clear();
    }
    if (!several_) order_.complete_reads();
    forget(reads);
  }
  /// The warp waits for all its reads; its piece has ended.
  void complete_reads(LaneReads& reads) {
    order_.complete_reads();
    forget(reads);
  }

private:
  void forget(LaneReads& reads) {
    reads.keep_if([&](std::int64_t number) { return order_.is_open(number); });
  }

  bool several_;
  IssueOrder order_{Schedule::hoisted};
  std::vector<std::int32_t> instructions_; ///< by step of the piece
  std::vector<std::uint8_t> lanes_;        ///< those of the piece
  bool alone_ = false;                     ///< the latest instruction is a piece by itself
};

} // namespace memlane
