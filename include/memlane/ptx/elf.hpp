// ELF files (System V ABI, chapter 4): what an executable imports, and its sections.
#pragma once

#include "memlane/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::ptx {

struct ElfSection {
  std::string name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t address = 0, offset = 0, bytes = 0;
  std::string_view content; ///< a part of the file; empty: it has none there
};

struct ElfSymbol {
  std::string name;
  std::string version; ///< that it must have, or has, such as `libcudart.so.13`; empty: none
  bool defined = false, weak = false;
};

struct ElfFile {
  std::uint16_t machine = 0; ///< 62: x86-64; 190: CUDA, a cubin
  std::uint16_t kind = 0;    ///< 2: an executable; 3: a shared library or one that can be moved
  std::uint32_t flags = 0;
  std::vector<ElfSection> sections;
  // Of the dynamic section:
  std::vector<std::string> needed; ///< names of libraries
  std::string soname, rpath, runpath;
  std::vector<ElfSymbol> symbols; ///< imported and exported

  /// Null: there is none.
  const ElfSection* find(std::string_view name) const;
  bool needs(std::string_view library_prefix) const;
};

inline constexpr std::uint16_t elf_machine_cuda = 190;

/// Whether the bytes begin as an ELF file does.
bool is_elf(std::string_view bytes);

/// Reads a 64-bit little-endian file. What it returns refers to `bytes`. Errors are at `place` and
/// say the offset of what is wrong; every offset and number of the file is checked before it is
/// used. Cost: linear in the sections and symbols.
Result<ElfFile> read_elf(std::string_view bytes, const std::string& place);

} // namespace memlane::ptx
