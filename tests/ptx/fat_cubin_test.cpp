// Machine code: registers, shared memory, memory instructions.
#include "fat_files.hpp"
#include "made_elf.hpp"

#include "memlane/ptx/cubin.hpp"

#include <chrono>

namespace memlane::test {

namespace {

ptx::Cubin cubin_for(std::uint32_t architecture) {
  const std::string bytes = fat_file("accesses.fatbin");
  const auto fat = ptx::read_fat_binary(bytes, "file");
  REQUIRE(fat);
  const std::ptrdiff_t at = ptx::nearest_cubin(*fat, architecture);
  REQUIRE(at >= 0);
  const ptx::FatEntry& entry = fat->entries[static_cast<std::size_t>(at)];
  REQUIRE(entry.architecture == architecture);
  const auto code = ptx::unpacked(entry, "file");
  REQUIRE(code);
  const auto cubin = ptx::read_cubin(*code, architecture, "file");
  REQUIRE(cubin);
  return *cubin;
}

std::int64_t accesses(const ptx::CubinKernel& kernel, std::string_view name, int bits) {
  const auto found = kernel.accesses.find({name, bits});
  return found == kernel.accesses.end() ? 0 : found->second;
}

/// An instruction with this operation code, whose bits 73 to 75 are a width.
std::string instruction(std::uint64_t code, std::uint64_t width = 0) {
  std::string bytes;
  append(bytes, code | std::uint64_t{0xabc} << 12);
  append(bytes, width << 9 | std::uint64_t{5} << 40);
  return bytes;
}

/// A symbol whose name begins there.
std::string symbol(std::uint32_t name, std::uint8_t other) {
  std::string bytes;
  append(bytes, name);
  append(bytes, std::uint8_t{0x12});
  append(bytes, other);
  append(bytes, std::uint16_t{1});
  append(bytes, std::uint64_t{0});
  append(bytes, std::uint64_t{0});
  return bytes;
}

constexpr std::uint16_t cuda = 190;
constexpr std::uint8_t of_kernel = 0x10;

/// A cubin with kernel `k`: its code, and what .nv.info and .nv.shared.k hold.
std::vector<MadeSection> sections_of_k(const std::string& code, const std::string& info = "",
                                       std::size_t shared = 0) {
  return {{".strtab", 3, 0, std::string("\0k\0f\0", 5), 0},
          {".symtab", 2, 1, symbol(0, 0) + symbol(1, of_kernel) + symbol(3, 0), 0},
          {".text.k", 1, 0, code, std::uint32_t{33} << 24},
          {".nv.info", 1, 0, info, 0},
          {".nv.shared.k", 1, 0, std::string(shared, '\0'), 0}};
}

ptx::Cubin read_made(const std::vector<MadeSection>& sections, std::uint32_t architecture) {
  const std::string bytes = made_elf(sections, cuda);
  auto cubin = ptx::read_cubin(bytes, architecture, "made");
  REQUIRE(cubin);
  return *cubin;
}

} // namespace

TEST_CASE("memory instructions of machine code are counted by kind and width") {
  for (const std::uint32_t architecture : {75U, 80U, 90U}) {
    INFO("sm_" << architecture);
    const ptx::Cubin cubin = cubin_for(architecture);
    const auto check = [&](const char* kernel, const char* name, int bits, std::int64_t times) {
      INFO(kernel << " " << name << " " << bits);
      const ptx::CubinKernel* found = cubin.find(kernel);
      REQUIRE(found);
      CHECK(accesses(*found, name, bits) == times);
    };
    check("global_32", "LDG", 32, 1);
    check("global_32", "STG", 32, 1);
    check("global_64", "LDG", 64, 1);
    check("global_128", "LDG", 128, 1);
    check("global_128", "STG", 128, 1);
    check("bytes", "LDG", 8, 1);
    check("bytes", "LDG", 32, 0);
    check("shared_128", "LDS", 128, 1);
    check("shared_128", "STS", 128, 1);
    check("exchange", "ATOMG", 0, 1);
    check("add", "RED", 0, 1);
    check("shared_add", "ATOMS", 0, 1);
    check("shared_add", "STS", 32, 1);
    check("global_32", "LDS", 32, 0);
  }
}

TEST_CASE("registers and shared memory of kernels are found in old and new cubins") {
  // sm_75 and sm_80 have registers with the section, sm_90 among the attributes, and there the
  // system has a kilobyte of each block's shared memory. The numbers are ptxas's own (-Xptxas -v).
  struct Known {
    std::uint32_t architecture;
    int bytes, global_128, shared_128, shared_add;
  };
  for (const Known& known :
       {Known{75, 4, 10, 15, 8}, Known{80, 8, 14, 15, 10}, Known{90, 8, 14, 14, 10}}) {
    INFO("sm_" << known.architecture);
    const ptx::Cubin cubin = cubin_for(known.architecture);
    CHECK(cubin.kernels.size() == 8);
    for (const ptx::CubinKernel& kernel : cubin.kernels) CHECK(kernel.instructions >= 6);
    CHECK(cubin.find("bytes")->registers == known.bytes);
    CHECK(cubin.find("global_128")->registers == known.global_128);
    CHECK(cubin.find("shared_128")->registers == known.shared_128);
    CHECK(cubin.find("shared_add")->registers == known.shared_add);
    CHECK(cubin.find("shared_128")->static_shared == 1024);
    CHECK(cubin.find("shared_add")->static_shared == 256);
    CHECK(cubin.find("global_32")->static_shared == 0);
  }
}

TEST_CASE("cubins that are cut off or have wrong bytes give errors or are read") {
  const std::string bytes = fat_file("accesses.fatbin");
  const auto fat = ptx::read_fat_binary(bytes, "file");
  REQUIRE(fat);
  const auto& entry = fat->entries[static_cast<std::size_t>(ptx::nearest_cubin(*fat, 90))];
  const std::string good = *ptx::unpacked(entry, "file");
  int failed = 0;
  for (std::size_t size = 0; size < good.size(); size += 211)
    failed += ptx::read_cubin(good.substr(0, size), 90, "file") ? 0 : 1;
  CHECK(failed > 10);
  std::uint64_t state = 5;
  for (int round = 0; round < 3000; ++round) {
    std::string wrong = good;
    for (int k = 0; k < 3; ++k) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      wrong[(state >> 33) % wrong.size()] = static_cast<char>(state >> 24);
    }
    const auto cubin = ptx::read_cubin(wrong, 90, "file");
    if (cubin)
      for (const ptx::CubinKernel& kernel : cubin->kernels)
        CHECK(kernel.instructions <= static_cast<std::int64_t>(wrong.size() / 16));
  }
  CHECK(!ptx::read_cubin(good, 35, "file"));
  CHECK(!ptx::read_cubin(std::string(100, 'x'), 90, "file"));
}

