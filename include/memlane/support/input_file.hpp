// Files that are read in parts. A pipe that no program writes, or one that is slow, does not hold
// the reader: a stop token ends the waiting.
#pragma once

#include "memlane/support/limits.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace memlane {

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

} // namespace memlane
