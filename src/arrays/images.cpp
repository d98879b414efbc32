// Arrays of two dimensions to and from greyscale pictures.
#include "images.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane::arrays {
namespace {

constexpr std::int64_t max_pixels = std::int64_t{1} << 28;
constexpr std::int64_t max_jpeg_side = 65500; ///< libjpeg's limit
constexpr std::int64_t max_side = INT32_MAX;  ///< PNG's limit, also for PGM

PictureSize picture_size(const ir::Array& array) { return {array.extents[1], array.extents[0]}; }

std::string array_text(const ir::Array& array) {
  return fmt::format("{}[{}]", array.name, fmt::join(array.extents, ", "));
}

/// Adds the names of array and file to a message.
Diagnostics with_names(const std::string& path, const ir::Array& array, const Diagnostics& errors) {
  return {error_in("", fmt::format("array {}, file '{}': the file {}", array_text(array), path,
                                   errors.front().message))};
}

ir::Value value_of(std::uint16_t pixel, ir::Scalar type) {
  return ir::is_integer(type) ? ir::Value::of(std::int64_t{pixel})
                              : ir::Value::of(static_cast<double>(pixel));
}

Result<Pixels> read_pixels(ArrayFormat format, std::string_view content, PictureSize size,
                           Watch& watch) {
  switch (format) {
  case ArrayFormat::png: return read_png(content, size, watch);
  case ArrayFormat::jpeg: return read_jpeg(content, size, watch);
  default: break;
  }
  return read_pgm(content, size, watch);
}

Result<std::string> write_pixels(ArrayFormat format, const GreyBytes& pixels, PictureSize size,
                                 Watch& watch) {
  switch (format) {
  case ArrayFormat::png: return write_png(pixels, size, watch);
  case ArrayFormat::jpeg: return write_jpeg(pixels, size, watch);
  default: break;
  }
  return write_pgm(pixels, size);
}

/// Counts clamped values.
unsigned char pixel_of(ir::Value value, ir::Scalar type, std::int64_t& clamped) {
  const double number =
      ir::is_integer(type) ? static_cast<double>(value.integer()) : std::round(value.real());
  if (number >= 0 && number <= 255) return static_cast<unsigned char>(number);
  ++clamped;
  return number > 255 ? 255 : 0;
}

} // namespace

Status fits_picture(ArrayFormat format, const std::string& path, const ir::Array& array) {
  if (array.extents.size() != 2) {
    return error_in("", fmt::format("array {} has {} dimension{}, a picture ('{}') has 2",
                                    array_text(array), array.extents.size(),
                                    plural_s(std::ssize(array.extents)), path));
  }
  const PictureSize size = picture_size(array);
  const std::int64_t side = format == ArrayFormat::jpeg ? max_jpeg_side : max_side;
  if (size.width > side || size.height > side || size.width > max_pixels / size.height) {
    return error_in("",
                    fmt::format("array {} is too large for a picture ('{}'): at most {} pixels a "
                                "side and {} in all",
                                array_text(array), path, side, max_pixels));
  }
  return Done{};
}

Result<std::vector<ir::Value>> read_picture(ArrayFormat format, const std::string& path,
                                            std::string_view content, const ir::Array& array,
                                            const Limits& limits) {
  Watch watch(limits);
  const Result<Pixels> pixels = read_pixels(format, content, picture_size(array), watch);
  if (!pixels && !watch.stopped()) return with_names(path, array, pixels.errors());
  std::vector<ir::Value> values;
  if (pixels) values.reserve(pixels->size());
  for (std::size_t i = 0; watch.go_on() && i < pixels->size(); ++i)
    values.push_back(value_of((*pixels)[i], array.type));
  if (watch.stopped()) return stopped_while(watch.stop(), fmt::format("reading '{}'", path));
  return values;
}

Result<ArrayContent> picture_content(ArrayFormat format, const std::string& path,
                                     const ir::Array& array, const std::vector<ir::Value>& values,
                                     const Limits& limits) {
  Watch watch(limits);
  ArrayContent content;
  GreyBytes pixels;
  pixels.reserve(values.size());
  for (std::size_t i = 0; watch.go_on() && i < values.size(); ++i)
    pixels.push_back(pixel_of(values[i], array.type, content.clamped));
  const auto stopped = [&] {
    return stopped_while(watch.stop(), fmt::format("writing '{}'", path));
  };
  if (watch.stopped()) return stopped();
  Result<std::string> bytes = write_pixels(format, pixels, picture_size(array), watch);
  if (watch.stopped()) return stopped();
  if (!bytes) return with_names(path, array, bytes.errors());
  content.bytes = std::move(*bytes);
  return content;
}

} // namespace memlane::arrays
