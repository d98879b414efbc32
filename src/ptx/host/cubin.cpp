#include "memlane/ptx/cubin.hpp"

#include "bytes.hpp"

#include "memlane/ptx/elf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace memlane::ptx {

namespace {

/// Architectures whose instructions are known. `tests/ptx/machine_code/check.sh` compiles the PTX
/// of `accesses.ptx` beside it, kernels of one access each, for all that nvcc has, and compares.
constexpr std::array<std::uint32_t, 12> known_architectures = {75, 80,  86,  87,  88,  89,
                                                               90, 100, 103, 110, 120, 121};

/// Operation codes: the lowest 12 bits of an instruction. The upper four say where operands come
/// from, so each access has several codes. They were measured with nvcc 13: two kernels of PTX that
/// differ in three more accesses of a kind differ in three more instructions of one code. This was
/// done for all known architectures, with addresses from a thread's registers and from those of the
/// warp. From sm_90 on, atomics of floating-point numbers have codes of their own; from sm_100 on,
/// 256 bits of global memory and another compare-and-swap in shared memory.
struct MachineOpcode {
  std::string_view name;
  std::array<unsigned, 4> codes; ///< unused ones are 0
  int bits; ///< of a lane; sized: bits 73 to 75 say it; 0: not counted by width
};
constexpr int sized = -1;
constexpr std::array<MachineOpcode, 22> machine_opcodes = {{
    {"LDG", {0x381, 0x981, 0, 0}, sized},
    {"LDG", {0x37e, 0x97e, 0, 0}, 256},
    {"STG", {0x386, 0x986, 0, 0}, sized},
    {"STG", {0x37f, 0x97f, 0, 0}, 256},
    {"LDS", {0x384, 0x984, 0, 0}, sized},
    {"STS", {0x388, 0x988, 0, 0}, sized},
    {"LDL", {0x383, 0x983, 0, 0}, sized},
    {"STL", {0x387, 0x987, 0, 0}, sized},
    {"LD", {0x380, 0x980, 0, 0}, sized}, // generic addresses
    {"ST", {0x385, 0x985, 0, 0}, sized},
    {"LDC", {0xb82, 0, 0, 0}, sized},
    {"LDGSTS", {0xfae, 0, 0, 0}, 0},
    {"LDSM", {0x83b, 0, 0, 0}, 0},
    {"STSM", {0x844, 0, 0, 0}, 0},
    {"ATOM", {0x38a, 0x98a, 0x3a2, 0x9a2}, 0},
    {"ATOM", {0x38b, 0x98b, 0, 0}, 0}, // compare and swap
    {"ATOMG", {0x3a8, 0x9a8, 0x3a3, 0x9a3}, 0},
    {"ATOMG", {0x3a9, 0x9a9, 0, 0}, 0},
    {"ATOMS", {0x38c, 0x98c, 0, 0}, 0},
    {"ATOMS", {0x38d, 0x98d, 0x58d, 0}, 0},
    {"RED", {0x38e, 0x98e, 0x3a6, 0x9a6}, 0},
    {"SHFL", {0x389, 0x589, 0x989, 0xf89}, 0},
}};
constexpr unsigned no_machine_operation = 0x918;
constexpr std::array<int, 8> bits_by_code = {8, 8, 16, 16, 32, 64, 128, 0};
constexpr std::uint64_t instruction_bytes = 16;

void count_instruction(CubinKernel& kernel, std::uint64_t low, std::uint64_t high) {
  const auto code = static_cast<unsigned>(low & 0xfff);
  if (code == 0) return;
  for (const MachineOpcode& row : machine_opcodes) {
    if (std::find(row.codes.begin(), row.codes.end(), code) == row.codes.end()) continue;
    ++kernel.accesses[{row.name, row.bits == sized ? bits_by_code[(high >> 9) & 7] : row.bits}];
    return;
  }
}

void count_instructions(CubinKernel& kernel, std::string_view code, bool accesses) {
  std::uint64_t length = code.size() / instruction_bytes;
  const auto low = [&](std::uint64_t k) {
    return number_at<std::uint64_t>(code, instruction_bytes * k);
  };
  while (length > 0 && (low(length - 1) & 0xfff) == no_machine_operation) --length;
  kernel.instructions = static_cast<std::int64_t>(length);
  for (std::uint64_t k = 0; accesses && k < length; ++k)
    count_instruction(kernel, low(k), number_at<std::uint64_t>(code, instruction_bytes * k + 8));
}

struct CubinSymbol {
  std::string_view name;
  bool kernel = false; ///< a launch begins there
};

/// The symbols of .symtab, by number.
std::vector<CubinSymbol> symbols_of(const ElfFile& file) {
  std::vector<CubinSymbol> symbols;
  constexpr std::uint32_t symbol_table = 2;
  constexpr std::uint64_t bytes = 24;
  constexpr std::uint8_t begins_launch = 0x10; // of the member st_other
  for (const ElfSection& section : file.sections) {
    if (section.type != symbol_table || section.link >= file.sections.size()) continue;
    const std::string_view texts = file.sections[section.link].content;
    for (std::uint64_t at = 0; is_inside(at, bytes, section.content.size()); at += bytes)
      symbols.push_back({text_at(texts, number_at<std::uint32_t>(section.content, at)),
                         (number_at<std::uint8_t>(section.content, at + 5) & begins_launch) != 0});
  }
  return symbols;
}

/// From sm_90 on, section .nv.info has the registers: attributes with a format, of which format 4
/// has a length; attribute 0x2f is a symbol and its registers.
void add_registers(const ElfFile& file, const std::vector<CubinSymbol>& symbols, Cubin& cubin) {
  const ElfSection* info = file.find(".nv.info");
  if (!info) return;
  constexpr std::uint8_t with_length = 4, register_count = 0x2f;
  const std::string_view content = info->content;
  std::unordered_map<std::string_view, CubinKernel*> kernels;
  for (CubinKernel& kernel : cubin.kernels) kernels.emplace(kernel.name, &kernel);
  for (std::uint64_t at = 0; is_inside(at, 4, content.size());) {
    const auto format = number_at<std::uint8_t>(content, at);
    const auto attribute = number_at<std::uint8_t>(content, at + 1);
    const std::uint64_t length =
        format == with_length ? number_at<std::uint16_t>(content, at + 2) : 0;
    if (!is_inside(at + 4, length, content.size())) return;
    if (attribute == register_count && length == 8) {
      const auto symbol = number_at<std::uint32_t>(content, at + 4);
      const auto registers = number_at<std::uint32_t>(content, at + 8);
      const auto named =
          symbol < symbols.size() ? kernels.find(symbols[symbol].name) : kernels.end();
      if (named != kernels.end() && named->second->registers == 0)
        named->second->registers = static_cast<int>(std::min<std::uint32_t>(registers, 1024));
    }
    at += 4 + length;
  }
}

} // namespace

