// Liveness of registers, lane by lane: each lane's way through the code is a path of an ordinary
// flow graph, whatever the others of its warp do meanwhile.
#include "analysis.hpp"

#include <algorithm>

namespace memlane::fast {

namespace {

using ir::Instruction;
using ir::Opcode;

/// A set of registers.
using Live = std::vector<bool>;

bool has(const Instruction& in, char letter) {
  return ir::operands(in.op).find(letter) != std::string_view::npos;
}

class Flow {
public:
  explicit Flow(const ir::Function& function)
      : function_(function),
        in_(function.code.size() + 1, Live(static_cast<std::size_t>(function.registers))) {
    find_loops();
    while (pass()) {
    }
  }

  const Live& before(std::size_t at) const { return in_[at]; }

  /// Where the lanes go on that leave the `if` at its condition.
  std::size_t else_of(std::size_t at) const {
    const auto target = static_cast<std::size_t>(function_.code[at].immediate);
    return function_.code[target].op == Opcode::else_ ? target + 1 : target;
  }
  std::size_t endloop_of(std::size_t loop) const { return endloop_[loop]; }

private:
  // The endloop of every loop, and of every break.
  void find_loops() {
    endloop_.resize(function_.code.size());
    std::vector<std::vector<std::size_t>> open;
    for (std::size_t at = 0; at < function_.code.size(); ++at) {
      const Opcode op = function_.code[at].op;
      if (op == Opcode::loop) open.push_back({at});
      if (op == Opcode::break_ && !open.empty()) open.back().push_back(at);
      if (op != Opcode::endloop || open.empty()) continue;
      for (const std::size_t from : open.back()) endloop_[from] = at;
      open.pop_back();
    }
  }

  bool pass() {
    bool changed = false;
    for (std::size_t at = function_.code.size(); at-- > 0;) {
      Live live = behind(at);
      const Instruction& in = function_.code[at];
      if (has(in, 'd') && in.d >= 0) live[static_cast<std::size_t>(in.d)] = false;
      for (const ir::Register r :
           {has(in, 'a') ? in.a : -1, has(in, 'b') ? in.b : -1, has(in, 'c') ? in.c : -1})
        if (r >= 0) live[static_cast<std::size_t>(r)] = true;
      if (live == in_[at]) continue;
      in_[at] = std::move(live);
      changed = true;
    }
    return changed;
  }

  Live behind(std::size_t at) const {
    const Instruction& in = function_.code[at];
    const auto target = static_cast<std::size_t>(in.immediate);
    switch (in.op) {
    case Opcode::end: return Live(static_cast<std::size_t>(function_.registers));
    case Opcode::if_: return either(at + 1, else_of(at));
    case Opcode::else_: return in_[target];
    case Opcode::while_: return either(at + 1, target);
    case Opcode::break_: return in_[endloop_[at]];
    case Opcode::exit:
    case Opcode::again: return either(at + 1, target);
    default: return in_[at + 1];
    }
  }

  Live either(std::size_t x, std::size_t y) const {
    Live live = in_[x];
    for (std::size_t r = 0; r < live.size(); ++r)
      if (in_[y][r]) live[r] = true;
    return live;
  }

  const ir::Function& function_;
  std::vector<Live> in_; ///< live before each instruction
  std::vector<std::size_t> endloop_;
};

} // namespace

Analysis analyse(const ir::Program& program, const ir::Function& function) {
  const Flow flow(function);
  const auto& code = function.code;
  Analysis facts;
  facts.writes_all.assign(code.size(), true);
  facts.live_behind.resize(code.size());
  facts.written.resize(program.arrays.size());
  std::vector<std::size_t> waiting; // where lanes wait that are not active, outermost first
  for (std::size_t at = 0; at < code.size(); ++at) {
    const Instruction& in = code[at];
    switch (in.op) {
    case Opcode::if_: waiting.push_back(flow.else_of(at)); break;
    case Opcode::else_: waiting.back() = static_cast<std::size_t>(in.immediate); break;
    case Opcode::loop: waiting.push_back(flow.endloop_of(at)); break;
    case Opcode::endif:
    case Opcode::endloop: waiting.pop_back(); break;
    case Opcode::store:
    case Opcode::defer: facts.written[static_cast<std::size_t>(in.immediate)] = true; break;
    default: break;
    }
    if (has(in, 'd') && in.d >= 0)
      facts.writes_all[at] = std::none_of(waiting.begin(), waiting.end(), [&](std::size_t there) {
        return flow.before(there)[static_cast<std::size_t>(in.d)];
      });
    if (in.op != Opcode::barrier) continue;
    for (ir::Register r = 0; r < function.registers; ++r)
      if (flow.before(at + 1)[static_cast<std::size_t>(r)]) facts.live_behind[at].push_back(r);
  }
  return facts;
}

} // namespace memlane::fast
