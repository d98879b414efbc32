// Fuzzes what is read of executables: fat binaries, ELF files, cubins. Errors have messages, and
// memory is in proportion to the input or below the limit of an unpacked entry.
#include "fuzz.hpp"

#include "memlane/ptx/audit.hpp"
#include "memlane/ptx/module_code.hpp"

namespace {

using namespace memlane;

template <class T>
void require_message(const Result<T>& result) {
  if (!result) test::require(!render(result.errors(), Sources()).empty());
}

/// PTX whose functions have names that a mutated cubin may have, too.
const ptx::Module& audited_module() {
  static const ptx::Module module = [] {
    Sources sources;
    auto parsed = ptx::parse(sources, sources.add("a.ptx", R"(.version 8.0
.target sm_75
.address_size 64
.shared .align 4 .b8 words[64];
.func f() { ret; }
.visible .entry global_32() {
  .reg .b32 %r<3>;
  ld.shared.u32 %r1, [words]; st.shared.u32 [words+4], %r1; red.shared.add.u32 [words], 1;
  call f;
  ret;
})"));
    test::require(parsed.ok());
    return std::move(*parsed);
  }();
  return module;
}

/// What a cubin says is in proportion to its bytes, and can be held against any PTX.
void check_cubin(std::string_view bytes, std::uint32_t architecture) {
  const auto cubin = ptx::read_cubin(bytes, architecture, "file");
  require_message(cubin);
  if (!cubin) return;
  std::int64_t instructions = 0;
  for (const ptx::CubinKernel& kernel : cubin->kernels) {
    instructions += kernel.instructions;
    test::require(kernel.registers >= 0 && kernel.static_shared >= 0);
    std::int64_t accesses = 0;
    for (const auto& [access, count] : kernel.accesses) accesses += count;
    test::require(accesses <= kernel.instructions);
    test::require(cubin->counted || kernel.accesses.empty());
    const ptx::Module& module = audited_module();
    for (std::size_t k = 0; k < module.functions.size(); ++k) {
      const ptx::KernelAudit audit = audit_of(module, k, *cubin, kernel);
      for (const ptx::ComparedAccess& row : audit.accesses)
        test::require(row.ptx + row.machine > 0);
    }
  }
  test::require(instructions * 16 <= static_cast<std::int64_t>(bytes.size()));
}

void unpack_all(const std::vector<ptx::FatBinary>& fats) {
  for (const ptx::FatBinary& fat : fats) {
    for (const ptx::FatEntry& entry : fat.entries) {
      const Result<std::string> text = ptx::unpacked(entry, "file");
      require_message(text);
      if (!text) continue;
      test::require(text->size() <= ptx::most_unpacked_bytes);
      if (entry.kind == ptx::FatEntry::Kind::cubin) check_cubin(*text, entry.architecture);
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
  for (const std::uint32_t architecture : {70U, 75U, 90U, 120U}) check_cubin(bytes, architecture);
  return 0;
}
