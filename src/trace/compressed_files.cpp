#include "memlane/trace/compressed_files.hpp"

#include "memlane/support/files.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace memlane {

namespace {

/// Reads a plain file, or gzip members followed by zeros. Throws on errors, which the stream
/// catches to set its badbit. zlib's gzread would ignore data after the last member.
class InputBuffer : public std::streambuf {
public:
  InputBuffer(std::unique_ptr<InputFile> file, std::function<Stop()> check)
      : file_(std::move(file)), check_(std::move(check)) {}
  InputBuffer(const InputBuffer&) = delete;
  InputBuffer& operator=(const InputBuffer&) = delete;
  ~InputBuffer() override {
    if (state_ != State::fresh && state_ != State::plain) inflateEnd(&stream_);
  }

protected:
  int_type underflow() override {
    while (stream_.avail_in > 0 || fill()) {
      if (state_ == State::plain) return take(packed_.data(), std::exchange(stream_.avail_in, 0));
      if (state_ == State::between && !next_member()) continue;
      if (const std::size_t size = decompress(); size > 0) return take(bytes_.data(), size);
    }
    if (state_ == State::member) throw std::runtime_error("the file is cut off");
    return traits_type::eof();
  }

private:
  enum class State { fresh, plain, member, between };

  bool fill() {
    const std::ptrdiff_t size = file_->read(packed_.data(), packed_.size(), check_);
    if (size < 0) throw std::runtime_error("reading fails");
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<unsigned>(size);
    if (state_ == State::fresh && size > 0)
      begin(size > 1 && packed_[0] == '\x1f' && packed_[1] == '\x8b');
    return size > 0;
  }

  void begin(bool compressed) {
    const int with_gzip_header = 15 + 16;
    if (compressed && inflateInit2(&stream_, with_gzip_header) != Z_OK) throw std::bad_alloc();
    state_ = compressed ? State::member : State::plain;
  }

  /// After a member: starts another one, or skips one zero.
  bool next_member() {
    if (*stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
      return false;
    }
    if (*stream_.next_in != 0x1f) throw std::runtime_error("data after the compressed data");
    inflateReset(&stream_);
    state_ = State::member;
    return true;
  }

  /// Decompresses into `bytes_`; returns the number of bytes.
  std::size_t decompress() {
    stream_.next_out = reinterpret_cast<Bytef*>(bytes_.data());
    stream_.avail_out = static_cast<unsigned>(bytes_.size());
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    if (outcome == Z_STREAM_END)
      state_ = State::between;
    else if (outcome == Z_MEM_ERROR)
      throw std::bad_alloc();
    else if (outcome != Z_OK && outcome != Z_BUF_ERROR)
      throw std::runtime_error("damaged");
    return bytes_.size() - stream_.avail_out;
  }

  int_type take(char* begin, std::size_t size) {
    setg(begin, begin, begin + size);
    return traits_type::to_int_type(*begin);
  }

  std::unique_ptr<InputFile> file_;
  std::function<Stop()> check_;
  State state_ = State::fresh;
  z_stream stream_{};
  std::array<char, 1 << 16> packed_{}, bytes_{};
};

/// Throws on errors, like InputBuffer.
class OutputBuffer : public std::streambuf {
public:
  explicit OutputBuffer(gzFile file) : file_(file) {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  OutputBuffer(const OutputBuffer&) = delete;
  OutputBuffer& operator=(const OutputBuffer&) = delete;
  ~OutputBuffer() override { close(); }

  /// Whether all writes succeeded. Further calls do nothing.
  bool close() {
    if (!file_) return all_written_;
    const bool written = write_out();
    all_written_ = gzclose(file_) == Z_OK && written;
    file_ = nullptr;
    return all_written_;
  }

protected:
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
  bool all_written_ = false;
  std::array<char, 1 << 16> bytes_{};
};

class InputText : public std::istream {
public:
  InputText(std::unique_ptr<InputFile> file, std::function<Stop()> check)
      : std::istream(nullptr), buffer_(std::move(file), std::move(check)) {
    rdbuf(&buffer_);
  }

private:
  InputBuffer buffer_;
};

bool ends_in_gz(const std::string& path) {
  return path.size() >= 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
}

Diagnostic cannot_open(const std::string& path) {
  const int cause = errno;
  return error_in(path, fmt::format("cannot be opened: {}",
                                    cause != 0 ? std::strerror(cause) : "no memory left"));
}

} // namespace

Result<std::unique_ptr<std::istream>> open_text(const std::string& path,
                                                std::function<Stop()> check) {
  errno = 0;
  auto file = std::make_unique<InputFile>(path);
  if (!file->is_open()) return cannot_open(path);
  return std::unique_ptr<std::istream>(
      std::make_unique<InputText>(std::move(file), std::move(check)));
}

OutputFile::OutputFile(std::unique_ptr<std::streambuf> buffer)
    : std::ostream(nullptr), buffer_(std::move(buffer)) {
  rdbuf(buffer_.get());
}

OutputFile::~OutputFile() = default;

bool OutputFile::close() {
  auto& buffer = static_cast<OutputBuffer&>(*buffer_);
  if (!buffer.close()) setstate(std::ios::badbit);
  return good();
}

Result<std::unique_ptr<OutputFile>> create_text(int descriptor, const std::string& path) {
  // "T": without compression.
  errno = 0;
  const gzFile file = gzdopen(descriptor, ends_in_gz(path) ? "wb" : "wbT");
  if (!file) {
    close(descriptor);
    return cannot_open(path);
  }
  return std::make_unique<OutputFile>(std::make_unique<OutputBuffer>(file));
}

} // namespace memlane
