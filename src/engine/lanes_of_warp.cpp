// Operations of a warp: over its active lanes, in rising order (configs/README.md section 11).
#include "lanes.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <fmt/format.h>

namespace memlane {

using ir::Instruction;
using ir::Opcode;
using ir::Value;

namespace {

/// The lane whose value a lane gets; beyond the warp, only where `shuffle` and `shuffle_xor` say
/// so.
std::int64_t source_of(Opcode op, std::int64_t lane, std::int64_t operand, std::int64_t lanes) {
  if (op == Opcode::shuffle) return operand;
  if (op == Opcode::shuffle_xor) return lane ^ operand;
  if (operand <= -lanes || operand >= lanes) return lane;
  const std::int64_t from = op == Opcode::shuffle_up ? lane - operand : lane + operand;
  return from >= 0 && from < lanes ? from : lane;
}

} // namespace

bool Lanes::shuffle(const Instruction& in) {
  const Value *a = row(in.a), *b = row(in.b);
  std::vector<Value> got(mask_.size());
  for (int lane = 0; lane < lanes_; ++lane) {
    if (!is_active(lane)) continue;
    const std::int64_t from = source_of(in.op, lane, b[lane].integer(), lanes_);
    if (from < 0 || from >= lanes_) {
      fail(lane,
           fmt::format("there is no lane {}: lane {} of a warp of {} asks for its value", from,
                       lane, lanes_),
           {fmt::format("the lanes are 0 to {}", lanes_ - 1)});
      return false;
    }
    if (!is_active(static_cast<int>(from))) {
      fail(
          lane,
          fmt::format("lane {} is not active here: lane {} of its warp asks for its value", from,
                      lane),
          {"let all lanes execute the shuffle, and choose behind it: let y = shuffle(x, i)  if c { "
           "… }",
           "the last warp of a block may have fewer threads than lanes"});
      return false;
    }
    got[static_cast<std::size_t>(lane)] = a[from];
  }
  Value* d = row(in.d);
  each_active([&](int lane) { d[lane] = got[static_cast<std::size_t>(lane)]; });
  return true;
}

bool Lanes::of_warp(const Instruction& in) {
  const Value* a = row(in.a);
  std::uint64_t bits = 0;
  std::vector<Value> matches;
  Value all;
  bool first = true;
  const auto combine = [&](Opcode op) {
    each_active([&](int lane) {
      all = std::exchange(first, false) ? a[lane]
                                        : ir::apply(op, in.type, all, a[lane], {}, in.type).value;
    });
  };
  switch (static_cast<ir::WarpOpcode>(in.op)) {
  case ir::WarpOpcode::shuffle:
  case ir::WarpOpcode::shuffle_up:
  case ir::WarpOpcode::shuffle_down:
  case ir::WarpOpcode::shuffle_xor: return shuffle(in);
  case ir::WarpOpcode::ballot:
    each_active([&](int lane) { bits |= std::uint64_t{a[lane].truth()} << lane; });
    all = {bits};
    break;
  case ir::WarpOpcode::any:
    each_active([&](int lane) { bits |= a[lane].truth() ? 1 : 0; });
    all = {bits};
    break;
  case ir::WarpOpcode::all:
    each_active([&](int lane) { bits |= a[lane].truth() ? 0 : 1; });
    all = Value::of(bits == 0);
    break;
  case ir::WarpOpcode::warp_sum: combine(Opcode::add); break;
  case ir::WarpOpcode::warp_min: combine(Opcode::min); break;
  case ir::WarpOpcode::warp_max: combine(Opcode::max); break;
  case ir::WarpOpcode::match:
    matches.resize(mask_.size());
    each_active([&](int lane) {
      each_active([&](int other) {
        matches[static_cast<std::size_t>(lane)].bits |= std::uint64_t{a[other] == a[lane]} << other;
      });
    });
    break;
  }
  Value* d = row(in.d);
  each_active(
      [&](int lane) { d[lane] = matches.empty() ? all : matches[static_cast<std::size_t>(lane)]; });
  return true;
}

} // namespace memlane
