#include "report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace memlane::cudart {

/// A text as JSON; control characters as escapes.
std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      quoted += c;
  }
  return quoted + '"';
}
std::string json_dim(const std::array<std::int64_t, 3>& d) {
  return fmt::format("[{},{},{}]", d[0], d[1], d[2]);
}

namespace {

std::int64_t said = 0;

} // namespace

void say(const std::string& text) {
  ++said;
  std::string lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += "memlane: " + text.substr(at, end - at) + '\n';
    at = end + 1;
  }
  std::fflush(stdout); // what the program has said before stands before it
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

std::int64_t messages_said() { return said; }

ReportFile::ReportFile(const char* variable) {
  if (const char* const set = std::getenv(variable)) path_ = set;
}

/// False: there is no report, or its file has gone. A program may have put something else there, at
/// which opening would wait.
bool ReportFile::open_file() {
  if (path_.empty()) return false;
  file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  device_ = status.st_dev;
  number_ = status.st_ino;
  return true;
}

/// A program may have closed the descriptor and opened a file of its own under its number.
bool ReportFile::is_ours() const {
  struct stat status {};
  return file_ >= 0 && fstat(file_, &status) == 0 && status.st_dev == device_ &&
         status.st_ino == number_;
}

/// One write a line, at the file's end: lines of several processes do not mix.
void ReportFile::write(const std::string& line) {
  if (over_ || (!is_ours() && !open_file())) {
    over_ = true;
    return;
  }
  const std::string whole = line + '\n';
  const ssize_t written = ::write(file_, whole.data(), whole.size());
  over_ = written != static_cast<ssize_t>(whole.size());
  if (over_)
    say(fmt::format("warning: later launches are not reported: {}",
                    written < 0 ? std::strerror(errno) : "there is no more space"));
}

} // namespace memlane::cudart
