// The command that repeats a run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// What `memlane run` is told.
struct RunWords {
  std::string program;
  std::string machine;
  std::vector<std::string> overrides;                           ///< `key=value`
  std::vector<std::pair<std::string, std::string>> definitions; ///< parameter and value
  std::vector<std::pair<std::string, std::string>> replaced;    ///< option and text: `--layout`
  std::vector<std::pair<std::string, std::string>> inputs = {}; ///< array and file
  std::uint64_t seed = 1;
  bool timing_only = false;
  bool verify = true;
  bool allow_races = false;
  bool pram = false;
  std::vector<std::string> prices = {}; ///< texts of --price
  std::vector<std::string> tries = {};  ///< texts of --try
};

/// `memlane run sum -m umm-w32 --set width=4 -D n=16`, its words quoted for a shell.
std::string command_text(const RunWords& words);

} // namespace memlane::sweep
