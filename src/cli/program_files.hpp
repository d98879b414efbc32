// A program's files: the one that a command names, and those that it uses.
#pragma once

#include "memlane/lang/parse.hpp"
#include "memlane/support/result.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace memlane::cli {

/// The files of one program, each read once, even if it is reached by several paths.
class ProgramFiles {
public:
  explicit ProgramFiles(Sources& sources) : sources_(sources) {}

  /// The number of the program that a command names, by its path or by a shipped program's name.
  Result<std::int32_t> add_named(const std::string& name);
  /// The number of the program in `use name`: beside the file that uses it, else a shipped one.
  Result<std::int32_t> add_used(const lang::Name& used, const std::string& user);

private:
  Result<std::int32_t> add(const std::string& path);

  Sources& sources_;
  std::map<std::filesystem::path, std::int32_t> files_; ///< by canonical path
};

} // namespace memlane::cli
