// Programs whose time does not depend on their data: found by following data through the code.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

namespace memlane::ir {

/// The program with every computation of data replaced by a constant: data is what kernels and main
/// read from arrays, and what is computed from it. Each instruction
/// is there and counts as before, and makes the same requests, so that the program takes the same
/// time, executes the same steps, and makes the same launches; what it leaves in arrays means
/// nothing, errors that depend on data (a division by zero, a failed assert) are not made, and
/// verify is gone.
///
/// Errors: every place where time may depend on data (an index, a condition, a number of blocks or
/// threads), with the place where that data is read.
///
/// Time and memory grow with the program, and with what is data where its paths meet.
Result<Program> without_data(const Program& program, const Limits& limits = {});

} // namespace memlane::ir
