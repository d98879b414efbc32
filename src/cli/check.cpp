// memlane check: the errors of programs, and the code they become.
#include "command.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "results.hpp"

#include "memlane/ir/program.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane::cli {
namespace {

struct CheckRequest {
  std::vector<std::string> programs;
  ProgramSelection of_all; ///< parameters and what is replaced in all of them
  MachineSelection machine;
  bool disassemble = false;
  bool bind = false; ///< to the machine and the parameters
  Limits limits;
};

void check_options(Options& options, CheckRequest& request) {
  options.take_words("program", 1, &request.programs);
  options.flag("disassemble", &request.disassemble,
               "print the instructions, with their source lines");
  add_machine(options, request.machine);
  add_program(options, request.of_all);
  options.add("max-memory", "BYTES", bytes(&request.limits.memory),
              "most bytes of a program's tree and code; 2G if not given");
  add_seconds(options, request.limits);
  options.then([&request](OptionReader& given, Sources&) {
    request.bind =
        request.disassemble || given.has("machine") || given.has("set") || given.has("define");
  });
}

/// Machines of every model that programs are bound to where none is asked for. The last one has all
/// letters and shared memory.
constexpr std::array<std::string_view, 5> usual_machines = {standard_machine, "dmm-w32", "mmm-gpu",
                                                            "mmm-teaching", "hmm-titan-plain"};

/// What a run with the parameters' own values finds before it starts; nothing where one of the
/// usual machines runs the program.
Status check_defaults(Sources& sources, const CheckedProgram& program) {
  Diagnostics errors;
  for (const std::string_view name : usual_machines) {
    const Result<LoadedMachine> machine =
        load_machine(sources, std::string(name), {}, machine_files());
    if (!machine && stop_of(machine.errors()) != Stop::none) return machine.errors();
    if (!machine) return Done{}; // no machines are installed
    const Result<sweep::Point> point = bound_point(sources, program, machine->spec, {});
    if (point) return Done{};
    errors = point.errors();
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

/// What check says of a program without errors.
Result<std::string> check_one(Sources& sources, const ProgramSelection& selection,
                              const CheckRequest& request) {
  sources.set_limits(request.limits);
  const Result<CheckedProgram> program = load_checked_program(sources, selection);
  if (!program) return program.errors();
  if (!request.bind) {
    const Status defaults = check_defaults(sources, *program);
    if (!defaults) return defaults.errors();
    return fmt::format("{}: no errors\n", program->info.path);
  }
  MachineSelection chosen = request.machine;
  chosen.fit({&program->checked});
  const Result<LoadedMachine> machine = load_selected_machine(sources, chosen);
  if (!machine) return machine.errors();
  const Result<sweep::Point> point =
      bound_point(sources, *program, machine->spec, selection.definitions);
  if (!point) return point.errors();
  if (request.disassemble) return ir::disassemble(*point->code, sources);
  return fmt::format("{}: no errors on {}\n", program->info.path, machine->path);
}

Result<Exit> check(CheckRequest& request, Sources&, Console& console) {
  const InterruptGuard guard;
  Exit worst = Exit::done;
  for (const std::string& name : request.programs) {
    ProgramSelection selection = request.of_all;
    selection.name = name;
    Sources sources;
    const Result<std::string> text = check_one(sources, selection, request);
    if (text) {
      console.out(*text);
      continue;
    }
    worst = console.fail(text.errors(), sources);
    if (worst != Exit::error) break; // a limit, or interrupted
  }
  return worst;
}

} // namespace

Command check_command() {
  return {"check",
          "FILE... [options]",
          "report every error of programs without running them",
          "Report all errors of programs, paths or names of shipped ones: syntax, names, types,\n"
          "claims, and what the params' own values break on a DMM, a UMM and an HMM alike. With\n"
          "-m, --set or -D, whether they fit that machine and those parameters.",
          call_with(check_options, check),
          {"memlane check sum strided", "memlane check sum --disassemble",
           "memlane check sum -m dmm-w32 -D n=64"}};
}

} // namespace memlane::cli
