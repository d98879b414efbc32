#include "emit_all.hpp"

#include "files.hpp"
#include "pending_file.hpp"
#include "program.hpp"

#include "memlane/report/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// A program on a machine, with what is fixed in its file, at several sizes: parameters as
/// measure.sh gives them, from the smallest.
struct MeasuredProgram {
  std::string program;
  const char* model; ///< dmm, umm: shipped ones of width 32; hmm: the machine that was asked for
  std::vector<std::pair<std::string, std::string>> options; ///< of emit-cuda
  std::vector<std::string> runs;
};

const std::vector<std::string> sums = {"n=4096", "n=65536", "n=1048576", "n=16777216",
                                       "n=134217728"};
const std::vector<std::string> sums_of_a_block = {"n=1024", "n=16384", "n=262144", "n=4194304",
                                                  "n=134217728"};
const std::vector<std::string> in_shared = {"n=1024", "n=4096", "n=16384"};
const std::vector<std::string> matrices = {"n=256", "n=1024", "n=4096"};

const std::vector<MeasuredProgram>& measured_programs() {
  static const std::vector<MeasuredProgram> all = {
      {"contiguous", "umm", {}, {"n=4096", "n=1048576", "n=134217728"}},
      {"strided", "umm", {}, {"n=1048576 s=1", "n=1048576 s=2", "n=1048576 s=8", "n=1048576 s=32"}},
      {"strided", "dmm", {}, {"n=1024 s=1", "n=1024 s=2", "n=1024 s=8", "n=1024 s=32"}},
      {"figure_access", "dmm", {}, {""}},
      {"congestion", "dmm", {}, {""}},
      {"congestion", "dmm", {{"layout", "t=random_shift"}}, {""}},
      {"congestion", "dmm", {{"layout", "t=random_permute"}}, {""}},
      {"example", "umm", {}, {"n=1024", "n=1048576"}},
      {"sum", "umm", {}, sums_of_a_block},
      {"sum", "dmm", {}, in_shared},
      {"sum_hmm", "hmm", {}, sums},
      {"reduction", "hmm", {}, sums},
      {"maximum_segment_sum", "hmm", {}, {"n=65536", "n=1048576", "n=16777216"}},
      {"prefix_sums", "umm", {}, sums_of_a_block},
      {"prefix_sums", "dmm", {}, in_shared},
      {"prefix_hmm", "hmm", {}, sums},
      {"prefix_simple", "umm", {{"define", "n=1024"}}, {""}},
      {"prefix_simple", "umm", {{"define", "n=16384"}}, {""}},
      {"prefix_simple", "dmm", {{"define", "n=1024"}}, {""}},
      {"prefix_simple", "dmm", {{"define", "n=16384"}}, {""}},
      {"scan_kogge_stone", "umm", {}, {"n=1024", "n=16384", "n=262144", "n=4194304"}},
      {"scan_kogge_stone", "dmm", {}, in_shared},
      {"scan_brent_kung", "umm", {}, {"n=1024", "n=16384", "n=262144", "n=4194304"}},
      {"scan_brent_kung", "dmm", {}, in_shared},
      {"scan_brent_kung_padded", "dmm", {}, in_shared},
      {"copy_shared", "hmm", {{"define", "n=1048576"}}, {""}},
      {"copy_shared",
       "hmm",
       {{"define", "n=1048576"}, {"define", "m=32"}, {"define", "gap=992"}},
       {""}},
      {"transpose", "hmm", {}, matrices},
      {"transpose", "hmm", {{"layout", "t=rows"}}, matrices},
      {"transpose", "hmm", {{"layout", "t=diagonal"}}, matrices},
      {"transpose", "hmm", {{"layout", "t=random_shift"}}, matrices},
      {"transpose", "hmm", {{"layout", "t=random_permute"}}, matrices},
      {"transpose", "hmm", {{"layout", "t=swizzle"}}, matrices},
      {"transpose_direct", "hmm", {}, matrices},
      {"transpose_direct", "hmm", {{"define", "diagonal=true"}}, matrices},
      {"permutation",
       "hmm",
       {},
       {"n=65536 which=4", "n=1048576 which=0", "n=1048576 which=3", "n=1048576 which=4",
        "n=16777216 which=4"}},
      {"permutation_dmm", "dmm", {}, {"n=1024 which=4", "n=8192 which=4"}},
      {"permutation_hmm", "hmm", {{"define", "n=1048576"}}, {""}},
      {"multiply", "hmm", {}, {"n=128", "n=512", "n=1024", "n=4096"}},
      {"multiply", "hmm", {{"type", "number=float"}}, {"n=128", "n=512", "n=1024"}},
      {"multiply_dmm", "dmm", {}, {"n=32", "n=64"}},
      {"convolution", "hmm", {{"define", "v=1"}}, {"n=512", "n=4096"}},
      {"convolution", "hmm", {{"define", "v=4"}}, {"n=512", "n=4096"}},
      {"convolution_dmm", "dmm", {}, {"n=32", "n=64"}},
      {"string_matching", "hmm", {{"define", "m=32"}}, {"n=65536", "n=1048576"}},
  };
  return all;
}

