// What the points of a grid are called, and the command that repeats one.
#pragma once

#include "grid_places.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// `dmm, lockstep, t=rows`.
std::string setting_text(const GridSetting& setting);

/// Whether machines of the model have the letter: d and L are an HMM's. True for parameters.
bool has_axis(Model model, std::string_view axis);

/// `n=16, w=4, p=8, l=5 on dmm, lockstep`: without the letters that the machine does not have.
std::string place_on(const std::vector<std::string>& names, const GridValues& values,
                     const GridSetting& setting);

/// The command that repeats one run: `memlane run sum -m umm-w32 --set width=4 … -D n=16`.
/// `program` is the name or path that the user gave.
std::string run_command(const std::string& program, const GridSetting& setting, const Place& place,
                        std::uint64_t seed);

} // namespace memlane::cli
