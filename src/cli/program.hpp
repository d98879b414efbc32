// From selections to a checked program, a machine and a point that is ready to run.
#pragma once

#include "options.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/points/program_text.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// The shipped machines, and reading of others.
MachineFiles machine_files(const Limits& reading = {});

using sweep::ProgramText;

Result<ProgramText> load_program_text(Sources& sources, const ProgramSelection& selection);
/// The same, with names, types and claims checked.
Result<CheckedProgram> load_checked_program(Sources& sources, const ProgramSelection& selection);

Result<LoadedMachine> load_selected_machine(Sources& sources, const MachineSelection& selection);

using sweep::bind_values;
using sweep::bound_point;
using sweep::param_values;

} // namespace memlane::cli
