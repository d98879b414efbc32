// Chooses the timeline of a launch, and the threads that execute its blocks.
#include "in_order.hpp"
#include "timeline.hpp"

namespace memlane::fast {

namespace {

/// Closes `ahead` however the timeline ends, since helpers wait for it.
struct Closing {
  BlocksAhead& ahead;
  ~Closing() { ahead.close(); }
};

} // namespace

bool executes_in_parts(const MachineSpec& machine, const LaunchShape& shape) {
  return Timeline::streams(machine, shape);
}

bool run_timeline(LaunchRun& launch, BlockRunner& blocks, Cycles limit, LaunchTally& tally) {
  const MachineSpec& machine = launch.run.machine;
  if (InOrderTimeline::serves(machine)) return InOrderTimeline(launch, blocks, limit).run(tally);
  const SideBySide& helpers = *launch.fast.side_by_side;
  const bool helped = helpers.threads > 1 && !Timeline::streams(machine, launch.shape) &&
                      BlocksAhead::serves(launch, helpers.least);
  if (!helped) return Timeline(launch, blocks, nullptr, limit).run(tally);
  BlocksAhead ahead(launch, blocks, helpers.threads);
  bool whole = false;
  helpers.run(helpers.threads + 1, [&](std::size_t number) {
    if (number > 0) return ahead.help(number - 1);
    const Closing closing{ahead};
    whole = Timeline(launch, blocks, &ahead, limit).run(tally);
  });
  if (!ahead.merge(tally) && whole) return launch.fast.halt(Halted::refused);
  return whole;
}

} // namespace memlane::fast
