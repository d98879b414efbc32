// A file: what it says of itself, the prelude that it needs, the program's own, the harness.
#include "desugar.hpp"
#include "emit_parts.hpp"
#include "print.hpp"

#include <fmt/format.h>

namespace memlane::cuda {
namespace {

/// What a file says of itself.
std::string head_of(const EmitRequest& request, const Diagnostics& warnings) {
  std::string text;
  const std::string& doc = request.checked.program.doc;
  for (std::size_t at = 0; at < doc.size();) {
    const std::size_t end = std::min(doc.find('\n', at), doc.size());
    text += "// " + doc.substr(at, end - at) + "\n";
    at = end + 1;
  }
  if (const std::string allowed = lang::allowed_races(request.checked.program); !allowed.empty())
    text +=
        fmt::format("//\n// Races are allowed: \"{}\"\n// The simulator orders them by dispatch; a "
                    "GPU has no order, and its results may differ.\n",
                    allowed);
  for (const Diagnostic& warning : warnings)
    text += fmt::format("// Line {}: {}. A GPU promises no order of blocks.\n",
                        request.sources.begin(warning.span).line, warning.message);
  text += fmt::format(
      "//\n// {0}, by: {1}\n"
      "// nvcc -O3 -std=c++20 -arch=native -fmad=false -Xcompiler -fwrapv FILE, then ./a.out "
      "--help\n"
      "// First the kernels, then the harness, which is the same in every such file, then main, "
      "verify and memory.\n"
      "// Arrays are volatile: each access of the program is one load or store, as the model "
      "counts "
      "them.\n\n",
      request.program, request.command);
  return text;
}

Status check_emittable(const MachineSpec& machine) {
  if (machine.model == Model::mmm)
    return error_in("-m", "an MMM counts blocks, and has no time that a GPU could be compared with",
                    {"take a DMM, a UMM, an HMM or an AGPU of width 32, such as hmm-h200"});
  if (machine.width != 32)
    return error_in(
        "-m", fmt::format("the machine's warps have {} threads, CUDA's have 32", machine.width),
        {"take a machine of width 32, such as umm-w32, dmm-w32 or hmm-h200"});
  if (machine.threads > 1024)
    return error_in("-m",
                    fmt::format("the machine has {} threads a multiprocessor, a block of CUDA has "
                                "at most 1024",
                                machine.threads),
                    {"--set threads=1024, or fewer"});
  return Done{};
}

/// On a GPU, a block's shared memory ends with the block: only a volatile machine is like it.
Status check_volatile(const MachineSpec& machine, const ir::Program& program) {
  Diagnostics errors;
  for (const ir::Array& array : program.arrays)
    if (!machine.is_volatile && array.space == ir::Space::shared && array.top_level)
      errors.push_back(error_at(
          array.span,
          fmt::format("{} is kept between blocks and launches, as the machine is not volatile; "
                      "CUDA's shared memory ends with its block",
                      array.name),
          {"keep the words in a memory array, or take a machine with \"volatile\": true"}));
  if (!errors.empty()) return errors;
  return Done{};
}

/// What is measured is a run on an HMM; its p counts the threads of one multiprocessor.
Status check_cores(const MachineSpec& machine, const File& file) {
  if (machine.model != Model::agpu || needs_of(file).letters.count("p") == 0) return Done{};
  return error_in("-m", "the program uses p, which an AGPU and an HMM count differently",
                  {"write k*b or b, or take an HMM"});
}

} // namespace

Result<Emitted> emit_cuda(const EmitRequest& request) {
  if (Status possible = check_emittable(request.machine); !possible) return possible.errors();
  const Result<ir::Program> lowered =
      lang::lower(request.checked, request.bindings, request.sources);
  if (!lowered) return lowered.errors();
  if (Status ends = check_volatile(request.machine, *lowered); !ends) return ends.errors();
  Desugarer desugarer(request, *lowered);
  const Result<File> file = desugarer.run();
  if (!file) return file.errors();
  if (Status same = check_cores(request.machine, *file); !same) return same.errors();
  Emitted emitted;
  emitted.warnings = desugarer.warnings();
  emitted.text = head_of(request, emitted.warnings) + prelude_of(needs_of(*file).called) +
                 print_kernels(*file) + harness_part() + "\n" + print_host(*file);
  for (std::size_t i = 0; i < request.checked.params.size(); ++i)
    (desugarer.fixed_params().count(lang::SymbolId(i)) > 0 ? emitted.fixed : emitted.run_time)
        .push_back(request.checked.params[i].name);
  return emitted;
}

} // namespace memlane::cuda
