#include "warp_operations.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <utility>

namespace memlane {

using ir::Opcode;
using ir::Value;

std::int64_t shuffled_from(Opcode op, std::int64_t lane, std::int64_t operand, std::int64_t lanes) {
  if (op == Opcode::shuffle) return operand;
  if (op == Opcode::shuffle_xor) return lane ^ operand;
  if (operand <= -lanes || operand >= lanes) return lane;
  const std::int64_t from = op == Opcode::shuffle_up ? lane - operand : lane + operand;
  return from >= 0 && from < lanes ? from : lane;
}

namespace {

template <class F>
void each(std::span<const std::uint8_t> active, F f) {
  for (std::size_t lane = 0; lane < active.size(); ++lane)
    if (active[lane] != 0) f(lane);
}

std::optional<int> shuffle(Opcode op, const Value* a, const Value* b,
                           std::span<const std::uint8_t> active, Value* to) {
  const auto lanes = static_cast<std::int64_t>(active.size());
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    if (active[static_cast<std::size_t>(lane)] == 0) continue;
    const std::int64_t from = shuffled_from(op, lane, b[lane].integer(), lanes);
    if (from < 0 || from >= lanes || active[static_cast<std::size_t>(from)] == 0)
      return static_cast<int>(lane);
    to[lane] = a[from];
  }
  return std::nullopt;
}

/// Each value is looked for once, by the first lane that has it.
void match(const Value* a, std::span<const std::uint8_t> active, Value* to) {
  std::uint64_t matched = 0;
  each(active, [&](std::size_t lane) {
    if ((matched >> lane & 1) != 0) return;
    std::uint64_t same = 0;
    for (std::size_t other = lane; other < active.size(); ++other)
      same |= std::uint64_t{active[other] != 0 && a[other] == a[lane]} << other;
    for (std::size_t other = lane; other < active.size(); ++other)
      if ((same >> other & 1) != 0) to[other] = {same};
    matched |= same;
  });
}

Value combined(Opcode op, ir::Scalar type, const Value* a, std::span<const std::uint8_t> active) {
  Value all;
  bool first = true;
  each(active, [&](std::size_t lane) {
    all = std::exchange(first, false) ? a[lane] : ir::apply(op, type, all, a[lane], {}, type).value;
  });
  return all;
}

/// Bit i says whether lane i's value holds.
std::uint64_t ballot(const Value* a, std::span<const std::uint8_t> active) {
  std::uint64_t bits = 0;
  each(active, [&](std::size_t lane) { bits |= std::uint64_t{a[lane].truth()} << lane; });
  return bits;
}

bool any(const Value* a, std::span<const std::uint8_t> active, bool of) {
  bool found = false;
  each(active, [&](std::size_t lane) { found = found || a[lane].truth() == of; });
  return found;
}

} // namespace

std::optional<int> of_warp(const ir::Instruction& in, const Value* a, const Value* b,
                           std::span<const std::uint8_t> active, Value* to) {
  Value all;
  switch (static_cast<ir::WarpOpcode>(in.op)) {
  case ir::WarpOpcode::shuffle:
  case ir::WarpOpcode::shuffle_up:
  case ir::WarpOpcode::shuffle_down:
  case ir::WarpOpcode::shuffle_xor: return shuffle(in.op, a, b, active, to);
  case ir::WarpOpcode::tensor:
    each(active, [&](std::size_t lane) { to[lane] = a[lane]; });
    return std::nullopt;
  case ir::WarpOpcode::match: match(a, active, to); return std::nullopt;
  case ir::WarpOpcode::ballot: all = {ballot(a, active)}; break;
  case ir::WarpOpcode::any: all = Value::of(any(a, active, true)); break;
  case ir::WarpOpcode::all: all = Value::of(!any(a, active, false)); break;
  case ir::WarpOpcode::warp_sum: all = combined(Opcode::add, in.type, a, active); break;
  case ir::WarpOpcode::warp_min: all = combined(Opcode::min, in.type, a, active); break;
  case ir::WarpOpcode::warp_max: all = combined(Opcode::max, in.type, a, active); break;
  }
  each(active, [&](std::size_t lane) { to[lane] = all; });
  return std::nullopt;
}

} // namespace memlane
