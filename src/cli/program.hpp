// From the words of the command line to a checked program, a machine and code for it.
#pragma once

#include "arguments.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/cuda/emit.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/report/run_report.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// Options of every command that takes a program and a machine.
std::vector<Option> machine_options();
std::vector<Option> program_options();

/// The machine of commands that are not told one.
inline constexpr std::string_view standard_machine = "umm-w32";

/// Names of the shipped programs.
std::vector<std::string> shipped_programs();
/// The shipped machines, and reading of others.
MachineFiles machine_files();

/// A program's file and everything it uses, after the replacements of --fn, --type, --layout.
struct ProgramText {
  lang::Program program;
  ProgramInfo info; ///< without the parameters
};

/// `name`: a path if it has a slash or ends in `.lane`, else the name of a shipped program.
Result<ProgramText> load_program_text(Sources& sources, const std::string& name,
                                      const Arguments& arguments);
/// The same, names and types and claims checked.
struct CheckedProgram {
  lang::Checked checked;
  ProgramInfo info;
};
Result<CheckedProgram> load_checked_program(Sources& sources, const std::string& name,
                                            const Arguments& arguments);

/// Whether races are counted and not errors: the program or --allow-races says so. Notes the
/// option in `program` where the program gives no reason of its own.
bool allow_races(const Arguments& arguments, ProgramInfo& program);

/// The machine of -m and --set.
Result<LoadedMachine> load_asked_machine(Sources& sources, const Arguments& arguments);

/// Binds the parameters of -D and the machine's letters; fills in `info.parameters`. The machine is
/// known to be able to run the code.
Result<ir::Program> compile(Sources& sources, CheckedProgram& program, const MachineSpec& machine,
                            const Arguments& arguments);

/// The program as CUDA C++ for the machine: `name` and `command` are what the file says of itself.
Result<cuda::Emitted> emit(Sources& sources, CheckedProgram& program, const std::string& name,
                           const MachineSpec& machine, const Arguments& arguments,
                           const std::string& command);

/// The command line that emits a program, as the file shows it.
std::string emit_command(const std::string& name, const Arguments& arguments);

/// The values of every -D.
Result<std::vector<lang::ParamValue>> param_values(Sources& sources, const Arguments& arguments);

} // namespace memlane::cli
