#include "array_options.hpp"

#include "files.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

namespace memlane::cli {

namespace {

Result<const ir::Array*> memory_array(const ir::Program& code, const std::string& option,
                                      const std::string& name) {
  std::vector<std::string> known;
  for (const ir::Array& array : code.arrays) {
    if (array.space == ir::Space::memory) known.push_back(array.name);
    if (array.name != name) continue;
    if (array.space == ir::Space::memory) return &array;
    return error_in(option, fmt::format("{} is a shared array; only memory arrays are read from "
                                        "and written to files",
                                        name));
  }
  std::vector<std::string> help = did_you_mean(name, known);
  help.push_back(known.empty() ? "the program has no memory arrays"
                               : fmt::format("memory arrays: {}", fmt::join(known, ", ")));
  return error_in(option, fmt::format("the program has no array '{}'", name), help);
}

} // namespace

Result<std::vector<ArrayFile>> array_files(const std::string& option,
                                           const std::vector<NameAndValue>& given,
                                           const ir::Program& code) {
  std::vector<ArrayFile> files;
  for (const auto& [name, path] : given) {
    const Result<const ir::Array*> array = memory_array(code, option, name);
    if (!array) return array.errors();
    for (const ArrayFile& earlier : files) {
      if (earlier.array == *array)
        return error_in(option, fmt::format("array {} is given twice", name));
    }
    files.push_back({*array, path});
  }
  return files;
}

Result<FileContent> read_array_file(Sources& sources, const std::string& path,
                                    const ir::Array& array, const Limits& limits) {
  const Result<arrays::FileSizeLimit> size = arrays::file_size_limit(path, array, limits);
  if (!size) return size.errors();
  Result<std::string> content = read_file(path, size->max_bytes, {size->help}, limits);
  if (!content) return content.errors();
  FileContent read;
  Watch watch(limits);
  read.sha256 = sha256(*content, &watch);
  if (watch.stopped()) return stopped_while(watch.stop(), fmt::format("reading '{}'", path));
  Result<std::vector<ir::Value>> values =
      arrays::read_array(sources, path, std::move(*content), array);
  if (!values) return values.errors();
  read.values = std::move(*values);
  return read;
}

} // namespace memlane::cli
