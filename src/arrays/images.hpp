// Greyscale pictures in .pgm, .png and .jpg files, and arrays of two dimensions as such pictures.
#pragma once

#include "memlane/arrays/array_files.hpp"
#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::arrays {

struct PictureSize {
  std::int64_t width = 0, height = 0; ///< pixels
  bool operator==(const PictureSize&) const = default;
};

/// Values of the file, up to 255 or 65535, row by row.
using Pixels = std::vector<std::uint16_t>;
/// Values 0 to 255, row by row.
using GreyBytes = std::vector<unsigned char>;

/// Decode a picture. Another size than expected is an error before decoding, which bounds the
/// memory. Messages are predicates of the file: `is 3 x 4 pixels, …`. Colours become grey by
/// `grey_of`; transparency and a camera's orientation are ignored. If `watch` stops the work, the
/// result means nothing.
Result<Pixels> read_pgm(std::string_view content, PictureSize expected, Watch& watch);
Result<Pixels> read_png(std::string_view content, PictureSize expected, Watch& watch);
Result<Pixels> read_jpeg(std::string_view content, PictureSize expected, Watch& watch);

/// Encode a picture. Errors: a size that the format cannot hold; no memory. If `watch` stops the
/// work, the result means nothing.
std::string write_pgm(const GreyBytes& pixels, PictureSize size);
Result<std::string> write_png(const GreyBytes& pixels, PictureSize size, Watch& watch);
/// Lossy: quality 90 of 100.
Result<std::string> write_jpeg(const GreyBytes& pixels, PictureSize size, Watch& watch);

/// The luma of ITU-R BT.601, which is also a JPEG's luminance: 0.299 R + 0.587 G + 0.114 B,
/// rounded.
constexpr std::uint16_t grey_of(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return static_cast<std::uint16_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

/// An error without the file's name.
inline Diagnostics picture_error(std::string message) { return {error_in("", std::move(message))}; }
Diagnostics wrong_size(PictureSize found, PictureSize expected);

/// An error if the array's dimensions or size are not those of a picture.
Status fits_picture(ArrayFormat format, const std::string& path, const ir::Array& array);

/// Requires an array that fits. Elements are the pixels' values in the file. `limits.check` may
/// stop the reading.
Result<std::vector<ir::Value>> read_picture(ArrayFormat format, const std::string& path,
                                            std::string_view content, const ir::Array& array,
                                            const Limits& limits);

/// Requires an array that fits. Rounds values to the nearest integer, halves away from 0, and
/// clamps them to 0 to 255; NaN becomes 0. `limits.check` may stop the work.
Result<ArrayContent> picture_content(ArrayFormat format, const std::string& path,
                                     const ir::Array& array, const std::vector<ir::Value>& values,
                                     const Limits& limits);

} // namespace memlane::arrays
