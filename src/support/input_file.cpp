#include "memlane/support/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace memlane {
namespace {

/// Between two questions to the stop token, if nothing comes.
constexpr int wait_milliseconds = 50;

} // namespace

InputFile::InputFile(const std::string& path)
    : file_(path == "-" ? STDIN_FILENO
                        : open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)),
      owned_(path != "-") {}

InputFile::~InputFile() {
  if (owned_ && file_ >= 0) close(file_);
}

std::ptrdiff_t InputFile::read(char* into, std::size_t size, const std::function<Stop()>& check) {
  for (;;) {
    if (stop_ = check ? check() : Stop::none; stop_ != Stop::none) return -1;
    // A pipe that no program has opened to write has neither bytes nor an end.
    pollfd wanted{file_, POLLIN, 0};
    const int ready = poll(&wanted, 1, wait_milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return -1;
    const ssize_t got = ::read(file_, into, size);
    if (got >= 0 || (errno != EAGAIN && errno != EINTR)) return got;
  }
}

} // namespace memlane
