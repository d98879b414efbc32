// Programs whose time does not depend on their data: found by following data through the code.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

namespace memlane::ir {

/// The program with every computation of data replaced by a constant: data is what kernels and main
/// read from arrays, what is computed from it, and what is assigned where data decides. Code that
/// data decides about is left out if it changes nothing but registers and arrays of the thread
/// (regions.hpp). All other instructions are there and count as before, and make the same requests,
/// so that the program takes the same time, counts the same, and makes the same launches. What it
/// leaves in arrays means nothing, errors that depend on data (a division by zero, a failed assert)
/// are not made, and verify is gone.
///
/// Errors: every place where time or a count may depend on data (an index of a request, a
/// condition, a number of blocks or threads), with the place where that data is read and, of a
/// condition, the first thing that it decides about.
///
/// Time and memory grow with the program, and with what is data where its paths meet.
Result<Program> without_data(const Program& program, const Limits& limits = {});

} // namespace memlane::ir
