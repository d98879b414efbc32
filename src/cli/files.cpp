#include "files.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Diagnostic failure(std::string_view doing, const std::string& path, const std::string& why,
                   std::vector<std::string> help = {}) {
  return error_in("", fmt::format("cannot {} '{}': {}", doing, path, why), std::move(help));
}

/// The files beside the one that is not there.
std::vector<std::string> neighbours(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code code;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    names.push_back(path.has_parent_path() ? (folder / entry->path().filename()).string()
                                           : entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status write_to(const std::string& working, const std::string& shown, std::string_view content) {
  errno = 0;
  File file(std::fopen(working.c_str(), "wb"));
  if (!file) return failure("write", shown, std::strerror(errno));
  const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  const bool flushed = std::fflush(file.get()) == 0;
  const int problem = errno;
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !flushed) return failure("write", shown, std::strerror(problem));
  if (!closed) return failure("write", shown, std::strerror(errno));
  return Done{};
}

} // namespace

Status is_there(const std::string& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return failure("read", path, "it is a directory");
  if (fs::exists(path, code) || code) return Done{}; // opening it says the rest
  return failure("read", path, std::strerror(ENOENT), did_you_mean(path, neighbours(path)));
}

Result<std::string> read_file(const std::string& path, std::size_t most,
                              std::vector<std::string> help) {
  const bool standard = path == "-";
  if (const Status there = standard ? Done{} : is_there(path); !there) return there.errors();
  errno = 0;
  File owned(standard ? nullptr : std::fopen(path.c_str(), "rb"));
  if (!standard && !owned) return failure("read", path, std::strerror(errno));
  std::FILE* file = standard ? stdin : owned.get();
  std::string text;
  std::size_t got = 0;
  do {
    const std::size_t before = text.size();
    text.resize(before + (std::size_t{1} << 16));
    got = std::fread(text.data() + before, 1, text.size() - before, file);
    text.resize(before + got);
  } while (got > 0 && text.size() <= most);
  if (std::ferror(file) != 0) return failure("read", path, std::strerror(errno));
  if (text.size() > most) {
    return failure("read", path, fmt::format("it is larger than {} MiB", most >> 20),
                   std::move(help));
  }
  return text;
}

namespace {

/// Do the names lead to one file? What is no regular file (/dev/null) takes any number of writers.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code code;
  const fs::file_status status = fs::status(a, code);
  if (fs::exists(status) && !fs::is_regular_file(status)) return false;
  const fs::path place = fs::weakly_canonical(a, code);
  return !code && place == fs::weakly_canonical(b, code) && !code;
}

} // namespace

Status check_apart(const std::vector<FileInUse>& written, const std::vector<FileInUse>& read) {
  Diagnostics errors;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& [path, use] = written[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_file(path, written[j].path)) continue;
      errors.push_back(error_in(
          "",
          fmt::format("'{}' would be written twice, by {} and by {}", path, written[j].use, use),
          {"give each a file of its own"}));
    }
    for (const FileInUse& other : read) {
      if (!same_file(path, other.path)) continue;
      errors.push_back(
          error_in("", fmt::format("{} would write over '{}', which is {}", use, path, other.use),
                   {"give it a file of its own"}));
      break;
    }
  }
  if (!errors.empty()) return errors;
  return Done{};
}

Result<PendingFile> PendingFile::open(std::string path) {
  if (path == "-") {
    return failure("write", path, "it is no file",
                   {"write ./- for a file of that name, /dev/stdout for standard output"});
  }
  PendingFile file;
  file.path_ = std::move(path);
  std::error_code code;
  const fs::path real = fs::weakly_canonical(file.path_, code);
  const fs::path place = code ? fs::path(file.path_) : real;
  file.place_ = place.string();
  const fs::file_status status = fs::status(file.path_, code);
  if (fs::is_directory(status)) return failure("write", file.path_, "it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) return file;

  fs::path folder = fs::path(file.path_).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::exists(folder, code)) {
    return failure("write", file.path_,
                   fmt::format("the directory '{}' does not exist", folder.string()));
  }
  if (!fs::is_directory(folder, code)) {
    return failure("write", file.path_, fmt::format("'{}' is not a directory", folder.string()));
  }
  if (fs::exists(status) && access(file.place_.c_str(), W_OK) != 0) {
    return failure("write", file.path_, std::strerror(errno));
  }
  // The ending stays: it says how a trace is compressed.
  file.temporary_ =
      fmt::format("{}.{}.part{}", file.place_, getpid(), fs::path(file.path_).extension().string());
  if (Status made = write_to(file.temporary_, file.path_, ""); !made) {
    file.temporary_.clear();
    return made.errors();
  }
  return file;
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)), place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, std::string())) {}

PendingFile::~PendingFile() {
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

Status PendingFile::write(std::string_view content) {
  if (Status written = write_to(working_path(), path_, content); !written) return written;
  return keep();
}

Status PendingFile::keep() {
  if (temporary_.empty()) return Done{};
  if (std::rename(temporary_.c_str(), place_.c_str()) != 0) {
    return failure("write", path_, std::strerror(errno));
  }
  temporary_.clear();
  return Done{};
}

std::string data_home() {
  if (const char* home = std::getenv("MEMLANE_HOME"); home && *home != '\0') return home;
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (!code) {
    const fs::path installed = self.parent_path().parent_path() / "share" / "memlane";
    if (fs::is_directory(installed / "programs", code)) return installed.string();
  }
  return MEMLANE_SOURCE_HOME;
}

Diagnostic nothing_shipped(std::string_view kind) {
  const char* home = std::getenv("MEMLANE_HOME");
  const bool set = home && *home != '\0';
  return error_in(set ? "MEMLANE_HOME" : "",
                  fmt::format("there are no shipped {} in '{}'", kind, data_home()),
                  {set ? "MEMLANE_HOME names the folder that holds programs and configs; without "
                         "it memlane uses its own"
                       : "MEMLANE_HOME may name a folder that holds programs and configs"});
}

std::string short_path(const std::string& path) {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  if (code) return path;
  const fs::path normal = fs::path(path).lexically_normal();
  const fs::path relative = normal.lexically_relative(here);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return (inside ? relative : normal).string();
}

std::vector<std::string> names_in(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ending) names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace memlane::cli
