// Where a lane may go from one instruction to the next: the ordinary flow graph of structured code.
#pragma once

#include "memlane/ir/program.hpp"

#include <array>

namespace memlane::ir {

/// Whether the instruction has the operand (opcodes.hpp): a register of this letter is read ('a',
/// 'b', 'c') or written ('d').
bool has_operand(const Instruction& in, char letter);

struct Successors {
  std::array<std::size_t, 2> at{};
  int count = 0;
  const std::size_t* begin() const { return at.data(); }
  const std::size_t* end() const { return at.data() + count; }
};

/// Each lane's way through the code is a path of this graph, whatever the others of its warp do
/// meanwhile. Refers to the function.
class FlowGraph {
public:
  explicit FlowGraph(const Function& function);

  /// None behind `end`.
  Successors after(std::size_t at) const;
  /// Where the lanes go on that leave the `if` at its condition.
  std::size_t else_of(std::size_t at) const;
  /// Of a loop or a break.
  std::size_t endloop_of(std::size_t at) const { return endloop_[at]; }

private:
  const Function& function_;
  std::vector<std::size_t> endloop_;
};

} // namespace memlane::ir
