// Commands of sweeps: `memlane cuda` or `memlane ptx` with words in which `{n}` is the value of n.
#pragma once

#include "memlane/support/result.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// A command whose words are known to be those of `cuda` or `ptx`.
struct KernelCommand {
  std::vector<std::string> words; ///< `cuda`, its options, the executable, its arguments
  std::size_t file = 1;           ///< which word is the executable or the PTX file
  std::string path;               ///< where this process reads it
  std::string sha256;             ///< of its content

  const std::string& name() const { return words.front(); }
};

/// Words as a shell separates them: quotes keep blanks. An error: an open quote.
Result<std::vector<std::string>> shell_words(std::string_view text);
/// Those of a command. Errors: an open quote; neither `cuda` nor `ptx` is the first word.
Result<std::vector<std::string>> words_of_command(std::string_view text);

/// The names in braces: `n` of `({n}/32,{n}/32)`. Braces around anything else stay as they are.
std::set<std::string> names_in_words(const std::vector<std::string>& words);

/// The words with the values of the names in them.
std::vector<std::string>
words_with_values(std::vector<std::string> words,
                  const std::vector<std::pair<std::string, std::string>>& values);

/// What tables call commands: the file's name, with the words in which they differ if several have
/// one file, of a launch its kernel: `transpose.ptx naive`.
std::vector<std::string> names_of_commands(const std::vector<KernelCommand>& commands);

} // namespace memlane::sweep
