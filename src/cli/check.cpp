// memlane check: the errors of programs, and the code they become.
#include "command.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "results.hpp"

#include "memlane/ir/disassemble.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane::cli {
namespace {

/// Whether the file's program is to be bound to a machine too.
bool binds(const Arguments& arguments) {
  return arguments.has("disassemble") || arguments.has("machine") || arguments.has("set") ||
         arguments.has("define");
}

/// Machines of every model that programs are bound to where none is asked for. The last one has all
/// letters and shared memory.
constexpr std::array<std::string_view, 3> usual_machines = {standard_machine, "dmm-w32",
                                                            "hmm-titan"};

/// What a run with the parameters' own values finds before it starts; nothing where one of the
/// usual machines runs the program.
Diagnostics errors_of_defaults(Sources& sources, CheckedProgram& program,
                               const Arguments& arguments) {
  Diagnostics errors;
  for (const std::string_view name : usual_machines) {
    const Result<LoadedMachine> machine =
        load_machine(sources, std::string(name), {}, machine_files());
    if (!machine) return {}; // no machines are installed
    const Result<ir::Program> code = compile(sources, program, machine->spec, arguments);
    if (code) return {};
    errors = code.errors();
    if (stop_of(errors) != Stop::none) return errors;
  }
  const bool params = !program.checked.params.empty();
  const std::string way =
      params ? fmt::format("checked for {} and the params' own values: -m and -D choose others",
                           usual_machines.back())
             : fmt::format("checked for {}: -m chooses another machine", usual_machines.back());
  for (Diagnostic& error : errors) error.help.push_back(way);
  return errors;
}

Exit check_one(const std::string& name, const Arguments& arguments, const Limits& limits,
               Console& console) {
  Sources sources;
  sources.set_limits(limits);
  Result<CheckedProgram> program = load_checked_program(sources, name, arguments);
  if (!program) return console.fail(program.errors(), sources);
  if (!binds(arguments)) {
    const Diagnostics errors = errors_of_defaults(sources, *program, arguments);
    if (!errors.empty()) return console.fail(errors, sources);
    console.out(fmt::format("{}: no errors\n", program->info.path));
    return Exit::done;
  }
  const Result<LoadedMachine> machine = load_asked_machine(sources, arguments);
  if (!machine) return console.fail(machine.errors(), sources);
  const Result<ir::Program> code = compile(sources, *program, machine->spec, arguments);
  if (!code) return console.fail(code.errors(), sources);
  if (arguments.has("disassemble")) {
    console.out(ir::disassemble(*code, sources));
  } else {
    console.out(fmt::format("{}: no errors on {}\n", program->info.path, machine->path));
  }
  return Exit::done;
}

Exit check(const Arguments& arguments, Console& console) {
  if (arguments.words.empty()) {
    return console.fail(error_in("", "check takes at least one program",
                                 {"usage: memlane check FILE... [options]"}));
  }
  const Result<Limits> limits = read_limits(arguments);
  if (!limits) return console.fail(limits.errors(), Sources());
  const InterruptGuard guard;
  Exit worst = Exit::done;
  for (const std::string& name : arguments.words) {
    const Exit exit = check_one(name, arguments, *limits, console);
    if (exit == Exit::limit || exit == Exit::interrupted) return exit;
    if (exit != Exit::done) worst = Exit::error;
  }
  return worst;
}

} // namespace

Command check_command() {
  std::vector<Option> options = {
      {"disassemble", 0, "", false, "prints the instructions, the source line beside each"}};
  for (const Option& option : machine_options()) options.push_back(option);
  for (const Option& option : program_options()) options.push_back(option);
  options.push_back({"max-memory", 0, "BYTES", false,
                     "most bytes of a program's tree and code; 2G if not given"});
  options.push_back({"max-seconds", 0, "N", false, "stops after so long (exit status 3)"});
  return {"check",
          "FILE... [options]",
          "reports every error of programs without running them",
          "Reports all errors of programs, paths or names of shipped ones: syntax, names, types,\n"
          "claims, and what the params' own values break on a DMM, a UMM and an HMM alike. With\n"
          "-m, --set or -D, whether they fit that machine and those parameters.",
          options,
          {"memlane check programs/sum.lane programs/strided.lane",
           "memlane check sum --disassemble", "memlane check sum -m dmm-w32 -D n=64"},
          check};
}

} // namespace memlane::cli
