#include "ptx_arrays.hpp"

#include "files.hpp"
#include "pending_file.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/support/files.hpp"
#include "memlane/support/random.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace memlane::cli {
namespace {

/// An element as a number that no conversion loses: integers of up to 64 bits, and reals.
struct Element {
  std::int64_t integer = 0;
  double real = 0;
};

void put(const ElementType& type, unsigned char* at, Element value) {
  if (type.kind == 'f' && type.bytes == 4) {
    const auto real = static_cast<float>(value.real);
    std::memcpy(at, &real, sizeof real);
  } else if (type.kind == 'f') {
    std::memcpy(at, &value.real, sizeof value.real);
  } else {
    std::memcpy(at, &value.integer, static_cast<std::size_t>(type.bytes)); // little-endian
  }
}

Element get(const ElementType& type, const unsigned char* at) {
  Element value;
  if (type.kind == 'f' && type.bytes == 4) {
    float real = 0;
    std::memcpy(&real, at, sizeof real);
    value.real = real;
  } else if (type.kind == 'f') {
    std::memcpy(&value.real, at, sizeof value.real);
  } else {
    std::memcpy(&value.integer, at, static_cast<std::size_t>(type.bytes));
    const int unused = 64 - 8 * type.bytes;
    if (type.kind == 'i')
      value.integer =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(value.integer) << unused) >> unused;
  }
  return value;
}

std::string text_of_element(const ElementType& type, Element value) {
  if (type.kind == 'f' && type.bytes == 4) return fmt::format("{}", static_cast<float>(value.real));
  if (type.kind == 'f') return fmt::format("{}", value.real);
  if (type.kind == 'u') return fmt::format("{}", static_cast<std::uint64_t>(value.integer));
  return fmt::format("{}", value.integer);
}

/// Integers below this one, if no ends are given.
std::int64_t random_end(const ElementType& type) {
  if (type.name == "bool") return 1;
  return type.bytes == 1 ? 127 : 999;
}

Element random_element(const ElementType& type, const Fill& fill, std::uint64_t seed,
                       std::uint64_t stream, std::int64_t number) {
  const auto counter = static_cast<std::uint64_t>(number);
  Element element;
  if (type.kind == 'f') {
    const double low = fill.bounded ? fill.low : 0, high = fill.bounded ? fill.high : 1;
    element.real = random_real(seed, stream, counter, low, high);
    return element;
  }
  const auto low = fill.bounded ? static_cast<std::int64_t>(fill.low) : 0;
  const auto high = fill.bounded ? static_cast<std::int64_t>(fill.high) : random_end(type);
  element.integer = random_integer(seed, stream, counter, low, high);
  return element;
}

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

const DeviceArray* DeviceArrays::find(const std::string& name) const {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? nullptr : &found->second;
}

std::vector<std::string> DeviceArrays::names() const {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays_) names.push_back(name);
  return names;
}

Status DeviceArrays::add(const ArrayText& text) {
  if (find(text.name))
    return error_at(text.span, fmt::format("there is an array '{}' already", text.name),
                    {fmt::format("name it to use it again: {}", text.name)});
  const std::int64_t size = text.type->bytes;
  if (text.count > (limits_.memory - bytes_) / size)
    return error_at(text.span, fmt::format("the arrays need more than {} bytes", limits_.memory),
                    {"fewer elements, or --max-memory"});
  const std::uint64_t address = device_.allocate(text.count * size);
  if (address == 0)
    return error_at(text.span, fmt::format("there is no memory for {} bytes", text.count * size));
  bytes_ += text.count * size;
  const DeviceArray& made = arrays_[text.name] = {text, address};
  return fill(made);
}

Status DeviceArrays::fill(const DeviceArray& array) {
  const ElementType& type = *array.text.type;
  const Fill& fill = array.text.fill;
  auto* const at = reinterpret_cast<unsigned char*>(array.address);
  std::memset(at, 0, static_cast<std::size_t>(array.text.count * type.bytes));
  if (fill.kind == FillKind::zeros) return Done{};
  if (fill.kind == FillKind::file) return fill_from_file(array);
  const auto stream = static_cast<std::uint64_t>(arrays_.size());
  Watch watch(limits_);
  for (std::int64_t k = 0; k < array.text.count; ++k) {
    Element element;
    if (fill.kind == FillKind::random) {
      element = random_element(type, fill, seed_, stream, k);
    } else {
      element.real = fill.low + (fill.kind == FillKind::range ? static_cast<double>(k) : 0);
      element.integer = static_cast<std::int64_t>(element.real);
    }
    put(type, at + k * type.bytes, element);
    if (!watch.go_on()) return stopped_while(watch.stop(), "filling the arrays");
  }
  return Done{};
}

