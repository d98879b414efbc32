// JPEG through libjpeg, whose errors longjmp to `guarded`: functions between the two must not have
// objects with destructors.
#include "images.hpp"

// jpeglib.h needs FILE and size_t declared before it.
#include <jerror.h>
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

namespace memlane::arrays {
namespace {

constexpr int quality = 90;
/// Small progressive files with very many scans would take very long.
constexpr int max_scans = 500;

/// The library's error handler and its target. `base` is first, so that a pointer to it converts to
/// one to this.
struct Session {
  jpeg_error_mgr base;
  std::jmp_buf target;
  std::array<char, JMSG_LENGTH_MAX> message;
  Watch* watch;
};

[[noreturn]] void fail(j_common_ptr codec) {
  auto* session = reinterpret_cast<Session*>(codec->err);
  codec->err->format_message(codec, session->message.data());
  std::longjmp(session->target, 1);
}

/// Damage that the library would repair is an error, unless it does not affect the pixels.
void check_warning(j_common_ptr codec, int level) {
  if (level >= 0) return; // trace message
  switch (codec->err->msg_code) {
  case JWRN_EXTRANEOUS_DATA:
  case JWRN_ADOBE_XFORM:
  case JWRN_JFIF_MAJOR: return;
  default: fail(codec);
  }
}

void ignore_message(j_common_ptr) {}

/// The library calls it for each row of blocks.
void check_limits(j_common_ptr codec) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(codec);
  auto* session = reinterpret_cast<Session*>(codec->err);
  const bool stopped = !session->watch->ask();
  if (decoder->input_scan_number <= max_scans && !stopped) return;
  std::snprintf(session->message.data(), session->message.size(), "more than %d scans", max_scans);
  std::longjmp(session->target, 1);
}

jpeg_error_mgr* prepare(Session& session) {
  jpeg_error_mgr* handler = jpeg_std_error(&session.base);
  session.message[0] = '\0';
  handler->error_exit = fail;
  handler->emit_message = check_warning;
  handler->output_message = ignore_message;
  return handler;
}

/// False if the library reported an error.
template <class F>
bool guarded(Session& session, F work) {
  if (setjmp(session.target) != 0) return false;
  work();
  return true;
}

struct Decoder {
  Decoder() { codec.err = prepare(session); }
  ~Decoder() { jpeg_destroy_decompress(&codec); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Diagnostics error() const {
    return picture_error(std::string("is not a valid JPEG: ") + session.message.data());
  }

  Session session{};
  jpeg_progress_mgr progress{};
  jpeg_decompress_struct codec{};
};

bool converts_to_grey(J_COLOR_SPACE space) {
  return space == JCS_GRAYSCALE || space == JCS_YCbCr || space == JCS_RGB;
}

void read_rows(jpeg_decompress_struct& codec, JSAMPLE* rows) {
  codec.out_color_space = JCS_GRAYSCALE;
  jpeg_start_decompress(&codec);
  while (codec.output_scanline < codec.output_height) {
    JSAMPROW row = rows + std::size_t{codec.output_scanline} * codec.output_width;
    jpeg_read_scanlines(&codec, &row, 1);
  }
  jpeg_finish_decompress(&codec);
}

struct Encoder {
  Encoder() { codec.err = prepare(session); }
  ~Encoder() {
    jpeg_destroy_compress(&codec);
    std::free(bytes);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  Session session{};
  jpeg_compress_struct codec{};
  unsigned char* bytes = nullptr; ///< allocated by the library
  unsigned long count = 0;
};

void write_rows(Encoder& encoder, const unsigned char* pixels, JDIMENSION width,
                JDIMENSION height) {
  jpeg_compress_struct& codec = encoder.codec;
  jpeg_create_compress(&codec);
  jpeg_mem_dest(&codec, &encoder.bytes, &encoder.count);
  codec.image_width = width;
  codec.image_height = height;
  codec.input_components = 1;
  codec.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, quality, TRUE);
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < height && encoder.session.watch->ask()) {
    // The library's rows are not const, but it only reads them.
    JSAMPROW row = const_cast<unsigned char*>(pixels) + std::size_t{codec.next_scanline} * width;
    jpeg_write_scanlines(&codec, &row, 1);
  }
  if (encoder.session.watch->stopped()) return;
  jpeg_finish_compress(&codec);
}

} // namespace

Result<Pixels> read_jpeg(std::string_view content, PictureSize expected, Watch& watch) {
  Decoder decoder;
  decoder.session.watch = &watch;
  jpeg_decompress_struct& codec = decoder.codec;
  const bool header_read = guarded(decoder.session, [&] {
    jpeg_create_decompress(&codec);
    decoder.progress.progress_monitor = check_limits;
    codec.progress = &decoder.progress;
    jpeg_mem_src(&codec, reinterpret_cast<const unsigned char*>(content.data()), content.size());
    jpeg_read_header(&codec, TRUE);
  });
  if (!header_read) return decoder.error();
  const PictureSize size{codec.image_width, codec.image_height};
  if (size != expected) return wrong_size(size, expected);
  if (!converts_to_grey(codec.jpeg_color_space)) {
    return picture_error("is a JPEG in CMYK; convert it to greyscale or RGB");
  }
  std::vector<JSAMPLE> data(static_cast<std::size_t>(size.width * size.height));
  JSAMPLE* rows = data.data();
  if (!guarded(decoder.session, [&] { read_rows(codec, rows); })) return decoder.error();
  return Pixels(data.begin(), data.end());
}

Result<std::string> write_jpeg(const GreyBytes& pixels, PictureSize size, Watch& watch) {
  Encoder encoder;
  encoder.session.watch = &watch;
  const unsigned char* data = pixels.data();
  const auto width = static_cast<JDIMENSION>(size.width);
  const auto height = static_cast<JDIMENSION>(size.height);
  const bool written = guarded(encoder.session, [&] { write_rows(encoder, data, width, height); });
  if (!written) {
    return picture_error(std::string("cannot be encoded as JPEG: ") +
                         encoder.session.message.data());
  }
  return std::string(reinterpret_cast<const char*>(encoder.bytes), encoder.count);
}

} // namespace memlane::arrays
