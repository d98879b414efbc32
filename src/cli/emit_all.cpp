#include "emit_all.hpp"

#include "files.hpp"
#include "pending_file.hpp"
#include "program.hpp"

#include "memlane/cuda/emit.hpp"

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
// Blocks of one warp: r of them hide the latency of a multiprocessor.
const std::vector<std::string> reductions = {"n=4096", "n=65536 r=4", "n=1048576 r=32",
                                             "n=16777216 r=32"};
const std::vector<std::string> in_shared = {"n=1024", "n=4096", "n=16384"};
const std::vector<std::string> scans = {"n=4096 r=1", "n=65536 r=1", "n=1048576 r=8",
                                        "n=16777216 r=32", "n=134217728 r=32"};
const std::vector<std::string> matrices = {"n=256", "n=1024", "n=4096"};

const std::vector<std::string> divisions = {"n=1000 m=500", "n=4000 m=2000", "n=10000 m=5000"};
const std::vector<std::string> products = {"n=1000 m=1000", "n=4000 m=4000", "n=8000 m=8000"};
const std::vector<std::string> divisors = {"n=1000 m=900", "n=4000 m=3500", "n=10000 m=9000"};

std::vector<std::string> with_largest(std::vector<std::string> runs) {
  runs.emplace_back("n=134217728 r=32");
  return runs;
}

