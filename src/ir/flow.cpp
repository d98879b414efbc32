#include "memlane/ir/flow.hpp"

namespace memlane::ir {

bool has_operand(const Instruction& in, char letter) {
  return operands(in.op).find(letter) != std::string_view::npos;
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

} // namespace memlane::ir
