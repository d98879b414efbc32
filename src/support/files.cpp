#include "memlane/support/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>

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

namespace {

namespace fs = std::filesystem;

/// Paths without links.
struct FilesInUse {
  std::mutex mutex;
  std::set<std::string> read, written;
};

FilesInUse& files_in_use() {
  static FilesInUse files;
  return files;
}

/// Where the file is; empty: it is no regular file, nor will it be one.
std::string place_of(const std::string& path) {
  std::error_code code;
  const std::string name = path == "-" ? "/dev/stdin" : path;
  const fs::file_status status = fs::status(name, code);
  if (fs::exists(status) && !fs::is_regular_file(status)) return "";
  const fs::path place = fs::weakly_canonical(fs::absolute(name, code), code);
  return code ? "" : place.string();
}

Diagnostic written_over(const std::string& path) {
  return error_in("", fmt::format("'{}' is read by this command, and would be written over", path),
                  {"write to a file of another name"});
}

} // namespace

bool same_file(const std::string& a, const std::string& b) {
  const std::string place = place_of(a);
  return !place.empty() && place == place_of(b);
}

Status note_read(const std::string& path) {
  const std::string place = place_of(path);
  if (place.empty()) return Done{};
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  files.read.insert(place); // even if a command goes on after the error, its output must not
  if (files.written.contains(place)) return written_over(path);
  return Done{};
}

Status note_written(const std::string& path) {
  const std::string place = place_of(path);
  if (place.empty()) return Done{};
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  if (files.read.contains(place)) return written_over(path);
  if (!files.written.insert(place).second)
    return error_in("", fmt::format("'{}' would be written twice", path),
                    {"give each output a file of its own"});
  return Done{};
}

Status check_written(const std::string& path) {
  const std::string place = place_of(path);
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  if (files.read.contains(place)) return written_over(path);
  return Done{};
}

void forget_written(const std::string& path) {
  const std::string place = place_of(path);
  FilesInUse& files = files_in_use();
  const std::lock_guard lock(files.mutex);
  files.written.erase(place);
}

} // namespace memlane
