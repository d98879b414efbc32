#include "input_files.hpp"

#include "array_options.hpp"
#include "files.hpp"
#include "input_programs.hpp"

#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

constexpr std::size_t most_input_bytes = std::size_t{16} << 30;

} // namespace

Result<InputFiles::Content> InputFiles::read(const std::string& path, const ir::Array& array,
                                             const Limits& limits) {
  Content& known = known_[{path, array.type, array.extents}];
  if (known.values) return known;
  Result<FileContent> file = read_array_file(*sources_, path, array, limits);
  if (!file) return file.errors();
  known = {std::make_shared<const std::vector<ir::Value>>(std::move(file->values)),
           std::move(file->sha256)};
  return known;
}

Result<InputFiles::Content> InputFiles::content(const std::string& source, const ir::Array& array,
                                                const ir::Program& code,
                                                const sweep::Point& point) {
  if (!is_input_program(source)) return read(source, array, point.options.limits);
  Result<std::vector<ir::Value>> made = made_input(source, array, code, point, *sources_);
  if (!made) return made.errors();
  const Result<std::string> hash = input_program_hash(source);
  if (!hash) return hash.errors();
  return Content{std::make_shared<const std::vector<ir::Value>>(std::move(*made)), *hash};
}

Status InputFiles::add(const ir::Program& code, sweep::Point& point) {
  const std::lock_guard lock(mutex_);
  const auto arrays = array_files("--input", point.input_sources, code);
  if (!arrays) return arrays.errors();
  const bool is_planned = !point.input_hashes.empty();
  ErrorCollector errors;
  for (const ArrayFile& input : *arrays) {
    const Result<Content> got = content(input.path, *input.array, code, point);
    if (!errors.check(got)) continue;
    point.options.inputs[input.array->name] = got->values;
    if (!is_planned) point.input_hashes.emplace_back(input.array->name, got->hash);
  }
  return errors.status();
}

Result<std::string> input_hash(const std::string& source, const Limits& limits) {
  if (is_input_program(source)) return input_program_hash(source);
  const Result<std::string> content = read_file(source, most_input_bytes, {}, limits);
  if (!content) return content.errors();
  Watch watch(limits);
  std::string hash = sha256(*content, &watch);
  if (watch.stopped()) return stopped_while(watch.stop(), fmt::format("reading '{}'", source));
  return hash;
}

} // namespace memlane::cli
