#include "memlane/ptx/cubin.hpp"

#include "bytes.hpp"

#include "memlane/ptx/elf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane::ptx {

namespace {

/// Operation codes, the lowest 12 bits of an instruction, with and without an address from uniform
/// registers. Each was read off a kernel with that one access, for sm_75 to sm_100.
struct MachineOpcode {
  std::string_view name;
  std::array<unsigned, 2> codes;
  bool sized; ///< bits 73 to 75 say how many bits a lane accesses
};
constexpr std::array<MachineOpcode, 18> machine_opcodes = {{
    {"LDG", {0x381, 0x981}, true},
    {"STG", {0x386, 0x986}, true},
    {"LDS", {0x384, 0x984}, true},
    {"STS", {0x388, 0x988}, true},
    {"LDL", {0x383, 0x983}, true},
    {"STL", {0x387, 0x987}, true},
    {"LD", {0x380, 0x980}, true}, // generic addresses
    {"ST", {0x385, 0x985}, true},
    {"LDC", {0xb82, 0xb82}, true},
    {"LDGSTS", {0xfae, 0xfae}, false},
    {"LDSM", {0x83b, 0x83b}, false},
    {"ATOM", {0x38a, 0x98a}, false},
    {"ATOM", {0x38b, 0x98b}, false}, // compare and swap
    {"ATOMG", {0x3a8, 0x9a8}, false},
    {"ATOMG", {0x3a9, 0x9a9}, false},
    {"ATOMS", {0x38c, 0x98c}, false},
    {"ATOMS", {0x38d, 0x98d}, false},
    {"RED", {0x38e, 0x98e}, false},
}};
constexpr unsigned red_of_floats = 0x1a6; // RED too, from sm_90 on
constexpr unsigned no_machine_operation = 0x918;
constexpr std::array<int, 8> bits_by_code = {8, 8, 16, 16, 32, 64, 128, 0};
constexpr std::uint64_t instruction_bytes = 16;

void count_instruction(CubinKernel& kernel, std::uint64_t low, std::uint64_t high) {
  const auto code = static_cast<unsigned>(low & 0xfff);
  if ((code & 0x1ff) == red_of_floats && (code == 0x3a6 || code == 0x9a6)) {
    ++kernel.accesses[{"RED", 0}];
    return;
  }
  for (const MachineOpcode& row : machine_opcodes) {
    if (code != row.codes[0] && code != row.codes[1]) continue;
    ++kernel.accesses[{row.name, row.sized ? bits_by_code[(high >> 9) & 7] : 0}];
    return;
  }
}

void count_instructions(CubinKernel& kernel, std::string_view code) {
  std::uint64_t length = code.size() / instruction_bytes;
  const auto low = [&](std::uint64_t k) {
    return number_at<std::uint64_t>(code, instruction_bytes * k);
  };
  while (length > 0 && (low(length - 1) & 0xfff) == no_machine_operation) --length;
  kernel.instructions = static_cast<std::int64_t>(length);
  for (std::uint64_t k = 0; k < length; ++k)
    count_instruction(kernel, low(k), number_at<std::uint64_t>(code, instruction_bytes * k + 8));
}

/// Names of the symbols in .symtab, by number.
std::vector<std::string> symbol_names(const ElfFile& file) {
  std::vector<std::string> names;
  constexpr std::uint32_t symbol_table = 2;
  constexpr std::uint64_t bytes = 24;
  for (const ElfSection& section : file.sections) {
    if (section.type != symbol_table || section.link >= file.sections.size()) continue;
    const std::string_view texts = file.sections[section.link].content;
    for (std::uint64_t at = 0; is_inside(at, bytes, section.content.size()); at += bytes)
      names.emplace_back(text_at(texts, number_at<std::uint32_t>(section.content, at)));
  }
  return names;
}

/// From sm_90 on, section .nv.info has the registers: attributes with a format, of which format 4
/// has a length; attribute 0x2f is a symbol and its registers.
void add_registers(const ElfFile& file, Cubin& cubin) {
  const ElfSection* info = file.find(".nv.info");
  if (!info) return;
  constexpr std::uint8_t with_length = 4, register_count = 0x2f;
  const std::string_view content = info->content;
  const std::vector<std::string> names = symbol_names(file);
  for (std::uint64_t at = 0; is_inside(at, 4, content.size());) {
    const auto format = number_at<std::uint8_t>(content, at);
    const auto attribute = number_at<std::uint8_t>(content, at + 1);
    const std::uint64_t length =
        format == with_length ? number_at<std::uint16_t>(content, at + 2) : 0;
    if (!is_inside(at + 4, length, content.size())) return;
    if (attribute == register_count && length == 8) {
      const auto symbol = number_at<std::uint32_t>(content, at + 4);
      const auto registers = number_at<std::uint32_t>(content, at + 8);
      for (CubinKernel& kernel : cubin.kernels)
        if (symbol < names.size() && kernel.name == names[symbol] && kernel.registers == 0)
          kernel.registers = static_cast<int>(std::min<std::uint32_t>(registers, 1024));
    }
    at += 4 + length;
  }
}

} // namespace

const CubinKernel* Cubin::find(std::string_view kernel) const {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const CubinKernel& k) { return k.name == kernel; });
  return found == kernels.end() ? nullptr : &*found;
}

Result<Cubin> read_cubin(std::string_view bytes, std::uint32_t architecture,
                         const std::string& place) {
  const Result<ElfFile> file = read_elf(bytes, place);
  if (!file) return file.errors();
  if (file->machine != elf_machine_cuda)
    return error_in(place, fmt::format("its ELF file is for machine {}, not for a GPU ({})",
                                       file->machine, elf_machine_cuda));
  constexpr std::uint32_t first_architecture = 70;
  if (architecture < first_architecture)
    return error_in(
        place, fmt::format("memlane reads machine code from sm_70 on, not sm_{}", architecture));
  Cubin cubin;
  cubin.architecture = architecture;
  constexpr std::string_view text = ".text.", shared = ".nv.shared.";
  for (const ElfSection& section : file->sections) {
    if (section.name.compare(0, text.size(), text) != 0) continue;
    CubinKernel& kernel = cubin.kernels.emplace_back();
    kernel.name = section.name.substr(text.size());
    kernel.registers = static_cast<int>(section.info >> 24);
    count_instructions(kernel, section.content);
    if (const ElfSection* own = file->find(std::string(shared) + kernel.name)) {
      // From sm_90 on, the first kilobyte is the system's.
      constexpr std::uint64_t of_system = 1024, most = std::uint64_t{1} << 30;
      const std::uint64_t kept = architecture >= 90 ? std::min(of_system, own->bytes) : 0;
      kernel.static_shared = static_cast<std::int64_t>(std::min(own->bytes - kept, most));
    }
  }
  add_registers(*file, cubin);
  return cubin;
}

} // namespace memlane::ptx
