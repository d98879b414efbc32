// Runs command lines as a user would, in a folder of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memlane::test {

struct Outcome {
  int status = 0; ///< 128 + signal if one ended it
  std::string out, err;
};

/// So many latencies of `sum` with n = 2^21 on two threads take some 30 s.
inline constexpr int kManyLatencies = 1000;

/// A folder that is removed at the end. It looks like the repository's root: it has `programs`,
/// `tests`, `configs` and `build/release/memlane`, which is the program under test. `memlane` alone
/// is found too. `$T` is the folder.
class Playground {
public:
  Playground();
  ~Playground();
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  Outcome run(const std::string& command_line) const;
  /// Runs a command and interrupts it (Ctrl-C) after one second. The command must need far more on
  /// any machine: see `kManyLatencies`.
  Outcome interrupt(const std::string& command) const;
  const std::string& folder() const { return folder_; }
  /// The text with the folder's name replaced by `$T`.
  std::string without_folder(std::string text) const;

private:
  std::string folder_;
};

/// A whole file; fails the test if there is none.
std::string slurp(const std::string& path);
void spit(const std::string& path, std::string_view content);
std::vector<std::string> lines_of(std::string_view text);
/// All that `memlane explain schema` prints, as `schemas/NAME.schema.json` in the folder.
void write_schemas(const Playground& playground);

} // namespace memlane::test
