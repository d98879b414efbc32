// Liveness of registers, lane by lane.
#include "analysis.hpp"

#include "memlane/ir/flow.hpp"
#include "memlane/support/limits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

namespace memlane::fast {

// Which registers are read later: the classical data flow, for a few registers at a time.

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

  /// Whether a register of the group is read from here on before it is written.
  bool before(std::size_t at, ir::Register r) const {
    return (word_before(at) >> bit_[static_cast<std::size_t>(r)] & 1) != 0;
  }
  std::vector<ir::Register> all_before(std::size_t at) const;
  bool has(ir::Register r) const { return r >= 0 && bit_[static_cast<std::size_t>(r)] != none; }
  /// The register of the group that the instruction writes, or -1.
  ir::Register written_at(std::size_t at) const {
    const ir::Register d = uses_[at][0];
    return has(d) ? d : -1;
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
  std::vector<std::array<ir::Register, 4>> uses_; ///< each instruction's d, a, b, c; -1: none
  std::vector<bool> goes_back_;                   ///< whether the instruction is an `again`
  std::vector<Range> ranges_;        ///< ranges of all registers; a group is consecutive
  std::vector<std::uint8_t> bit_;    ///< each register's bit in this group, or none
  std::size_t next_ = 0, first_ = 0; ///< indices into ranges_: the next group's, this group's
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::uint64_t> in_; ///< what is live before each instruction, begin_ first
};

using ir::Instruction;
using ir::Opcode;

namespace {

constexpr std::size_t group_size = 64;

/// By instruction: the outermost loop around it, from its `loop` to behind its `endloop`; without
/// one the instruction itself.
std::vector<std::pair<std::size_t, std::size_t>> outermost_loops(const ir::Function& function) {
  std::vector<std::pair<std::size_t, std::size_t>> around(function.code.size());
  std::size_t depth = 0, begin = 0;
  for (std::size_t at = 0; at < around.size(); ++at) {
    around[at] = {at, at + 1};
    if (function.code[at].op == Opcode::loop && depth++ == 0) begin = at;
    if (function.code[at].op != Opcode::endloop || --depth > 0) continue;
    for (std::size_t k = begin; k <= at; ++k) around[k] = {begin, at + 1};
  }
  return around;
}

/// Operands that an instruction has, in the order d, a, b, c.
std::array<ir::Register, 4> registers_of(const Instruction& in) {
  const auto if_used = [&](char letter, ir::Register r) {
    return ir::has_operand(in, letter) ? r : -1;
  };
  return {if_used('d', in.d), if_used('a', in.a), if_used('b', in.b), if_used('c', in.c)};
}

} // namespace

Liveness::Liveness(const ir::Function& function, const ir::FlowGraph& flow, Watch& watch)
    : flow_(flow), watch_(watch) {
  for (std::size_t at = 0; at < function.code.size(); ++at) {
    if (!watch_.go_on()) return;
    uses_.push_back(registers_of(function.code[at]));
    goes_back_.push_back(function.code[at].op == Opcode::again);
    // Without data, a thread's own array is not read any more, but waits for what is in its
    // element.
    const Instruction& original = function.original(at);
    if (original.op == Opcode::local_load) uses_.back()[1] = original.a;
  }
  bit_.assign(static_cast<std::size_t>(function.registers), none);
  find_ranges(function);
}

void Liveness::find_ranges(const ir::Function& function) {
  const auto around = outermost_loops(function);
  std::vector<Range> ranges(static_cast<std::size_t>(function.registers));
  std::vector<int> writes(ranges.size());
  for (std::size_t at = 0; at < uses_.size(); ++at) {
    for (const ir::Register r : uses_[at]) {
      if (r < 0) continue;
      Range& range = ranges[static_cast<std::size_t>(r)];
      if (range.r < 0) range = {r, around[at].first, around[at].second};
      range.end = std::max(range.end, around[at].second);
    }
    if (uses_[at][0] >= 0) ++writes[static_cast<std::size_t>(uses_[at][0])];
  }
  // A function begins with its constants; one that is written nowhere else never changes.
  for (std::size_t at = 0; at < uses_.size(); ++at) {
    const Opcode op = function.code[at].op;
    if (op != Opcode::constant && op != Opcode::special) break;
    const auto d = static_cast<std::size_t>(uses_[at][0]);
    if (op == Opcode::constant && writes[d] == 1) ranges[d].r = -1;
  }
  for (const Range& range : ranges)
    if (range.r >= 0) ranges_.push_back(range);
  // Ranges of similar length and place share a group, so that it spans few instructions.
  const auto order = [](const Range& range) {
    return std::tuple(std::bit_width(range.end - range.begin), range.begin, range.r);
  };
  std::sort(ranges_.begin(), ranges_.end(),
            [&](const Range& a, const Range& b) { return order(a) < order(b); });
}

bool Liveness::next_group() {
  for (std::size_t k = first_; k < next_; ++k) bit_[static_cast<std::size_t>(ranges_[k].r)] = none;
  first_ = next_;
  next_ = std::min(first_ + group_size, ranges_.size());
  if (first_ == next_ || watch_.stopped()) return false;
  begin_ = ranges_[first_].begin;
  end_ = ranges_[first_].end;
  for (std::size_t k = first_; k < next_; ++k) {
    bit_[static_cast<std::size_t>(ranges_[k].r)] = static_cast<std::uint8_t>(k - first_);
    begin_ = std::min(begin_, ranges_[k].begin);
    end_ = std::max(end_, ranges_[k].end);
  }
  return follow();
}

/// From the last instruction to the first, until the loops add nothing more.
bool Liveness::follow() {
  in_.assign(end_ - begin_, 0);
  for (bool changed = true; changed;) {
    changed = false;
    bool loops = false;
    for (std::size_t at = end_; at-- > begin_;) {
      if (!watch_.go_on()) return false;
      std::uint64_t live = 0;
      for (const std::size_t next : flow_.after(at))
        if (next >= begin_) live |= word_before(next);
      const auto& [d, a, b, c] = uses_[at];
      live = (live & ~mask(d)) | mask(a) | mask(b) | mask(c);
      std::uint64_t& known = in_[at - begin_];
      changed = changed || known != live;
      known = live;
      loops = loops || goes_back_[at];
    }
    changed = changed && loops; // one pass suffices where there is no loop
  }
  return true;
}

std::vector<ir::Register> Liveness::all_before(std::size_t at) const {
  std::vector<ir::Register> registers;
  for (std::uint64_t word = word_before(at); word != 0; word &= word - 1)
    registers.push_back(ranges_[first_ + static_cast<std::size_t>(std::countr_zero(word))].r);
  return registers;
}

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
  std::vector<std::size_t> innermost_; ///< each instruction's point, or nowhere
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

/// Whether rounds of the loop of an `again` write no memory and no array of a thread, and draw no
/// numbers.
bool only_looks(const std::vector<Instruction>& code, std::size_t again) {
  for (auto at = static_cast<std::size_t>(code[again].immediate); at < again; ++at) {
    const Opcode op = code[at].op;
    const bool looks = ir::computes(op) || ir::is_control(op) || op == Opcode::load ||
                       op == Opcode::lookup || op == Opcode::call ||
                       ir::group_of(op) == ir::OpcodeGroup::check ||
                       ir::group_of(op) == ir::OpcodeGroup::warp;
    if (!looks) return false;
  }
  return true;
}

} // namespace

