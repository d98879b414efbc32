// Which registers are read later: the classical data flow, for a few registers at a time.
#pragma once

#include "memlane/ir/flow.hpp"
#include "memlane/support/limits.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace memlane::fast {

/// Takes the registers of a function in groups of at most 64, one bit each. A register is dead
/// after its last mention, and live before its first one only if it is live there. So only the
/// instructions between them are analysed, whole loops at a time. Registers that always hold one
/// constant are in no group.
class Liveness {
public:
  Liveness(const ir::Function& function, const ir::FlowGraph& flow, Watch& watch);

  /// The next group; false if there is none, or the watch has stopped.
  bool next_group();

  /// The instructions begin … end - 1 hold all mentions of the group.
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  /// The registers that are live before all of them.
  std::uint64_t at_entry() const { return in_.empty() ? 0 : in_.front(); }

  /// Of a register of the group: is it read from here on before it is written?
  bool before(std::size_t at, ir::Register r) const {
    return (word_before(at) >> bit_[static_cast<std::size_t>(r)] & 1) != 0;
  }
  std::vector<ir::Register> all_before(std::size_t at) const;
  /// The register of the group that the instruction writes, or -1.
  ir::Register written_at(std::size_t at) const {
    const ir::Register d = uses_[at][0];
    return d >= 0 && bit_[static_cast<std::size_t>(d)] != none ? d : -1;
  }

private:
  static constexpr std::uint8_t none = 255;

  struct Range {
    ir::Register r = -1;
    std::size_t begin = 0, end = 0;
  };

  void find_ranges(const ir::Function& function);
  bool follow();
  std::uint64_t word_before(std::size_t at) const {
    if (at >= end_) return 0;
    return in_[at < begin_ ? 0 : at - begin_];
  }
  std::uint64_t mask(ir::Register r) const {
    return r < 0 || bit_[static_cast<std::size_t>(r)] == none
               ? 0
               : std::uint64_t{1} << bit_[static_cast<std::size_t>(r)];
  }

  const ir::FlowGraph& flow_;
  Watch& watch_;
  std::vector<std::array<ir::Register, 4>> uses_; ///< by instruction: d, a, b, c; -1: none
  std::vector<bool> goes_back_;                   ///< by instruction: it is an `again`
  std::vector<Range> ranges_;                     ///< of all registers; a group is consecutive
  std::vector<std::uint8_t> bit_;                 ///< by register: its bit in this group, or none
  std::size_t next_ = 0, first_ = 0;              ///< of ranges_: the next group's, this group's
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::uint64_t> in_; ///< by instruction from begin_ on: live before it
};

} // namespace memlane::fast
