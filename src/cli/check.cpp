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
  std::vector<ProgramSelection> programs;
  MachineSelection machine;
  bool disassemble = false;
  bool bind = false; ///< to the machine and the parameters
  Limits limits;
};

CheckRequest read_check_request(OptionReader& options) {
  CheckRequest request;
  for (const std::string& name : options.words)
    request.programs.push_back(read_program(options, name));
  request.machine = read_machine(options);
  request.disassemble = options.has("disassemble");
  request.bind =
      request.disassemble || options.has("machine") || options.has("set") || options.has("define");
  request.limits = read_limits(options);
  return request;
}

/// Machines of every model that programs are bound to where none is asked for. The last one has all
/// letters and shared memory.
constexpr std::array<std::string_view, 5> usual_machines = {standard_machine, "dmm-w32", "mmm-gpu",
                                                            "mmm-teaching", "hmm-titan"};

/// What a run with the parameters' own values finds before it starts; nothing where one of the
/// usual machines runs the program.
Status check_defaults(Sources& sources, const CheckedProgram& program) {
  Diagnostics errors;
  for (const std::string_view name : usual_machines) {
    const Result<LoadedMachine> machine =
        load_machine(sources, std::string(name), {}, machine_files());
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

Result<Exit> check(OptionReader& options, Sources&, Console& console) {
  if (options.words.empty())
    return error_in("", "check takes at least one program",
                    {"usage: memlane check FILE... [options]"});
  const CheckRequest request = read_check_request(options);
  if (!options.ok()) return options.errors();
  const InterruptGuard guard;
  Exit worst = Exit::done;
  for (const ProgramSelection& selection : request.programs) {
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
          join_options(
              {{{"disassemble", 0, "", false, "print the instructions, with their source lines"}},
               machine_options(),
               program_options(),
               {{"max-memory", 0, "BYTES", false,
                 "most bytes of a program's tree and code; 2G if not given"},
                {"max-seconds", 0, "N", false, "stop after N seconds (exit status 3)"}}}),
          {"memlane check programs/reduction/sum.lane programs/access/strided.lane",
           "memlane check sum --disassemble", "memlane check sum -m dmm-w32 -D n=64"},
          check};
}

} // namespace memlane::cli
