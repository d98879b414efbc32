// The values of launches with atomics (configs/README.md section 11): in which order accesses are
// computed, and what an atomic does to an element.
#pragma once

#include "memlane/engine/options.hpp"
#include "memlane/ir/program.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace memlane {

/// What a random order is drawn for: launch, block, and numbers of the caller.
using OrderOf = std::array<std::int64_t, 4>;

/// 0 to count - 1 in the order of the run. `options`: null for the standard order. O(count).
std::vector<std::int64_t> execution_order(const RunOptions* options, std::int64_t count,
                                          const OrderOf& of);

/// What the atomic `in` makes of an element with the value `before`. `expected`: of a cas.
ir::Value updated(const ir::Instruction& in, ir::Value before, ir::Value operand,
                  ir::Value expected);

} // namespace memlane
