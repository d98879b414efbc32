// Liveness of registers, lane by lane.
#include "analysis.hpp"

#include "memlane/ir/flow.hpp"

#include <algorithm>

namespace memlane::fast {

namespace {

using ir::Instruction;
using ir::Opcode;

/// A set of registers.
using Live = std::vector<bool>;

class Liveness {
public:
  explicit Liveness(const ir::Function& function)
      : function_(function), flow_(function),
        in_(function.code.size() + 1, Live(static_cast<std::size_t>(function.registers))) {
    while (pass()) {
    }
  }

  const Live& before(std::size_t at) const { return in_[at]; }
  const ir::FlowGraph& flow() const { return flow_; }

private:
  bool pass() {
    bool changed = false;
    for (std::size_t at = function_.code.size(); at-- > 0;) {
      Live live(static_cast<std::size_t>(function_.registers));
      for (const std::size_t next : flow_.after(at))
        for (std::size_t r = 0; r < live.size(); ++r)
          if (in_[next][r]) live[r] = true;
      const Instruction& in = function_.code[at];
      if (has_operand(in, 'd') && in.d >= 0) live[static_cast<std::size_t>(in.d)] = false;
      for (const auto& [letter, r] : {std::pair{'a', in.a}, {'b', in.b}, {'c', in.c}})
        if (has_operand(in, letter) && r >= 0) live[static_cast<std::size_t>(r)] = true;
      if (live == in_[at]) continue;
      in_[at] = std::move(live);
      changed = true;
    }
    return changed;
  }

  const ir::Function& function_;
  ir::FlowGraph flow_;
  std::vector<Live> in_; ///< live before each instruction
};

} // namespace

Analysis analyse(const ir::Program& program, const ir::Function& function) {
  const Liveness live(function);
  const auto& code = function.code;
  Analysis facts;
  facts.writes_all.assign(code.size(), true);
  facts.live_behind.resize(code.size());
  facts.written.resize(program.arrays.size());
  std::vector<std::size_t> waiting; // where lanes wait that are not active, outermost first
  for (std::size_t at = 0; at < code.size(); ++at) {
    const Instruction& in = code[at];
    switch (in.op) {
    case Opcode::if_: waiting.push_back(live.flow().else_of(at)); break;
    case Opcode::else_: waiting.back() = static_cast<std::size_t>(in.immediate); break;
    case Opcode::loop: waiting.push_back(live.flow().endloop_of(at)); break;
    case Opcode::endif:
    case Opcode::endloop: waiting.pop_back(); break;
    case Opcode::store:
    case Opcode::defer: facts.written[static_cast<std::size_t>(in.immediate)] = true; break;
    default: break;
    }
    if (has_operand(in, 'd') && in.d >= 0)
      facts.writes_all[at] = std::none_of(waiting.begin(), waiting.end(), [&](std::size_t there) {
        return live.before(there)[static_cast<std::size_t>(in.d)];
      });
    if (in.op != Opcode::barrier && in.op != Opcode::again) continue;
    const std::size_t behind =
        in.op == Opcode::again ? static_cast<std::size_t>(in.immediate) : at + 1;
    for (ir::Register r = 0; r < function.registers; ++r)
      if (live.before(behind)[static_cast<std::size_t>(r)]) facts.live_behind[at].push_back(r);
  }
  return facts;
}

} // namespace memlane::fast
