// emit-cuda --all: what is measured of the shipped programs, and the files for it.
#pragma once

#include "command.hpp"

namespace memlane::cli {

/// Writes all shipped programs, the kernels written by hand, CUB's and measure.sh into a folder.
Exit emit_all(const Arguments& arguments, Console& console);

} // namespace memlane::cli
