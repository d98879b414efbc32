#include "emit_all.hpp"

#include "files.hpp"
#include "pending_file.hpp"
#include "program.hpp"

#include "memlane/cuda/emit.hpp"
#include "memlane/support/json_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// A program on a machine, with what is fixed in its file, at several sizes: parameters as
/// measure.sh gives them, from the smallest.
struct MeasuredProgram {
  std::string program, problem, model;
  std::vector<std::string> options; ///< `layout t=rows`
  std::vector<std::string> runs;
};

struct MeasuredKernel {
  std::string kernel; ///< of cuda::written_kernels
  std::vector<std::string> runs;
};

struct MeasuredFile {
  std::vector<MeasuredProgram> programs;
  std::vector<MeasuredKernel> kernels;
};

const Record<MeasuredProgram> program_record = {
    "measured program",
    "a measured program",
    {{"program", "its name", kinds::text(), &MeasuredProgram::program, required},
     {"problem", "what it and other programs compute", kinds::text(), &MeasuredProgram::problem},
     {"model", "dmm, umm: on a shipped machine of width 32; hmm: on the machine of -m",
      kinds::text(), &MeasuredProgram::model, required},
     {"options", "options of emit-cuda, such as `layout t=rows`", kinds::list(kinds::text()),
      &MeasuredProgram::options},
     {"runs", "parameters, from the smallest size", kinds::some(kinds::string()),
      &MeasuredProgram::runs, required}}};

const Record<MeasuredKernel> kernel_record = {
    "measured kernel",
    "a measured kernel",
    {{"kernel", "its name", kinds::text(), &MeasuredKernel::kernel, required},
     {"runs", "parameters, from the smallest size", kinds::some(kinds::string()),
      &MeasuredKernel::runs, required}}};

const Record<MeasuredFile> file_record = {
    "measured file",
    "the file of measured programs",
    {{"programs", "programs on machines", kinds::list(program_record.kind()),
      &MeasuredFile::programs, required},
     {"kernels", "kernels written by hand", kinds::list(kernel_record.kind()),
      &MeasuredFile::kernels, required}}};

/// What is measured of the shipped programs: configs/measured.json.
Result<MeasuredFile> read_measured(Sources& sources) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  const std::string path = short_path(data_home() + "/configs/measured.json");
  Result<std::string> text = read_file(path, most_bytes, {}, sources.limits());
  if (!text) return text.errors();
  return read_record(sources, sources.add(path, std::move(*text)), file_record, MeasuredFile());
}

/// `layout`, `t=rows`.
NameAndValue parts_of(const std::string& option) {
  const std::size_t blank = option.find(' ');
  return {option.substr(0, blank), option.substr(blank + 1)};
}

std::string file_name(const MeasuredProgram& measured) {
  std::string name = measured.program + "-" + measured.model;
  for (const std::string& one : measured.options) {
    const auto [option, text] = parts_of(one);
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

/// What measure.sh runs.
std::string points_of(const MeasuredFile& measured) {
  Rows rows;
  for (const MeasuredProgram& one : measured.programs)
    rows.add(file_name(one), one.program, "emitted", one.runs);
  for (const MeasuredKernel& one : measured.kernels)
    for (const cuda::WrittenKernel& kernel : cuda::written_kernels())
      if (kernel.name == one.kernel)
        rows.add(file_name(kernel), kernel.program, kernel.variant, one.runs);
  return rows.text();
}

/// What the measured programs of this name compute.
std::string problem_of(const MeasuredFile& measured, const std::string& program) {
  for (const MeasuredProgram& one : measured.programs)
    if (one.program == program) return one.problem;
  return "";
}

/// The folder with all files, for an HMM.
class EmittedFolder {
public:
  EmittedFolder(std::string folder, MachineSelection machine)
      : folder_(std::move(folder)), machine_(std::move(machine)) {}

  Status write(const MeasuredProgram& measured, Sources& sources) const;
  Status write(const cuda::WrittenKernel& kernel, const std::string& problem,
               Sources& sources) const;
  Status write_script(const MeasuredFile& measured) const;

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
  std::vector<NameAndValue> options;
  for (const std::string& one : measured.options) options.push_back(parts_of(one));
  if (!measured.problem.empty()) options.emplace_back("problem", measured.problem);
  if (measured.model == "hmm") {
    options.emplace_back("machine", machine_.name);
    for (const std::string& set : machine_.overrides) options.emplace_back("set", set);
  } else {
    options.emplace_back("machine", measured.model + "-w32");
  }
  const Result<cuda::Emitted> emitted = emit(sources, emit_request(measured.program, options));
  if (!emitted) return emitted.errors();
  return write_file(file_name(measured) + ".cu", emitted->text);
}

Status EmittedFolder::write(const cuda::WrittenKernel& kernel, const std::string& problem,
                            Sources& sources) const {
  const Result<ProgramText> program = load_program_text(sources, {kernel.program});
  if (!program) return program.errors();
  const Result<LoadedMachine> machine = load_selected_machine(sources, machine_);
  if (!machine) return machine.errors();
  return write_file(file_name(kernel) + ".cu",
                    cuda::written_cuda(kernel, program->info.sha256, machine->spec, problem));
}

Status EmittedFolder::write_script(const MeasuredFile& measured) const {
  const Status written = write_file("measure.sh", cuda::measure_script(points_of(measured)));
  if (!written) return written;
  std::error_code code;
  using enum fs::perms;
  fs::permissions(folder_ + "/measure.sh", owner_exec | group_exec | others_exec,
                  fs::perm_options::add, code);
  return Done{};
}

} // namespace

Result<std::string> measured_points(Sources& sources) {
  const Result<MeasuredFile> measured = read_measured(sources);
  if (!measured) return measured.errors();
  return points_of(*measured);
}

Status emit_all(const std::string& path, const MachineSelection& machine, Sources& sources) {
  const Result<LoadedMachine> loaded = load_selected_machine(sources, machine);
  if (!loaded) return loaded.errors();
  if (loaded->spec.model != Model::hmm)
    return error_in("-m", "--all takes an HMM: programs of the others run on umm-w32 and dmm-w32",
                    {"for example -m hmm-h200-plain"});
  const Result<MeasuredFile> measured = read_measured(sources);
  if (!measured) return measured.errors();
  std::error_code code;
  fs::create_directory(path, code);
  if (!fs::is_directory(path, code))
    return error_in("-o", fmt::format("{} is no folder and cannot be made one", path));
  const EmittedFolder folder(path, machine);
  for (const MeasuredProgram& one : measured->programs)
    if (Status written = folder.write(one, sources); !written) return written;
  for (const cuda::WrittenKernel& kernel : cuda::written_kernels()) {
    const std::string problem = problem_of(*measured, kernel.program);
    if (Status written = folder.write(kernel, problem, sources); !written) return written;
  }
  return folder.write_script(*measured);
}

} // namespace memlane::cli
