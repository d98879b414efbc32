#include "pending_file.hpp"

#include "memlane/support/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <utility>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

Diagnostic cannot_write(const std::string& path, const std::string& why,
                        std::vector<std::string> help = {}) {
  return error_in("", fmt::format("cannot write '{}': {}", path, why), std::move(help));
}

Diagnostic cannot_write(const std::string& path) {
  return cannot_write(path, std::strerror(errno));
}

/// False if it was stopped, or with errno set if not all of it can be written.
bool write_all(int file, std::string_view content, Watch& watch) {
  constexpr std::size_t part = std::size_t{1} << 22; // between two questions to the watch
  while (!content.empty()) {
    if (!watch.ask()) return false;
    const ssize_t written = ::write(file, content.data(), std::min(content.size(), part));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The program's own output is no file to be replaced, wherever the shell has directed it.
bool is_standard_output(const std::string& path) { return path == "/dev/stdout"; }

/// An error if no file can be created in the folder of the path.
Status check_folder(const std::string& path) {
  std::error_code code;
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::exists(folder, code)) {
    return cannot_write(path, fmt::format("the directory '{}' does not exist", folder.string()));
  }
  if (!fs::is_directory(folder, code)) {
    return cannot_write(path, fmt::format("'{}' is not a directory", folder.string()));
  }
  return Done{};
}

} // namespace

Result<PendingFile> PendingFile::open(std::string path) {
  if (path == "-") {
    return cannot_write(path, "it is no file",
                        {"write ./- for a file of that name, /dev/stdout for standard output"});
  }
  PendingFile file;
  file.path_ = std::move(path);
  if (is_standard_output(file.path_)) return file;
  std::error_code code;
  const fs::path real = fs::weakly_canonical(file.path_, code);
  file.place_ = code ? file.path_ : real.string();
  const fs::file_status status = fs::status(file.path_, code);
  if (fs::is_directory(status)) return cannot_write(file.path_, "it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) return file;
  if (Status folder = check_folder(file.path_); !folder) return folder.errors();
  if (fs::exists(status) && access(file.place_.c_str(), W_OK) != 0) {
    return cannot_write(file.path_);
  }
  if (Status apart = note_written(file.path_); !apart) return apart.errors();
  file.is_noted_ = true;
  if (Status created = file.create_temporary(); !created) return created.errors();
  return file;
}

// The name may be guessed by others who may write to the folder: the file is made by this call or
// not at all, and a link of that name is not followed.
Status PendingFile::create_temporary() {
  const int most_tries = 100;
  for (int attempt = 0; attempt < most_tries && file_ < 0; ++attempt) {
    temporary_ = fmt::format("{}.{}-{}.part", place_, getpid(), attempt);
    remember_temporary(temporary_);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ >= 0) break;
    forget_temporary(std::exchange(temporary_, std::string()));
    if (errno != EEXIST) break;
  }
  if (file_ < 0) return cannot_write(path_);
  struct stat old {};
  if (stat(place_.c_str(), &old) == 0 && fchmod(file_, old.st_mode & 0777U) != 0) {
    return cannot_write(path_);
  }
  return Done{};
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)), place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      file_(std::exchange(other.file_, -1)), is_noted_(std::exchange(other.is_noted_, false)) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
  path_.swap(other.path_);
  place_.swap(other.place_);
  temporary_.swap(other.temporary_);
  std::swap(file_, other.file_);
  std::swap(is_noted_, other.is_noted_);
  return *this;
}

PendingFile::~PendingFile() {
  if (file_ >= 0) close(file_);
  if (is_noted_) forget_written(place_);
  if (temporary_.empty()) return;
  std::remove(temporary_.c_str());
  forget_temporary(temporary_);
}

Status PendingFile::write(std::string_view content, const Limits& limits) {
  if (Status written = write_out(content, limits); !written) return written;
  return keep();
}

Result<std::string> PendingFile::write_partial(std::string_view content) {
  if (Status written = write_out(content, {}); !written) return written.errors();
  return keep_partial();
}

Status PendingFile::write_out(std::string_view content, const Limits& limits) {
  const Result<int> file = descriptor();
  if (!file) return file.errors();
  Watch watch(limits);
  const bool written = write_all(*file, content, watch);
  const int problem = errno;
  if (close(*file) != 0 && written) return cannot_write(path_);
  if (watch.stopped()) return stopped_while(watch.stop(), fmt::format("writing '{}'", path_));
  if (!written) return cannot_write(path_, std::strerror(problem));
  return Done{};
}

Result<int> PendingFile::descriptor() {
  const bool is_open = file_ >= 0 || is_standard_output(path_);
  const int file = is_open ? fcntl(file_ >= 0 ? file_ : STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                           : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return cannot_write(path_);
  return file;
}

Status PendingFile::keep() { return rename_to(place_); }

Result<std::string> PendingFile::keep_partial() {
  if (temporary_.empty()) return path_;
  const std::string suffix = ".partial";
  if (Status renamed = rename_to(place_ + suffix); !renamed) return renamed.errors();
  return path_ + suffix;
}

Status PendingFile::rename_to(const std::string& place) {
  if (temporary_.empty()) return Done{};
  if (Status apart = check_written(path_); !apart) return apart;
  // Closing may be the first to find that the disk is full.
  if (close(std::exchange(file_, -1)) != 0) return cannot_write(path_);
  if (std::rename(temporary_.c_str(), place.c_str()) != 0) return cannot_write(path_);
  forget_temporary(temporary_);
  temporary_.clear();
  if (std::exchange(is_noted_, false)) forget_written(place_);
  return Done{};
}

// --- Temporary files and signals.

namespace {

/// A place in the list that the signal handler reads. Entries are used again and never freed, so
/// that the handler may walk the list at any moment.
struct Entry {
  std::string path;
  std::atomic<bool> active = false;
  Entry* next = nullptr;
};

// Signal handlers take no arguments of ours, so this is global.
std::atomic<Entry*> entries = nullptr;
static_assert(std::atomic<Entry*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

Entry& unused_entry() {
  for (Entry* entry = entries; entry; entry = entry->next)
    if (!entry->active) return *entry;
  auto* fresh = new Entry;
  fresh->next = entries;
  entries = fresh;
  return *fresh;
}

void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction before {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

extern "C" void end_program(int signal) { end_by_signal(signal); }
extern "C" void do_nothing(int) {} // unlike SIG_IGN, not inherited by programs that this one starts

} // namespace

void remember_temporary(const std::string& path) {
  Entry& entry = unused_entry();
  entry.path = path;
  entry.active = true;
}

void forget_temporary(const std::string& path) {
  for (Entry* entry = entries; entry; entry = entry->next)
    if (entry->active && entry->path == path) entry->active = false;
}

void remove_temporaries_on_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
    handle_unless_ignored(signal, end_program);
  for (const int signal : {SIGPIPE, SIGXFSZ}) handle_unless_ignored(signal, do_nothing);
}

void end_by_signal(int signal) {
  for (const Entry* entry = entries; entry; entry = entry->next)
    if (entry->active) unlink(entry->path.c_str());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace memlane::cli
