#include "nvcc.hpp"

#include "child.hpp"
#include "files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace memlane::cli {

namespace {

/// The path, CUDA's variables, the folder of its installer; empty: it is nowhere.
std::string find_nvcc() {
  if (std::string found = found_in_path("nvcc"); !found.empty()) return found;
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) folders.emplace_back(home);
  folders.emplace_back("/usr/local/cuda");
  for (const std::string& folder : folders)
    if (const std::string nvcc = folder + "/bin/nvcc"; access(nvcc.c_str(), X_OK) == 0) return nvcc;
  return "";
}

} // namespace

Status run_nvcc(const std::string& source, const std::vector<std::string>& options,
                const std::string& output, const std::string& elsewhere) {
  if (const Status there = is_there(source); !there) return there.errors();
  const std::string nvcc = find_nvcc();
  if (nvcc.empty())
    return error_in(source, "there is no nvcc here to compile it",
                    {"compile it where nvcc is: " + elsewhere,
                     "CUDA_HOME names the folder whose bin has nvcc"});
  std::vector<std::string> words{nvcc};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {source, "-o", output});
  const ChildEnd end = run_child(words, {});
  if (end.start_error != 0)
    return error_in(nvcc, fmt::format("it cannot be started: {}", std::strerror(end.start_error)));
  if (end.signal != 0 || end.status != 0)
    return error_in(source, "nvcc does not compile it", {"its messages are above"});
  return Done{};
}

Result<std::string> ptx_of_source(const std::string& source, std::string_view command,
                                  const Limits& limits) {
  const TemporaryFolder folder("kernels");
  const std::string output = folder.path() + "/kernels.ptx";
  const Status made = run_nvcc(
      source, {"-ptx", "-lineinfo"}, output,
      fmt::format("nvcc -ptx -lineinfo my.cu -o my.ptx; memlane {} my.ptx needs no CUDA", command));
  if (!made) return made.errors();
  return read_file(output, most_ptx_bytes, {}, limits);
}

} // namespace memlane::cli
