#include "compare_inputs.hpp"

#include "array_options.hpp"
#include "compare_arrays.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace memlane::cli {
namespace {

using ReadKey = std::tuple<std::string, ir::Scalar, std::vector<std::int64_t>>;
using Reads = std::map<ReadKey, std::shared_ptr<const std::vector<ir::Value>>>;

/// The array before the `=`, whether or not there is one.
std::string array_named(const std::string& text) { return text.substr(0, text.find('=')); }

/// The texts of --input that are for this program: all with a mistake, to be told about it.
Arguments own_inputs(const Arguments& arguments, const ir::Program& code) {
  Arguments own;
  for (const std::string& text : arguments.values("input"))
    if (!name_and_value("--input", "ARRAY=FILE", text) || memory_array_of(code, array_named(text)))
      own.options.emplace_back("input", text);
  return own;
}

Status read_cell(const Arguments& arguments, ComparisonWork& work, ComparisonCell& cell,
                 Reads& reads) {
  const auto files = array_files(own_inputs(arguments, *cell.code), *cell.code, "input");
  if (!files) return files.errors();
  for (const ArrayFile& file : *files) {
    auto& values = reads[{file.path, file.array->type, file.array->extents}];
    if (!values) {
      Result<std::vector<ir::Value>> read = read_array_file(work.sources, file.path, *file.array);
      if (!read) return read.errors();
      values = std::make_shared<const std::vector<ir::Value>>(std::move(*read));
    }
    cell.inputs[file.array->name] = values;
    cell.row.info.inputs.emplace_back(file.array->name, file.path);
  }
  return Done{};
}

/// An array of --input that no program has.
Status check_known(const Arguments& arguments, const ComparisonWork& work) {
  std::vector<std::string> known;
  for (const ComparisonCell& cell : work.cells) {
    if (!cell.code) continue;
    for (const ir::Array& array : cell.code->arrays)
      if (array.space == ir::Space::memory) known.push_back(array.name);
  }
  Diagnostics errors;
  for (const std::string& text : arguments.values("input")) {
    const std::string name = array_named(text);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (!name_and_value("--input", "ARRAY=FILE", text)) continue; // told with the first program
    errors.push_back(error_in("--input", fmt::format("no program has a memory array '{}'", name),
                              did_you_mean(name, known)));
  }
  if (!errors.empty()) return errors;
  return Done{};
}

} // namespace

Status read_inputs(const Arguments& arguments, ComparisonWork& work) {
  if (Status known = check_known(arguments, work); !known) return known;
  Reads reads;
  for (ComparisonCell& cell : work.cells) {
    if (!cell.code) continue;
    if (Status read = read_cell(arguments, work, cell, reads); !read) return read;
  }
  return Done{};
}

} // namespace memlane::cli
