// ELF files, made here byte by byte, whole and wrong.
#include "fat_files.hpp"
#include "made_elf.hpp"

#include "memlane/ptx/elf.hpp"

#include <cstring>
#include <map>

namespace memlane::test {

namespace {

/// A program that needs libcudart.so.13 and imports two functions of it and one without a version.
std::string made_program() {
  std::string texts(1, '\0');
  std::map<std::string, std::uint32_t> at;
  for (const char* text : {"libcudart.so.13", "/opt/lib", "cudaMalloc", "cudaNoSuch", "main"}) {
    at[text] = static_cast<std::uint32_t>(texts.size());
    texts += text + std::string(1, '\0');
  }
  std::string dynamic;
  for (const auto& [tag, text] : {std::pair<std::uint64_t, const char*>{1, "libcudart.so.13"},
                                  std::pair<std::uint64_t, const char*>{15, "/opt/lib"}}) {
    append(dynamic, tag);
    append(dynamic, std::uint64_t{at[text]});
  }
  dynamic += std::string(16, '\0');
  std::string symbols(24, '\0'), versions(2, '\0');
  const auto symbol = [&](const char* name, std::uint16_t section, std::uint16_t version) {
    append(symbols, at[name]);
    append(symbols, std::uint16_t{0x12});
    append(symbols, section);
    append(symbols, std::uint64_t{0});
    append(symbols, std::uint64_t{0});
    append(versions, version);
  };
  symbol("cudaMalloc", 0, 2);
  symbol("cudaNoSuch", 0, 2);
  symbol("main", 5, 1);
  std::string needs;
  append(needs, std::uint16_t{1});
  append(needs, std::uint16_t{1});
  append(needs, at["libcudart.so.13"]);
  append(needs, std::uint32_t{16});
  append(needs, std::uint32_t{0});
  append(needs, std::uint32_t{0});
  append(needs, std::uint16_t{0});
  append(needs, std::uint16_t{2});
  append(needs, at["libcudart.so.13"]);
  append(needs, std::uint32_t{0});
  return made_elf(
      {{".dynstr", 3, 0, texts},
       {".dynamic", 6, 1, dynamic},
       {".dynsym", 11, 1, symbols},
       {".gnu.version", 0x6fffffff, 3, versions},
       {".gnu.version_r", 0x6ffffffe, 1, needs},
       {".nv_fatbin", 1, 0, fat_file("scale_zstd.fatbin")},
       {"__nv_relfatbin", 1, 0, fat_file("part_a.fatbin") + fat_file("part_b.fatbin")}});
}

} // namespace

TEST_CASE("an ELF file's libraries, imports and fat binaries are found") {
  const std::string bytes = made_program();
  const auto elf = ptx::read_elf(bytes, "program");
  REQUIRE(elf);
  CHECK(elf->machine == 62);
  CHECK(elf->needed == std::vector<std::string>{"libcudart.so.13"});
  CHECK(elf->rpath == "/opt/lib");
  CHECK(elf->runpath.empty());
  CHECK(elf->needs("libcudart.so"));
  CHECK_FALSE(elf->needs("libcublas"));
  REQUIRE(elf->symbols.size() == 3);
  CHECK(elf->symbols[1].name == "cudaNoSuch");
  CHECK(elf->symbols[1].version == "libcudart.so.13");
  CHECK_FALSE(elf->symbols[1].defined);
  CHECK(elf->symbols[2].defined);
  CHECK(elf->symbols[2].version.empty());
  const auto code = ptx::embedded_code(*elf, "program");
  REQUIRE(code);
  CHECK(code->has_cuda);
  CHECK(code->linked.size() == 1);
  CHECK(code->relocated.size() == 2);
}

TEST_CASE("what is no ELF file, or of another kind, is said") {
  CHECK_FALSE(ptx::is_elf("#!/bin/sh"));
  CHECK(!ptx::read_elf("#!/bin/sh\n", "script"));
  std::string bytes = made_program();
  bytes[4] = 1;
  const auto elf = ptx::read_elf(bytes, "program");
  REQUIRE(!elf);
  CHECK(elf.errors().front().message.find("64 bits") != std::string::npos);
}

TEST_CASE("an ELF file that is cut off or has wrong numbers gives errors or is read") {
  const std::string good = made_program();
  int failed = 0;
  const auto read = [&](const std::string& bytes) {
    const auto elf = ptx::read_elf(bytes, "program");
    if (!elf) {
      ++failed;
      CHECK(elf.errors().front().message.find("offset 0x") == 0);
      return;
    }
    const auto code = ptx::embedded_code(*elf, "program");
    if (!code) ++failed;
  };
  for (std::size_t size = 4; size < good.size(); size += size < 300 ? 1 : 61)
    read(good.substr(0, size));
  CHECK(failed > 300); // its sections' headers are at its end
  std::uint64_t state = 3;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  const std::uint64_t table = good.size() - 64 * 9;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    // In the header, the tables that the dynamic loader reads, and the headers of sections.
    const std::uint64_t begin = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : table;
    const std::uint64_t size = round % 3 == 0 ? 60 : round % 3 == 1 ? 300 : 64 * 9;
    for (std::uint64_t k = 0; k <= random(2); ++k)
      bytes[begin + random(size)] = static_cast<char>(random(256));
    read(bytes);
  }
}

TEST_CASE("a version list that leads in a circle ends") {
  std::string needs;
  append(needs, std::uint16_t{1});
  append(needs, std::uint16_t{0xffff}); // so many versions
  append(needs, std::uint32_t{0});
  append(needs, std::uint32_t{0xfffffff0}); // far away
  append(needs, std::uint32_t{0xfffffff0});
  const std::string bytes = made_elf({{".dynstr", 3, 0, std::string(4, '\0')},
                                      {".gnu.version_r", 0x6ffffffe, 1, needs},
                                      {".dynsym", 11, 1, std::string(48, '\0')}});
  CHECK(ptx::read_elf(bytes, "program"));
}

} // namespace memlane::test
