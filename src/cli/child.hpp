// A program that memlane starts and waits for, as if the shell had started it; a folder for what it
// needs.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::cli {

/// A new folder for temporary files, with the use in its name. It is removed with all its files.
class TemporaryFolder {
public:
  explicit TemporaryFolder(const std::string& use);
  ~TemporaryFolder() { remove(); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; } ///< empty: none could be made
  void remove();

private:
  std::string path_;
};

/// The first folder of PATH that has the program; empty: none.
std::string found_in_path(const std::string& name);

/// How it ended.
struct ChildEnd {
  int start_error = 0; ///< errno; 0: it was started
  int status = 0;      ///< its exit status
  int signal = 0;      ///< that ended it; 0: none
};

/// Runs `words[0]`, a path or a program on the path, with memlane's own standard input, output and
/// error, and with these variables in the environment beside memlane's. While it runs, signals to
/// memlane are passed on to it; those of the terminal reach it anyway.
ChildEnd run_child(const std::vector<std::string>& words,
                   const std::vector<std::pair<std::string, std::string>>& variables = {});

/// The same without standard input, in a process group of its own; what it writes goes to a file.
/// `ends` is asked often while it runs: once it is true, the group is ended. Any thread may call
/// it.
ChildEnd run_quiet_child(const std::vector<std::string>& words, const std::string& output,
                         const std::function<bool()>& ends,
                         const std::vector<std::pair<std::string, std::string>>& variables = {});

/// Ends memlane as the signal ends programs, without a core file: the shell sees what it would have
/// seen of the child.
[[noreturn]] void end_as_child_did(int signal);

} // namespace memlane::cli
