// Programs that make inputs: `--input a=descending`, `--input a=worst.lane`.
#pragma once

#include "memlane/sweep/point.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// Whether the text of --input names a program: its ending is .lane, or it has none and no folder.
bool is_input_program(const std::string& source);

/// The content of `array` of the bound code of `point`. The program is run on the point's machine
/// with its seed and limits. Its parameters have the values of those of the same names in `code`;
/// its `size` is the number of elements. Its array of the same name, or its only one, is the
/// content, row by row. Errors: those of the program; an array of another length or type.
Result<std::vector<ir::Value>> made_input(const std::string& source, const ir::Array& array,
                                          const ir::Program& code, const sweep::Point& point,
                                          Sources& sources);

/// The SHA-256 of the program's text and of those that it uses.
Result<std::string> input_program_hash(const std::string& source);

} // namespace memlane::cli
