// Compares two results of one run.
#pragma once

#include "memlane/count/simulate.hpp"

#include <optional>
#include <sstream>
#include <string>

namespace memlane::test {

/// A run, and what its launches delivered; their kernels are not valid any more.
struct TalliedRun {
  RunResult result;
  std::vector<LaunchTally> launches;
  std::vector<KernelInfo> kernels; ///< one a launch
};

/// Keeps what the launches of a run deliver.
struct TallyKeeper : Observer {
  std::vector<LaunchTally> launches;
  std::vector<KernelInfo> kernels;
  void run_begins() override {
    launches.clear();
    kernels.clear();
  }
  void launch_ends(std::int64_t, const LaunchTally& tally) override {
    launches.push_back(tally);
    kernels.push_back(*tally.kernel);
  }
};

/// On the reference engine; on the fast one, which may leave it; without data. Address groups of
/// discrete units are counted, too.
TalliedRun tallied_reference(const ir::Program& program, const MachineSpec& machine,
                             RunOptions options, const Sources& sources);
std::optional<TalliedRun> tallied_fast(const ir::Program& program, const MachineSpec& machine,
                                       RunOptions options, const Sources& sources,
                                       int tile_lanes = 0);
TalliedRun tallied_timing(const ir::Program& program, const MachineSpec& machine,
                          RunOptions options, const Sources& sources, int tile_lanes = 0);

/// Collects differences, one on each line: the value found, and the expected one.
class Difference {
public:
  template <class T>
  void compare(const std::string& what, const T& found, const T& reference) {
    if (found == reference) return;
    std::ostringstream text;
    text << what << ": " << found << ", the reference has " << reference << "\n";
    text_ += text.str();
  }
  void compare(const std::string& where, const UnitCounts& found, const UnitCounts& reference);
  void compare(const std::string& where, const Counts& found, const Counts& reference);
  /// Steps and all counts: of the run, its kernels and its fns.
  void compare_counts(const RunResult& found, const RunResult& reference);
  /// These, and every number of every launch's tally.
  void compare_runs(const TalliedRun& found, const TalliedRun& reference);

  const std::string& text() const { return text_; }

private:
  void compare(const std::string& where, const LaunchTally& found, const LaunchTally& reference);
  void compare(const std::string& where, const std::vector<RequestTally>& found,
               const std::vector<RequestTally>& reference);

  std::string text_;
};

} // namespace memlane::test
