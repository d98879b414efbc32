// The time of a run's launches under other assignments of their blocks.
#pragma once

#include "memlane/count/derive.hpp"
#include "memlane/engine/observer.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace memlane::sweep {

/// Sums over launches, in time units after [K] (configs/README.md section 6). A block stands for
/// all blocks of one of the run's multiprocessors: for itself if no launch has more.
struct ScheduleSums {
  std::int64_t most_blocks = 0;                ///< of a launch
  std::int64_t most_code = 0;                  ///< instructions of a launched kernel
  std::int64_t work = 0;                       ///< all blocks
  std::int64_t depth = 0;                      ///< the longest block of each launch
  std::int64_t greedy = 0;                     ///< each block goes to the next free multiprocessor
  std::map<std::int64_t, std::int64_t> merged; ///< by c: block j goes to multiprocessor j mod c
};

/// Observes a run.
class LaunchSchedules final : public Observer {
public:
  /// `multiprocessors`: of the greedy schedule; `merged`: keys of ScheduleSums::merged.
  LaunchSchedules(std::int64_t multiprocessors, std::vector<std::int64_t> merged)
      : multiprocessors_(multiprocessors), merged_(std::move(merged)) {}

  void run_begins() override;
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override;
  const ScheduleSums& sums() const { return sums_; }

private:
  std::int64_t multiprocessors_;
  std::vector<std::int64_t> merged_;
  std::vector<StatementCounts> statements_; ///< of the multiprocessor that is counted
  ScheduleSums sums_;
};

} // namespace memlane::sweep
