// The flow graph of structured code: the instructions that may follow another one in a lane.
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

/// Each lane takes a path of this graph, whatever other lanes of its warp do. Refers to the
/// function.
class FlowGraph {
public:
  explicit FlowGraph(const Function& function);

  /// None behind `end`.
  Successors after(std::size_t at) const;
  /// Where lanes continue for which the condition of an `if` is false.
  std::size_t else_of(std::size_t at) const;
  /// Of a loop or a break.
  std::size_t endloop_of(std::size_t at) const { return endloop_[at]; }

private:
  const Function& function_;
  std::vector<std::size_t> endloop_;
};

} // namespace memlane::ir
