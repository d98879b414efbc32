// Liveness of registers, lane by lane.
#include "analysis.hpp"

#include "liveness.hpp"

#include "memlane/ir/flow.hpp"

#include <algorithm>

namespace memlane::fast {

namespace {

using ir::Instruction;
using ir::Opcode;

constexpr std::size_t nowhere = SIZE_MAX;

/// Where inactive lanes wait, as a chain from the innermost `if` or loop outwards.
class WaitingLanes {
public:
  WaitingLanes(const ir::Function& function, const ir::FlowGraph& flow)
      : innermost_(function.code.size(), nowhere) {
    std::vector<std::size_t> open;
    const auto push = [&](std::size_t there) {
      points_.push_back({there, open.empty() ? nowhere : open.back()});
      open.push_back(points_.size() - 1);
    };
    for (std::size_t at = 0; at < function.code.size(); ++at) {
      const Instruction& in = function.code[at];
      if (in.op == Opcode::else_ || in.op == Opcode::endif || in.op == Opcode::endloop)
        open.pop_back();
      if (in.op == Opcode::if_) push(flow.else_of(at));
      if (in.op == Opcode::else_) push(static_cast<std::size_t>(in.immediate));
      if (in.op == Opcode::loop) push(flow.endloop_of(at));
      if (!open.empty()) innermost_[at] = open.back();
    }
  }

  /// Whether the register is live where lanes wait that are inactive at the instruction.
  bool read(const Liveness& live, ir::Register r, std::size_t at) const {
    for (std::size_t k = innermost_[at]; k != nowhere; k = points_[k].outer)
      if (live.before(points_[k].there, r)) return true;
    return false;
  }

private:
  struct Point {
    std::size_t there, outer;
  };
  std::vector<Point> points_;
  std::vector<std::size_t> innermost_; ///< by instruction: number of a point, or nowhere
};

/// Barriers and agains, each with its successor, in the order of the successors.
std::vector<std::pair<std::size_t, std::size_t>> stations(const ir::Function& function) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t at = 0; at < function.code.size(); ++at) {
    const Instruction& in = function.code[at];
    if (in.op == Opcode::barrier) all.emplace_back(at, at + 1);
    if (in.op == Opcode::again) all.emplace_back(at, static_cast<std::size_t>(in.immediate));
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  return all;
}

/// Whether the loop of an `again` only counts up to a limit, as `for` and `forall` do: it compares
/// a register first, advances this register last, and nothing else leaves it.
bool counts(const std::vector<Instruction>& code, std::size_t again) {
  const auto top = static_cast<std::size_t>(code[again].immediate);
  const Instruction &compares = code[top], &leaves = code[top + 1], &steps = code[again - 1];
  const bool compared = (compares.op == Opcode::lt || compares.op == Opcode::le) &&
                        leaves.op == Opcode::while_ && leaves.a == compares.d;
  const bool stepped = (steps.op == Opcode::add || steps.op == Opcode::sub ||
                        steps.op == Opcode::mul || steps.op == Opcode::div) &&
                       steps.d == steps.a && (steps.d == compares.a || steps.d == compares.b);
  const auto begin = code.begin();
  return compared && stepped &&
         std::none_of(begin + static_cast<std::ptrdiff_t>(top),
                      begin + static_cast<std::ptrdiff_t>(again),
                      [](const Instruction& in) { return in.op == Opcode::break_; });
}

} // namespace

Analysis analyse(const ir::Program& program, const ir::Function& function, Watch& watch) {
  const auto& code = function.code;
  Analysis facts;
  facts.writes_all.assign(code.size(), true);
  facts.live_behind.resize(code.size());
  facts.written.resize(program.arrays.size());
  facts.may_spin.resize(code.size());
  for (std::size_t at = 0; at < code.size(); ++at)
    facts.may_spin[at] = code[at].op == Opcode::again && !counts(code, at);
  for (const Instruction& in : code)
    if (in.op == Opcode::store || in.op == Opcode::defer)
      facts.written[static_cast<std::size_t>(in.immediate)] = true;

  const ir::FlowGraph flow(function);
  const WaitingLanes waiting(function, flow);
  const auto behind = stations(function);
  Liveness live(function, flow, watch);
  while (live.next_group()) {
    for (std::size_t at = live.begin(); at < live.end(); ++at)
      if (const ir::Register d = live.written_at(at); d >= 0)
        facts.writes_all[at] = !waiting.read(live, d, at);
    const std::size_t first = live.at_entry() == 0 ? live.begin() : 0;
    auto station = std::lower_bound(behind.begin(), behind.end(), first,
                                    [](const auto& s, std::size_t at) { return s.second < at; });
    for (; station != behind.end() && station->second < live.end(); ++station)
      for (const ir::Register r : live.all_before(station->second)) {
        if (!watch.go_on(sizeof(ir::Register))) return facts;
        facts.live_behind[station->first].push_back(r);
      }
  }
  return facts;
}

} // namespace memlane::fast
