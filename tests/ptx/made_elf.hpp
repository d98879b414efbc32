// ELF files, made byte by byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace memlane::test {

template <class T>
void append(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

struct MadeSection {
  std::string name;
  std::uint32_t type = 1, link = 0;
  std::string content;
  std::uint32_t info = 0;
};

/// A file of 64 bits with these sections behind the empty first one; names are in the last one.
inline std::string made_elf(std::vector<MadeSection> sections, std::uint16_t machine = 62) {
  std::string names(1, '\0');
  std::vector<std::uint32_t> name_offsets;
  sections.push_back({".shstrtab", 3, 0, "", 0});
  for (const MadeSection& section : sections) {
    name_offsets.push_back(static_cast<std::uint32_t>(names.size()));
    names += section.name + '\0';
  }
  sections.back().content = names;
  std::string bytes = "\x7f"
                      "ELF\x02\x01\x01";
  bytes.resize(16, '\0');
  append(bytes, std::uint16_t{3});
  append(bytes, machine);
  append(bytes, std::uint32_t{1});
  bytes.resize(64, '\0');
  std::vector<std::uint64_t> offsets;
  for (const MadeSection& section : sections) {
    offsets.push_back(bytes.size());
    bytes += section.content;
  }
  const std::uint64_t table = bytes.size();
  bytes.resize(bytes.size() + 64, '\0');
  for (std::size_t k = 0; k < sections.size(); ++k) {
    append(bytes, name_offsets[k]);
    append(bytes, sections[k].type);
    append(bytes, std::uint64_t{0});
    append(bytes, std::uint64_t{0});
    append(bytes, offsets[k]);
    append(bytes, std::uint64_t{sections[k].content.size()});
    append(bytes, sections[k].link);
    append(bytes, sections[k].info);
    append(bytes, std::uint64_t{1});
    append(bytes, std::uint64_t{0});
  }
  const auto count = static_cast<std::uint16_t>(sections.size() + 1);
  std::memcpy(bytes.data() + 0x28, &table, 8);
  const std::uint16_t entry = 64, last = static_cast<std::uint16_t>(count - 1);
  std::memcpy(bytes.data() + 0x3a, &entry, 2);
  std::memcpy(bytes.data() + 0x3c, &count, 2);
  std::memcpy(bytes.data() + 0x3e, &last, 2);
  return bytes;
}

} // namespace memlane::test
