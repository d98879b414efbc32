// Fat binaries: what nvcc puts into an executable, PTX and machine code (cubins) side by side.
// Their layout is not documented; it was found by looking at nvcc 12's and 13's files.
#pragma once

#include "memlane/ptx/elf.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::ptx {

enum class Packing : std::uint8_t { plain, lz4, zstd, unknown };

/// One PTX text or cubin.
struct FatEntry {
  enum class Kind : std::uint8_t { ptx, cubin, other } kind = Kind::other;
  std::uint32_t architecture = 0; ///< 75: compute_75 or sm_75
  Packing packing = Packing::plain;
  std::uint64_t flags = 0;
  std::uint64_t offset = 0;      ///< of its header, from the beginning of the bytes read
  std::uint64_t full_bytes = 0;  ///< unpacked
  std::string_view payload = {}; ///< as it is stored
};

struct FatBinary {
  std::uint64_t offset = 0, bytes = 0; ///< with the header
  std::vector<FatEntry> entries;
};

/// The bytes that follow each other in a fat binary's header say its whole size: what a program in
/// memory registers is only a pointer. Nothing: it does not begin with the magic number.
std::string_view fat_binary_at(const void* memory);

/// The fat binary that `bytes` begin with.
Result<FatBinary> read_fat_binary(std::string_view bytes, const std::string& place);
/// All of a section, one behind the other.
Result<std::vector<FatBinary>> read_fat_binaries(std::string_view section,
                                                 const std::string& place);

/// Most bytes of an unpacked entry.
inline constexpr std::uint64_t most_unpacked_bytes = std::uint64_t{256} << 20;

/// The text or cubin itself; of a text without the zeros at its end. Errors: a packing that memlane
/// does not know or was built without, a size that the stored bytes do not give, more than
/// most_unpacked_bytes. Cost: linear in the unpacked bytes, which the stored ones bound.
Result<std::string> unpacked(const FatEntry& entry, const std::string& place);

/// What of an ELF file's PTX can be run.
struct EmbeddedCode {
  std::vector<FatBinary> linked;    ///< of .nv_fatbin: each of them is a module
  std::vector<FatBinary> relocated; ///< of __nv_relfatbin (nvcc -rdc=true): one module together
  bool has_cuda = false;            ///< the file has such sections
};
/// Offsets of its entries are those in the section.
Result<EmbeddedCode> embedded_code(const ElfFile& file, const std::string& place);

/// The texts that a device of compute capability `capability` (80: 8.0) would choose among a fat
/// binary's, the best first: the newest that is not newer than the device, then older ones, then
/// newer ones, the oldest of them first. Indices into FatBinary::entries.
std::vector<std::size_t> texts_by_preference(const FatBinary& fat, std::uint32_t capability);
/// The cubin of this architecture, or of the nearest one; -1: there is none.
std::ptrdiff_t nearest_cubin(const FatBinary& fat, std::uint32_t architecture);

} // namespace memlane::ptx
