// Portable grey maps, plain (P2) and raw (P5), as pgm(5) of Netpbm describes them.
#include "images.hpp"

#include <fmt/format.h>

#include <optional>

namespace memlane::arrays {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What is left of a file.
class Reader {
public:
  explicit Reader(std::string_view content) : left_(content) {}

  /// White space and comments, which go from `#` to the end of the line.
  void skip_space() {
    while (!left_.empty() && (is_space(left_.front()) || left_.front() == '#')) {
      const bool comment = left_.front() == '#';
      left_.remove_prefix(comment ? std::min(left_.find('\n'), left_.size()) : 1);
    }
  }
  /// Digits behind white space, at most 2^31 - 1.
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
  /// The one white space between head and raw pixels.
  bool one_space() {
    if (left_.empty() || !is_space(left_.front())) return false;
    left_.remove_prefix(1);
    return true;
  }
  std::string_view left() const { return left_; }

private:
  std::string_view left_;
};

Diagnostics too_great(std::int64_t value, std::int64_t greatest) {
  return picture_error(
      fmt::format("has a pixel of {}, more than its greatest value {}", value, greatest));
}

Result<Pixels> read_plain(Reader reader, std::size_t count, std::int64_t greatest) {
  Pixels pixels;
  while (pixels.size() < count) {
    const auto value = reader.number();
    if (!value) {
      reader.skip_space();
      return picture_error(reader.left().empty()
                               ? fmt::format("is cut off: {} of {} pixels", pixels.size(), count)
                               : fmt::format("has no number for pixel {}", pixels.size()));
    }
    if (*value > greatest) return too_great(*value, greatest);
    pixels.push_back(static_cast<std::uint16_t>(*value));
  }
  reader.skip_space();
  if (!reader.left().empty()) return picture_error("goes on behind its last pixel");
  return pixels;
}

Result<Pixels> read_raw(Reader reader, std::size_t count, std::int64_t greatest) {
  if (!reader.one_space()) return picture_error("has no white space behind its greatest value");
  const std::size_t bytes = greatest > 255 ? 2 : 1;
  const std::string_view data = reader.left();
  if (data.size() / bytes < count) {
    return picture_error(fmt::format("is cut off: {} of {} pixels", data.size() / bytes, count));
  }
  if (data.size() != count * bytes) return picture_error("goes on behind its last pixel");
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(data[at]); };
  Pixels pixels(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int value = bytes == 1 ? byte(i) : byte(2 * i) << 8 | byte(2 * i + 1);
    if (value > greatest) return too_great(value, greatest);
    pixels[i] = static_cast<std::uint16_t>(value);
  }
  return pixels;
}

} // namespace

Result<Pixels> read_pgm(std::string_view content, PictureSize wanted) {
  const std::string_view magic = content.substr(0, 2);
  if (magic != "P2" && magic != "P5") {
    return picture_error("is no portable grey map (it does not begin with P2 or P5)");
  }
  Reader reader(content.substr(2));
  const auto width = reader.number(), height = reader.number(), greatest = reader.number();
  if (!width || !height || !greatest) {
    return picture_error("does not give width, height and greatest value behind its first word");
  }
  if (*greatest < 1 || *greatest > 65535) {
    return picture_error(fmt::format("has the greatest value {}, not 1 to 65535", *greatest));
  }
  if (PictureSize{*width, *height} != wanted) return wrong_size({*width, *height}, wanted);
  const auto count = static_cast<std::size_t>(*width * *height);
  return magic == "P2" ? read_plain(reader, count, *greatest) : read_raw(reader, count, *greatest);
}

std::string write_pgm(const GreyBytes& pixels, PictureSize size) {
  std::string content = fmt::format("P5\n{} {}\n255\n", size.width, size.height);
  return content.append(pixels.begin(), pixels.end());
}

Diagnostics wrong_size(PictureSize found, PictureSize wanted) {
  return picture_error(fmt::format("is {} x {} pixels, wanted are {} x {} (width x height)",
                                   found.width, found.height, wanted.width, wanted.height));
}

} // namespace memlane::arrays