const std::vector<MeasuredProgram>& measured_programs() {
  static const std::vector<MeasuredProgram> all = {
      {"contiguous", "umm", {}, {"n=4096", "n=1048576", "n=134217728"}},
      {"strided", "umm", {}, {"n=1048576 s=1", "n=1048576 s=2", "n=1048576 s=8", "n=1048576 s=32"}},
      {"strided", "dmm", {}, {"n=1024 s=1", "n=1024 s=2", "n=1024 s=8", "n=1024 s=32"}},
      {"sequential", "umm", {}, {"n=1048576 f=0", "n=1048576 f=32768", "n=1048576 f=262144"}},
      {"figure_access", "dmm", {}, {""}},
      {"figure_coalescing", "hmm", {}, {""}},
      {"congestion", "dmm", {}, {""}},
      {"congestion", "dmm", {{"layout", "t=random_shift"}}, {""}},
      {"congestion", "dmm", {{"layout", "t=random_permute"}}, {""}},
      {"example", "umm", {}, {"n=1024", "n=1048576"}},
      {"sum", "umm", {}, sums_of_a_block},
      {"sum", "dmm", {}, in_shared},
      {"sum_asynchronous", "umm", {}, sums_of_a_block},
      {"sum_hmm", "hmm", {}, sums},
      {"reduction", "hmm", {}, with_largest(reductions)},
      {"reduction_cascading", "hmm", {}, with_largest(reductions)},
      {"reduction_tree", "hmm", {}, reductions},
      {"reduction_tree", "hmm", {{"define", "commutative=true"}}, reductions},
      {"reduction_matrix", "hmm", {}, reductions},
      {"reduction_matrix", "hmm", {{"layout", "d=rows"}}, reductions},
      {"maximum_segment_sum", "hmm", {}, reductions},
      {"maximum_segment_sum_tree", "hmm", {}, reductions},
      {"count", "hmm", {}, reductions},
      {"map_reduce", "hmm", {}, reductions},
      {"figure_pipeline", "hmm", {}, {""}},
      {"prefix_sums", "umm", {}, sums_of_a_block},
      {"prefix_sums", "dmm", {}, in_shared},
      {"prefix_asynchronous", "umm", {}, sums_of_a_block},
      {"prefix_hmm", "hmm", {}, sums},
      {"scan", "hmm", {{"define", "alpha=1"}}, scans},
      {"scan", "hmm", {{"define", "alpha=4"}}, scans},
      {"scan", "hmm", {{"define", "alpha=8"}}, scans},
      {"scan", "hmm", {{"define", "alpha=18"}}, scans},
      {"scan", "hmm", {{"define", "alpha=32"}}, scans},
      {"segmented_scan", "hmm", {{"define", "alpha=4"}}, scans},
      {"compact", "hmm", {{"define", "alpha=4"}}, scans},
      {"scan_blocks", "hmm", {{"define", "t=256"}}, sums},
      {"scan_naive", "hmm", {}, {"n=256", "n=2048"}},
      {"prefix_simple", "umm", {{"define", "n=1024"}}, {""}},
      {"prefix_simple", "umm", {{"define", "n=16384"}}, {""}},
      {"prefix_simple", "dmm", {{"define", "n=1024"}}, {""}},
      {"prefix_simple", "dmm", {{"define", "n=16384"}}, {""}},
      {"scan_kogge_stone", "umm", {}, {"n=1024", "n=16384", "n=262144"}},
      {"scan_kogge_stone", "dmm", {}, in_shared},
      {"scan_brent_kung", "umm", {}, {"n=1024", "n=16384", "n=262144"}},
      {"scan_brent_kung", "dmm", {}, in_shared},
      {"scan_brent_kung_padded", "dmm", {}, in_shared},
      {"copy_shared", "hmm", {{"define", "n=1048576"}}, {""}},
      {"copy_shared",
       "hmm",
       {{"define", "n=1048576"}, {"define", "m=32"}, {"define", "gap=992"}},
       {""}},
      {"bitonic_sort",
       "hmm",
       {{"define", "tile=2048"}},
       {"n=65536 r=16", "n=1048576 r=16", "n=16777216 r=16"}},
      {"heap_merge",
       "hmm",
       {{"define", "ways=2"}},
       {"n=65536 sequences=64", "n=1048576 sequences=1024"}},
      {"heap_merge",
       "hmm",
       {{"define", "ways=4"}},
       {"n=65536 sequences=64", "n=1048576 sequences=1024"}},
      {"gpu_warpsort", "hmm", {}, {"n=65536", "n=1048576"}},
      {"io_optimal_sort", "hmm", {{"define", "ways=4"}}, {"n=65536", "n=1048576"}},
      {"io_optimal_sort", "hmm", {{"define", "ways=8"}}, {"n=65536", "n=1048576"}},
      {"radix_sort", "hmm", {}, {"n=65536 r=2", "n=1048576 r=16"}},
      {"radix_sort_tiles",
       "hmm",
       {{"define", "t=256"}, {"define", "bits=31"}},
       {"n=65536", "n=1048576"}},
      {"merge_sort", "hmm", {}, {"n=65536 r=2", "n=1048576 r=16"}},
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
      {"signal_convolution", "hmm", {{"define", "m=32"}}, {"n=65536", "n=1048576"}},
      {"signal_convolution_dmm", "umm", {{"define", "m=32"}}, {"n=1024", "n=65536"}},
      {"summed_area", "umm", {}, {"n=64", "n=256", "n=2048"}},
      {"summed_area_2r2w", "hmm", {}, matrices},
      {"summed_area_2r1w", "hmm", {}, matrices},
      {"summed_area_1r1w", "hmm", {}, matrices},
      {"bulk_prefix_sums", "umm", {}, {"inputs=4096", "inputs=65536 n=64"}},
      {"bulk_prefix_sums", "umm", {{"layout", "b=rows"}}, {"inputs=4096", "inputs=65536 n=64"}},
      {"bulk_triangulation", "umm", {}, {"inputs=4096", "inputs=16384"}},
      {"bulk_triangulation", "umm", {{"layout", "m=rows"}}, {"inputs=4096", "inputs=16384"}},
      {"triangulation", "umm", {}, {"n=64", "n=256"}},
      {"triangulation_simple", "hmm", {}, {"n=64", "n=128", "n=512"}},
      {"triangulation_simple", "hmm", {{"layout", "m=rows"}}, {"n=64", "n=128", "n=512"}},
      {"triangulation_hmm", "hmm", {}, {"n=64", "n=256", "n=1024"}},
      {"product_tree", "hmm", {}, {"levels=5 degree=31", "levels=8 degree=63"}},
      {"string_matching", "hmm", {{"define", "m=32"}}, {"n=65536", "n=1048576"}},
      {"division_naive", "hmm", {{"define", "t=256"}}, divisions},
      {"division", "hmm", {{"define", "s=256"}}, divisions},
      {"multiplication", "hmm", {{"define", "s=2"}, {"define", "t=256"}}, products},
      {"multiplication", "hmm", {{"define", "s=4"}, {"define", "t=256"}}, products},
      {"ntt", "hmm", {{"define", "tile=2048"}, {"define", "t=256"}}, products},
      {"gcd_naive", "hmm", {{"define", "t=256"}}, divisors},
      {"gcd", "hmm", {{"define", "s=256"}}, divisors},
  };
  return all;
}

