#include "memlane/trace/files.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace memlane {

namespace {

/// A buffer over a gzip file, one direction only. What goes wrong is thrown, as a standard stream
/// expects of its buffer: it catches it and sets its badbit.
class GzipBuffer : public std::streambuf {
public:
  GzipBuffer(gzFile file, bool writes) : file_(file) {
    if (writes) setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  GzipBuffer(const GzipBuffer&) = delete;
  GzipBuffer& operator=(const GzipBuffer&) = delete;
  ~GzipBuffer() override { close(); }

  /// Whether all that was written is in the file. Further calls do nothing.
  bool close() {
    if (!file_) return closed_well_;
    const bool written = write_out();
    closed_well_ = gzclose(file_) == Z_OK && written;
    file_ = nullptr;
    return closed_well_;
  }

protected:
  int_type underflow() override {
    const int size = gzread(file_, bytes_.data(), static_cast<unsigned>(bytes_.size()));
    int error = Z_OK;
    gzerror(file_, &error);
    // A file that ends inside its compressed data gives what it has, then no bytes and this error.
    if (size < 0 || (size == 0 && error != Z_OK)) throw std::runtime_error("reading fails");
    if (size == 0) return traits_type::eof();
    setg(bytes_.data(), bytes_.data(), bytes_.data() + size);
    return traits_type::to_int_type(bytes_[0]);
  }

  int_type overflow(int_type byte) override {
    if (!write_out()) throw std::runtime_error("writing fails");
    if (!traits_type::eq_int_type(byte, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(byte);
      pbump(1);
    }
    return traits_type::not_eof(byte);
  }

  int sync() override { return pbase() && !write_out() ? -1 : 0; }

private:
  bool write_out() {
    if (!file_) return false;
    const auto size = static_cast<unsigned>(pptr() - pbase());
    if (size == 0) return true;
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return gzwrite(file_, bytes_.data(), size) == static_cast<int>(size);
  }

  gzFile file_;
  bool closed_well_ = false;
  std::array<char, 1 << 16> bytes_{};
};

/// An input stream that owns its buffer.
class InputFile : public std::istream {
public:
  explicit InputFile(std::unique_ptr<GzipBuffer> buffer)
      : std::istream(nullptr), buffer_(std::move(buffer)) {
    rdbuf(buffer_.get());
  }

private:
  std::unique_ptr<GzipBuffer> buffer_;
};

bool ends_in_gz(const std::string& path) {
  return path.size() >= 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
}

Result<std::unique_ptr<GzipBuffer>> open(const std::string& path, const char* mode) {
  errno = 0;
  const gzFile file = gzopen(path.c_str(), mode);
  if (!file) {
    const int cause = errno;
    return error_in(path, fmt::format("cannot be opened: {}",
                                      cause != 0 ? std::strerror(cause) : "no memory left"));
  }
  return std::make_unique<GzipBuffer>(file, *mode == 'w');
}

} // namespace

Result<std::unique_ptr<std::istream>> open_text(const std::string& path) {
  auto buffer = open(path, "rb");
  if (!buffer) return buffer.errors();
  return std::unique_ptr<std::istream>(std::make_unique<InputFile>(std::move(*buffer)));
}

OutputFile::OutputFile(std::unique_ptr<std::streambuf> buffer)
    : std::ostream(nullptr), buffer_(std::move(buffer)) {
  rdbuf(buffer_.get());
}

OutputFile::~OutputFile() = default;

bool OutputFile::close() {
  auto& buffer = static_cast<GzipBuffer&>(*buffer_);
  if (!buffer.close()) setstate(std::ios::badbit);
  return good();
}

Result<std::unique_ptr<OutputFile>> create_text(const std::string& path) {
  // "T": as it is, without compression.
  auto buffer = open(path, ends_in_gz(path) ? "wb" : "wbT");
  if (!buffer) return buffer.errors();
  return std::make_unique<OutputFile>(std::move(*buffer));
}

} // namespace memlane
