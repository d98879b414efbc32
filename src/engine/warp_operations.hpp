// What operations of a warp make of its lanes' values (configs/README.md section 11).
#pragma once

#include "memlane/ir/program.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace memlane {

/// The lane whose value a lane gets of a shuffle: `operand` is the lane's. Beyond the warp only
/// where `shuffle` and `shuffle_xor` say so.
std::int64_t shuffled_from(ir::Opcode op, std::int64_t lane, std::int64_t operand,
                           std::int64_t lanes);

/// Over the lanes where `active` is not 0, in rising order; `a`, `b` and `to` have a value for each
/// lane, and `to` gets those of the active ones. Returns the first lane that asks an inactive or
/// missing one for its value; none: all have theirs. O(lanes), a match O(lanes * different values).
std::optional<int> of_warp(const ir::Instruction& in, const ir::Value* a, const ir::Value* b,
                           std::span<const std::uint8_t> active, ir::Value* to);

} // namespace memlane
