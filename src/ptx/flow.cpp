#include "memlane/ptx/flow.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace memlane::ptx {

namespace {

bool ends_block(const Operation& op) {
  return op.opcode == Opcode::bra || op.opcode == Opcode::brx || op.opcode == Opcode::ret ||
         op.opcode == Opcode::exit || op.opcode == Opcode::trap;
}

/// The operations that may follow; -1: the function's end.
std::vector<std::int32_t> followers(const Function& function, std::int32_t at) {
  const Operation& op = function.code[static_cast<std::size_t>(at)];
  std::vector<std::int32_t> all;
  if (op.opcode == Opcode::bra) all.push_back(op.target);
  if (op.opcode == Opcode::brx) all = function.targets[static_cast<std::size_t>(op.target)];
  if (op.opcode == Opcode::ret || op.opcode == Opcode::exit || op.opcode == Opcode::trap)
    all.push_back(-1);
  if (op.guard >= 0 || !ends_block(op)) all.push_back(at + 1);
  return all;
}

void find_blocks(const Function& function, Flow& flow) {
  const auto count = static_cast<std::int32_t>(function.code.size());
  std::vector<std::uint8_t> begins(static_cast<std::size_t>(count) + 1, 0);
  begins[0] = 1;
  for (std::int32_t at = 0; at < count; ++at) {
    if (!ends_block(function.code[static_cast<std::size_t>(at)])) continue;
    begins[static_cast<std::size_t>(at) + 1] = 1;
    for (const std::int32_t to : followers(function, at))
      if (to >= 0) begins[static_cast<std::size_t>(to)] = 1;
  }
  flow.block_of.resize(static_cast<std::size_t>(count));
  for (std::int32_t at = 0; at < count; ++at) {
    if (begins[static_cast<std::size_t>(at)]) flow.blocks.push_back({at, at, {}});
    flow.blocks.back().last = at + 1;
    flow.block_of[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(flow.blocks.size()) - 1;
  }
  for (BasicBlock& block : flow.blocks)
    for (const std::int32_t to : followers(function, block.last - 1))
      block.next.push_back(to < 0 || to >= count ? -1
                                                 : flow.block_of[static_cast<std::size_t>(to)]);
}

/// Immediate post-dominators by intersection of paths (Cooper, Harvey & Kennedy 2001), on the
/// reverse graph from a node behind all ends, which is the last number.
class PostDominators {
public:
  explicit PostDominators(const Flow& flow) : count_(flow.blocks.size()), end_(count_) {
    before_.resize(count_ + 1);
    next_.resize(count_ + 1);
    for (std::size_t block = 0; block < count_; ++block)
      for (const std::int32_t to : flow.blocks[block].next) add(block, to < 0 ? end_ : place(to));
    end_loops();
    order();
    solve();
  }
  /// The end's number if nothing else is.
  std::size_t of(std::size_t block) const { return static_cast<std::size_t>(up_[block]); }

private:
  static std::size_t place(std::int32_t number) { return static_cast<std::size_t>(number); }
  void add(std::size_t from, std::size_t to) {
    next_[from].push_back(to);
    before_[to].push_back(from);
  }

  /// A loop without an end gets one, so that every block reaches the end.
  void end_loops() {
    std::vector<std::uint8_t> reaches(count_ + 1, 0);
    std::vector<std::size_t> left;
    const auto mark = [&](std::size_t from) {
      reaches[from] = 1;
      left.push_back(from);
      while (!left.empty()) {
        const std::size_t block = left.back();
        left.pop_back();
        for (const std::size_t before : before_[block]) {
          if (reaches[before]) continue;
          reaches[before] = 1;
          left.push_back(before);
        }
      }
    };
    mark(end_);
    for (std::size_t block = count_; block-- > 0;) {
      if (reaches[block]) continue;
      add(block, end_);
      mark(block);
    }
  }

  /// Numbers the blocks that reach the end in postorder of the reverse graph.
  void order() {
    number_.assign(count_ + 1, -1);
    sorted_.clear();
    std::vector<std::pair<std::size_t, std::size_t>> stack{{end_, 0}};
    std::vector<std::uint8_t> seen(count_ + 1, 0);
    seen[end_] = 1;
    while (!stack.empty()) {
      auto& [block, at] = stack.back();
      if (at < before_[block].size()) {
        const std::size_t next = before_[block][at++];
        if (!seen[next]) {
          seen[next] = 1;
          stack.emplace_back(next, 0);
        }
        continue;
      }
      number_[block] = static_cast<std::int32_t>(sorted_.size());
      sorted_.push_back(block);
      stack.pop_back();
    }
  }

  void solve() {
    up_.assign(count_ + 1, -1);
    up_[end_] = static_cast<std::int32_t>(end_);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = sorted_.size(); k-- > 0;) {
        const std::size_t block = sorted_[k];
        if (block == end_) continue;
        std::int32_t meet = -1;
        for (const std::size_t to : next_[block]) {
          if (up_[to] < 0) continue;
          meet = meet < 0 ? static_cast<std::int32_t>(to)
                          : intersect(meet, static_cast<std::int32_t>(to));
        }
        if (meet == up_[block]) continue;
        up_[block] = meet;
        changed = true;
      }
    }
  }

