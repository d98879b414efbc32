#include "ptx_array_files.hpp"

#include "files.hpp"
#include "pending_file.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/support/files.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace memlane::cli {
namespace {

/// The least and the largest integer of a type, as far as files have them: up to 2^63 - 1.
std::pair<std::int64_t, std::int64_t> range_of(const ElementType& type) {
  const int unused = 64 - 8 * type.bytes;
  if (type.kind == 'i') return {INT64_MIN >> unused, INT64_MAX >> unused};
  return {0, unused == 0 ? INT64_MAX : (std::int64_t{1} << (8 * type.bytes)) - 1};
}

/// The array as the room `arrays` knows it.
ir::Array described(const DeviceArray& array) {
  ir::Array described;
  described.name = array.text.name;
  described.type = array.text.type->in_files;
  described.extents = {array.text.count};
  return described;
}

} // namespace

Status fill_from_file(Sources& sources, const DeviceArray& array, const Limits& limits) {
  const ElementType& type = *array.text.type;
  const std::string& path = array.text.fill.path;
  if (Status noted = note_read(path); !noted) return noted.errors();
  const std::int64_t bytes = array.bytes();
  if (path.ends_with(".bin")) {
    const Result<std::string> content =
        read_file(path, static_cast<std::size_t>(bytes), {}, limits);
    if (!content) return content.errors();
    if (static_cast<std::int64_t>(content->size()) != bytes)
      return error_at(array.text.span,
                      fmt::format("'{}' has {} bytes, {} elements of type {} have {}", path,
                                  content->size(), array.text.count, type.name, bytes));
    std::memcpy(array.memory(), content->data(), content->size());
    return Done{};
  }
  const ir::Array described = cli::described(array);
  const Result<arrays::FileSizeLimit> most = arrays::file_size_limit(path, described, limits);
  if (!most) return most.errors();
  Result<std::string> content = read_file(path, most->max_bytes, {most->help}, limits);
  if (!content) return content.errors();
  const Result<std::vector<ir::Value>> values =
      arrays::read_array(sources, path, std::move(*content), described);
  if (!values) return values.errors();
  const auto [least, most_value] = range_of(type);
  for (std::int64_t k = 0; k < array.text.count; ++k) {
    const ir::Value value = (*values)[static_cast<std::size_t>(k)];
    if (ir::is_integer(type.in_files) && (value.integer() < least || value.integer() > most_value))
      return error_at(array.text.span,
                      fmt::format("'{}' has {} as element {}, the type {} has {} to {}", path,
                                  value.integer(), k, type.name, least, most_value));
    array.put(k, {value.integer(), value.real()});
  }
  return Done{};
}

Result<std::string> array_file(const std::string& path, const DeviceArray& array,
                               const Limits& limits) {
  const ElementType& type = *array.text.type;
  if (path.ends_with(".bin"))
    return std::string(reinterpret_cast<const char*>(array.memory()),
                       static_cast<std::size_t>(array.bytes()));
  const ir::Array described = cli::described(array);
  if (Status fits = arrays::fits_file(path, described); !fits) return fits.errors();
  std::vector<ir::Value> values;
  values.reserve(static_cast<std::size_t>(array.text.count));
  for (std::int64_t k = 0; k < array.text.count; ++k) {
    const ArrayElement element = array.get(k);
    if (type.kind == 'u' && element.integer < 0)
      return error_in("--output",
                      fmt::format("element {} of {} is {}; '{}' can have integers up to {}", k,
                                  array.text.name, text_of_element(type, element), path, INT64_MAX),
                      {"a file whose name ends in .bin has raw bytes"});
    values.push_back(type.kind == 'f'      ? ir::Value::of(element.real)
                     : type.name == "bool" ? ir::Value::of(element.integer != 0)
                                           : ir::Value::of(element.integer));
  }
  const Result<arrays::ArrayContent> content =
      arrays::array_content(path, described, values, limits);
  if (!content) return content.errors();
  return content->bytes;
}

} // namespace memlane::cli