/// What several shipped programs compute, under one name; empty for a program without another.
std::string problem_of(const std::string& program) {
  static const std::map<std::string, std::vector<std::string>> problems = {
      {"sum", {"sum", "sum_hmm", "reduction"}},
      {"prefix sums",
       {"prefix_sums", "prefix_hmm", "prefix_simple", "scan_kogge_stone", "scan_brent_kung",
        "scan_brent_kung_padded"}},
      {"transpose", {"transpose", "transpose_direct"}},
      {"permutation", {"permutation", "permutation_dmm", "permutation_hmm"}}};
  for (const auto& [problem, programs] : problems)
    if (std::find(programs.begin(), programs.end(), program) != programs.end()) return problem;
  return "";
}

std::vector<std::string> runs_of_kernel(const std::string& name) {
  if (name == "transpose") return matrices;
  if (name == "multiply") return {"n=128", "n=512", "n=1024", "n=4096"};
  if (name == "convolution") return {"n=512 v=1", "n=512 v=4", "n=4096 v=1", "n=4096 v=4"};
  if (name == "cub_sort") return {"n=65536", "n=1048576", "n=16777216"};
  return sums;
}

std::string file_name(const MeasuredProgram& measured) {
  std::string name = measured.program + "-" + measured.model;
  for (const auto& [option, text] : measured.options) {
    std::string part = option == "layout" ? text.substr(text.find('=') + 1) : text;
    std::erase_if(part, [](char c) { return c == '='; });
    name += "-" + part;
  }
  return name;
}

std::string file_name(const cuda::WrittenKernel& kernel) {
  return kernel.variant == "cub" ? kernel.name : kernel.name + "-by-hand";
}

/// The sizes of all programs in waves, the first of each, then the second …: when the time is over,
/// every program has been measured somewhere.
class Rows {
public:
  void add(const std::string& file, const std::string& program, const std::string& variant,
           const std::vector<std::string>& runs) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (waves_.size() <= k) waves_.emplace_back();
      waves_[k] += fmt::format("{} {} {}{}{}\n", file, program, variant, runs[k].empty() ? "" : " ",
                               runs[k]);
    }
  }
  std::string text() const { return fmt::format("{}", fmt::join(waves_, "")); }

private:
  std::vector<std::string> waves_;
};

Status write_to(const std::string& path, const std::string& text) {
  Result<PendingFile> file = PendingFile::open(path);
  if (!file) return file.errors();
  return file->write(text);
}

class AllFiles {
public:
  AllFiles(std::string folder, const Arguments& arguments)
      : folder_(std::move(folder)), arguments_(arguments) {}

  Status write(const MeasuredProgram& measured, Sources& sources);
  Status write(const cuda::WrittenKernel& kernel, Sources& sources);
  Status finish();

private:
  Arguments arguments_of(const MeasuredProgram& measured) const;

  std::string folder_;
  const Arguments& arguments_;
};

Arguments AllFiles::arguments_of(const MeasuredProgram& measured) const {
  Arguments arguments;
  arguments.options = measured.options;
  if (const std::string problem = problem_of(measured.program); !problem.empty())
    arguments.options.emplace_back("problem", problem);
  if (std::string(measured.model) != "hmm") {
    arguments.options.emplace_back("machine", std::string(measured.model) + "-w32");
    return arguments;
  }
  arguments.options.emplace_back("machine", arguments_.value("machine").value_or("hmm-h200"));
  for (const std::string& set : arguments_.values("set"))
    arguments.options.emplace_back("set", set);
  return arguments;
}

