// Fuzzes what is read of executables: fat binaries, ELF files, cubins. Errors have messages, and
// memory is in proportion to the input or below the limit of an unpacked entry.
#include "fuzz.hpp"

#include "memlane/ptx/module_code.hpp"

namespace {

using namespace memlane;

template <class T>
void require_message(const Result<T>& result) {
  if (!result) test::require(!render(result.errors(), Sources()).empty());
}

void unpack_all(const std::vector<ptx::FatBinary>& fats) {
  for (const ptx::FatBinary& fat : fats) {
    for (const ptx::FatEntry& entry : fat.entries) {
      const Result<std::string> text = ptx::unpacked(entry, "file");
      require_message(text);
      if (text) test::require(text->size() <= ptx::most_unpacked_bytes);
    }
    for (std::size_t rank = 0; rank < 3; ++rank)
      require_message(ptx::module_code({fat}, fat, rank, 80, "file"));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto fats = ptx::read_fat_binaries(bytes, "file");
  require_message(fats);
  if (fats) unpack_all(*fats);
  const auto elf = ptx::read_elf(bytes, "file");
  require_message(elf);
  if (elf) {
    const auto code = ptx::embedded_code(*elf, "file");
    require_message(code);
    if (code) unpack_all(code->linked);
  }
  for (const std::uint32_t architecture : {75U, 90U})
    require_message(ptx::read_cubin(bytes, architecture, "file"));
  return 0;
}
