#include "memlane/ir/statements.hpp"

#include <algorithm>
#include <utility>

namespace memlane::ir {

namespace {

bool performs(const Program& program, const Instruction& in) {
  return in.counted ||
         (makes_request(in.op) &&
          program.arrays[static_cast<std::size_t>(in.immediate)].space == Space::memory);
}

/// The end of a statement's own code, and the depth of its own conditionals so far.
struct Extent {
  std::size_t last = 0;
  int conditionals = 0;
  bool begun = false;
};

} // namespace

// A statement's own conditionals are conditional expressions, `and` and `or`: only some lanes
// execute their code, or none. Blocks of fns that it calls are other statements.
void find_performing(const Program& program, Function& kernel) {
  std::vector<Extent> extents(kernel.statements.size());
  for (std::size_t at = 0; at < kernel.code.size(); ++at) {
    const Instruction& in = kernel.code[at];
    if (in.statement < 0) continue;
    Statement& statement = kernel.statements[static_cast<std::size_t>(in.statement)];
    Extent& extent = extents[static_cast<std::size_t>(in.statement)];
    if (!std::exchange(extent.begun, true)) statement.first = at;
    extent.conditionals += in.op == Opcode::if_ ? 1 : in.op == Opcode::endif ? -1 : 0;
    if (extent.conditionals == 0) extent.last = at;
    if (!performs(program, in)) continue;
    if (extent.conditionals == 0) statement.performs = Performs::always;
    if (statement.performs == Performs::never) statement.performs = Performs::sometimes;
  }
  std::int32_t depth = 0;
  for (std::size_t at = 0; at < kernel.code.size(); ++at) {
    Instruction& in = kernel.code[at];
    if (in.statement < 0) continue;
    Statement& statement = kernel.statements[static_cast<std::size_t>(in.statement)];
    if (statement.performs != Performs::sometimes) continue;
    if (at == statement.first) {
      statement.depth = depth++;
      in.mark = StatementMark::begins;
    } else if (at == extents[static_cast<std::size_t>(in.statement)].last) {
      --depth;
      in.mark = StatementMark::ends;
    } else if (performs(program, in)) {
      in.mark = StatementMark::performs;
    }
  }
}

} // namespace memlane::ir