  std::int32_t intersect(std::int32_t a, std::int32_t b) const {
    while (a != b) {
      while (number_[place(a)] < number_[place(b)]) a = up_[place(a)];
      while (number_[place(b)] < number_[place(a)]) b = up_[place(b)];
    }
    return a;
  }

  std::size_t count_, end_;
  std::vector<std::vector<std::size_t>> before_, next_;
  std::vector<std::int32_t> number_, up_;
  std::vector<std::size_t> sorted_;
};

// --- live ranges

/// Bits of registers.
using Set = std::vector<std::uint64_t>;
bool has(const Set& set, std::int32_t reg) {
  return (set[static_cast<std::size_t>(reg) / 64] >> (reg % 64) & 1) != 0;
}
void put(Set& set, std::int32_t reg, bool value) {
  std::uint64_t& word = set[static_cast<std::size_t>(reg) / 64];
  const std::uint64_t bit = std::uint64_t{1} << (reg % 64);
  word = value ? word | bit : word & ~bit;
}

struct Range {
  std::int32_t reg = 0, first = 0, last = -1;
};

/// Each register that is used has its place from the beginning to the end.
std::vector<Range> whole_ranges(const Function& function) {
  std::vector<Range> ranges(function.registers.size());
  for (std::size_t reg = 0; reg < ranges.size(); ++reg)
    ranges[reg] = {static_cast<std::int32_t>(reg), 0, -1};
  const auto end = static_cast<std::int32_t>(function.code.size());
  for (const Operation& op : function.code)
    for_registers(function, op, [&](std::int32_t reg, bool) {
      ranges[static_cast<std::size_t>(reg)].last = end;
    });
  return ranges;
}

/// The first and the last operation at which each register holds a value that is still read, in the
/// order of the code. A lane's values are its own: what it needs does not depend on other lanes.
/// Where that would take too long, a range is the whole function.
std::vector<Range> live_ranges(const Function& function, const Flow& flow) {
  constexpr std::size_t most_words = std::size_t{1} << 22;
  constexpr int most_passes = 64;
  const std::size_t words = function.registers.size() / 64 + 1;
  const std::size_t count = flow.blocks.size();
  if (count > most_words / words) return whole_ranges(function);
  std::vector<Set> reads(count, Set(words)), writes(count, Set(words)), in(count, Set(words)),
      out(count, Set(words));
  const auto is_whole = [](const Operation& op) { return op.guard < 0; };
  for (std::size_t b = 0; b < count; ++b)
    for (std::int32_t at = flow.blocks[b].last; at-- > flow.blocks[b].first;) {
      const Operation& op = function.code[static_cast<std::size_t>(at)];
      // A guarded write keeps the values of the other lanes.
      for_registers(function, op, [&](std::int32_t reg, bool written) {
        if (!written || !is_whole(op)) return;
        put(writes[b], reg, true);
        put(reads[b], reg, false);
      });
      for_registers(function, op, [&](std::int32_t reg, bool written) {
        if (!written || !is_whole(op)) put(reads[b], reg, true);
      });
    }
  int passes = 0;
  for (bool changed = true; changed;) {
    if (++passes > most_passes) return whole_ranges(function);
    changed = false;
    for (std::size_t b = count; b-- > 0;) {
      for (const std::int32_t to : flow.blocks[b].next)
        for (std::size_t k = 0; to >= 0 && k < words; ++k)
          out[b][k] |= in[static_cast<std::size_t>(to)][k];
      for (std::size_t k = 0; k < words; ++k) {
        const std::uint64_t now = reads[b][k] | (out[b][k] & ~writes[b][k]);
        changed = changed || now != in[b][k];
        in[b][k] = now;
      }
    }
  }
  std::vector<Range> ranges(function.registers.size());
  for (std::size_t reg = 0; reg < ranges.size(); ++reg)
    ranges[reg] = {static_cast<std::int32_t>(reg), INT32_MAX, -1};
  const auto note = [&](std::int32_t reg, std::int32_t at) {
    Range& range = ranges[static_cast<std::size_t>(reg)];
    range.first = std::min(range.first, at);
    range.last = std::max(range.last, at);
  };
  for (std::size_t b = 0; b < count; ++b) {
    const BasicBlock& block = flow.blocks[b];
    for (std::int32_t reg = 0; reg < static_cast<std::int32_t>(ranges.size()); ++reg) {
      if (has(in[b], reg)) note(reg, block.first);
      if (has(out[b], reg)) note(reg, block.last - 1);
    }
    for (std::int32_t at = block.first; at < block.last; ++at)
      for_registers(function, function.code[static_cast<std::size_t>(at)],
                    [&](std::int32_t reg, bool) { note(reg, at); });
  }
  return ranges;
}

} // namespace

