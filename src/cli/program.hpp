// From selections to a checked program, a machine and a point that is ready to run.
#pragma once

#include "options.hpp"

#include "memlane/machine/machine.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// The shipped machines, and reading of others.
MachineFiles machine_files(const Limits& reading = {});

/// A program's file and everything it uses, after its replacements.
struct ProgramText {
  lang::Program program;
  ProgramInfo info; ///< without the parameters
};
Result<ProgramText> load_program_text(Sources& sources, const ProgramSelection& selection);
/// The same, with names, types and claims checked.
Result<CheckedProgram> load_checked_program(Sources& sources, const ProgramSelection& selection);

Result<LoadedMachine> load_selected_machine(Sources& sources, const MachineSelection& selection);

/// The texts of every -D as values, which are not evaluated yet.
Result<std::vector<lang::ParamValue>> param_values(Sources& sources,
                                                   const std::vector<std::string>& definitions);

/// Gives the point, which has its program and machine, the values of every -D and its code. Errors:
/// those of the values; a machine that cannot run the program.
Status bind_values(sweep::Point& point, const std::vector<std::string>& definitions,
                   Sources& sources);
/// The program on the machine with the values of every -D, bound: its code is known.
Result<sweep::Point> bound_point(Sources& sources, const CheckedProgram& program,
                                 const MachineSpec& machine,
                                 const std::vector<std::string>& definitions);

} // namespace memlane::cli
