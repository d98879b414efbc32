// The command that repeats one run of a grid.
#pragma once

#include "memlane/sweep/verification.hpp"

#include <string>

namespace memlane::sweep {

/// `memlane run sum -m umm-w32 --set width=4 … -D n=16`. `program` is the name or path that the
/// user gave.
std::string run_command(const std::string& program, const GridSetting& setting, const Point& point,
                        const MachineFiles& machines);

} // namespace memlane::sweep
