#include "memlane/ptx/module_code.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::ptx {

namespace {

/// Adds the `rank`-th best text of a fat binary; false: it has fewer.
Result<bool> add_text(const FatBinary& fat, std::size_t rank, std::uint32_t capability,
                      const std::string& place, ModuleCode& code) {
  const std::vector<std::size_t> texts = texts_by_preference(fat, capability);
  if (rank >= texts.size()) return false;
  const FatEntry& entry = fat.entries[texts[rank]];
  Result<std::string> text = unpacked(entry, place);
  if (!text) return text.errors();
  code.text_architecture = entry.architecture;
  code.texts.push_back(
      {fmt::format("{} (PTX for compute_{})", place, entry.architecture), std::move(*text)});
  return true;
}

void add_cubin(const FatBinary& fat, const std::string& place, ModuleCode& code) {
  const std::ptrdiff_t at = nearest_cubin(fat, code.text_architecture);
  if (at < 0) return;
  const FatEntry& entry = fat.entries[static_cast<std::size_t>(at)];
  const Result<std::string> bytes = unpacked(entry, place);
  if (!bytes) return;
  Result<Cubin> cubin = read_cubin(*bytes, entry.architecture, place);
  if (!cubin) return;
  code.cubin = std::move(*cubin);
  code.code_architecture = entry.architecture;
}

} // namespace

Result<ModuleCode> module_code(const std::vector<FatBinary>& texts, const FatBinary& machine_code,
                               std::size_t rank, std::uint32_t capability,
                               const std::string& place) {
  ModuleCode code;
  for (const FatBinary& fat : texts) {
    const Result<bool> added = add_text(fat, rank, capability, place, code);
    if (!added) return added.errors();
    if (!*added) return ModuleCode{};
  }
  add_cubin(machine_code, place, code);
  return code;
}

bool has_machine_kernels(const FatBinary& fat, const std::string& place) {
  return std::any_of(fat.entries.begin(), fat.entries.end(), [&](const FatEntry& entry) {
    if (entry.kind != FatEntry::Kind::cubin) return false;
    const Result<std::string> bytes = unpacked(entry, place);
    if (!bytes) return true;
    const Result<Cubin> cubin = read_cubin(*bytes, entry.architecture, place);
    return !cubin || !cubin->kernels.empty();
  });
}

} // namespace memlane::ptx
