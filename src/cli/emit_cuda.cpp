// memlane emit-cuda: programs as CUDA C++.
#include "command.hpp"
#include "emit_all.hpp"
#include "files.hpp"
#include "pending_file.hpp"
#include "program.hpp"
#include "shell_words.hpp"

#include "memlane/cuda/emit.hpp"
#include "memlane/support/utf8.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

Exit emit_one(const std::string& name, const Arguments& arguments, Console& console) {
  Sources sources;
  Diagnostics errors;
  std::optional<PendingFile> file;
  if (const auto path = arguments.value("output")) {
    Result<PendingFile> opened = PendingFile::open(*path);
    if (!opened) return console.fail(opened.errors(), sources);
    file.emplace(std::move(*opened));
  }
  Result<CheckedProgram> program = load_checked_program(sources, name, arguments);
  if (!program) return console.fail(program.errors(), sources);
  const Result<LoadedMachine> machine = load_asked_machine(sources, arguments);
  if (!machine) return console.fail(machine.errors(), sources);
  const Result<cuda::Emitted> emitted =
      emit(sources, *program, name, machine->spec, arguments, emit_command(name, arguments));
  if (!emitted) return console.fail(emitted.errors(), sources);
  if (!file) {
    console.out(emitted->text);
    return Exit::done;
  }
  if (Status written = file->write(emitted->text); !written)
    return console.fail(written.errors(), sources);
  return Exit::done;
}

Exit emit_cuda(const Arguments& arguments, Console& console) {
  if (arguments.has("all")) {
    const Exit written = emit_all(arguments, console);
    if (written == Exit::done)
      console.out(fmt::format("{0}: all programs; {0}/measure.sh builds and runs them\n",
                              *arguments.value("output")));
    return written;
  }
  if (arguments.words.size() != 1) {
    return console.fail(error_in("", "emit-cuda takes one program",
                                 {"usage: memlane emit-cuda PROGRAM [options]",
                                  "'memlane list programs' lists the shipped ones"}));
  }
  return emit_one(arguments.words.front(), arguments, console);
}

/// A file of this machine by its name alone: emitted files go to others.
std::string without_folder(const std::string& path) {
  const bool far = path.rfind('/', 0) == 0 || path.rfind("..", 0) == 0;
  return far ? path.substr(path.rfind('/') + 1) : path;
}

} // namespace

std::string emit_command(const std::string& name, const Arguments& arguments) {
  std::string text = "memlane emit-cuda " + shell_word(without_folder(name));
  for (const auto& [option, given] : arguments.options) {
    const std::string value = without_folder(given);
    const std::string form = option == "machine" ? "-m" : option == "define" ? "-D" : "--" + option;
    if (option == "output" || option == "color") continue;
    text += fmt::format(" {} {}", form, shell_word(value));
  }
  return escape_controls(text); // it stands in a comment of one line
}

Result<cuda::Emitted> emit(Sources& sources, CheckedProgram& program, const std::string& name,
                           const MachineSpec& machine, const Arguments& arguments,
                           const std::string& command) {
  // Compiled as for a run, so that what cannot run is told in the same words.
  const Result<ir::Program> code = compile(sources, program, machine, arguments);
  if (!code) return code.errors();
  Result<std::vector<lang::ParamValue>> params = param_values(sources, arguments);
  if (!params) return params.errors();
  const lang::Bindings bindings{letters(machine), machine.name, std::move(*params)};
  return cuda::emit_cuda({program.checked, bindings, machine, sources, without_folder(name),
                          program.info.sha256, program.info.replaced, command,
                          arguments.value("problem").value_or("")});
}

Command emit_cuda_command() {
  std::vector<Option> options = {
      {"output", 'o', "FILE", false, "writes the file instead of printing it"},
      {"all", 0, "", false,
       "writes all shipped programs, kernels written by hand, CUB's, and measure.sh\n"
       "into the folder of -o; -m is the HMM they are for, hmm-h200 if not given"},
      {"problem", 0, "NAME", false,
       "what the program computes, if other programs compute the same: 'gpu compare'\n"
       "ranks measured points of one problem"}};
  for (const Option& option : machine_options()) options.push_back(option);
  for (const Option& option : program_options()) options.push_back(option);
  return {"emit-cuda",
          "PROGRAM [options]",
          "writes a program as a CUDA C++ file that checks and times itself",
          "Writes the program as one CUDA C++ file: its kernels for blocks of the machine's p\n"
          "threads, its main and verify, and a harness that times them. Needs a machine of\n"
          "width 32. A DMM's memory becomes the shared memory of one block. Parameters that give "
          "the sizes\n"
          "of shared arrays are fixed in the file; the others are options of the emitted program.",
          options,
          {"memlane emit-cuda sum", "memlane emit-cuda transpose -m hmm-h200 --layout t=diagonal",
           "memlane emit-cuda sum -m dmm-w32 -o sum.cu && wc -l sum.cu",
           "memlane emit-cuda --all -o cuda"},
          emit_cuda};
}

} // namespace memlane::cli
