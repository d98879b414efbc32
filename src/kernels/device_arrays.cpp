#include "memlane/kernels/device_arrays.hpp"

#include "memlane/kernels/launch.hpp"
#include "memlane/support/random.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace memlane {
namespace {

/// Integers below this one, if no ends are given.
std::int64_t random_end(const ElementType& type) {
  if (type.name == "bool") return 1;
  return type.bytes == 1 ? 127 : 999;
}

ArrayElement random_element(const ElementType& type, const Fill& fill, std::uint64_t seed,
                            std::uint64_t stream, std::int64_t number) {
  const auto counter = static_cast<std::uint64_t>(number);
  ArrayElement element;
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

/// Arguments make arrays, or name those of earlier ones.
ArrayAddress addresses_in(DeviceArrays& arrays) {
  return [&arrays](const ArgumentText& argument) -> Result<std::uint64_t> {
    if (argument.array)
      if (Status added = arrays.add(*argument.array); !added) return added.errors();
    if (const DeviceArray* const array = arrays.find(argument.name)) return array->address;
    std::vector<std::string> help = did_you_mean(argument.name, arrays.names());
    help.push_back(fmt::format("make one: {}: float[1024]", argument.name));
    return error_at(argument.span, fmt::format("there is no array '{}'", argument.name),
                    std::move(help));
  };
}

} // namespace

void DeviceArray::put(std::int64_t k, ArrayElement value) const {
  unsigned char* const at = memory() + k * text.type->bytes;
  if (text.type->kind == 'f' && text.type->bytes == 4) {
    const auto real = static_cast<float>(value.real);
    std::memcpy(at, &real, sizeof real);
  } else if (text.type->kind == 'f') {
    std::memcpy(at, &value.real, sizeof value.real);
  } else {
    std::memcpy(at, &value.integer, static_cast<std::size_t>(text.type->bytes)); // little-endian
  }
}

ArrayElement DeviceArray::get(std::int64_t k) const {
  const ElementType& type = *text.type;
  const unsigned char* const at = memory() + k * type.bytes;
  ArrayElement value;
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

std::string text_of_element(const ElementType& type, ArrayElement value) {
  if (type.kind == 'f' && type.bytes == 4) return fmt::format("{}", static_cast<float>(value.real));
  if (type.kind == 'f') return fmt::format("{}", value.real);
  if (type.kind == 'u') return fmt::format("{}", static_cast<std::uint64_t>(value.integer));
  return fmt::format("{}", value.integer);
}

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
  std::memset(array.memory(), 0, static_cast<std::size_t>(array.bytes()));
  if (fill.kind == FillKind::zeros) return Done{};
  if (fill.kind == FillKind::file) return fill_from_file_(array);
  const auto stream = static_cast<std::uint64_t>(arrays_.size());
  Watch watch(limits_);
  for (std::int64_t k = 0; k < array.text.count; ++k) {
    ArrayElement element;
    if (fill.kind == FillKind::random) {
      element = random_element(type, fill, seed_, stream, k);
    } else {
      element.real = fill.low + (fill.kind == FillKind::range ? static_cast<double>(k) : 0);
      element.integer = static_cast<std::int64_t>(element.real);
    }
    array.put(k, element);
    if (!watch.go_on()) return stopped_while(watch.stop(), "filling the arrays");
  }
  return Done{};
}

NamedMemory DeviceArrays::memory_at(std::uint64_t address) const {
  for (const auto& [name, array] : arrays_) {
    const std::int64_t bytes = array.bytes();
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
  for (std::int64_t k = elements.first; k < last; ++k)
    text += ' ' + text_of_element(type, array->get(k));
  return text + '\n';
}

Result<std::vector<ptx::Launch>> launches_of(const std::vector<LaunchText>& texts,
                                             const ptx::Device& device, DeviceArrays& arrays,
                                             ptx::Pricing& pricing, std::int64_t registers) {
  std::vector<ptx::Launch> launches;
  for (const LaunchText& text : texts) {
    Result<ptx::Launch> launch = launch_of(device, text, addresses_in(arrays));
    if (!launch) return launch.errors();
    launch->pricing = &pricing;
    launch->registers = registers;
    const ptx::LaunchRefusal refusal = device.refusal_of(*launch);
    if (refusal != ptx::LaunchRefusal::none)
      return error_at(text.span, text_of(refusal, *launch, device));
    if (const Status fits = device.fits(*launch); !fits) {
      Diagnostics errors = fits.errors();
      for (Diagnostic& error : errors) error.span = text.span;
      return errors;
    }
    launches.push_back(std::move(*launch));
  }
  return launches;
}

} // namespace memlane
