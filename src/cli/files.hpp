// Files in and out, and where the shipped ones are.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

/// The whole file (`-`: standard input), at most `most` bytes; of a larger one no more is read, and
/// the error has `help`. Errors name the file as `path`.
/// `limits.check` is asked on the way, else whether Ctrl-C was pressed: a pipe may have no end, or
/// no writer.
Result<std::string> read_file(const std::string& path, std::size_t most,
                              std::vector<std::string> help = {}, const Limits& limits = {});
/// An error if there is no such file, or if it is a directory.
Status is_there(const std::string& path);

/// The folder that holds `programs` and `configs`: MEMLANE_HOME if that is set, else
/// `../share/memlane` beside the program, else the source folder of this build.
std::string data_home();
/// An error: the folder has none of the `kind`, programs or machines. It names the variable.
Diagnostic nothing_shipped(std::string_view kind);
/// The path as short as it can be said from here.
std::string short_path(const std::string& path);
/// Names of the files of a folder with this ending, without it, sorted.
std::vector<std::string> names_in(const std::string& folder, std::string_view ending);

} // namespace memlane::cli
