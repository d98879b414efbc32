// memlane check: the errors of programs, and the code they become.
#include "command.hpp"
#include "program.hpp"

#include "memlane/ir/disassemble.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

/// Whether the file's program is to be bound to a machine too.
bool binds(const Arguments& arguments) {
  return arguments.has("disassemble") || arguments.has("machine") || arguments.has("set") ||
         arguments.has("define");
}

Exit check_one(const std::string& name, const Arguments& arguments, Console& console) {
  Sources sources;
  Result<CheckedProgram> program = load_checked_program(sources, name, arguments);
  if (!program) return console.fail(program.errors(), sources);
  if (!binds(arguments)) {
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
  Exit worst = Exit::done;
  for (const std::string& name : arguments.words) {
    if (check_one(name, arguments, console) != Exit::done) worst = Exit::error;
  }
  return worst;
}

} // namespace

Command check_command() {
  std::vector<Option> options = {
      {"disassemble", 0, "", false, "prints the instructions, the source line beside each"}};
  for (const Option& option : machine_options()) options.push_back(option);
  for (const Option& option : program_options()) options.push_back(option);
  return {"check",
          "FILE... [options]",
          "reports every error of programs without running them",
          "Reports all errors of programs, paths or names of shipped ones: syntax, names, types,\n"
          "claims. With -m, --set or -D, whether they fit that machine and those parameters too.",
          options,
          {"memlane check programs/sum.lane programs/strided.lane",
           "memlane check sum --disassemble", "memlane check sum -m dmm-w32 -D n=64"},
          check};
}

} // namespace memlane::cli