/// What several shipped programs compute, under one name; empty for a program without another.
std::string problem_of(const std::string& program) {
  static const std::map<std::string, std::vector<std::string>> problems = {
      {"sum",
       {"sum", "sum_asynchronous", "sum_hmm", "reduction", "reduction_cascading", "reduction_tree",
        "reduction_matrix"}},
      {"maximum segment sum", {"maximum_segment_sum", "maximum_segment_sum_tree"}},
      {"prefix sums",
       {"prefix_sums", "prefix_asynchronous", "prefix_hmm", "prefix_simple", "scan_kogge_stone",
        "scan_brent_kung", "scan_brent_kung_padded", "scan", "scan_blocks", "scan_naive"}},
      {"sort",
       {"bitonic_sort", "gpu_warpsort", "io_optimal_sort", "merge_sort", "radix_sort",
        "radix_sort_tiles"}},
      {"transpose", {"transpose", "transpose_direct"}},
      {"permutation", {"permutation", "permutation_dmm", "permutation_hmm"}},
      {"signal convolution", {"signal_convolution", "signal_convolution_dmm"}},
      {"summed area table",
       {"summed_area", "summed_area_2r2w", "summed_area_2r1w", "summed_area_1r1w"}},
      {"triangulation", {"triangulation", "triangulation_simple", "triangulation_hmm"}},
      {"polynomial division", {"division", "division_naive"}},
      {"polynomial product", {"multiplication", "ntt"}},
      {"polynomial greatest common divisor", {"gcd", "gcd_naive"}}};
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

/// The folder with all files, for an HMM.
class EmittedFolder {
public:
  EmittedFolder(std::string folder, MachineSelection machine)
      : folder_(std::move(folder)), machine_(std::move(machine)) {}

  Status write(const MeasuredProgram& measured, Sources& sources) const;
  Status write(const cuda::WrittenKernel& kernel, Sources& sources) const;
  Status write_script() const;

private:
  Status write_file(const std::string& name, const std::string& text) const;

  std::string folder_;
  MachineSelection machine_;
};

Status EmittedFolder::write_file(const std::string& name, const std::string& text) const {
  Result<PendingFile> file = PendingFile::open(folder_ + "/" + name);
  if (!file) return file.errors();
  return file->write(text);
}

Status EmittedFolder::write(const MeasuredProgram& measured, Sources& sources) const {
  std::vector<NameAndValue> options = measured.options;
  if (const std::string problem = problem_of(measured.program); !problem.empty())
    options.emplace_back("problem", problem);
  if (std::string(measured.model) == "hmm") {
    options.emplace_back("machine", machine_.name);
    for (const std::string& set : machine_.overrides) options.emplace_back("set", set);
  } else {
    options.emplace_back("machine", std::string(measured.model) + "-w32");
  }
  const Result<cuda::Emitted> emitted = emit(sources, emit_request(measured.program, options));
  if (!emitted) return emitted.errors();
  return write_file(file_name(measured) + ".cu", emitted->text);
}

Status EmittedFolder::write(const cuda::WrittenKernel& kernel, Sources& sources) const {
  const Result<ProgramText> program = load_program_text(sources, {kernel.program});
  if (!program) return program.errors();
  const Result<LoadedMachine> machine = load_selected_machine(sources, machine_);
  if (!machine) return machine.errors();
  return write_file(
      file_name(kernel) + ".cu",
      cuda::written_cuda(kernel, program->info.sha256, machine->spec, problem_of(kernel.program)));
}

Status EmittedFolder::write_script() const {
  const Status written = write_file("measure.sh", cuda::measure_script(measured_points()));
  if (!written) return written;
  std::error_code code;
  using enum fs::perms;
  fs::permissions(folder_ + "/measure.sh", owner_exec | group_exec | others_exec,
                  fs::perm_options::add, code);
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

Status emit_all(const std::string& path, const MachineSelection& machine, Sources& sources) {
  const Result<LoadedMachine> loaded = load_selected_machine(sources, machine);
  if (!loaded) return loaded.errors();
  if (loaded->spec.model != Model::hmm)
    return error_in("-m", "--all takes an HMM: programs of the others run on umm-w32 and dmm-w32",
                    {"for example -m hmm-h200"});
  std::error_code code;
  fs::create_directory(path, code);
  if (!fs::is_directory(path, code))
    return error_in("-o", fmt::format("{} is no folder and cannot be made one", path));
  const EmittedFolder folder(path, machine);
  for (const MeasuredProgram& measured : measured_programs())
    if (Status written = folder.write(measured, sources); !written) return written;
  for (const cuda::WrittenKernel& kernel : cuda::written_kernels())
    if (Status written = folder.write(kernel, sources); !written) return written;
  return folder.write_script();
}

} // namespace memlane::cli
