// Finds the integer overflow (wrap) that put an index outside its array.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/ir/wrap.hpp"

#include <functional>
#include <optional>

namespace memlane {

/// Looks for a wrap in the computation of register `index` before instruction `at`. `value` gives
/// the values of the lane's registers there.
///
/// Nothing is recorded while a program runs. The operations before `at` are repeated on the present
/// registers, and a wrap counts only if they give the index's value. If a register was overwritten
/// in between, or assigned on another path, nothing is found. Returns the innermost wrap; of
/// several the first. Cost: for each operation of the computation, the instructions of the
/// function. `meant`: also a wrap of which only some bits are used (ir::takes_some_bits).
std::optional<ir::Wrap> find_wrap(const ir::Function& function, std::size_t at, ir::Register index,
                                  const std::function<ir::Value(ir::Register)>& value,
                                  bool meant = true);

} // namespace memlane
