#include "cuda_program.hpp"

#include "files.hpp"

#include "memlane/ptx/link.hpp"
#include "memlane/ptx/module_code.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace memlane::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_libraries = 64;
/// Of a device that the runtime library makes; it chooses PTX by it.
const std::uint32_t device_capability = ptx::DeviceProperties().capability;

constexpr const char* shared_advice =
    "link it with the shared runtime: nvcc -cudart shared, or in CMake "
    "set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)";

/// Libraries of NVIDIA's whose kernels are machine code.
constexpr const char* closed_libraries[] = {
    "libcublas",   "libcudnn",  "libcufft",     "libcurand",   "libcusparse", "libcusolver",
    "libnccl",     "libnpp",    "libnvrtc",     "libnvjpeg",   "libcupti",    "libnvJitLink",
    "libcutensor", "libcufile", "libnvjitlink", "libcudadevrt"};

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// A file of the program: itself, or a library of its own.
struct ProgramFile {
  std::string path, bytes;
  ptx::ElfFile elf;
  ptx::EmbeddedCode code;
};

std::vector<std::string> split_path(const std::string& list, const fs::path& origin) {
  std::vector<std::string> folders;
  std::stringstream in(list);
  for (std::string folder; std::getline(in, folder, ':');) {
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"})
      if (const std::size_t at = folder.find(name); at != std::string::npos)
        folder.replace(at, name.size(), origin.string());
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

/// Where the loader looks for the libraries of a file, except for the system's folders.
std::vector<std::string> own_folders(const ProgramFile& file) {
  std::error_code code;
  const fs::path origin = fs::absolute(file.path, code).parent_path();
  std::vector<std::string> folders =
      split_path(file.elf.runpath.empty() ? file.elf.rpath : "", origin);
  const char* set = std::getenv("LD_LIBRARY_PATH");
  for (const std::string& list : {std::string(set ? set : ""), file.elf.runpath})
    for (const std::string& folder : split_path(list, origin)) folders.push_back(folder);
  return folders;
}

class ProgramCheck {
public:
  ProgramCheck(std::string path, Sources& sources) : path_(std::move(path)), sources_(sources) {}

  Status check_runtime() {
    const Status read = read_files();
    return read ? check_cuda() : read;
  }

  Status check() {
    if (Status runtime = check_runtime(); !runtime) return runtime.errors();
    if (Status code = check_code(); !code) return code.errors();
    check_rpath();
    check_preload();
    for (const ProgramFile& file : files_) {
      check_libraries(file);
      check_imports(file);
    }
    if (!errors_.ok()) return errors_.errors();
    for (const ProgramFile& file : files_) check_texts(file);
    return errors_.status();
  }

private:
  Result<ProgramFile> read_one(const std::string& path) {
    ProgramFile file;
    file.path = path;
    Result<std::string> bytes = read_file(path, most_executable_bytes, {}, sources_.limits());
    if (!bytes) return bytes.errors();
    file.bytes = std::move(*bytes);
    return file;
  }

  Status read_files() {
    Result<ProgramFile> program = read_one(path_);
    if (!program) return program.errors();
    if (!ptx::is_elf(program->bytes))
      return error_in(path_, "this is no executable of Linux",
                      {begins_with(program->bytes, "#!")
                           ? "it is a script: name the CUDA program that it starts"
                           : "name a program that nvcc has compiled, or its .cu file"});
    std::set<std::string> known;
    // Found libraries are appended and looked through, too.
    files_.push_back(std::move(*program));
    for (std::size_t k = 0; k < files_.size() && files_.size() < most_libraries; ++k) {
      Result<ptx::ElfFile> elf = ptx::read_elf(files_[k].bytes, files_[k].path);
      if (!elf) return elf.errors();
      files_[k].elf = std::move(*elf);
      Result<ptx::EmbeddedCode> code = ptx::embedded_code(files_[k].elf, files_[k].path);
      if (!code) return code.errors();
      files_[k].code = std::move(*code);
      const std::vector<std::string> needed = files_[k].elf.needed;
      const std::vector<std::string> folders = own_folders(files_[k]);
      for (const std::string& name : needed)
        if (known.insert(name).second) add_library(name, folders);
    }
    return Done{};
  }

  /// A library of the program's own; the runtime library and NVIDIA's others are not looked into.
  void add_library(const std::string& name, const std::vector<std::string>& folders) {
    if (begins_with(name, "libcudart.so") || begins_with(name, "libcuda.so") || is_closed(name))
      return;
    for (const std::string& folder : folders) {
      const fs::path path = fs::path(folder) / name;
      std::error_code code;
      if (!fs::is_regular_file(path, code)) continue;
      Result<ProgramFile> file = read_one(path.string());
      if (file && ptx::is_elf(file->bytes)) files_.push_back(std::move(*file));
      return;
    }
  }
  static bool is_closed(const std::string& name) {
    return std::any_of(std::begin(closed_libraries), std::end(closed_libraries),
                       [&](const char* closed) { return begins_with(name, closed); });
  }

  Status check_cuda() const {
    constexpr std::uint16_t machine_x86_64 = 62;
    const ptx::ElfFile& program = files_.front().elf;
    if (program.machine == ptx::elf_machine_cuda)
      return error_in(path_, "this is a cubin, machine code of a GPU; a program for it is needed");
    if (program.machine != machine_x86_64)
      return error_in(path_, fmt::format("this program is for another processor (machine {})",
                                         program.machine));
    bool has_code = false, has_runtime = false;
    for (const ProgramFile& file : files_) {
      has_code = has_code || file.code.has_cuda;
      has_runtime = has_runtime || file.elf.needs("libcudart.so");
    }
    if (!has_code && !has_runtime)
      return error_in(path_, "there is no CUDA in this program",
                      {"name a program that nvcc has compiled"});
    if (!has_runtime)
      return error_in(path_,
                      "NVIDIA's runtime is linked into this program (-cudart static, nvcc's "
                      "default): memlane does not get its calls",
                      {shared_advice});
    return Done{};
  }

  Status check_code() const {
    bool has_text = false, has_kernels = false;
    for (const ProgramFile& file : files_)
      for (const auto* fats : {&file.code.linked, &file.code.relocated})
        for (const ptx::FatBinary& fat : *fats) {
          has_text = has_text || !ptx::texts_by_preference(fat, device_capability).empty();
          has_kernels = has_kernels || ptx::has_machine_kernels(fat, file.path);
        }
    if (has_kernels && !has_text)
      return error_in(path_, "this program has machine code for GPUs, but no PTX to execute",
                      {"compile it with -arch=sm_75, or with -gencode "
                       "arch=compute_75,code=[sm_75,compute_75]; without -dlto"});
    return Done{};
  }

  /// A DT_RPATH is looked into before LD_LIBRARY_PATH; a DT_RUNPATH after it.
  void check_rpath() {
    for (const ProgramFile& file : files_) {
      if (file.elf.rpath.empty() || !file.elf.runpath.empty()) continue;
      std::error_code code;
      for (const std::string& folder :
           split_path(file.elf.rpath, fs::absolute(file.path, code).parent_path()))
        for (const std::string& name : file.elf.needed)
          if (begins_with(name, "libcudart.so") && fs::exists(fs::path(folder) / name, code))
            errors_.add(error_in(
                file.path,
                fmt::format("its RPATH leads to {}/{}, before memlane's library", folder, name),
                {"link with -Xlinker --enable-new-dtags (a RUNPATH), or without this folder",
                 fmt::format("or take it away: patchelf --remove-rpath {}", file.path)}));
    }
  }

  /// Libraries of LD_PRELOAD come before LD_LIBRARY_PATH, too.
  void check_preload() {
    const char* const set = std::getenv("LD_PRELOAD");
    std::stringstream words(set ? set : "");
    for (std::string word; words >> word;)
      for (const std::string& path : split_path(word, {}))
        if (begins_with(fs::path(path).filename().string(), "libcudart."))
          errors_.add(error_in("LD_PRELOAD",
                               fmt::format("it has {}, before memlane's library", path),
                               {"leave it out: env -u LD_PRELOAD memlane cuda …"}));
  }

  /// The functions of a closed library that a file calls. Programs are often linked with libraries
  /// whose functions they never call.
  static std::vector<std::string> calls_into(const std::string& library, const ptx::ElfFile& elf) {
    const std::string_view prefix = std::string_view(library).substr(3, library.find('.') - 3);
    std::vector<std::string> names;
    for (const ptx::ElfSymbol& symbol : elf.symbols)
      if (!symbol.defined && (symbol.version == library ||
                              (symbol.version.empty() && begins_with(symbol.name, prefix))))
        names.push_back(symbol.name);
    std::sort(names.begin(), names.end());
    return names;
  }

  void check_libraries(const ProgramFile& file) {
    for (const std::string& name : file.elf.needed) {
      const std::vector<std::string> called =
          is_closed(name) ? calls_into(name, file.elf) : std::vector<std::string>();
      if (!called.empty())
        errors_.add(error_in(file.path,
                             fmt::format("it calls {} of {}, whose kernels are machine code of "
                                         "NVIDIA's: memlane does not run them",
                                         fmt::join(called, ", "), name),
                             {"replace these calls by kernels of your own"}));
      if (begins_with(name, "libcuda.so"))
        errors_.add(error_in(file.path, "it needs libcuda, the driver, which memlane does not have",
                             {"use the functions of the runtime (cuda…) instead of the driver's "
                              "(cu…)"}));
      if (begins_with(name, "libcudart.so.") && name != "libcudart.so.12" &&
          name != "libcudart.so.13")
        errors_.add(error_in(file.path,
                             fmt::format("it needs {}; memlane has those of CUDA 12 "
                                         "and 13",
                                         name),
                             {"compile it with nvcc 12 or 13"}));
    }
  }

  /// Calls of the runtime's functions that the library lacks, all at once.
  void check_imports(const ProgramFile& file) {
    for (const int version : {12, 13}) {
      const std::string library = fmt::format("libcudart.so.{}", version);
      if (std::find(file.elf.needed.begin(), file.elf.needed.end(), library) ==
          file.elf.needed.end())
        continue;
      const Result<std::vector<std::string>> has = cudart_functions(version, sources_.limits());
      if (!errors_.check(has)) return;
      std::set<std::string> lacking;
      for (const ptx::ElfSymbol& symbol : file.elf.symbols) {
        const bool of_runtime = symbol.version == library ||
                                (symbol.version.empty() && (begins_with(symbol.name, "cuda") ||
                                                            begins_with(symbol.name, "__cuda")));
        if (!symbol.defined && !symbol.weak && of_runtime &&
            !std::binary_search(has->begin(), has->end(), symbol.name))
          lacking.insert(symbol.name);
      }
      if (lacking.empty()) continue;
      errors_.add(
          error_in(file.path,
                   fmt::format("it calls {} that memlane's library lacks: {}",
                               counted(static_cast<std::int64_t>(lacking.size()), "function"),
                               fmt::join(lacking, ", ")),
                   {"'memlane cuda --functions' lists those that it has"}));
    }
  }

  /// Whether one of the texts that the library would try can be decoded.
  void check_module(const std::vector<ptx::FatBinary>& fats, const std::string& place) {
    std::optional<Diagnostics> first;
    for (std::size_t rank = 0;; ++rank) {
      const auto code = ptx::module_code(fats, fats.front(), rank, device_capability, place);
      if (!errors_.check(code)) return;
      if (code->texts.empty()) break;
      Diagnostics wrong;
      std::vector<ptx::Module> modules;
      for (const ptx::PtxText& text : code->texts) {
        auto module = ptx::parse(sources_, sources_.add(text.path, text.text));
        if (module)
          modules.push_back(std::move(*module));
        else
          wrong.insert(wrong.end(), module.errors().begin(), module.errors().end());
      }
      if (wrong.empty()) wrong = ptx::undefined_names(ptx::joined(std::move(modules)));
      if (wrong.empty()) return;
      if (!first) first = wrong;
    }
    if (first) errors_.add(*first);
  }
  void check_texts(const ProgramFile& file) {
    const auto has_text = [](const ptx::FatBinary& fat) {
      return !ptx::texts_by_preference(fat, device_capability).empty();
    };
    for (const ptx::FatBinary& fat : file.code.linked)
      if (has_text(fat)) check_module({fat}, file.path);
    std::vector<ptx::FatBinary> linked;
    for (const ptx::FatBinary& fat : file.code.relocated)
      if (has_text(fat)) linked.push_back(fat);
    if (!linked.empty()) check_module(linked, file.path);
  }

  std::string path_;
  Sources& sources_;
  std::vector<ProgramFile> files_;
  ErrorCollector errors_;
};

} // namespace

std::string cudart_folder() {
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code).parent_path();
  const fs::path beside = self / "cudart";
  if (!code && fs::exists(beside / "libcudart.so.13", code)) return beside.string();
  return (self / MEMLANE_MODULES_FROM_PROGRAM).lexically_normal().string();
}

Result<std::vector<std::string>> cudart_functions(int version, const Limits& limits) {
  const std::string path = fmt::format("{}/libcudart.so.{}", cudart_folder(), version);
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  const Result<std::string> bytes =
      read_file(path, most_bytes, {"install memlane again: its library is missing"}, limits);
  if (!bytes) return bytes.errors();
  const Result<ptx::ElfFile> elf = ptx::read_elf(*bytes, path);
  if (!elf) return elf.errors();
  std::vector<std::string> names;
  for (const ptx::ElfSymbol& symbol : elf->symbols)
    if (symbol.defined && (begins_with(symbol.name, "cuda") || begins_with(symbol.name, "__cuda")))
      names.push_back(symbol.name);
  std::sort(names.begin(), names.end());
  return names;
}

Status check_cuda_program(const std::string& path, Sources& sources) {
  return ProgramCheck(path, sources).check();
}

Status check_measurable_program(const std::string& path, Sources& sources) {
  return ProgramCheck(path, sources).check_runtime();
}

} // namespace memlane::cli
