#include "files.hpp"

#include "interrupt.hpp"

#include "memlane/support/files.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

Diagnostic failure(std::string_view doing, const std::string& path, const std::string& why,
                   std::vector<std::string> help = {}) {
  return error_in("", fmt::format("cannot {} '{}': {}", doing, path, why), std::move(help));
}

/// The files beside the one that is not there.
std::vector<std::string> neighbours(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code code;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) continue;
    names.push_back(path.has_parent_path() ? (folder / entry->path().filename()).string()
                                           : entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

Status is_there(const std::string& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return failure("read", path, "it is a directory");
  if (fs::exists(path, code) || code) return Done{}; // opening it says the rest
  return failure("read", path, std::strerror(ENOENT), did_you_mean(path, neighbours(path)));
}

Result<std::string> read_file(const std::string& path, std::size_t most,
                              std::vector<std::string> help, const Limits& limits) {
  if (const Status there = path == "-" ? Done{} : is_there(path); !there) return there.errors();
  if (Status apart = note_read(path); !apart) return apart.errors();
  // Ctrl-C ends the waiting for a pipe in any case.
  const std::function<Stop()> check = limits.check ? limits.check : stop_check(0);
  InputFile file(path);
  if (!file.is_open()) return failure("read", path, std::strerror(errno));
  std::string text;
  std::ptrdiff_t got = 0;
  constexpr std::size_t part = std::size_t{1} << 16;
  // A long text is not copied while it grows: nothing asks for a stop in a copy. A pipe has no
  // size.
  std::error_code no_size;
  if (const auto size = fs::file_size(path, no_size); !no_size)
    text.reserve(std::min<std::size_t>(size, most) + part);
  do {
    const std::size_t before = text.size();
    // By halves more, not double: what is never filled would count against the memory, too.
    if (text.capacity() < before + part)
      text.reserve(std::min(before + before / 2 + part, most + 2 * part));
    text.resize(before + part);
    got = file.read(text.data() + before, part, check);
    if (file.stop() != Stop::none)
      return stopped_while(file.stop(), fmt::format("reading '{}'", path));
    if (got < 0) return failure("read", path, std::strerror(errno));
    text.resize(before + static_cast<std::size_t>(got));
  } while (got > 0 && text.size() <= most);
  if (text.size() > most) {
    const std::size_t mib = std::size_t{1} << 20;
    const std::string largest =
        most < mib ? fmt::format("{} KiB", most >> 10) : fmt::format("{} MiB", most / mib);
    return failure("read", path, "it is larger than " + largest, std::move(help));
  }
  return text;
}

namespace {

bool has_data(const fs::path& folder) {
  std::error_code code;
  return fs::is_directory(folder / "programs", code) &&
         fs::is_directory(folder / "configs" / "machines", code);
}

/// The source tree whose build folder the program lies in; empty if there is none.
fs::path source_tree_around(const fs::path& program) {
  std::error_code code;
  for (fs::path at = program.parent_path(); at != at.root_path(); at = at.parent_path())
    if (has_data(at) && fs::exists(at / "CMakeLists.txt", code)) return at;
  return {};
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

} // namespace

// A copied or moved memlane must not use the files of the place it was built in: they may have
// changed since.
std::string data_home() {
  if (const char* home = std::getenv("MEMLANE_HOME"); home && *home != '\0') return home;
  std::error_code code;
  const fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (code) return MEMLANE_SOURCE_HOME;
  const fs::path installed = (self.parent_path() / MEMLANE_DATA_FROM_PROGRAM).lexically_normal();
  if (has_data(installed)) return installed.string();
  if (const fs::path tree = source_tree_around(self); !tree.empty()) return tree.string();
  // A build folder may lie outside the source tree.
  const fs::path build = fs::weakly_canonical(MEMLANE_BUILD_FOLDER, code);
  return !code && lies_in(self, build) ? MEMLANE_SOURCE_HOME : installed.string();
}

Diagnostic nothing_shipped(std::string_view kind) {
  const char* home = std::getenv("MEMLANE_HOME");
  const bool set = home && *home != '\0';
  return error_in(
      set ? "MEMLANE_HOME" : "", fmt::format("there are no shipped {} in '{}'", kind, data_home()),
      {set ? "MEMLANE_HOME names the folder that holds programs and configs; without "
             "it memlane uses its own"
           : "MEMLANE_HOME names a folder that holds programs and configs; an installed "
             "memlane has them in share/memlane beside bin"});
}

std::string short_path(const std::string& path) {
  std::error_code code;
  const fs::path here = fs::current_path(code);
  if (code) return path;
  const fs::path normal = fs::path(path).lexically_normal();
  const fs::path relative = normal.lexically_relative(here);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return (inside ? relative : normal).string();
}

std::vector<std::string> names_in(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code unknown;
    if (entry->path().extension() == ending && !entry->is_directory(unknown))
      names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace memlane::cli
