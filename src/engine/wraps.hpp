// Why an index is outside its array, where the reason is integer arithmetic that wrapped around.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/ir/wrap.hpp"

#include <functional>
#include <optional>

namespace memlane {

/// Looks for the wrap behind the value that `index` holds before instruction `at`. `value` gives a
/// register of the lane as it is there.
///
/// Nothing is recorded while a program runs: the operations before `at` are carried out once more
/// on the registers as they are now, and count only if they give the value that the index has.
/// Where a register was overwritten in between, or its value came from another path, nothing is
/// found. Returns the innermost wrap, of several the first. Cost: for each operation behind the
/// index, the instructions of the function. `meant`: also one that only some bits are taken of
/// (ir::takes_some_bits).
std::optional<ir::Wrap> find_wrap(const ir::Function& function, std::size_t at, ir::Register index,
                                  const std::function<ir::Value(ir::Register)>& value,
                                  bool meant = true);

} // namespace memlane
