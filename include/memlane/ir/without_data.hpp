// Programs whose time does not depend on their data: found by following data through the code.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

namespace memlane::ir {

/// The program with constants in place of data. Data is what kernels and main read from arrays,
/// what is computed from it, and what is assigned depending on it. Code that executes depending on
/// data is removed if it changes only registers and arrays of the thread (flow.hpp). All other
/// instructions remain and make the same requests, so that times, counts and launches are the same.
/// The contents of arrays are meaningless, errors that depend on data (a division by zero, a failed
/// assert) do not occur, and there is no verify.
///
/// Errors: every place where time or a count may depend on data (an index of a request, a
/// condition, a number of blocks or threads), with the place where that data is read and, of a
/// condition, the first thing that it decides about.
///
/// Time and memory grow with the program and with the number of data registers where paths join.
Result<Program> without_data(const Program& program, const Limits& limits = {});

} // namespace memlane::ir
