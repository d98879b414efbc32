// The control flow of a function: where lanes of a warp diverge and reconverge; and which registers
// share a place in a warp's frame.
#pragma once

#include "memlane/ptx/module.hpp"

#include <cstdint>
#include <vector>

namespace memlane::ptx {

/// A run of operations that are executed one after the other: [first, last).
struct BasicBlock {
  std::int32_t first = 0, last = 0;
  std::vector<std::int32_t> next; ///< blocks; of one that may end the function: also -1
};

struct Flow {
  std::vector<BasicBlock> blocks;     ///< in the order of the code
  std::vector<std::int32_t> block_of; ///< by operation
  /// By block: the operation where lanes that diverge at its end reconverge, the first one of its
  /// immediate post-dominator (Fung et al. 2007). The number of operations stands for the
  /// function's end.
  std::vector<std::int32_t> meets;
};

/// Cost: linear in the code, times the depth of nested control.
Flow flow_of(const Function& function);

/// A register's place in a warp's frame. Registers of one width that hold no values at the same
/// time share it.
struct Frame {
  /// By register: the offset in bytes of its row of 32 values; of a predicate, of its 32 bits; -1:
  /// nothing reads or writes it.
  std::vector<std::int32_t> places;
  std::int32_t bytes = 0;
};

/// A linear scan over the live ranges. A row of a value of b bits takes max(4, b / 8) * 32 bytes.
Frame frame_of(const Function& function, const Flow& flow);

/// Calls f(operand, written) for each register that the operation reads or writes, its guard last.
template <class F>
void for_registers(const Function& function, const Operation& op, F f);

} // namespace memlane::ptx

namespace memlane::ptx {

template <class F>
void for_registers(const Function& function, const Operation& op, F f) {
  const auto visit = [&](const Operand& operand, bool written) {
    if (operand.kind == OperandKind::reg) f(operand.index, written);
    if (operand.kind != OperandKind::vector) return;
    for (int k = 0; k < operand.count; ++k) {
      const Operand& element = function.elements[static_cast<std::size_t>(operand.index + k)];
      if (element.kind == OperandKind::reg) f(element.index, written);
    }
  };
  visit(op.d, true);
  visit(op.q, true);
  for (const Operand* source : {&op.a, &op.b, &op.c, &op.e, &op.m, &op.n}) visit(*source, false);
  if (op.opcode == Opcode::call)
    visit(function.calls[static_cast<std::size_t>(op.target)].address, false);
  if (op.guard >= 0) f(op.guard, false);
}

} // namespace memlane::ptx
