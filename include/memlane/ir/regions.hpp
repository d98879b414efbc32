// Structured regions of a function: the code that a condition controls.
#pragma once

#include "memlane/ir/program.hpp"

#include <optional>

namespace memlane::ir {

/// The instructions first..last.
struct Region {
  std::size_t first = 0, last = 0;
  bool contains(std::size_t at) const { return at >= first && at <= last; }
  bool operator==(const Region&) const = default;
};

/// +1 where an `if` or a loop begins, -1 where it ends, else 0.
int nesting(Opcode op);

/// The code that an `if` or a `while` at `at` controls: the `if` to its `endif`, or the loop from
/// `loop` to `endloop`. With a `break` inside, an `if` controls the rest of its loop, too, and so
/// the whole loop. Cost: O(code).
Region region_of_condition(const Function& function, std::size_t at);

/// The first instruction of the region that changes the time or a count of a run when a lane
/// executes it: a request, a barrier, a counted operator (configs/README.md section 6), a call that
/// is counted, a random number (later ones would differ), a launch. None: only registers and arrays
/// of the thread change.
std::optional<std::size_t> first_visible(const Function& function, const Region& region);

} // namespace memlane::ir