Status DeviceArrays::fill_from_file(const DeviceArray& array) {
  const ElementType& type = *array.text.type;
  const std::string& path = array.text.fill.path;
  if (Status noted = note_read(path); !noted) return noted.errors();
  auto* const at = reinterpret_cast<unsigned char*>(array.address);
  const std::int64_t bytes = array.text.count * type.bytes;
  if (path.ends_with(".bin")) {
    const Result<std::string> content =
        read_file(path, static_cast<std::size_t>(bytes), {}, limits_);
    if (!content) return content.errors();
    if (static_cast<std::int64_t>(content->size()) != bytes)
      return error_at(array.text.span,
                      fmt::format("'{}' has {} bytes, {} elements of type {} have {}", path,
                                  content->size(), array.text.count, type.name, bytes));
    std::memcpy(at, content->data(), content->size());
    return Done{};
  }
  const ir::Array described = cli::described(array);
  const Result<arrays::FileSizeLimit> most = arrays::file_size_limit(path, described, limits_);
  if (!most) return most.errors();
  Result<std::string> content = read_file(path, most->max_bytes, {most->help}, limits_);
  if (!content) return content.errors();
  const Result<std::vector<ir::Value>> values =
      arrays::read_array(sources_, path, std::move(*content), described);
  if (!values) return values.errors();
  const auto [least, most_value] = range_of(type);
  for (std::int64_t k = 0; k < array.text.count; ++k) {
    const ir::Value value = (*values)[static_cast<std::size_t>(k)];
    if (ir::is_integer(type.in_files) && (value.integer() < least || value.integer() > most_value))
      return error_at(array.text.span,
                      fmt::format("'{}' has {} as element {}, the type {} has {} to {}", path,
                                  value.integer(), k, type.name, least, most_value));
    put(type, at + k * type.bytes, {value.integer(), value.real()});
  }
  return Done{};
}

NamedMemory DeviceArrays::memory_at(std::uint64_t address) const {
  for (const auto& [name, array] : arrays_) {
    const std::int64_t bytes = array.text.count * array.text.type->bytes;
    if (address >= array.address && address - array.address < static_cast<std::uint64_t>(bytes))
      return {name, array.address, bytes};
  }
  const ptx::DeviceVariable other = device_.range_of(address);
  return {"memory", other.address, other.bytes};
}

Result<std::string> DeviceArrays::text_of(const ElementsText& elements) const {
  const DeviceArray* const array = find(elements.name);
  if (!array) {
    std::vector<std::string> help = did_you_mean(elements.name, names());
    help.push_back(fmt::format("arrays of the launches: {}", fmt::join(names(), ", ")));
    return error_at(elements.span, fmt::format("there is no array '{}'", elements.name), help);
  }
  const ElementType& type = *array->text.type;
  const std::int64_t last = elements.last < 0 ? array->text.count : elements.last;
  if (elements.first >= array->text.count || last > array->text.count)
    return error_at(elements.span,
                    fmt::format("{} has {} elements, from 0 on", elements.name, array->text.count));
  std::string text = fmt::format("{}[{}..{}]:", elements.name, elements.first, last);
  const auto* const at = reinterpret_cast<const unsigned char*>(array->address);
  for (std::int64_t k = elements.first; k < last; ++k)
    text += ' ' + text_of_element(type, get(type, at + k * type.bytes));
  return text + '\n';
}

Result<std::string> DeviceArrays::file_content(const std::string& path,
                                               const DeviceArray& array) const {
  const ElementType& type = *array.text.type;
  const auto* const at = reinterpret_cast<const unsigned char*>(array.address);
  const std::int64_t bytes = array.text.count * type.bytes;
  if (path.ends_with(".bin"))
    return std::string(reinterpret_cast<const char*>(at), static_cast<std::size_t>(bytes));
  const ir::Array described = cli::described(array);
  if (Status fits = arrays::fits_file(path, described); !fits) return fits.errors();
  std::vector<ir::Value> values;
  values.reserve(static_cast<std::size_t>(array.text.count));
  for (std::int64_t k = 0; k < array.text.count; ++k) {
    const Element element = get(type, at + k * type.bytes);
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
      arrays::array_content(path, described, values, limits_);
  if (!content) return content.errors();
  return content->bytes;
}

} // namespace memlane::cli
