// memlane emit-cuda: programs as CUDA C++.
#include "command.hpp"
#include "emit_all.hpp"
#include "files.hpp"
#include "pending_file.hpp"
#include "program.hpp"

#include "memlane/cuda/emit.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

/// A file of this machine by its name alone: emitted files go to others.
std::string without_folder(const std::string& path) {
  const bool far = path.rfind('/', 0) == 0 || path.rfind("..", 0) == 0;
  return far ? path.substr(path.rfind('/') + 1) : path;
}

/// The command line that emits the program, as the file shows it.
std::string emit_command(const std::string& name, const std::vector<NameAndValue>& options) {
  std::string text = "memlane emit-cuda " + shell_word(without_folder(name));
  for (const auto& [option, given] : options) {
    const std::string value = without_folder(given);
    const std::string form = option == "machine" ? "-m" : option == "define" ? "-D" : "--" + option;
    if (option == "output" || option == "color") continue;
    text += " " + form + (value.empty() ? "" : " " + shell_word(value));
  }
  return escape_controls(text); // it stands in a comment of one line
}

struct EmitCommand {
  EmitRequest request;
  bool all = false;
};

void emit_options(Options& options, EmitCommand& command) {
  EmitRequest& request = command.request;
  options.take_word("program", &request.program.name, "all");
  options.words.hint = "'memlane list programs' lists the shipped ones";
  options.add("output,o", "FILE", &request.output, "write the file instead of printing it");
  options.flag("all", &command.all,
               "write all shipped programs, kernels written by hand, CUB's, and measure.sh\n"
               "into the folder of -o; -m is the HMM they are for, hmm-h200-plain if not given");
  options.flag("print", &request.prints,
               "keep the program's print statements, which are left out otherwise: lines\n"
               "of kernels go to standard output, in every repetition that is timed");
  options.flag("lines", &request.lines,
               "relate the code to the program's lines, so that 'memlane cuda' and profilers\n"
               "report those");
  options.flag("wmma", &request.wmma,
               "multiply tiles of doubles by tensor cores, which round a product and a sum\n"
               "once: results may differ from the simulator's; needs a GPU of sm_80 or later");
  options.add("problem", "NAME", &request.problem,
              "what the program computes, if other programs compute the same: 'gpu compare'\n"
              "ranks measured points of one problem");
  add_machine(options, request.machine);
  add_program(options, request.program);
}

Status check_all_options(const OptionReader& options) {
  if (!options.words.empty())
    return error_in("--all", "it writes all shipped programs and takes none by name",
                    {"usage: memlane emit-cuda --all -o FOLDER [-m MACHINE]"});
  for (const char* name : {"define", "fn", "type", "layout", "problem", "print", "lines", "wmma"})
    if (options.has(name))
      return error_in("--all", fmt::format("--{} is for one program", name),
                      {"emit that program by itself"});
  if (!options.has("output"))
    return error_in("--all", "a folder is needed to write to", {"-o FOLDER"});
  return Done{};
}

Result<Exit> emit_cuda(EmitCommand& command, OptionReader& options, Sources& sources,
                       Console& console) {
  EmitRequest& request = command.request;
  if (command.all) {
    if (Status good = check_all_options(options); !good) return good.errors();
    if (!request.machine.chosen) request.machine.name = measured_machine;
    const Status written = emit_all(*request.output, request.machine, sources);
    if (!written) return written.errors();
    console.out(
        fmt::format("{0}: all programs; {0}/measure.sh builds and runs them\n", *request.output));
    return Exit::done;
  }
  std::optional<PendingFile> file;
  if (request.output) {
    Result<PendingFile> opened = PendingFile::open(*request.output);
    if (!opened) return opened.errors();
    file.emplace(std::move(*opened));
  }
  request.command = emit_command(request.program.name, options.given_options);
  const Result<cuda::Emitted> emitted = emit(sources, request);
  if (!emitted) return emitted.errors();
  console.print_error(render(emitted->warnings, sources));
  if (!file) {
    console.out(emitted->text);
    return Exit::done;
  }
  if (Status written = file->write(emitted->text); !written) return written.errors();
  return Exit::done;
}

} // namespace

EmitRequest emit_request(const std::string& name, const std::vector<NameAndValue>& options) {
  EmitCommand command;
  Options table;
  emit_options(table, command);
  OptionReader given(Arguments{{name}, options});
  Sources none;
  table.receive(given, none);
  command.request.command = emit_command(name, options);
  return command.request;
}

Result<cuda::Emitted> emit(Sources& sources, const EmitRequest& request) {
  const Result<CheckedProgram> program = load_checked_program(sources, request.program);
  if (!program) return program.errors();
  MachineSelection chosen = request.machine;
  chosen.fit({&program->checked});
  const Result<LoadedMachine> machine = load_selected_machine(sources, chosen);
  if (!machine) return machine.errors();
  // Bound as for a run, so that what cannot run is told in the same words.
  const Result<sweep::Point> point =
      bound_point(sources, *program, machine->spec, request.program.definitions);
  if (!point) return point.errors();
  const lang::Bindings bindings = sweep::bindings_of(machine->spec, point->parameters);
  return cuda::emit_cuda(
      {program->checked, bindings, machine->spec, sources, without_folder(request.program.name),
       program->info.sha256, program->info.replaced, request.command, request.problem,
       request.prints, request.wmma, request.lines ? request.output.value_or("emitted.cu") : ""});
}

Command emit_cuda_command() {
  return {"emit-cuda",
          "PROGRAM [options]",
          "write a program as a CUDA C++ file that checks and times itself",
          "Write the program as one CUDA C++ file: its kernels for blocks of the machine's p\n"
          "threads, its main and verify, and a harness that times them. Needs a machine of\n"
          "width 32. A DMM's memory becomes the shared memory of one block. Parameters that give "
          "the sizes\n"
          "of shared arrays are fixed in the file; the others are options of the emitted program.",
          call_with(emit_options, emit_cuda),
          {"memlane emit-cuda sum",
           "memlane emit-cuda transpose -m hmm-h200-plain --layout t=diagonal",
           "memlane emit-cuda sum -m dmm-w32 -o sum.cu && wc -l sum.cu",
           "memlane emit-cuda --all -o cuda"}};
}

} // namespace memlane::cli
