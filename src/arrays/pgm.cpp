// Portable grey maps, plain (P2) and raw (P5), as in Netpbm's pgm(5).
#include "images.hpp"

#include <fmt/format.h>

#include <optional>

namespace memlane::arrays {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class PgmReader {
public:
  explicit PgmReader(std::string_view content) : left_(content) {}

  /// Skips white space and comments from `#` to the end of the line.
  void skip_space() {
    while (!left_.empty() && (is_space(left_.front()) || left_.front() == '#')) {
      const bool comment = left_.front() == '#';
      left_.remove_prefix(comment ? std::min(left_.find('\n'), left_.size()) : 1);
    }
  }
  /// At most 2^31 - 1, after white space.
  std::optional<std::int64_t> number() {
    skip_space();
    if (left_.empty() || !is_digit(left_.front())) return std::nullopt;
    std::int64_t value = 0;
    while (!left_.empty() && is_digit(left_.front())) {
      value = value * 10 + (left_.front() - '0');
      if (value > INT32_MAX) return std::nullopt;
      left_.remove_prefix(1);
    }
    return value;
  }
  /// Skips the single white space between header and raw pixels.
  bool one_space() {
    if (left_.empty() || !is_space(left_.front())) return false;
    left_.remove_prefix(1);
    return true;
  }
  std::string_view left() const { return left_; }

private:
  std::string_view left_;
};

Diagnostics too_large(std::int64_t value, std::int64_t maximum) {
  return picture_error(
      fmt::format("has a pixel of {}, above its maximum value {}", value, maximum));
}

Result<Pixels> read_plain(PgmReader reader, std::size_t count, std::int64_t maximum, Watch& watch) {
  Pixels pixels;
  // Once, since copying a large picture takes long.
  pixels.reserve(std::min(count, reader.left().size() / 2 + 1));
  while (pixels.size() < count && watch.go_on()) {
    const auto value = reader.number();
    if (!value) {
      reader.skip_space();
      return picture_error(reader.left().empty()
                               ? fmt::format("is cut off: {} of {} pixels", pixels.size(), count)
                               : fmt::format("has no number for pixel {}", pixels.size()));
    }
    if (*value > maximum) return too_large(*value, maximum);
    pixels.push_back(static_cast<std::uint16_t>(*value));
  }
  reader.skip_space();
  if (!reader.left().empty()) return picture_error("has data after its last pixel");
  return pixels;
}

Result<Pixels> read_raw(PgmReader reader, std::size_t count, std::int64_t maximum, Watch& watch) {
  if (!reader.one_space()) return picture_error("has no white space after its maximum value");
  const std::size_t bytes = maximum > 255 ? 2 : 1;
  const std::string_view data = reader.left();
  if (data.size() / bytes < count) {
    return picture_error(fmt::format("is cut off: {} of {} pixels", data.size() / bytes, count));
  }
  if (data.size() != count * bytes) return picture_error("has data after its last pixel");
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(data[at]); };
  Pixels pixels(count);
  for (std::size_t i = 0; i < count && watch.go_on(); ++i) {
    const int value = bytes == 1 ? byte(i) : byte(2 * i) << 8 | byte(2 * i + 1);
    if (value > maximum) return too_large(value, maximum);
    pixels[i] = static_cast<std::uint16_t>(value);
  }
  return pixels;
}

} // namespace

Result<Pixels> read_pgm(std::string_view content, PictureSize expected, Watch& watch) {
  const std::string_view magic = content.substr(0, 2);
  if (magic != "P2" && magic != "P5") {
    return picture_error("is not a portable grey map (it does not begin with P2 or P5)");
  }
  PgmReader reader(content.substr(2));
  const auto width = reader.number(), height = reader.number(), maximum = reader.number();
  if (!width || !height || !maximum) {
    return picture_error("lacks width, height or maximum value after its first word");
  }
  if (*maximum < 1 || *maximum > 65535) {
    return picture_error(fmt::format("has maximum value {}, not 1 to 65535", *maximum));
  }
  if (PictureSize{*width, *height} != expected) return wrong_size({*width, *height}, expected);
  const auto count = static_cast<std::size_t>(*width * *height);
  return magic == "P2" ? read_plain(reader, count, *maximum, watch)
                       : read_raw(reader, count, *maximum, watch);
}

std::string write_pgm(const GreyBytes& pixels, PictureSize size) {
  std::string content = fmt::format("P5\n{} {}\n255\n", size.width, size.height);
  return content.append(pixels.begin(), pixels.end());
}

Diagnostics wrong_size(PictureSize found, PictureSize expected) {
  return picture_error(fmt::format("is {} x {} pixels, not {} x {} (width x height)", found.width,
                                   found.height, expected.width, expected.height));
}

} // namespace memlane::arrays