TEST_CASE("widths of machine code are those of bits 73 to 75, for known architectures only") {
  std::string code = instruction(0x984, 6) + instruction(0x984, 4) + instruction(0x388, 0) +
                     instruction(0x381, 1) + instruction(0x97e, 4) + instruction(0x58d, 2) +
                     instruction(0x9a3, 1) + instruction(0x3a6, 1) + instruction(0xf89) +
                     instruction(0x7ff) + instruction(0);
  code += instruction(0x918) + instruction(0x918); // they fill the last line
  const ptx::Cubin cubin = read_made(sections_of_k(code), 100);
  REQUIRE(cubin.kernels.size() == 1);
  const ptx::CubinKernel& kernel = cubin.kernels[0];
  CHECK(cubin.counted);
  CHECK(kernel.instructions == 11);
  CHECK(kernel.registers == 33);
  CHECK(kernel.accesses == std::map<ptx::MachineAccess, std::int64_t>{{{"LDS", 128}, 1},
                                                                      {{"LDS", 32}, 1},
                                                                      {{"STS", 8}, 1},
                                                                      {{"LDG", 8}, 1},
                                                                      {{"LDG", 256}, 1},
                                                                      {{"ATOMS", 0}, 1},
                                                                      {{"ATOMG", 0}, 1},
                                                                      {{"RED", 0}, 1},
                                                                      {{"SHFL", 0}, 1}});
  for (const std::uint32_t unknown : {70U, 72U, 91U, 130U}) {
    const ptx::Cubin other = read_made(sections_of_k(code), unknown);
    CHECK(!other.counted);
    CHECK(!ptx::knows_instructions(unknown));
    CHECK(other.kernels.at(0).accesses.empty());
    CHECK(other.kernels.at(0).instructions == 11);
    CHECK(other.kernels.at(0).registers == 33);
  }
}

