// The option --input of compare: files for the arrays of all programs that have them.
#pragma once

#include "compare_work.hpp"

namespace memlane::cli {

/// Reads the files of --input for every program that can run and has the array; programs whose
/// array has one type and size share what was read. Errors: an array that no program has, and
/// those of `run --input`.
Status read_inputs(const Arguments& arguments, ComparisonWork& work);

} // namespace memlane::cli
