// Packed entries of fat binaries: LZ4's block format, and Zstandard (RFC 8878).
#include "memlane/ptx/fat_binary.hpp"

#include <fmt/format.h>

#if MEMLANE_LZ4
#include <lz4.h>
#endif
#if MEMLANE_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <memory>

namespace memlane::ptx {

namespace {

Diagnostic unpack_error(const FatEntry& entry, const std::string& place, const std::string& what,
                        std::vector<std::string> help = {}) {
  return error_in(place, fmt::format("offset {:#x} of the fat binaries: {}", entry.offset, what),
                  std::move(help));
}

[[maybe_unused]] Diagnostic built_without(const FatEntry& entry, const std::string& place,
                                          std::string_view packing, std::string_view package) {
  return unpack_error(entry, place, fmt::format("this memlane was built without {}", packing),
                      {fmt::format("install Debian's {} and build memlane again", package),
                       "nvcc --compress-mode=none packs nothing"});
}

Result<std::string> unpack_lz4(const FatEntry& entry, const std::string& place) {
#if MEMLANE_LZ4
  // A byte stands for at most 255 of them: a small file cannot ask for a large memory.
  if (entry.full_bytes / 255 > entry.payload.size())
    return unpack_error(
        entry, place,
        fmt::format("{} bytes of LZ4 cannot be {}", entry.payload.size(), entry.full_bytes));
  std::string text(entry.full_bytes, '\0');
  const int got =
      LZ4_decompress_safe(entry.payload.data(), text.data(), static_cast<int>(entry.payload.size()),
                          static_cast<int>(text.size()));
  if (got < 0 || static_cast<std::uint64_t>(got) != entry.full_bytes)
    return unpack_error(entry, place,
                        fmt::format("its LZ4 is wrong: {} instead of {} bytes", std::max(got, 0),
                                    entry.full_bytes));
  return text;
#else
  return built_without(entry, place, "LZ4", "liblz4-dev");
#endif
}

Result<std::string> unpack_zstd(const FatEntry& entry, const std::string& place) {
#if MEMLANE_ZSTD
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  // The text grows as it is unpacked: the size that the file claims is not believed.
  std::string text;
  ZSTD_inBuffer in{entry.payload.data(), entry.payload.size(), 0};
  std::size_t left = 1;
  while (left != 0) {
    if (text.size() > entry.full_bytes || (in.pos == in.size && text.size() == entry.full_bytes))
      break;
    const std::size_t before = text.size();
    text.resize(before + ZSTD_DStreamOutSize());
    ZSTD_outBuffer out{text.data() + before, text.size() - before, 0};
    const std::size_t read_before = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    text.resize(before + out.pos);
    if (ZSTD_isError(left) != 0)
      return unpack_error(entry, place,
                          fmt::format("its Zstandard is wrong: {}", ZSTD_getErrorName(left)));
    if (out.pos == 0 && in.pos == read_before) break; // it is cut off
  }
  if (text.size() != entry.full_bytes)
    return unpack_error(entry, place,
                        fmt::format("its Zstandard is wrong: {}{} bytes instead of {}",
                                    text.size() > entry.full_bytes ? "at least " : "", text.size(),
                                    entry.full_bytes));
  return text;
#else
  return built_without(entry, place, "Zstandard", "libzstd-dev");
#endif
}

Result<std::string> unpack_any(const FatEntry& entry, const std::string& place) {
  if (entry.full_bytes > most_unpacked_bytes)
    return unpack_error(
        entry, place,
        fmt::format("{} bytes unpacked are more than {}", entry.full_bytes, most_unpacked_bytes));
  switch (entry.packing) {
  case Packing::plain: return std::string(entry.payload);
  case Packing::lz4: return unpack_lz4(entry, place);
  case Packing::zstd: return unpack_zstd(entry, place);
  case Packing::unknown: break;
  }
  return unpack_error(
      entry, place, fmt::format("a packing that memlane does not know (flags {:#x})", entry.flags),
      {"compile with nvcc --compress-mode=none, or name the nvcc that made it in a bug report"});
}

} // namespace

Result<std::string> unpacked(const FatEntry& entry, const std::string& place) {
  Result<std::string> text = unpack_any(entry, place);
  if (text && entry.kind == FatEntry::Kind::ptx)
    while (!text->empty() && text->back() == '\0') text->pop_back();
  return text;
}

} // namespace memlane::ptx