TEST_CASE("functions of machine code that no launch begins with are no kernels") {
  auto sections = sections_of_k(instruction(0x984, 4));
  sections.push_back({".text.f", 1, 0, instruction(0x981, 4), 0});
  const ptx::Cubin cubin = read_made(sections, 80);
  CHECK(cubin.kernels.size() == 1);
  CHECK(cubin.functions == std::vector<std::string>{"f"});
}

TEST_CASE("attributes and sizes of cubins that lie are errors, or bounded") {
  const std::string code = instruction(0x984, 4);
  const auto attribute = [](std::uint8_t format, std::uint8_t kind, std::uint16_t length) {
    std::string bytes;
    append(bytes, format);
    append(bytes, kind);
    append(bytes, length);
    return bytes;
  };
  const auto with_registers = [&](std::uint32_t of_symbol, std::uint32_t registers) {
    std::string info = attribute(4, 0x2f, 8);
    append(info, of_symbol);
    append(info, registers);
    auto sections = sections_of_k(code, info);
    sections[2].info = 0; // as from sm_90 on
    return read_made(sections, 90).kernels.at(0).registers;
  };
  CHECK(with_registers(1, 40) == 40);
  CHECK(with_registers(1, 0xffffffff) == 1024);
  CHECK(with_registers(2, 40) == 0);          // of another function
  CHECK(with_registers(0xffffffff, 40) == 0); // no symbol
  // An attribute that goes beyond its section, and one that is cut off.
  for (const std::string& info : {attribute(4, 0x2f, 0xffff), std::string("\4\x2f", 2)})
    CHECK(read_made(sections_of_k(code, info), 90).kernels.at(0).registers == 33);
  CHECK(read_made(sections_of_k(code, "", 1536), 90).kernels.at(0).static_shared == 512);
  CHECK(read_made(sections_of_k(code, "", 512), 90).kernels.at(0).static_shared == 0);
  CHECK(read_made(sections_of_k(code, "", 512), 80).kernels.at(0).static_shared == 512);
  // Half an instruction is none.
  CHECK(read_made(sections_of_k(code + code.substr(0, 8)), 80).kernels.at(0).instructions == 1);
  CHECK(read_made(sections_of_k(""), 80).kernels.at(0).instructions == 0);
}

TEST_CASE("a cubin whose functions share their code is an error, and takes no time") {
  // Each section says that its code is all of the file: counting it all would be quadratic.
  std::vector<MadeSection> sections = sections_of_k(std::string(16 * 20000, '\x55'));
  for (int k = 0; k < 20000; ++k) sections.push_back({".text.k", 1, 0, "", 0});
  std::string bytes = made_elf(sections, cuda);
  std::uint64_t table = 0;
  std::memcpy(&table, bytes.data() + 0x28, 8);
  const std::uint64_t all = bytes.size() - 64, first = 64;
  for (std::uint64_t k = 6; k < 6 + 20000; ++k) {
    std::memcpy(bytes.data() + table + 64 * k + 0x18, &first, 8);
    std::memcpy(bytes.data() + table + 64 * k + 0x20, &all, 8);
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto cubin = ptx::read_cubin(bytes, 80, "made");
  REQUIRE(!cubin);
  CHECK(cubin.errors()[0].message == "the code of k and other functions overlaps");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

} // namespace memlane::test
