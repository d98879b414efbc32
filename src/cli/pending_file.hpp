// Files that appear whole or not at all, and are not left behind by a signal.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <string_view>

namespace memlane::cli {

/// A file that is written under another name beside its place, then renamed: the file that was
/// there stays until the new one is whole, which gets its permissions. A pipe or a device, such as
/// /dev/stdout, is written directly. An unfinished file is removed, also by a signal.
class PendingFile {
public:
  /// Says at once what would fail later: a directory that does not exist or may not be written, a
  /// file that this process reads, has open as a store or writes elsewhere.
  static Result<PendingFile> open(std::string path);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&& other) noexcept; ///< the other has this one's file then
  ~PendingFile();

  const std::string& path() const { return path_; }
  /// Writes the content and puts the file in its place. `limits.check` may stop the writing.
  Status write(std::string_view content, const Limits& limits = {});
  /// Writes the content beside its place: FILE.partial, whose path it returns (keep_partial).
  Result<std::string> write_partial(std::string_view content);
  /// A descriptor to write to until `keep`; the caller closes it.
  Result<int> descriptor();
  /// Puts what was written in its place.
  Status keep();
  /// Puts what was written beside its place: FILE.partial, whose path it returns. Nothing to rename
  /// where it was written directly: then the path itself.
  Result<std::string> keep_partial();

private:
  PendingFile() = default;
  Status write_out(std::string_view content, const Limits& limits);
  Status create_temporary();
  Status rename_to(const std::string& place);

  std::string path_;
  std::string place_;     ///< path_, its links followed
  std::string temporary_; ///< empty: written directly, or done
  int file_ = -1;         ///< of the temporary file
  bool is_noted_ = false; ///< as a file that will be written
};

/// Until `forget_temporary`, a signal that ends the program removes the file first. Not for several
/// threads at once.
void remember_temporary(const std::string& path);
void forget_temporary(const std::string& path);

/// From now on SIGHUP, SIGINT, SIGQUIT and SIGTERM remove the temporary files before they end the
/// program, and writing to a closed pipe (SIGPIPE) or beyond the limit of a file's size (SIGXFSZ)
/// fails instead of ending it. Signals that the program was started with as ignored stay so.
void remove_temporaries_on_signals();

/// Removes the temporary files and lets the signal end the program, as if it had no handler. May be
/// called in a signal handler.
void end_by_signal(int signal);

} // namespace memlane::cli
