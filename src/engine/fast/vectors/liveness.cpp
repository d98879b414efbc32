#include "liveness.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace memlane::fast {

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
  for (const Instruction& in : function.code) {
    if (!watch_.go_on()) return;
    uses_.push_back(registers_of(in));
    goes_back_.push_back(in.op == Opcode::again);
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
    changed = changed && loops; // without a loop one pass suffices
  }
  return true;
}

std::vector<ir::Register> Liveness::all_before(std::size_t at) const {
  std::vector<ir::Register> registers;
  for (std::uint64_t word = word_before(at); word != 0; word &= word - 1)
    registers.push_back(ranges_[first_ + static_cast<std::size_t>(std::countr_zero(word))].r);
  return registers;
}

} // namespace memlane::fast
