#include "memlane/ptx/fat_binary.hpp"

#include "bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::ptx {

namespace {

constexpr std::uint32_t fat_magic = 0xba55ed50;
constexpr std::uint64_t fat_header_bytes = 16;
/// Of an entry's header; what follows (the name of the file, options of ptxas) is skipped.
constexpr std::uint64_t entry_header_bytes = 64;
constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

Diagnostic fat_error(const std::string& place, std::uint64_t at, const std::string& what) {
  return error_in(place, fmt::format("offset {:#x} of the fat binaries: {}", at, what));
}

/// Other bits than those below 0x2000 say how the entry was made, not how it is stored.
Packing packing_of(std::uint64_t flags, std::uint64_t stored) {
  if ((flags & flag_zstd) != 0) return Packing::zstd;
  if ((flags & flag_lz4) != 0) return Packing::lz4;
  return stored == 0 ? Packing::plain : Packing::unknown;
}

/// The entry at `at` of the fat binary, whose bytes end at `end`.
Result<FatEntry> read_entry(std::string_view bytes, std::uint64_t at, std::uint64_t end,
                            const std::string& place) {
  if (!is_inside(at, entry_header_bytes, end))
    return fat_error(place, at, "an entry's header is cut off");
  const auto kind = number_at<std::uint16_t>(bytes, at);
  const auto header = number_at<std::uint32_t>(bytes, at + 4);
  const auto size = number_at<std::uint64_t>(bytes, at + 8);
  const auto stored = number_at<std::uint32_t>(bytes, at + 16);
  FatEntry entry;
  entry.kind = kind == 1   ? FatEntry::Kind::ptx
               : kind == 2 ? FatEntry::Kind::cubin
                           : FatEntry::Kind::other;
  entry.offset = at;
  entry.architecture = number_at<std::uint32_t>(bytes, at + 28);
  entry.flags = number_at<std::uint64_t>(bytes, at + 40);
  entry.packing = packing_of(entry.flags, stored);
  if (header < entry_header_bytes)
    return fat_error(place, at + 4, fmt::format("an entry's header of {} bytes", header));
  if (!is_inside(at, header, end) || !is_inside(at + header, size, end))
    return fat_error(place, at + 8,
                     fmt::format("an entry of {} bytes goes beyond the end at {:#x}", size, end));
  if (stored > size)
    return fat_error(place, at + 16, fmt::format("{} packed bytes in {}", stored, size));
  const bool plain = entry.packing == Packing::plain;
  entry.payload = bytes.substr(at + header, plain ? size : stored);
  entry.full_bytes = plain ? size : number_at<std::uint64_t>(bytes, at + 56);
  return entry;
}

Result<FatBinary> read_fat_binary_at(std::string_view bytes, std::uint64_t begin,
                                     const std::string& place) {
  if (!is_inside(begin, fat_header_bytes, bytes.size()))
    return fat_error(place, begin, "the header is cut off");
  if (number_at<std::uint32_t>(bytes, begin) != fat_magic)
    return fat_error(place, begin,
                     fmt::format("{:#x} is no fat binary's magic number",
                                 number_at<std::uint32_t>(bytes, begin)));
  const auto header = number_at<std::uint16_t>(bytes, begin + 6);
  const auto size = number_at<std::uint64_t>(bytes, begin + 8);
  if (header < fat_header_bytes || !is_inside(begin, header, bytes.size()))
    return fat_error(place, begin + 6, fmt::format("a header of {} bytes", header));
  if (!is_inside(begin + header, size, bytes.size()))
    return fat_error(place, begin + 8,
                     fmt::format("{} bytes go beyond the end at {:#x}", size, bytes.size()));
  FatBinary fat;
  fat.offset = begin;
  fat.bytes = header + size;
  const std::uint64_t end = begin + fat.bytes;
  for (std::uint64_t at = begin + header; at < end;) {
    Result<FatEntry> entry = read_entry(bytes, at, end, place);
    if (!entry) return entry.errors();
    const auto whole = std::uint64_t{number_at<std::uint32_t>(bytes, at + 4)} +
                       number_at<std::uint64_t>(bytes, at + 8);
    at += whole; // at least the header's bytes
    fat.entries.push_back(std::move(*entry));
  }
  return fat;
}

} // namespace

std::string_view fat_binary_at(const void* memory) {
  const std::string_view header(static_cast<const char*>(memory), fat_header_bytes);
  if (number_at<std::uint32_t>(header, 0) != fat_magic) return {};
  const std::uint64_t bytes =
      number_at<std::uint16_t>(header, 6) + number_at<std::uint64_t>(header, 8);
  return {header.data(), static_cast<std::size_t>(bytes)};
}

Result<FatBinary> read_fat_binary(std::string_view bytes, const std::string& place) {
  return read_fat_binary_at(bytes, 0, place);
}

Result<std::vector<FatBinary>> read_fat_binaries(std::string_view section,
                                                 const std::string& place) {
  std::vector<FatBinary> all;
  for (std::uint64_t at = 0; at < section.size();) {
    // The linker aligns each with zeros.
    if (section[at] == '\0') {
      ++at;
      continue;
    }
    Result<FatBinary> fat = read_fat_binary_at(section, at, place);
    if (!fat) return fat.errors();
    at += fat->bytes;
    all.push_back(std::move(*fat));
  }
  return all;
}

Result<EmbeddedCode> embedded_code(const ElfFile& file, const std::string& place) {
  EmbeddedCode code;
  const auto read = [&](std::string_view name, std::vector<FatBinary>& into) -> Status {
    for (const ElfSection& section : file.sections) {
      if (section.name != name) continue;
      code.has_cuda = true;
      Result<std::vector<FatBinary>> found =
          read_fat_binaries(section.content, fmt::format("{}: {}", place, name));
      if (!found) return found.errors();
      for (FatBinary& fat : *found) into.push_back(std::move(fat));
    }
    return Done{};
  };
  if (Status linked = read(".nv_fatbin", code.linked); !linked) return linked.errors();
  if (Status relocated = read("__nv_relfatbin", code.relocated); !relocated)
    return relocated.errors();
  code.has_cuda = code.has_cuda || file.find(".nvFatBinSegment") != nullptr;
  return code;
}

std::vector<std::size_t> texts_by_preference(const FatBinary& fat, std::uint32_t capability) {
  std::vector<std::size_t> texts;
  for (std::size_t k = 0; k < fat.entries.size(); ++k)
    if (fat.entries[k].kind == FatEntry::Kind::ptx) texts.push_back(k);
  std::stable_sort(texts.begin(), texts.end(), [&](std::size_t a, std::size_t b) {
    const std::uint32_t x = fat.entries[a].architecture, y = fat.entries[b].architecture;
    const bool newer_x = x > capability, newer_y = y > capability;
    if (newer_x != newer_y) return newer_y;
    return newer_x ? x < y : x > y;
  });
  return texts;
}

std::ptrdiff_t nearest_cubin(const FatBinary& fat, std::uint32_t architecture) {
  std::ptrdiff_t best = -1;
  const auto distance = [&](std::ptrdiff_t k) {
    const auto found = std::int64_t{fat.entries[static_cast<std::size_t>(k)].architecture};
    return std::abs(found - std::int64_t{architecture});
  };
  for (std::size_t k = 0; k < fat.entries.size(); ++k) {
    if (fat.entries[k].kind != FatEntry::Kind::cubin) continue;
    const auto here = static_cast<std::ptrdiff_t>(k);
    if (best < 0 || distance(here) < distance(best)) best = here;
  }
  return best;
}

} // namespace memlane::ptx
