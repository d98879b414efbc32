// Grey pictures in files: .pgm, .png and .jpg. An array's rows are the picture's, its columns the
// pixels of a row.
#pragma once

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

/// The pixels' values as they are in the file, 0 to 255 or to 65535, row by row.
using Pixels = std::vector<std::uint16_t>;
/// Values 0 to 255, row by row.
using GreyBytes = std::vector<unsigned char>;

/// The picture in a file's content. A size that is not the wanted one is an error before anything
/// is decoded, so that what is decoded is never larger than wanted. Messages begin behind the
/// file's name: `is 3 x 4 pixels, …`. Colours become grey by `grey_of`; transparency and the
/// orientation that a camera notes are passed over.
Result<Pixels> read_pgm(std::string_view content, PictureSize wanted);
Result<Pixels> read_png(std::string_view content, PictureSize wanted);
Result<Pixels> read_jpeg(std::string_view content, PictureSize wanted);

/// A file's content. Errors: a size that the format cannot hold; no memory.
std::string write_pgm(const GreyBytes& pixels, PictureSize size);
Result<std::string> write_png(const GreyBytes& pixels, PictureSize size);
/// With losses: quality 90 of 100.
Result<std::string> write_jpeg(const GreyBytes& pixels, PictureSize size);

/// The luma of ITU-R BT.601: 0.299 R + 0.587 G + 0.114 B, rounded to the nearest. It is also what a
/// colour JPEG holds as its brightness.
constexpr std::uint16_t grey_of(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return static_cast<std::uint16_t>((299 * red + 587 * green + 114 * blue + 500) / 1000);
}

/// An error about a picture, its file's name left out.
inline Diagnostics picture_error(std::string message) { return {error_in("", std::move(message))}; }
/// What a reader says of a size that is not the wanted one.
Diagnostics wrong_size(PictureSize found, PictureSize wanted);

} // namespace memlane::arrays
