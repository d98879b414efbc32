// The arrays of launches of PTX: memory of a device, filled as the launch says.
#pragma once

#include "memlane/kernels/kernel_timeline.hpp"
#include "memlane/kernels/launch_text.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/support/limits.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace memlane {

/// An element as a number that no conversion loses: integers of up to 64 bits, and reals.
struct ArrayElement {
  std::int64_t integer = 0;
  double real = 0;
};

struct DeviceArray {
  ArrayText text;
  std::uint64_t address = 0;

  std::int64_t bytes() const { return text.count * text.type->bytes; }
  unsigned char* memory() const { return reinterpret_cast<unsigned char*>(address); }
  /// 0 <= k < text.count.
  ArrayElement get(std::int64_t k) const;
  void put(std::int64_t k, ArrayElement value) const;
};

/// An element as text: `1`, `0.5`.
std::string text_of_element(const ElementType& type, ArrayElement value);

/// Fills an array from the file that its text names. Errors: those of the file.
using FillFromFile = std::function<Status(const DeviceArray&)>;

class DeviceArrays {
public:
  /// Refers to the device and the limits.
  DeviceArrays(ptx::Device& device, const Limits& limits, std::uint64_t seed,
               FillFromFile fill_from_file)
      : device_(device), limits_(limits), seed_(seed), fill_from_file_(std::move(fill_from_file)) {}

  /// Allocates and fills a new array. Errors: its name is taken, too little memory, its file.
  Status add(const ArrayText& text);
  /// Null: there is none of this name.
  const DeviceArray* find(const std::string& name) const;
  std::vector<std::string> names() const;
  /// The array that has the address; none: bytes 0.
  NamedMemory memory_at(std::uint64_t address) const;

  /// The elements as text: `out[0..3]: 1 2 3`, with a line end.
  Result<std::string> text_of(const ElementsText& elements) const;

private:
  Status fill(const DeviceArray& array);

  ptx::Device& device_;
  const Limits& limits_;
  std::uint64_t seed_;
  FillFromFile fill_from_file_;
  std::int64_t bytes_ = 0;
  std::map<std::string, DeviceArray> arrays_;
};

/// Makes the launches that texts ask for, with new arrays. Errors: also those of a launch that the
/// machine or a GPU cannot run.
Result<std::vector<ptx::Launch>> launches_of(const std::vector<LaunchText>& texts,
                                             const ptx::Device& device, DeviceArrays& arrays,
                                             ptx::Pricing& pricing, std::int64_t registers);

} // namespace memlane
