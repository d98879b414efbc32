#include "memlane/ir/flow.hpp"

#include <algorithm>
#include <utility>

namespace memlane::ir {

bool has_operand(const Instruction& in, char letter) {
  return operands(in.op).find(letter) != std::string_view::npos;
}

bool has_atomics(const Function& function) {
  return std::any_of(function.code.begin(), function.code.end(),
                     [](const Instruction& in) { return is_atomic(in.op); });
}

FlowGraph::FlowGraph(const Function& function)
    : function_(function), endloop_(function.code.size()) {
  std::vector<std::vector<std::size_t>> open; // loops around, each with the breaks that leave it
  for (std::size_t at = 0; at < function_.code.size(); ++at) {
    const Opcode op = function_.code[at].op;
    if (op == Opcode::loop) open.push_back({at});
    const auto further = static_cast<std::size_t>(function_.code[at].immediate);
    if (op == Opcode::break_ && further < open.size())
      open[open.size() - 1 - further].push_back(at);
    if (op != Opcode::endloop || open.empty()) continue;
    for (const std::size_t from : open.back()) endloop_[from] = at;
    open.pop_back();
  }
}

std::size_t FlowGraph::else_of(std::size_t at) const {
  const auto target = static_cast<std::size_t>(function_.code[at].immediate);
  return function_.code[target].op == Opcode::else_ ? target + 1 : target;
}

Successors FlowGraph::after(std::size_t at) const {
  const auto target = static_cast<std::size_t>(function_.code[at].immediate);
  const Opcode op = function_.code[at].op;
  if (op == Opcode::end) return {};
  if (!is_control(op)) return {{at + 1}, 1};
  switch (static_cast<ControlOpcode>(op)) {
  case ControlOpcode::if_: return {{at + 1, else_of(at)}, 2};
  case ControlOpcode::else_: return {{target}, 1};
  case ControlOpcode::break_: return {{endloop_[at]}, 1};
  case ControlOpcode::while_:
  case ControlOpcode::exit:
  case ControlOpcode::again: return {{at + 1, target}, 2};
  case ControlOpcode::endif:
  case ControlOpcode::loop:
  case ControlOpcode::endloop: break;
  }
  return {{at + 1}, 1};
}

int nesting(Opcode op) {
  if (op == Opcode::if_ || op == Opcode::loop) return 1;
  if (op == Opcode::endif || op == Opcode::endloop) return -1;
  return 0;
}

namespace {

std::size_t end_of(const Function& function, std::size_t begin) {
  int depth = 0;
  std::size_t at = begin;
  for (;; ++at) {
    depth += nesting(function.code[at].op);
    if (depth == 0) return at;
  }
}

/// The region of the innermost loop around `at`.
Region loop_around(const Function& function, std::size_t at) {
  int depth = 0;
  std::size_t begin = at;
  for (;;) {
    --begin;
    depth += nesting(function.code[begin].op);
    if (depth <= 0) continue;
    if (function.code[begin].op == Opcode::loop) return {begin, end_of(function, begin)};
    depth = 0; // an `if` around it
  }
}

/// Whether lanes in the region leave a loop around it.
bool leaves(const Function& function, const Region& region) {
  int loops = 0;
  for (std::size_t at = region.first; at <= region.last; ++at) {
    const Opcode op = function.code[at].op;
    loops += op == Opcode::loop ? 1 : op == Opcode::endloop ? -1 : 0;
    if (op == Opcode::while_ && loops == 0) return true;
    if (op == Opcode::break_ && function.code[at].immediate >= loops) return true;
  }
  return false;
}

/// Once a machine has costs of statements, these are visible, too.
bool is_visible(const Instruction& in) {
  return in.counted || effects(in.op).find_first_not_of('p') != std::string_view::npos;
}

} // namespace

Region region_of_condition(const Function& function, std::size_t at) {
  Region region = function.code[at].op == Opcode::while_ ? loop_around(function, at)
                                                         : Region{at, end_of(function, at)};
  while (leaves(function, region)) region = loop_around(function, region.first);
  return region;
}

std::optional<std::size_t> first_visible(const Function& function, const Region& region) {
  for (std::size_t at = region.first; at <= region.last; ++at)
    if (is_visible(function.code[at])) return at;
  return std::nullopt;
}

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
