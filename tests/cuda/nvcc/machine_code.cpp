// What a GPU executes: of each kernel in a cubin, how many instructions it has and how many of them
// access global, shared and local memory. Scripts with nvcc ask; NVIDIA's own disassembler is no
// part of every toolkit.
// usage: machine_code CUBIN…                           kernel, instructions, LDG=n STG=n …
//        machine_code --widths ARCHITECTURE CUBIN…     kernel, instructions, LDG.32=n,STG.8=n,…
#include "memlane/ptx/cubin.hpp"
#include "memlane/support/diagnostic.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace memlane;

constexpr const char* summed[] = {"LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST"};

void print_sums(const ptx::CubinKernel& kernel) {
  for (const std::string_view name : summed) {
    std::int64_t sum = 0;
    for (const auto& [access, count] : kernel.accesses)
      if (access.name == name) sum += count;
    std::printf(" %s=%lld", name.data(), static_cast<long long>(sum));
  }
}

/// Sorted by the names that are printed.
void print_widths(const ptx::CubinKernel& kernel) {
  std::map<std::string, std::int64_t> rows;
  for (const auto& [access, count] : kernel.accesses)
    rows[std::string(access.name) + (access.bits > 0 ? '.' + std::to_string(access.bits) : "")] =
        count;
  std::string text;
  for (const auto& [name, count] : rows)
    text += (text.empty() ? "" : ",") + name + '=' + std::to_string(count);
  std::printf(" %s", text.c_str());
}

} // namespace

int main(int count, char** words) {
  std::vector<std::string> paths(words + 1, words + count);
  std::uint32_t architecture = 90; // those of sm_75 to sm_90 are counted in the same way
  const bool widths = paths.size() > 1 && paths[0] == "--widths";
  if (widths) {
    architecture = static_cast<std::uint32_t>(std::atoi(paths[1].c_str()));
    paths.erase(paths.begin(), paths.begin() + 2);
  }
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto cubin = ptx::read_cubin(bytes, architecture, path);
    if (!cubin || !cubin->counted) {
      std::fprintf(stderr, "%s",
                   cubin ? "error: its architecture is unknown\n"
                         : render(cubin.errors(), Sources()).c_str());
      return 2;
    }
    for (const ptx::CubinKernel& kernel : cubin->kernels) {
      std::printf("%s %lld", kernel.name.c_str(), static_cast<long long>(kernel.instructions));
      widths ? print_widths(kernel) : print_sums(kernel);
      std::printf("\n");
    }
  }
}
