// Commands of a plan: what they need of a sweep.
#pragma once

#include "memlane/points/kernel_command.hpp"
#include "memlane/points/sweep_spec.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memlane::sweep {

/// By program of a sweep; none: it is one of memlane's language.
using PlannedCommands = std::vector<std::optional<KernelCommand>>;

/// Names the commands after their files, and makes texts that are no numbers `word` axes where all
/// programs are commands. Errors: something that only programs have; an axis that no command has,
/// and a name without values.
Status fit_commands(SweepSpec& sweep, const PlannedCommands& commands, Sources& sources);

/// The names in the command's words whose values are numbers.
std::set<std::string> numbers_of(const KernelCommand& command, const SweepSpec& sweep);

} // namespace memlane::sweep