Status AllFiles::write(const MeasuredProgram& measured, Sources& sources) {
  const Arguments arguments = arguments_of(measured);
  Result<CheckedProgram> program = load_checked_program(sources, measured.program, arguments);
  if (!program) return program.errors();
  const Result<LoadedMachine> machine = load_asked_machine(sources, arguments);
  if (!machine) return machine.errors();
  const Result<cuda::Emitted> emitted = emit(sources, *program, measured.program, machine->spec,
                                             arguments, emit_command(measured.program, arguments));
  if (!emitted) return emitted.errors();
  const std::string name = file_name(measured);
  if (Status written = write_to(folder_ + "/" + name + ".cu", emitted->text); !written)
    return written;
  return Done{};
}

Status AllFiles::write(const cuda::WrittenKernel& kernel, Sources& sources) {
  Arguments arguments = arguments_of({kernel.program, "hmm", {}, {}});
  const Result<ProgramText> program = load_program_text(sources, kernel.program, Arguments{});
  if (!program) return program.errors();
  const Result<LoadedMachine> machine = load_asked_machine(sources, arguments);
  if (!machine) return machine.errors();
  const std::string name = file_name(kernel);
  const std::string text =
      cuda::written_cuda(kernel, program->info.sha256, machine->spec, problem_of(kernel.program));
  if (Status written = write_to(folder_ + "/" + name + ".cu", text); !written) return written;
  return Done{};
}

Status AllFiles::finish() {
  const std::string path = folder_ + "/measure.sh";
  if (Status written = write_to(path, cuda::measure_script(measured_points())); !written)
    return written;
  std::error_code code;
  using enum fs::perms;
  fs::permissions(path, owner_exec | group_exec | others_exec, fs::perm_options::add, code);
  return Done{};
}

Status check_options(const Arguments& arguments) {
  if (!arguments.words.empty())
    return error_in("--all", "it writes all shipped programs and takes none by name",
                    {"usage: memlane emit-cuda --all -o FOLDER [-m MACHINE]"});
  for (const char* name : {"define", "fn", "type", "layout", "problem"})
    if (arguments.has(name))
      return error_in("--all", fmt::format("--{} is for one program", name),
                      {"emit that program by itself"});
  if (!arguments.has("output"))
    return error_in("--all", "a folder is needed to write to", {"-o FOLDER"});
  return Done{};
}

} // namespace

std::string measured_points() {
  Rows rows;
  for (const MeasuredProgram& measured : measured_programs())
    rows.add(file_name(measured), measured.program, "emitted", measured.runs);
  for (const cuda::WrittenKernel& kernel : cuda::written_kernels())
    rows.add(file_name(kernel), kernel.program, kernel.variant, runs_of_kernel(kernel.name));
  return rows.text();
}

Exit emit_all(const Arguments& arguments, Console& console) {
  Sources sources;
  if (Status good = check_options(arguments); !good) return console.fail(good.errors(), sources);
  const std::string folder = *arguments.value("output");
  if (arguments.has("machine") || arguments.has("set")) {
    const Result<LoadedMachine> machine = load_asked_machine(sources, arguments);
    if (!machine) return console.fail(machine.errors(), sources);
    if (machine->spec.model != Model::hmm)
      return console.fail(error_in("-m",
                                   "--all takes an HMM: programs of the others run on umm-w32 "
                                   "and dmm-w32",
                                   {"-m hmm-h200, say"}));
  }
  std::error_code code;
  fs::create_directory(folder, code);
  if (!fs::is_directory(folder, code))
    return console.fail(
        error_in("-o", fmt::format("{} is no folder and cannot be made one", folder)));
  AllFiles files(folder, arguments);
  for (const MeasuredProgram& measured : measured_programs())
    if (Status written = files.write(measured, sources); !written)
      return console.fail(written.errors(), sources);
  for (const cuda::WrittenKernel& kernel : cuda::written_kernels())
    if (Status written = files.write(kernel, sources); !written)
      return console.fail(written.errors(), sources);
  if (Status written = files.finish(); !written) return console.fail(written.errors(), sources);
  return Exit::done;
}

} // namespace memlane::cli
