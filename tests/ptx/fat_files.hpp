// The kept fat binaries.
#pragma once

#include "support/catch.hpp"

#include "memlane/ptx/fat_binary.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace memlane::test {

inline std::string fat_file(const std::string& name) {
  std::ifstream in(std::string(MEMLANE_SOURCE_DIR) + "/tests/ptx/fat/" + name, std::ios::binary);
  REQUIRE(in);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

/// The one text for an architecture.
inline std::string fat_text(const std::string& bytes, std::uint32_t architecture) {
  const auto fat = ptx::read_fat_binary(bytes, "file");
  REQUIRE(fat);
  for (const ptx::FatEntry& entry : fat->entries)
    if (entry.kind == ptx::FatEntry::Kind::ptx && entry.architecture == architecture) {
      const auto text = ptx::unpacked(entry, "file");
      REQUIRE(text);
      return *text;
    }
  FAIL("no such text");
  return {};
}

} // namespace memlane::test
