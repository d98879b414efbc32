// Files: those that are read in parts, and which ones this process reads and writes.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace memlane {

// Files that are read in parts. A pipe that no program writes, or one that is slow, does not hold
// the reader: a stop token ends the waiting.

/// An open file; closes it.
class InputFile {
public:
  /// `-` is standard input. Does not wait for the writer of a pipe. `is_open` is false where the
  /// file cannot be opened, and errno says why.
  explicit InputFile(const std::string& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  bool is_open() const { return file_ >= 0; }
  /// Reads at most `size` bytes; 0 at the end. Waits for bytes, and asks `check` meanwhile: if it
  /// says stop, -1 and `stop` is set. Also -1 where reading fails; errno says why.
  std::ptrdiff_t read(char* into, std::size_t size, const std::function<Stop()>& check);
  Stop stop() const { return stop_; }

private:
  int file_ = -1;
  bool owned_ = true;
  Stop stop_ = Stop::none;
};

// Which files this process has read, has open as stores, or will write: none of them may be written
// over by mistake. The only record of its kind, since no part of a command knows all its files.

/// Whether the names lead to one regular file, which need not exist yet. What is no regular file
/// (/dev/null) is as many files as there are users.
bool same_file(const std::string& a, const std::string& b);

/// Records that the process reads the file (`-`: standard input) or has it open as a store. An
/// error if the process is going to write over it. Any thread may call this and those below.
Status note_read(const std::string& path);

/// Records that the process will write the whole file. Errors: it reads that file, or has noted
/// already that it will write it.
Status note_written(const std::string& path);

/// The last check before a file of `note_written` takes its place: an error if the process has read
/// it since, or tried to.
Status check_written(const std::string& path);

/// The file is written, or will not be.
void forget_written(const std::string& path);

} // namespace memlane
