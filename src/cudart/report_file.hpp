// What memlane's libraries in CUDA programs tell memlane: lines of JSON in a file.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>

namespace memlane::cudart {

/// The file that an environment variable names. A line is written at once, so that nothing is lost
/// when the program crashes.
class ReportFile {
public:
  explicit ReportFile(const char* variable);
  /// Does nothing if the variable was not set, or the file has gone.
  void write(const std::string& line);

private:
  bool open_file();
  bool is_ours() const;
  std::string path_;
  int file_ = -1; ///< -1: it is not open
  dev_t device_ = 0;
  ino_t number_ = 0;
  bool over_ = false; ///< nothing can be reported (any more)
};

/// A text as JSON; control characters as escapes.
std::string json_text(const std::string& text);
std::string json_dim(const std::array<std::int64_t, 3>& d);

/// Writes a message to standard error, each line with `memlane: ` in front.
void say(const std::string& text);
/// How many messages that were.
std::int64_t messages_said();

} // namespace memlane::cudart
