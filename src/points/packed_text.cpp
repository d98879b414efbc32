#include "memlane/points/packed_text.hpp"

#include "memlane/support/base64.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace memlane::sweep {
namespace {

/// One block of RFC 1951 with the fixed codes of its section 3.2.6. Browsers run it too, where zlib
/// is not; and the letters of a text are the same wherever they are made.
class Deflater {
public:
  explicit Deflater(std::string_view text)
      : text_(text), latest_(hashes, none), before_(text.size(), none) {}

  std::string take() {
    put(0b011, 3); // the last block, with fixed codes
    for (std::size_t at = 0; at < text_.size();) {
      const Match match = longest(at);
      const bool is_long = match.length >= least_length;
      if (is_long)
        put_match(match);
      else
        put_symbol(static_cast<unsigned char>(text_[at]));
      for (const std::size_t end = at + (is_long ? match.length : 1); at < end; ++at) note(at);
    }
    put_symbol(256);
    put(0, 7); // fills the last byte
    return std::move(out_);
  }

private:
  struct Match {
    unsigned length = 0, distance = 0;
  };
  static constexpr std::size_t hashes = std::size_t{1} << 15, none = SIZE_MAX;
  static constexpr unsigned least_length = 3, most_length = 258;
  static constexpr std::size_t window = std::size_t{1} << 15;
  static constexpr int most_tries = 64;

  void put(unsigned value, unsigned count) {
    for (unsigned k = 0; k < count; ++k) {
      byte_ |= (value >> k & 1) << filled_;
      if (++filled_ < 8) continue;
      out_ += static_cast<char>(byte_);
      byte_ = filled_ = 0;
    }
  }
  /// Codes begin with their highest bit, numbers with their lowest.
  void put_code(unsigned code, unsigned count) {
    for (unsigned k = count; k-- > 0;) put(code >> k & 1, 1);
  }
  void put_symbol(unsigned symbol) {
    if (symbol < 144)
      put_code(0x30 + symbol, 8);
    else if (symbol < 256)
      put_code(0x190 + symbol - 144, 9);
    else if (symbol < 280)
      put_code(symbol - 256, 7);
    else
      put_code(0xC0 + symbol - 280, 8);
  }
  /// Numbers share codes, `parts` of each power of two; `extra` bits follow a code.
  static unsigned extra_bits(unsigned number, unsigned parts) {
    unsigned extra = 0;
    while (number >> extra >= 2 * parts) ++extra;
    return extra;
  }
  void put_match(const Match& match) {
    const unsigned length = match.length - least_length, distance = match.distance - 1;
    const unsigned of_length = match.length == most_length ? 0 : extra_bits(length, 4);
    put_symbol(match.length == most_length ? 285 : 257 + 4 * of_length + (length >> of_length));
    put(length, of_length);
    const unsigned of_distance = extra_bits(distance, 2);
    put_code(2 * of_distance + (distance >> of_distance), 5);
    put(distance, of_distance);
  }

  std::size_t hash_at(std::size_t at) const {
    std::uint32_t bytes = 0;
    for (std::size_t k = 0; k < least_length; ++k)
      bytes = bytes << 8 | static_cast<unsigned char>(text_[at + k]);
    return bytes * 0x9E3779B1U >> 17;
  }
  bool has_hash(std::size_t at) const { return at + least_length <= text_.size(); }
  void note(std::size_t at) {
    if (!has_hash(at)) return;
    std::size_t& latest = latest_[hash_at(at)];
    before_[at] = latest;
    latest = at;
  }
  Match longest(std::size_t at) const {
    Match best;
    if (!has_hash(at)) return best;
    const std::size_t most = std::min<std::size_t>(most_length, text_.size() - at);
    std::size_t from = latest_[hash_at(at)];
    for (int tries = 0; tries < most_tries && from != none && at - from <= window;
         ++tries, from = before_[from]) {
      std::size_t length = 0;
      while (length < most && text_[from + length] == text_[at + length]) ++length;
      if (length > best.length)
        best = {static_cast<unsigned>(length), static_cast<unsigned>(at - from)};
    }
    return best;
  }

  std::string_view text_;
  std::vector<std::size_t> latest_, before_; ///< positions of equal hashes, from the latest back
  std::string out_;
  unsigned byte_ = 0, filled_ = 0; ///< bits that are not yet in `out_`
};

} // namespace

std::string packed(std::string_view text) { return base64url(Deflater(text).take()); }

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
