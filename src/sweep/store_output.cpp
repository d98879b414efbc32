#include "store_output.hpp"

#include "store_bytes.hpp"

#include <zlib.h>

namespace memlane::sweep {

std::string packed_output(std::string_view json) {
  std::string bytes;
  append_number(bytes, json.size());
  const std::size_t header = bytes.size();
  uLongf size = compressBound(static_cast<uLong>(json.size()));
  bytes.resize(header + size);
  compress2(reinterpret_cast<Bytef*>(bytes.data() + header), &size,
            reinterpret_cast<const Bytef*>(json.data()), static_cast<uLong>(json.size()),
            Z_BEST_COMPRESSION);
  bytes.resize(header + size);
  return bytes;
}

std::optional<std::string> unpacked_output(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint64_t size = reader.number();
  if (!reader.ok() || size > std::uint64_t{1} << 30) return std::nullopt;
  std::string json(static_cast<std::size_t>(size), '\0');
  const std::string_view packed = reader.text(reader.left());
  uLongf unpacked = static_cast<uLongf>(size);
  const int status =
      uncompress(reinterpret_cast<Bytef*>(json.data()), &unpacked,
                 reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (status != Z_OK || unpacked != size) return std::nullopt;
  return json;
}

} // namespace memlane::sweep
