// The time chart of CUDA kernels while they are priced.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/timeline/recorder.hpp"
#include "memlane/timeline/report.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// Memory of the device that has a name.
struct NamedMemory {
  std::string name;
  std::uint64_t address = 0;
  std::int64_t bytes = 0; ///< 0: none
};
/// The memory that has an address of the device.
using FindMemory = std::function<NamedMemory(std::uint64_t address)>;

/// The option of `memlane ptx` and `memlane cuda` that chooses a launch.
inline constexpr const char* chart_launch_option = "--timeline-launch";

/// `my.ptx on hmm-titan`.
std::string chart_title(const TimelineReport& report);
/// What was left out, and how much there is.
std::string chart_notes(const TimelineReport& report);

/// Observes ptx::Pricing. Only the launches of the window are timed by the reference machine.
class KernelTimeline final : public Observer {
public:
  /// Refers to the machine.
  KernelTimeline(const MachineSpec& machine, TimelineWindow window);

  /// The sources of the pricing that it observes; before the first launch.
  void lines_are_of(const Sources& sources) { recorder_.lines_are_of(sources); }
  /// The time chart so far. `report`: the run's program and machine. Errors: the run has no time
  /// unit of the window. Once.
  Result<TimelineReport> take(const ptx::Pricing& pricing, const RunReport& report,
                              const FindMemory& find);

  void run_begins() override { recorder_.run_begins(); }
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override {
    recorder_.launch_ends(launch, tally);
  }
  TimeObserver* times() override;

private:
  TimelineWindow window_;
  ir::Program no_program_;
  Sources no_sources_;
  std::optional<Timeline> timeline_;
  TimelineRecorder recorder_;
  std::int64_t launch_ = -1; ///< the latest that has begun
};

} // namespace memlane
