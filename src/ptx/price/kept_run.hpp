// The requests of a run's launches, kept so that the run can be timed again with a change.
#pragma once

#include "exec/image.hpp"
#include "price/launch_watch.hpp"
#include "price/priced_kernel.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/ptx/price.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memlane::ptx {

/// What each lane of a request accesses, from the first word of any on; -1: not active. Most
/// requests of a run share few patterns.
using LanePattern = std::array<std::int64_t, warp_lanes>;

/// A step of a warp.
struct KeptRunStep {
  StepKind kind = StepKind::end;
  std::uint8_t words = 1;    ///< of a lane of a request
  std::int32_t site = -1;    ///< of a wait: Step::instruction
  std::int32_t pattern = -1; ///< of a wait: the requests that it awaits
  std::int64_t value = 0;    ///< of a request: the least word; of a computation: its operators
};

/// The steps of a block, by warp.
using KeptSteps = std::vector<std::vector<KeptRunStep>>;

struct KeptLaunch {
  const PricedKernel* kernel = nullptr;
  LaunchShape shape;
  std::int64_t times = 1; ///< launches that asked the same
  std::vector<SharedArray> arrays;
  std::map<std::int64_t, KeptSteps> blocks;
};

class KeptRun {
public:
  /// At most so many bytes are kept, in about.
  explicit KeptRun(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// A launch begins: its blocks follow.
  void begin(const PricedKernel& kernel, const LaunchShape& shape, std::vector<SharedArray> arrays);
  void add(std::int64_t block, const KeptBlock& kept);
  /// The launch has ended, and has asked this (LaunchWatch::asked).
  void end(std::uint64_t asked);
  /// The launch that has begun asked what an earlier one had asked. False: that is not known.
  bool repeat(std::uint64_t asked);

  /// False: the launches asked for more than could be kept, and nothing is.
  bool is_whole() const { return is_whole_; }
  const std::vector<KeptLaunch>& launches() const { return launches_; }
  /// The words of the lanes of a request; -1: not active.
  LanePattern words_of(const KeptRunStep& request) const;
  /// As Step::awaited.
  const std::vector<std::uint32_t>& awaited_by(const KeptRunStep& wait) const {
    return *awaited_[static_cast<std::size_t>(wait.pattern)];
  }

private:
  std::int32_t pattern_of(const LanePattern& pattern);
  std::int32_t number_of(std::span<const std::uint32_t> awaited);

  std::int64_t most_bytes_, bytes_ = 0;
  bool is_whole_ = true;
  std::vector<KeptLaunch> launches_;
  std::vector<LanePattern> patterns_;
  std::unordered_map<std::string, std::int32_t> numbers_;    ///< of patterns, by their bytes
  std::map<std::vector<std::uint32_t>, std::int32_t> waits_; ///< their numbers
  std::vector<const std::vector<std::uint32_t>*> awaited_;   ///< by number
  std::map<std::pair<const PricedKernel*, std::uint64_t>, std::size_t> asked_; ///< launches
};

/// The arrays that a kernel has in shared memory: its own, those of functions that it calls, those
/// of the module, and what is dynamic.
std::vector<SharedArray> shared_arrays_of(const Module& module, const Image& image,
                                          const PricedKernel& kernel, std::int64_t dynamic_bytes);

/// Those of all launches, with what their requests lose.
std::vector<SharedArray> shared_arrays_of(const KeptRun& run, const MachineSpec& machine);

/// Pricing::costliest_request.
std::optional<LaneWords> find_costliest(const KeptRun& run, const MachineSpec& machine,
                                        SourceLine line, UnitId unit, AccessKind kind);

/// Times all launches with a change. The run's own machine is `machine`.
VariedRun time_again(const KeptRun& run, const MachineSpec& machine, const Variation& variation,
                     const Limits& limits);

} // namespace memlane::ptx
