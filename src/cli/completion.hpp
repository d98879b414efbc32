// What can stand at the cursor of a command line: for the completion of shells.
#pragma once

#include <string>
#include <vector>

namespace memlane::cli {

/// One of the words that can stand there.
struct Candidate {
  std::string word;  ///< whole; `n=` goes on behind it
  std::string about; ///< a line; may be empty
};

struct Completions {
  std::vector<Candidate> words; ///< those that begin like what is typed
  bool files = false;           ///< paths of files can stand there too
  bool folders = false;         ///< paths of folders
  std::string prefix;           ///< what is typed before such a path: `a=`
};

/// What can stand in place of `current`, the word at the cursor, behind the earlier ones, which
/// begin with the command. Nothing where a free text stands. Cost: reads the program that the line
/// names, and where programs are asked for all shipped ones.
Completions complete(const std::vector<std::string>& earlier, const std::string& current);

} // namespace memlane::cli
