#include "cuda_driver.hpp"

#include "memlane/support/text.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace memlane::cli {
namespace {

using measure::GpuFacts;

/// An attribute of devices by the number that NVIDIA's cuda.h gives it.
struct DeviceAttribute {
  int number;
  std::int64_t GpuFacts::*fact;
  std::int64_t unit; ///< what the driver counts in
  std::string_view what;
};
constexpr DeviceAttribute needed_attributes[] = {
    {16, &GpuFacts::multiprocessors, 1, "the multiprocessors"},
    {10, &GpuFacts::warp, 1, "the threads of a warp"},
    {1, &GpuFacts::block_threads, 1, "the most threads of a block"},
    {39, &GpuFacts::threads, 1, "the threads of a multiprocessor"},
    {82, &GpuFacts::registers, 1, "the registers of a multiprocessor"},
    {81, &GpuFacts::shared_bytes, 1, "the shared memory of a multiprocessor"},
    {13, &GpuFacts::clock, 1000, "the clock"},
    {36, &GpuFacts::memory_clock, 1000, "the memory's clock"},
    {37, &GpuFacts::bus_bits, 1, "the width of the memory's bus"},
};
constexpr int major_capability = 75, minor_capability = 76, most_blocks = 106,
              reserved_shared = 111;

class CudaDriver {
public:
  CudaDriver() : library_(dlopen("libcuda.so.1", RTLD_LAZY)) {}

  bool is_loaded() const { return library_ != nullptr; }
  /// Calls one of its functions; false: it does not have it, or the call fails.
  template <class... Values>
  bool call(const char* name, Values... values) const {
    const auto function = reinterpret_cast<int (*)(Values...)>(dlsym(library_, name));
    return function && function(values...) == 0;
  }
  std::optional<std::int64_t> attribute(int number, int device) const {
    int value = 0;
    if (!call("cuDeviceGetAttribute", &value, number, device) || value < 0) return std::nullopt;
    return value;
  }
  int count() const {
    int devices = 0;
    return call("cuInit", 0U) && call("cuDeviceGetCount", &devices) ? devices : 0;
  }
  /// Its name in printable characters of ASCII; empty: the driver does not tell it.
  std::string name(int device) const {
    std::array<char, 256> buffer{};
    if (!call("cuDeviceGetName", buffer.data(), static_cast<int>(buffer.size() - 1), device))
      return "";
    std::string text = buffer.data();
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
  }

private:
  void* library_; ///< stays loaded
};

Result<int> count_in(const CudaDriver& driver) {
  if (!driver.is_loaded())
    return error_in("", "there is no driver of NVIDIA's on this computer (libcuda.so.1)");
  const int devices = driver.count();
  if (devices < 1) return error_in("", "NVIDIA's driver finds no GPU on this computer");
  return devices;
}

} // namespace

Result<int> count_gpus() { return count_in(CudaDriver()); }

Result<GpuFacts> facts_of_gpu(int number) {
  const CudaDriver driver;
  const Result<int> devices = count_in(driver);
  if (!devices) return devices.errors();
  if (number >= *devices)
    return error_in(
        "--device",
        fmt::format("there is no GPU {}: the driver finds {}, numbered from 0", number, *devices));
  const auto not_told = [&](std::string_view what) {
    return error_in("", fmt::format("NVIDIA's driver does not tell {} of GPU {}", what, number));
  };
  GpuFacts facts;
  int device = 0;
  if (driver.call("cuDeviceGet", &device, number)) facts.name = driver.name(device);
  if (facts.name.empty()) return not_told("the name");
  for (const DeviceAttribute& attribute : needed_attributes) {
    const auto value = driver.attribute(attribute.number, device);
    if (value.value_or(0) < 1) return not_told(attribute.what);
    facts.*attribute.fact = *value * attribute.unit;
  }
  const auto major = driver.attribute(major_capability, device);
  const auto minor = driver.attribute(minor_capability, device);
  if (!major || !minor) return not_told("the compute capability");
  facts.capability = static_cast<int>(*major * 10 + *minor);
  std::size_t bytes = 0;
  if (!driver.call("cuDeviceTotalMem_v2", &bytes, device) || bytes < 4)
    return not_told("the size of the memory");
  facts.memory_bytes = static_cast<std::int64_t>(bytes);
  facts.blocks = driver.attribute(most_blocks, device);
  facts.reserved_bytes = driver.attribute(reserved_shared, device);
  return facts;
}

} // namespace memlane::cli
