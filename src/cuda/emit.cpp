// A file: what it says of itself, the prelude that it needs, the program's own, the harness.
#include "memlane/cuda/emit.hpp"

#include "desugar.hpp"
#include "harness_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

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
      "// Without a GPU: {2}-cudart shared -lineinfo in place of -arch=native, then memlane cuda "
      "./a.out --samples 0\n"
      "// First the kernels, then the harness, which is the same in every such file, then main, "
      "verify and memory.\n"
      "// Arrays are volatile: each access of the program is one load or store, as the model "
      "counts "
      "them.\n\n",
      request.program, request.command, request.wmma ? "-arch=sm_80 " : "");
  return text;
}

Status check_emittable(const MachineSpec& machine) {
  if (machine.model == Model::mmm)
    return error_in("-m", "an MMM counts blocks, and has no time that a GPU could be compared with",
                    {"take a DMM, a UMM, an HMM or an AGPU of width 32, such as hmm-h200-plain"});
  if (machine.width != 32)
    return error_in(
        "-m", fmt::format("the machine's warps have {} threads, CUDA's have 32", machine.width),
        {"take a machine of width 32, such as umm-w32, dmm-w32 or hmm-h200-plain"});
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

Status check_wmma(const EmitRequest& request, const File& file) {
  if (!request.wmma || needs_of(file).called.count("multiply_tiles") > 0) return Done{};
  return error_in("--wmma",
                  "no product of the program fits tensor cores: they multiply without loss only "
                  "tiles of doubles, of 8, 16 or 32 rows, and one for each warp has to fit into 48 "
                  "KiB of shared memory",
                  {"leave out --wmma, or set the type and the machine's tensor_size, such as "
                   "--type number=double --set tensor.size=16, or take fewer threads a block"});
}

/// Completes the lines `#line` behind which lines are of the emitted file itself.
std::string with_own_lines(const std::string& text, const std::string& file) {
  std::string completed;
  std::istringstream lines(text);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line == own_lines) line += fmt::format(" {} {}", number + 1, string_literal(file).text);
    completed += line + "\n";
  }
  return completed;
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
  if (Status fits = check_wmma(request, *file); !fits) return fits.errors();
  Emitted emitted;
  emitted.warnings = desugarer.warnings();
  const bool lines = !request.lines_in.empty();
  std::string prelude = prelude_of(needs_of(*file).called);
  // What its functions access is of the lines that call them, as with those of records.
  if (lines) prelude = "#line 1 \"functions of the prelude\"\n" + prelude + own_lines + "\n";
  emitted.text = head_of(request, emitted.warnings) + prelude + print_kernels(*file, lines) +
                 harness_part() + "\n" + print_host(*file);
  if (lines) emitted.text = with_own_lines(emitted.text, request.lines_in);
  for (std::size_t i = 0; i < request.checked.params.size(); ++i)
    (desugarer.fixed_params().count(lang::SymbolId(i)) > 0 ? emitted.fixed : emitted.run_time)
        .push_back(request.checked.params[i].name);
  return emitted;
}

namespace {

/// The parts of the prelude: the names that they declare, and their text.
std::vector<std::pair<std::string, std::string>> prelude_parts() {
  std::vector<std::pair<std::string, std::string>> parts;
  const std::string text = prelude_text;
  const std::string mark = "//@ ";
  for (std::size_t at = text.find(mark); at != std::string::npos;) {
    const std::size_t line = text.find('\n', at);
    const std::size_t next = text.find("\n" + mark, line);
    const std::string names = text.substr(at + mark.size(), line - at - mark.size());
    parts.emplace_back(names,
                       text.substr(line + 1, next == std::string::npos ? next : next - line));
    at = next == std::string::npos ? next : next + 1;
  }
  return parts;
}

std::string without(std::string text, const std::string& piece) {
  if (const std::size_t at = text.find(piece); at != std::string::npos)
    text.erase(at, piece.size());
  return text;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", c);
    else
      out += c;
  }
  return out + "\"";
}

} // namespace

std::string prelude_of(const std::set<std::string>& called) {
  std::string text;
  for (const auto& [names, part] : prelude_parts()) {
    bool wanted = names == "includes";
    std::istringstream words(names);
    for (std::string name; words >> name;) wanted = wanted || called.count(name) > 0;
    if (wanted) text += part;
  }
  return text;
}

std::string harness_part() { return without(harness_text, "#include \"prelude.cuh\"\n\n"); }

std::string facts_json(const std::string& program, const std::string& sha256,
                       const std::string& variant,
                       const std::vector<std::pair<std::string, std::string>>& replaced,
                       const MachineSpec& machine, const std::string& problem) {
  std::string options;
  for (const auto& [option, text] : replaced)
    options += (options.empty() ? "" : ", ") + json_text(option + " " + text);
  const std::string computed =
      problem.empty() ? "" : fmt::format(R"("problem": {}, )", json_text(problem));
  return computed +
         fmt::format(
             R"("program": {}, "sha256": "{}", "variant": "{}", "replaced": [{}], )"
             R"("machine": {{"model": "{}", "width": {}, "multiprocessors": {}, "threads": {}}})",
             json_text(program), sha256, variant, options,
             name_of(machine.model == Model::agpu ? Model::hmm : machine.model), machine.width,
             machine.multiprocessors, machine.threads);
}

const std::vector<WrittenKernel>& written_kernels() {
  static const std::vector<WrittenKernel> kernels = {
      {"sum", "sum_hmm", "hand-written"},
      {"prefix_sums", "prefix_hmm", "hand-written"},
      {"transpose", "transpose", "hand-written"},
      {"multiply", "multiply", "hand-written"},
      {"convolution", "convolution", "hand-written"},
      {"cub_sum", "sum_hmm", "cub"},
      {"cub_prefix_sums", "prefix_hmm", "cub"},
      {"cub_sort", "permutation", "cub"},
  };
  return kernels;
}

std::string written_cuda(const WrittenKernel& kernel, const std::string& sha256,
                         const MachineSpec& machine, const std::string& problem) {
  const auto* const found =
      std::find_if(std::begin(kernel_texts), std::end(kernel_texts),
                   [&](const auto& text) { return kernel.name == text.first; });
  const std::string own = without(found->second, "#include \"harness.cuh\"\n");
  const bool dynamic = own.find("DYNAMIC_SHARED") != std::string::npos;
  std::set<std::string> parts;
  if (dynamic) parts.insert("DYNAMIC_SHARED");
  // Its first comment says what it is.
  const std::size_t code = own.find("\n\n") + 1;
  return own.substr(0, code) + "\n" + prelude_of(parts) + harness_part() +
         fmt::format("\n#define MEMLANE_FACTS R\"json({})json\"\n",
                     facts_json(kernel.program, sha256, kernel.variant, {}, machine, problem)) +
         own.substr(code);
}

std::string measure_script(const std::string& rows) {
  std::string text = measure_text;
  const std::string mark = "@ROWS@";
  const std::size_t end = rows.find_last_not_of('\n') + 1;
  text.replace(text.find(mark), mark.size(), rows.substr(0, end));
  return text;
}

} // namespace memlane::cuda
