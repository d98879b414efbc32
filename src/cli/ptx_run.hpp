// What `memlane ptx` is asked, and its launches on a machine.
#pragma once

#include "console.hpp"
#include "kernel_chart.hpp"
#include "options.hpp"
#include "pending_file.hpp"
#include "results.hpp"

#include "memlane/kernels/device_arrays.hpp"
#include "memlane/kernels/launch_text.hpp"
#include "memlane/points/point.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/ptx/price.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::cli {

struct PtxRequest {
  std::string path;
  std::string command; ///< the whole command
  MachineSelection machine;
  std::vector<std::string> launch_texts, print_texts;
  std::vector<std::string> tries; ///< texts of --try
  std::vector<NameAndValue> output_paths;
  std::vector<LaunchText> launches;
  std::vector<ElementsText> prints;
  std::vector<std::pair<std::string, PendingFile>> outputs; ///< array and file
  ptx::PriceOptions pricing;
  ptx::FaultKinds allowed;
  std::optional<std::string> trace;
  sweep::Engine engine = sweep::Engine::fast;
  std::uint64_t seed = 1;
  std::int64_t registers = 0; ///< of a thread; 0: unknown
  bool details = false, explain = false, verbose = false;
  std::vector<ResultTarget> targets;
  ChartRequest chart;
};

/// The launches of a request on a machine, from new arrays on.
class PtxRun {
public:
  /// Refers to the request and the sources. `note`: is told of sources that have changed.
  PtxRun(const PtxRequest& request, const MachineSpec& machine, Sources& sources,
         std::function<void(const std::string&)> note, Observer* observer = nullptr);

  /// Errors are about device().sources().
  Status load(const std::string& ptx);
  /// Runs the launches in order. Done: the run is over, perhaps with a fault of its own. `say`: is
  /// told what kernels print and of faults. Errors: arguments or a launch that do not fit.
  Status launch(const std::function<void(const std::string&)>& say);

  const ptx::Device& device() const { return device_; }
  const ptx::Pricing& pricing() const { return pricing_; }
  const DeviceArrays& arrays() const { return arrays_; }
  /// What ended the last launch, if nothing may follow it.
  const std::optional<Diagnostic>& fault() const { return fault_; }

private:
  const PtxRequest& request_;
  ptx::Device device_;
  ptx::Pricing pricing_;
  DeviceArrays arrays_;
  std::optional<Diagnostic> fault_;
};

} // namespace memlane::cli
