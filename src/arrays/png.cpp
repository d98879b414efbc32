// PNG through libpng, whose errors longjmp to `guarded`: functions between the two must not have
// objects with destructors.
#include "images.hpp"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>

namespace memlane::arrays {
namespace {

/// Data for the library's callbacks.
struct PngSession {
  Watch* watch = nullptr;
  std::string_view left;           ///< what a decoder has not read
  std::string written;             ///< what an encoder has written
  std::array<char, 160> message{}; ///< the error's text
};

[[noreturn]] void fail(png_structp png, png_const_charp message) {
  auto* session = static_cast<PngSession*>(png_get_error_ptr(png));
  std::snprintf(session->message.data(), session->message.size(), "%s", message);
  png_longjmp(png, 1);
}

/// Warnings are about colour profiles and texts.
void ignore_warning(png_structp, png_const_charp) {}

/// The library reads a few KiB at a time, which are at most 1000 times as many pixels.
void read_bytes(png_structp png, png_bytep into, std::size_t count) {
  auto* session = static_cast<PngSession*>(png_get_io_ptr(png));
  if (!session->watch->ask()) png_error(png, "stopped");
  if (session->left.size() < count) png_error(png, "cut off");
  std::memcpy(into, session->left.data(), count);
  session->left.remove_prefix(count);
}

/// False if the library reported an error.
template <class F>
bool guarded(png_structp png, F work) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  work();
  return true;
}

struct PngDecoder {
  PngDecoder() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &session, fail, ignore_warning);
    if (png) info = png_create_info_struct(png);
  }
  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  Diagnostics error() const {
    return picture_error(std::string("is not a valid PNG: ") + session.message.data());
  }

  PngSession session;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

/// Pixels then have one or three channels of 8 or 16 bits.
void read_header(png_structp png, png_infop info) {
  // read_png checks the size, instead of the library's default limit.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
}

std::uint32_t number_at(const png_byte* at, std::size_t bytes) {
  return bytes == 1 ? at[0] : static_cast<std::uint32_t>(at[0] << 8 | at[1]);
}

Pixels grey(const std::vector<png_byte>& data, std::size_t count, std::size_t channels,
            std::size_t bytes, Watch& watch) {
  Pixels pixels(count);
  for (std::size_t i = 0; i < count && watch.go_on(); ++i) {
    const png_byte* at = data.data() + i * channels * bytes;
    pixels[i] = channels == 1 ? static_cast<std::uint16_t>(number_at(at, bytes))
                              : grey_of(number_at(at, bytes), number_at(at + bytes, bytes),
                                        number_at(at + 2 * bytes, bytes));
  }
  return pixels;
}

/// The library writes a few KiB at a time.
void write_bytes(png_structp png, png_bytep from, std::size_t count) {
  auto* session = static_cast<PngSession*>(png_get_io_ptr(png));
  if (!session->watch->ask()) png_error(png, "stopped");
  session->written.append(reinterpret_cast<const char*>(from), count);
}

struct PngEncoder {
  PngEncoder() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &session, fail, ignore_warning);
    if (png) info = png_create_info_struct(png);
  }
  ~PngEncoder() { png_destroy_write_struct(&png, &info); }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;

  PngSession session;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

void write_rows(png_structp png, png_infop info, const png_byte* pixels, PictureSize size) {
  const auto width = static_cast<png_uint_32>(size.width);
  const auto height = static_cast<png_uint_32>(size.height);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  const auto* session = static_cast<PngSession*>(png_get_io_ptr(png));
  for (std::size_t y = 0; y < height; ++y) {
    if (!session->watch->ask()) png_error(png, "stopped");
    png_write_row(png, pixels + y * width);
  }
  png_write_end(png, nullptr);
}

} // namespace

Result<Pixels> read_png(std::string_view content, PictureSize expected, Watch& watch) {
  PngDecoder decoder;
  decoder.session.watch = &watch;
  decoder.session.left = content;
  png_structp png = decoder.png;
  png_infop info = decoder.info;
  if (!info) return picture_error("cannot be read: no memory");
  png_set_read_fn(png, &decoder.session, read_bytes);
  if (!guarded(png, [&] { read_header(png, info); })) return decoder.error();
  const PictureSize size{png_get_image_width(png, info), png_get_image_height(png, info)};
  if (size != expected) return wrong_size(size, expected);

  if (!guarded(png, [&] { png_read_update_info(png, info); })) return decoder.error();
  const std::size_t channels = png_get_channels(png, info);
  const std::size_t bytes = png_get_bit_depth(png, info) / 8;
  const std::size_t row = png_get_rowbytes(png, info);
  const auto height = static_cast<std::size_t>(size.height);
  const std::size_t count = static_cast<std::size_t>(size.width) * height;
  if (row * height != count * channels * bytes || (channels != 1 && channels != 3)) {
    return picture_error("is a PNG with an unknown pixel format");
  }
  std::vector<png_byte> data(row * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) rows[y] = data.data() + y * row;
  png_bytepp first_row = rows.data();
  const bool read = guarded(png, [&] {
    png_read_image(png, first_row);
    png_read_end(png, nullptr);
  });
  if (!read) return decoder.error();
  return grey(data, count, channels, bytes, watch);
}

Result<std::string> write_png(const GreyBytes& pixels, PictureSize size, Watch& watch) {
  PngEncoder encoder;
  encoder.session.watch = &watch;
  png_structp png = encoder.png;
  png_infop info = encoder.info;
  if (!info) return picture_error("cannot be encoded as PNG: no memory");
  png_set_write_fn(png, &encoder.session, write_bytes, nullptr);
  const unsigned char* data = pixels.data();
  if (!guarded(png, [&] { write_rows(png, info, data, size); })) {
    return picture_error(std::string("cannot be encoded as PNG: ") +
                         encoder.session.message.data());
  }
  return std::move(encoder.session.written);
}

} // namespace memlane::arrays
