// Where a warp of a program has values of its reads that nothing has needed yet, or of all its
// latest steps (configs/README.md section 10, "Requests in flight", "Reads that are hoisted").
#pragma once

#include "memlane/ir/program.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace memlane {

/// What lanes of a warp execute.
struct WarpInstruction {
  const ir::Instruction& in;
  std::int32_t instruction = 0;         ///< its number
  std::span<const std::uint8_t> active; ///< by lane
  /// Of an access to threads' own arrays: the lane's element. Of a select: its condition there.
  std::function<std::int64_t(int lane)> element;
  bool depends_on_data = false; ///< ir::OriginalInstruction
};

/// Registers, and elements of threads' own arrays, with values of reads, lane by lane. The warp's
/// requests have numbers that rise; where all steps are followed, its steps have.
class LaneReads {
public:
  /// Follows all steps: what was needed may be needed again, until it is forgotten.
  void follow_all() { all_ = true; }
  /// Whether no later step needs a read, until there is another one.
  bool empty() const { return rows_.empty() && needed_.empty(); }
  /// Request or step `number` gives the register its values in these lanes.
  void read(ir::Register reg, std::span<const std::uint8_t> lanes, std::int64_t number);
  /// Before the lanes execute their instruction. A copy passes on what its source has; an operator,
  /// an index, a condition and a stored value need it.
  void pass(const WarpInstruction& now);
  /// The first instruction that depends on data and uses or replaces values of reads, so that data
  /// decides what later steps wait for; -1: none.
  std::int32_t unclear() const { return unclear_; }
  /// The reads of the register in these lanes.
  std::vector<std::int64_t> of(ir::Register reg, std::span<const std::uint8_t> lanes) const;
  /// The warp's next step needs this read: an instruction of it does.
  void need(std::int64_t number, std::int32_t instruction);
  /// The reads that were needed since this or take_waits() was last called.
  std::vector<std::int64_t> take_needed();
  /// What an instruction needed.
  struct Wait {
    std::int32_t instruction = -1;
    std::vector<std::uint32_t> awaited; ///< as Step::awaited
  };
  /// The same as the waits before a step that `before` requests precede: one for each instruction
  /// that needed reads, in the order of the program.
  std::vector<Wait> take_waits(std::int64_t before);
  /// Forgets all but the reads for which this is true.
  template <class F>
  void keep_if(F is_kept) {
    std::erase_if(rows_, [&](const Row& row) { return !is_kept(row.number); });
  }

private:
  /// Numbers of registers; elements of own arrays follow.
  using Place = std::int64_t;
  struct Row {
    Place place = -1;
    std::vector<std::uint8_t> lanes;
    std::int64_t number = 0;
  };

  /// A read that is needed, and the first instruction that needs it.
  struct Needed {
    std::int64_t number = 0;
    std::int32_t instruction = -1;
  };

  void need_register(ir::Register reg, const WarpInstruction& now);
  std::vector<Row> copies(Place from, Place to, std::span<const std::uint8_t> lanes) const;
  void copy(Place from, Place to, std::span<const std::uint8_t> lanes);
  void forget(Place place, std::span<const std::uint8_t> lanes);
  void pass_own_array(const WarpInstruction& now);
  void pass_select(const WarpInstruction& now);
  bool touches(const WarpInstruction& now) const;

  std::vector<Row> rows_; ///< lanes of a place may have several reads
  std::vector<Needed> needed_;
  std::int32_t unclear_ = -1;
  bool all_ = false;
};

} // namespace memlane
