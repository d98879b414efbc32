// Operations of a warp: over its active lanes, in rising order (configs/README.md section 11).
#include "lanes.hpp"
#include "warp_operations.hpp"

#include <fmt/format.h>

namespace memlane {

using ir::Value;

/// The lane asks an inactive or missing one for its value.
void Lanes::shuffle_fault(const ir::Instruction& in, int lane) {
  const std::int64_t from = shuffled_from(in.op, lane, row(in.b)[lane].integer(), lanes_);
  if (from < 0 || from >= lanes_)
    return fail(lane,
                fmt::format("there is no lane {}: lane {} of a warp of {} asks for its value", from,
                            lane, lanes_),
                {fmt::format("the lanes are 0 to {}", lanes_ - 1)});
  fail(
      lane,
      fmt::format("lane {} is not active here: lane {} of its warp asks for its value", from, lane),
      {"let all lanes execute the shuffle, and choose behind it: let y = shuffle(x, i)  if c { "
       "… }",
       "the last warp of a block may have fewer threads than lanes"});
}

bool Lanes::of_warp(const ir::Instruction& in) {
  std::vector<Value> got(mask_.size());
  if (const auto lane = memlane::of_warp(in, row(in.a), row(in.b), mask_, got.data())) {
    shuffle_fault(in, *lane);
    return false;
  }
  Value* d = row(in.d);
  each_active([&](int lane) { d[lane] = got[static_cast<std::size_t>(lane)]; });
  return true;
}

} // namespace memlane
