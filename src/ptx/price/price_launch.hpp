// One launch, executed and timed: by the timeline of the fast engine, or on the reference machine.
#pragma once

#include "exec/run_grid.hpp"
#include "price/equal_launches.hpp"
#include "price/kept_run.hpp"
#include "price/launch_sample.hpp"
#include "price/launch_watch.hpp"

#include "memlane/engine/run.hpp"

#include <cstdint>
#include <vector>

namespace memlane::ptx {

/// What is launched.
struct GridLaunch {
  const PricedKernel& kernel;
  const Image& image;
  const Code& code;
  const GridShape& grid;
  const std::vector<std::uint8_t>& params;
  const DeviceMemory& device;
  const Module& module;
};

/// How it is priced.
struct LaunchPricing {
  const MachineSpec& machine;
  const Limits& limits;
  std::int64_t number = 0; ///< of the launch, in the run
  Cycles start{0};         ///< the run's time when it begins
  bool reference = false;
  bool stops_at_race = false;
  GridRaces* races = nullptr;
  TimeObserver* times = nullptr; ///< of the reference machine
  EngineWork* work = nullptr;    ///< of the fast engine
  /// Those of the machine so far, for the fast engine; null: each launch is timed.
  EqualLaunches* equal = nullptr;
  LaunchSample* sample = nullptr; ///< for the fast engine: told when blocks start; may be null
  bool executes_all = false;      ///< also the blocks that are not in the sample, at the end
  KeptRun* kept = nullptr;        ///< where requests are kept; null: nowhere
};

/// What a launch did and cost. After an error the counts are those of what was executed.
struct PricedLaunch {
  LaunchOutcome outcome;
  GridResult result;
  std::vector<SectorCounts> sectors; ///< by site
  bool equal = false;                ///< it asked the same as one of LaunchPricing::equal
};

LaunchShape shape_of(const PricedKernel& kernel, const Code& code, const GridShape& grid);

/// Stops: Stop::error where the kernel has a fault, waits for ever or races; else those of the
/// limits. The outcome has no messages: whoever knows the sources writes them.
PricedLaunch price_launch(const GridLaunch& launch, const LaunchShape& shape,
                          const LaunchPricing& pricing);

} // namespace memlane::ptx
