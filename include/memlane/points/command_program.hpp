// Commands as programs, and the words of a run.
#pragma once

#include "memlane/lang/checked_program.hpp"
#include "memlane/points/kernel_command.hpp"
#include "memlane/points/recipe.hpp"

#include <set>
#include <string>

namespace memlane::sweep {

/// Whether programs of memlane's language could have such a parameter.
bool is_parameter_name(const std::string& name);

/// A program without work whose parameters are the numbers of the command's words: so axes,
/// conditions and results treat it as any other.
Result<CheckedProgram> program_for(const KernelCommand& command,
                                   const std::set<std::string>& numbers, Sources& sources);

/// Gives the recipe the command's words with these values, and the point what it runs.
void set_command(const KernelCommand& command, const NamedTexts& values, Recipe& recipe,
                 Point& point);

} // namespace memlane::sweep
