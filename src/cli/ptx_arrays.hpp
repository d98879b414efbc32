// The arrays of launches of PTX: memory of a device, filled as the launch says.
#pragma once

#include "memlane/kernels/kernel_timeline.hpp"
#include "memlane/kernels/launch_text.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/support/limits.hpp"

#include <map>
#include <string>
#include <vector>

namespace memlane::cli {

struct DeviceArray {
  ArrayText text;
  std::uint64_t address = 0;
};

class DeviceArrays {
public:
  /// Refers to all of them.
  DeviceArrays(ptx::Device& device, Sources& sources, const Limits& limits, std::uint64_t seed)
      : device_(device), sources_(sources), limits_(limits), seed_(seed) {}

  /// Allocates and fills a new array. Errors: its name is taken, too little memory, its file.
  Status add(const ArrayText& text);
  /// Null: there is none of this name.
  const DeviceArray* find(const std::string& name) const;
  std::vector<std::string> names() const;
  /// The array that has the address; none: bytes 0.
  NamedMemory memory_at(std::uint64_t address) const;

  /// The elements as text: `out[0..3]: 1 2 3`, with a line end.
  Result<std::string> text_of(const ElementsText& elements) const;
  /// The content of a file, whose format its ending says.
  Result<std::string> file_content(const std::string& path, const DeviceArray& array) const;

private:
  Status fill(const DeviceArray& array);
  Status fill_from_file(const DeviceArray& array);

  ptx::Device& device_;
  Sources& sources_;
  const Limits& limits_;
  std::uint64_t seed_;
  std::int64_t bytes_ = 0;
  std::map<std::string, DeviceArray> arrays_;
};

} // namespace memlane::cli
