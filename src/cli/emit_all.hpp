// emit-cuda --all: what is measured of the shipped programs, and the files for it.
#pragma once

#include "command.hpp"

namespace memlane::cli {

/// Writes all shipped programs, the kernels written by hand, CUB's and measure.sh into a folder.
Exit emit_all(const Arguments& arguments, Console& console);

/// What measure.sh runs, a point a line: file, program, variant, parameters.
std::string measured_points();

} // namespace memlane::cli
