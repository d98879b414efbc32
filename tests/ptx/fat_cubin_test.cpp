// Machine code: registers, shared memory, memory instructions.
#include "fat_files.hpp"

#include "memlane/ptx/cubin.hpp"

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

} // namespace memlane::test