Flow flow_of(const Function& function) {
  Flow flow;
  if (function.code.empty()) return flow;
  find_blocks(function, flow);
  const PostDominators dominators(flow);
  for (std::size_t block = 0; block < flow.blocks.size(); ++block) {
    const std::size_t meet = dominators.of(block);
    flow.meets.push_back(meet < flow.blocks.size()
                             ? flow.blocks[meet].first
                             : static_cast<std::int32_t>(function.code.size()));
  }
  return flow;
}

Frame frame_of(const Function& function, const Flow& flow) {
  Frame frame;
  frame.places.assign(function.registers.size(), -1);
  std::vector<Range> ranges = live_ranges(function, flow);
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::pair(a.first, a.reg) < std::pair(b.first, b.reg);
  });
  const auto row_bytes = [&](std::int32_t reg) {
    const Type type = function.registers[static_cast<std::size_t>(reg)];
    return type == Type::pred ? 4 : std::max(4, bytes_of(type)) * 32;
  };
  // A write by some lanes must not touch what the others still need: only rows in which a lane's
  // values lie at the same bytes may share a place.
  const auto lane_bytes = [&](std::int32_t reg) {
    const Type type = function.registers[static_cast<std::size_t>(reg)];
    return type == Type::pred ? 0 : std::max(2, bytes_of(type));
  };
  std::int32_t predicates = 0; // their bytes, which come behind the rows
  // Free places by the bytes of a lane; places that become free, by the operation after which they
  // do.
  std::map<int, std::vector<std::int32_t>> free;
  std::multimap<std::int32_t, std::int32_t> ends;
  for (const Range& range : ranges) {
    if (range.last < 0) continue;
    // A source's place may be the destination's only if the source is not read in the same
    // operation after a part of the destination was written: so not here.
    while (!ends.empty() && ends.begin()->first < range.first) {
      const std::int32_t reg = ends.begin()->second;
      free[lane_bytes(reg)].push_back(frame.places[static_cast<std::size_t>(reg)]);
      ends.erase(ends.begin());
    }
    const int bytes = row_bytes(range.reg);
    std::vector<std::int32_t>& fitting = free[lane_bytes(range.reg)];
    std::int32_t& place = frame.places[static_cast<std::size_t>(range.reg)];
    if (fitting.empty()) {
      std::int32_t& end = bytes == 4 ? predicates : frame.bytes;
      place = end;
      end += bytes;
    } else {
      place = fitting.back();
      fitting.pop_back();
    }
    ends.emplace(range.last, range.reg);
  }
  for (std::size_t reg = 0; reg < frame.places.size(); ++reg)
    if (function.registers[reg] == Type::pred && frame.places[reg] >= 0)
      frame.places[reg] += frame.bytes;
  frame.bytes += predicates;
  return frame;
}

} // namespace memlane::ptx
