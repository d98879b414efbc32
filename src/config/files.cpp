// The only file of this room that reads the file system.
#include "memlane/config/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace memlane {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_bytes = std::size_t{1} << 20; ///< of a machine file

Result<std::string> read_machine_file(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    return error_in("", fmt::format("cannot read '{}': {}", path, why));
  };
  std::error_code code;
  if (fs::is_directory(path, code)) return fail("it is a directory");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(std::strerror(errno != 0 ? errno : ENOENT));
  std::string text(max_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return fail("reading it failed");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > max_bytes) return fail("it is larger than 1 MiB, the limit for machine files");
  return text;
}

} // namespace

MachineFiles machine_files_on_disk(std::string directory) {
  MachineFiles files;
  files.read = read_machine_file;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ".json") {
      files.shipped.push_back(entry->path().stem().generic_string());
    }
  }
  std::sort(files.shipped.begin(), files.shipped.end());
  files.directory = std::move(directory);
  return files;
}

} // namespace memlane
