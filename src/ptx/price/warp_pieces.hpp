// A warp's steps between two branches, which the machine issues in an order of its own
// (configs/README.md section 10, "Reads that are hoisted", "Shared reads that are merged").
#pragma once

#include "exec/memory.hpp"

#include "memlane/engine/issue_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memlane::ptx {

/// The present piece of one warp: its steps are collected as they are executed, and handed over
/// when it ends.
class WarpPieces {
public:
  /// `waits`: it matters which steps need which reads.
  WarpPieces(const MachineSpec& machine, bool waits)
      : order_(machine.schedule), widest_(machine.shared ? machine.shared->widest : narrow),
        waits_(waits) {
    reads_.follow_all();
  }
  /// Whether the machine issues steps in another order than that of the program, or merges some.
  static bool are_needed(const MachineSpec& machine) {
    return machine.schedule == Schedule::hoisted ||
           (machine.shared && machine.shared->widest > narrow);
  }

  /// Where values of steps are.
  AwaitedReads& reads() { return reads_; }
  /// Whether the present piece ends before the step, which is executed in these lanes.
  bool ends_before(const Step& step, std::uint32_t mask) const;
  /// The step is executed, and needs these. `ends_before` was false, or the piece has ended.
  void execute(const Step& step, const StepCount& count, std::uint32_t mask,
               std::span<const std::int64_t> needs);

  struct Access {
    std::size_t site = 0;
    const Step* step = nullptr;
    LaneAddresses lanes;
  };
  /// The step that is executed makes a request. `returns`: the warp gets a value.
  void access(const Access& access, bool returns);

  /// The piece ends. For each step in the order in which they are issued, calls
  /// wait(awaited, StepCount) if it needs reads that no step has awaited, then access(Access) or
  /// operation(StepCount::operation).
  template <class Wait, class OfAccess, class OfOperation>
  void end(Wait wait, OfAccess access, OfOperation operation) {
    if (steps_.empty()) return;
    merge_reads();
    const std::int64_t first = order_.latest() + 1 - static_cast<std::int64_t>(steps_.size());
    for (const IssueOrder::Issued& issued : order_.end_piece()) {
      const Added& step = steps_[static_cast<std::size_t>(issued.number - first)];
      if (!issued.awaited.empty()) wait(issued.awaited, *step.count);
      if (step.access >= 0) access(accesses_[static_cast<std::size_t>(step.access)]);
      if (step.access < 0 && step.is_counted) operation(step.count->operation);
    }
    if (!waits_) order_.complete_reads();
    forget();
  }
  /// The warp has waited for its reads.
  void complete_reads();

private:
  static constexpr std::int64_t narrow = 4; ///< bytes of reads that are merged

  struct Added {
    const StepCount* count = nullptr; ///< of its instruction
    bool is_counted = false; ///< a step that is not counted, or has no active lane, only waits
    std::int32_t access = -1;
  };
  /// A read that may be merged with others of its piece.
  struct Mergeable {
    std::int64_t number = 0;
    std::size_t access = 0;
    Place base = -1;                 ///< the register of the address; all constants are one
    std::int64_t offset = 0;         ///< what is added to it
    std::int64_t writes = 0;         ///< of shared memory before it, in the piece
    std::vector<std::int64_t> needs; ///< of its address
    bool merged = false;
  };

  bool find_parts(std::size_t first, std::int64_t bytes, std::vector<std::size_t>& parts) const;
  void merge_reads();
  void forget();

  IssueOrder order_;
  std::int64_t widest_;
  bool waits_;
  AwaitedReads reads_;
  std::vector<Added> steps_;
  std::vector<Access> accesses_;
  std::vector<Mergeable> mergeable_;
  std::int64_t writes_ = 0; ///< of shared memory, in the piece
  // Of the latest step:
  const StepCount* count_ = nullptr;
  std::vector<std::int64_t> needs_;
  std::int64_t number_ = -1, read_ = -1; ///< its own, and that of its latest read; -1: none
  std::uint32_t lanes_ = 0;
  bool alone_ = false; ///< the latest step is a piece by itself
};

} // namespace memlane::ptx