Analysis analyse(const ir::Program& program, const ir::Function& function, Watch& watch) {
  const auto& code = function.code;
  Analysis facts;
  facts.writes_all.assign(code.size(), true);
  facts.takes.resize(code.size());
  facts.live_behind.resize(code.size());
  facts.written.resize(program.arrays.size());
  facts.may_spin.resize(code.size());
  facts.only_looks.resize(code.size());
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at].op != Opcode::again || counts(code, at)) continue;
    facts.may_spin[at] = true;
    facts.only_looks[at] = only_looks(code, at);
  }
  for (const Instruction& in : code)
    if (ir::writes_memory(in.op)) facts.written[static_cast<std::size_t>(in.immediate)] = true;

  const ir::FlowGraph flow(function);
  const WaitingLanes waiting(function, flow);
  const auto behind = stations(function);
  Liveness live(function, flow, watch);
  while (live.next_group()) {
    for (std::size_t at = live.begin(); at < live.end(); ++at) {
      if (const ir::Register d = live.written_at(at); d >= 0)
        facts.writes_all[at] = !waiting.read(live, d, at);
      const ir::Register from = code[at].a;
      if (code[at].op == Opcode::move && live.has(from) && from != code[at].d)
        facts.takes[at] = !live.before(at + 1, from) && !waiting.read(live, from, at);
    }
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
