// Kernels of tests/ptx/kernels, loaded and launched on arrays of the test's.
#pragma once

#include "exec/image.hpp"
#include "exec/run_grid.hpp"

#include "memlane/engine/observer.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/support/files.hpp"

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace memlane::test {

inline std::string kernel_text(const std::string& name) {
  std::ifstream file(std::string(MEMLANE_SOURCE_DIR) + "/tests/ptx/kernels/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A module and the memory that its launches access.
class LoadedKernels {
public:
  explicit LoadedKernels(const std::string& name) {
    auto parsed = ptx::parse(sources, sources.add(name, kernel_text(name)));
    if (!parsed) throw std::runtime_error(render(parsed.errors(), sources));
    module = std::move(*parsed);
    const Status loaded = image.load(module, device);
    if (!loaded) throw std::runtime_error(render(loaded.errors(), sources));
  }

  /// Memory of so many elements, aligned to 256 bytes and named for messages.
  template <class T>
  T* array(std::size_t count, const std::string& name) {
    auto& bytes = arrays.emplace_back(count * sizeof(T) + 256);
    auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    begin = (begin + 255) / 256 * 256;
    device.add(begin, count * sizeof(T), name);
    return reinterpret_cast<T*>(begin);
  }

  const ptx::Code& kernel(const std::string& name) const {
    const ptx::Code* const found = image.find(name);
    if (!found) throw std::runtime_error("no kernel " + name);
    return *found;
  }

  /// The parameters' bytes; each value is of its parameter's size.
  template <class... T>
  std::vector<std::uint8_t> params(const std::string& name, T... values) const {
    const ptx::Code& code = kernel(name);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(code.param_bytes));
    std::size_t next = 0;
    [[maybe_unused]] const auto put = [&](auto value) { // a kernel may have none
      const auto variable = static_cast<std::size_t>(code.function->parameters[next++]);
      std::memcpy(bytes.data() + code.offsets[variable], &value, sizeof(value));
    };
    (put(values), ...);
    return bytes;
  }

  Sources sources;
  ptx::Module module;
  ptx::DeviceMemory device;
  ptx::Image image;
  std::vector<std::vector<std::uint8_t>> arrays;
};

/// The text of a .cu file beside the PTX.
inline ptx::ReadSource read_kernel_source() {
  return [](const std::string& path) -> std::optional<std::string> {
    std::string text = path.find('/') == std::string::npos ? kernel_text(path) : std::string();
    if (text.empty()) return std::nullopt;
    return text;
  };
}

inline ptx::GridShape grid_of(ptx::Dim3 blocks, ptx::Dim3 threads) { return {blocks, threads, 0}; }

/// A run of launches of one file's kernels.
struct PricedRun {
  PricedRun(const std::string& file, MachineSpec on, ptx::PriceOptions options = {},
            Observer* observer = nullptr)
      : kernels(file), machine(std::move(on)),
        pricing(machine, std::move(options), read_kernel_source(), observer) {}

  template <class... T>
  Result<bool> launch(const std::string& name, const ptx::GridShape& shape, T... values) {
    const auto params = kernels.params(name, values...);
    return pricing.launch(kernels.module, kernels.sources, kernels.image, kernels.kernel(name),
                          shape, params, kernels.device, result);
  }
  /// The counts of the lines that contain a text.
  LineCounts line(const std::string& text) const {
    LineCounts sum;
    for (const auto& [place, counts] : pricing.result().counts.lines) {
      if (pricing.sources().line(place.first, place.second).find(text) == std::string::npos)
        continue;
      sum.requests += counts.requests;
      sum.stages += counts.stages;
      sum.worst = std::max(sum.worst, counts.worst);
    }
    return sum;
  }
  ptx::SectorCounts sectors(const std::string& text) const {
    for (const auto& [place, counts] : pricing.sectors())
      if (pricing.sources().line(place.first, place.second).find(text) != std::string::npos)
        return counts;
    return {};
  }

  LoadedKernels kernels;
  MachineSpec machine;
  ptx::Pricing pricing;
  ptx::GridResult result;
};

/// When the requests of a run are dispatched. A run with such an observer is on the reference
/// machine.
struct DispatchTimes : Observer, TimeObserver {
  TimeObserver* times() override { return this; }
  void dispatched(const Dispatch& dispatch) override { at.push_back(dispatch.time.value); }
  std::vector<std::int64_t> at;
};

struct Seen {
  std::vector<std::int64_t> dispatched;
  std::int64_t end = 0;
  bool operator==(const Seen&) const = default;
};

/// `launch(PricedRun&)` launches and returns the run's time, which is the same in both ways of
/// pricing.
template <class F>
Seen seen_in_both_ways(const std::string& file, const MachineSpec& machine, F launch) {
  DispatchTimes times;
  PricedRun slow(file, machine, {}, &times), fast(file, machine);
  const std::int64_t end = launch(slow);
  if (launch(fast) != end) throw std::runtime_error("the two ways of pricing differ");
  return {times.at, end};
}

} // namespace memlane::test
