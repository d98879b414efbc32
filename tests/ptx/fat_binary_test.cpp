// Fat binaries: every packing gives the same text; wrong files give errors.
#include "fat_files.hpp"

#include <cstring>

namespace memlane::test {

namespace {

using Kind = ptx::FatEntry::Kind;

/// Reads and unpacks everything. True: there were no errors. What matters is that it ends.
bool reads(const std::string& bytes) {
  const auto fats = ptx::read_fat_binaries(bytes, "file");
  if (!fats) {
    CHECK(!fats.errors().front().message.empty());
    return false;
  }
  bool good = true;
  for (const ptx::FatBinary& fat : *fats)
    for (const ptx::FatEntry& entry : fat.entries) {
      const auto text = ptx::unpacked(entry, "file");
      if (text) CHECK(text->size() <= ptx::most_unpacked_bytes);
      good = good && text.ok();
    }
  return good;
}

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  REQUIRE(at + sizeof value <= bytes.size());
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// The offset of the first entry with PTX.
std::size_t text_entry_of(const std::string& bytes) {
  const auto fat = ptx::read_fat_binary(bytes, "file");
  REQUIRE(fat);
  for (const ptx::FatEntry& entry : fat->entries)
    if (entry.kind == Kind::ptx) return entry.offset;
  FAIL("no text");
  return 0;
}

} // namespace

TEST_CASE("each packing of a fat binary gives the same PTX") {
  const std::string plain = fat_text(fat_file("scale_plain.fatbin"), 75);
  CHECK(plain.find(".version") != std::string::npos);
  CHECK(plain.find(".entry scale") != std::string::npos);
  CHECK(plain.find(".target sm_75") != std::string::npos);
  CHECK(plain.back() != '\0');
  // The texts say which options packed them; the code is the same.
  const auto code = [](const std::string& text) { return text.substr(text.find(".target")); };
  CHECK(code(fat_text(fat_file("scale_lz4.fatbin"), 75)) == code(plain));
  CHECK(code(fat_text(fat_file("scale_zstd.fatbin"), 75)) == code(plain));
  for (const auto& [name, packing] : {std::pair{"scale_plain.fatbin", ptx::Packing::plain},
                                      std::pair{"scale_lz4.fatbin", ptx::Packing::lz4},
                                      std::pair{"scale_zstd.fatbin", ptx::Packing::zstd}}) {
    INFO(name);
    const std::string bytes = fat_file(name);
    const auto fat = ptx::read_fat_binary(bytes, name);
    REQUIRE(fat);
    bool found = false;
    for (const ptx::FatEntry& entry : fat->entries)
      if (entry.kind == Kind::ptx) found = entry.packing == packing;
    CHECK(found);
  }
}

TEST_CASE("a device chooses the newest text that is not newer than itself") {
  const std::string bytes = fat_file("accesses.fatbin");
  const auto fat = ptx::read_fat_binary(bytes, "file");
  REQUIRE(fat);
  const auto chosen = [&](std::uint32_t capability) {
    std::vector<std::uint32_t> architectures;
    for (const std::size_t k : ptx::texts_by_preference(*fat, capability))
      architectures.push_back(fat->entries[k].architecture);
    return architectures;
  };
  CHECK(chosen(80) == std::vector<std::uint32_t>{75, 90});
  CHECK(chosen(90) == std::vector<std::uint32_t>{90, 75});
  CHECK(chosen(70) == std::vector<std::uint32_t>{75, 90});
  const auto cubin = [&](std::uint32_t architecture) {
    return fat->entries[static_cast<std::size_t>(ptx::nearest_cubin(*fat, architecture))]
        .architecture;
  };
  CHECK(cubin(75) == 75);
  CHECK(cubin(80) == 80);
  CHECK(cubin(120) == 90);
  const std::string only_code = fat_file("without_ptx.fatbin");
  const auto without = ptx::read_fat_binary(only_code, "file");
  REQUIRE(without);
  CHECK(ptx::texts_by_preference(*without, 80).empty());
}

TEST_CASE("fat binaries of a section may have zeros between them") {
  const std::string one = fat_file("part_a.fatbin"), other = fat_file("part_b.fatbin");
  const std::string section = one + std::string(8, '\0') + other + std::string(24, '\0');
  const auto fats = ptx::read_fat_binaries(section, "file");
  REQUIRE(fats);
  REQUIRE(fats->size() == 2);
  CHECK((*fats)[1].offset == one.size() + 8);
}

TEST_CASE("a fat binary that is cut off anywhere is an error with an offset") {
  for (const char* name : {"scale_plain.fatbin", "scale_lz4.fatbin", "scale_zstd.fatbin"}) {
    const std::string bytes = fat_file(name);
    for (std::size_t size = 1; size < bytes.size(); size += size < 400 ? 1 : 97) {
      INFO(name << " cut to " << size);
      const auto fat = ptx::read_fat_binary(bytes.substr(0, size), "file");
      REQUIRE(!fat);
      CHECK(fat.errors().front().message.find("offset 0x") == 0);
    }
  }
}

TEST_CASE("sizes that a fat binary only claims take no memory") {
  for (const char* name : {"scale_lz4.fatbin", "scale_zstd.fatbin"}) {
    const std::string good = fat_file(name);
    const std::size_t entry = text_entry_of(good);
    REQUIRE(reads(good));
    for (const std::uint64_t claimed :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100'000'000}, std::uint64_t{1} << 40,
          ~std::uint64_t{0}}) {
      INFO(name << " claims " << claimed);
      std::string bytes = good;
      put(bytes, entry + 56, claimed);
      CHECK(!reads(bytes));
    }
  }
}

TEST_CASE("wrong numbers in headers of fat binaries are errors") {
  const std::string good = fat_file("scale_zstd.fatbin");
  const std::size_t entry = text_entry_of(good);
  const auto wrong = [&](std::size_t at, auto value) {
    std::string bytes = good;
    put(bytes, at, value);
    return !reads(bytes);
  };
  CHECK(wrong(0, std::uint32_t{0x12345678})); // the magic number
  CHECK(wrong(6, std::uint16_t{8}));          // the header's size
  CHECK(wrong(8, ~std::uint64_t{0}));         // the size
  CHECK(wrong(entry + 4, std::uint32_t{0}));  // the entry's header: no progress
  CHECK(wrong(entry + 4, ~std::uint32_t{0}));
  CHECK(wrong(entry + 8, ~std::uint64_t{0} - 100));    // the entry's size: a sum that overflows
  CHECK(wrong(entry + 16, std::uint32_t{0x7fffffff})); // the packed size
  CHECK(wrong(entry + 40, std::uint64_t{0x11}));       // no packing, yet packed
  CHECK(wrong(entry + 40, std::uint64_t{0x2011}));     // another packing
}

TEST_CASE("fat binaries with random bytes end in a text or in errors") {
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  int failed = 0;
  for (const char* name : {"scale_plain.fatbin", "scale_lz4.fatbin", "scale_zstd.fatbin"}) {
    const std::string good = fat_file(name);
    for (int round = 0; round < 400; ++round) {
      std::string bytes = good;
      // Half of them in the headers at the beginning.
      const std::uint64_t range = round % 2 == 0 ? 96 : bytes.size();
      for (std::uint64_t k = 0; k <= random(3); ++k)
        bytes[random(range)] = static_cast<char>(random(256));
      failed += reads(bytes) ? 0 : 1;
    }
  }
  CHECK(failed > 100);
}

} // namespace memlane::test
