// What a GPU executes: of each kernel in cubins, how many instructions it has and how many of them
// access global, shared and local memory. nvcc.sh asks; NVIDIA's own disassembler is no part of
// every toolkit.
// usage: machine_code CUBIN…
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Operation codes, the low 12 bits of an instruction of 16 bytes, from compute capability 7.0 on.
/// Each was read off a kernel with that one access (sm_75, sm_80, sm_90).
struct Access {
  const char* name;
  std::array<unsigned, 2> codes;
};
constexpr std::array<Access, 8> accesses = {{
    {"LDG", {0x381, 0x981}},
    {"STG", {0x386, 0x986}},
    {"LDS", {0x384, 0x984}},
    {"STS", {0x388, 0x988}},
    {"LDL", {0x383, 0x983}},
    {"STL", {0x387, 0x987}},
    {"LD", {0x380, 0x980}}, // generic addresses: of either memory
    {"ST", {0x385, 0x985}},
}};
constexpr unsigned no_operation = 0x918;

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void print_kernel(const std::string& name, std::string_view code) {
  std::map<unsigned, int> times;
  std::size_t length = code.size() / 16;
  const auto operation = [&](std::size_t k) {
    return static_cast<unsigned>(number_at<std::uint64_t>(code, 16 * k) & 0xfff);
  };
  while (length > 0 && operation(length - 1) == no_operation) --length; // fills the last line
  for (std::size_t k = 0; k < length; ++k) ++times[operation(k)];
  std::printf("%s %zu", name.c_str(), length);
  for (const Access& access : accesses)
    std::printf(" %s=%d", access.name, times[access.codes[0]] + times[access.codes[1]]);
  std::printf("\n");
}

/// Sections of a 64-bit ELF file; a kernel's is `.text.` and its name. False if it is none.
bool print_kernels(std::string_view file) {
  if (file.substr(0, 5) != std::string_view("\x7f"
                                            "ELF\x02"))
    return false;
  struct Section {
    std::uint32_t name;
    std::uint64_t at, size;
  };
  std::vector<Section> sections;
  const auto table = number_at<std::uint64_t>(file, 0x28);
  for (std::uint16_t k = 0; k < number_at<std::uint16_t>(file, 0x3c); ++k) {
    const std::size_t entry = table + 64 * std::size_t{k};
    sections.push_back({number_at<std::uint32_t>(file, entry),
                        number_at<std::uint64_t>(file, entry + 0x18),
                        number_at<std::uint64_t>(file, entry + 0x20)});
  }
  const std::size_t names = number_at<std::uint16_t>(file, 0x3e);
  if (names >= sections.size()) return false;
  for (const Section& section : sections) {
    const std::size_t begin = sections[names].at + section.name;
    if (begin >= file.size() || section.at + section.size > file.size()) continue;
    const std::string name(file.substr(begin, file.find('\0', begin) - begin));
    if (name.rfind(".text.", 0) == 0)
      print_kernel(name.substr(6), file.substr(section.at, section.size));
  }
  return true;
}

} // namespace

int main(int count, char** words) {
  for (int k = 1; k < count; ++k) {
    std::ifstream in(words[k], std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    if (print_kernels(file)) continue;
    std::fprintf(stderr, "error: %s is no cubin\n", words[k]);
    return 2;
  }
}
