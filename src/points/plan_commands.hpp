// Commands of a plan: what they need of a sweep, and the programs that stand for them.
#pragma once

#include "memlane/lang/checked_program.hpp"
#include "memlane/points/kernel_command.hpp"
#include "memlane/points/sweep_spec.hpp"

#include <optional>
#include <vector>

namespace memlane::sweep {

/// By program of a sweep; none: it is one of memlane's language.
using PlannedCommands = std::vector<std::optional<KernelCommand>>;

/// Names the commands after their files, and makes texts that are no numbers `word` axes where all
/// programs are commands. Errors: something that only programs have; an axis that no command has,
/// and a name without values.
Status fit_commands(SweepSpec& sweep, const PlannedCommands& commands, Sources& sources);

/// A program without work whose parameters are the numbers of the command: so axes, conditions and
/// results treat it as any other.
Result<CheckedProgram> program_for(const KernelCommand& command, const SweepSpec& sweep,
                                   Sources& sources);

} // namespace memlane::sweep