bool knows_instructions(std::uint32_t architecture) {
  return std::find(known_architectures.begin(), known_architectures.end(), architecture) !=
         known_architectures.end();
}

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
  cubin.counted = knows_instructions(architecture);
  const std::vector<CubinSymbol> symbols = symbols_of(*file);
  std::unordered_set<std::string_view> launched;
  for (const CubinSymbol& symbol : symbols)
    if (symbol.kernel) launched.insert(symbol.name);
  std::unordered_map<std::string_view, std::uint64_t> shared_bytes;
  constexpr std::string_view text = ".text.", shared = ".nv.shared.";
  for (const ElfSection& section : file->sections)
    if (section.name.starts_with(shared))
      shared_bytes.emplace(std::string_view(section.name).substr(shared.size()), section.bytes);
  std::uint64_t code_bytes = 0; // sections share none: the cost is linear
  for (const ElfSection& section : file->sections) {
    if (!section.name.starts_with(text)) continue;
    code_bytes += section.content.size();
    if (code_bytes > bytes.size())
      return error_in(place, fmt::format("the code of {} and other functions overlaps",
                                         section.name.substr(text.size())));
    const std::string_view name = std::string_view(section.name).substr(text.size());
    if (!launched.contains(name)) {
      cubin.functions.emplace_back(name);
      continue;
    }
    CubinKernel& kernel = cubin.kernels.emplace_back();
    kernel.name = name;
    kernel.registers = static_cast<int>(section.info >> 24);
    count_instructions(kernel, section.content, cubin.counted);
    if (const auto own = shared_bytes.find(name); own != shared_bytes.end()) {
      // From sm_90 on, the first kilobyte is the system's.
      constexpr std::uint64_t of_system = 1024, most = std::uint64_t{1} << 30;
      const std::uint64_t kept = architecture >= 90 ? std::min(of_system, own->second) : 0;
      kernel.static_shared = static_cast<std::int64_t>(std::min(own->second - kept, most));
    }
  }
  add_registers(*file, symbols, cubin);
  return cubin;
}

} // namespace memlane::ptx
