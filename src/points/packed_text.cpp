#include "memlane/points/packed_text.hpp"

#include "memlane/support/base64.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <optional>

namespace memlane::sweep {
std::string packed(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string out(size, '\0');
  [[maybe_unused]] const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()), 9);
  assert(status == Z_OK);                    // the buffer is large enough
  return base64url(out.substr(2, size - 6)); // without zlib's frame
}

Result<std::string> unpacked(std::string_view letters, std::size_t most) {
  const auto damaged = [] { return error_in("", "it is damaged, or a part of it is missing"); };
  std::optional<std::string> bytes = bytes_of_base64url(letters);
  if (!bytes) return damaged();
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return error_in("", "there is too little memory");
  stream.next_in = reinterpret_cast<Bytef*>(bytes->data());
  stream.avail_in = static_cast<uInt>(bytes->size());
  std::string text;
  int status = Z_OK;
  while (status == Z_OK && text.size() <= most) {
    constexpr std::size_t part = std::size_t{1} << 14;
    const std::size_t before = text.size();
    text.resize(std::min(before + part, most + 1));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(text.size() - before);
    status = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  }
  const bool whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (text.size() > most)
    return error_in("", fmt::format("it unpacks to more than {} bytes", most));
  if (!whole) return damaged();
  return text;
}

} // namespace memlane::sweep
