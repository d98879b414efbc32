// Texts of the command line as values of parameters, and a point with them.
#pragma once

#include "memlane/points/recipe.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

/// The text cut at its first `=`; an error if there is none or nothing before it. `form` is what
/// the error calls such a text.
Result<NameAndText> name_and_value(std::string_view option, std::string_view form,
                                   const std::string& text);

/// The texts of every -D as values, which are not evaluated yet.
Result<std::vector<lang::ParamValue>> param_values(Sources& sources,
                                                   const std::vector<std::string>& definitions);

/// Gives the point, which has its program and machine, the values of every -D and its code. Errors:
/// those of the values; a machine that cannot run the program.
Status bind_values(Point& point, const std::vector<std::string>& definitions, Sources& sources);
/// The program on the machine with the values of every -D, bound: its code is known.
Result<Point> bound_point(Sources& sources, const CheckedProgram& program,
                          const MachineSpec& machine, const std::vector<std::string>& definitions);

} // namespace memlane::sweep
