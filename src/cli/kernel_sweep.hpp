// A sweep of a CUDA program, or of launches of a PTX file: a row of a store for each run.
#pragma once

#include "console.hpp"
#include "options.hpp"

#include "memlane/points/sweep_spec.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/store/sweep_run.hpp"
#include "memlane/study/results/sweep_report.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// What is run at each point: `memlane cuda` or `memlane ptx` with these words.
struct KernelCommand {
  std::string name; ///< `cuda`, `ptx`; empty: programs in memlane's language are swept
  std::vector<std::string> words; ///< `{n}` in them is the value of n

  /// The program or the PTX file.
  const std::string& file() const { return words.front(); }
};

/// Words as a shell separates them: quotes keep blanks. Errors: an open quote, another command, no
/// file behind it.
Result<KernelCommand> read_kernel_command(const std::string& text);

/// A run of the sweep.
struct KernelPoint {
  std::vector<std::pair<std::string, std::string>> parameters; ///< of -D
  std::vector<std::pair<std::string, std::string>> values;     ///< of all axes
  std::string machine;                                         ///< its name
  std::vector<std::string> words;                              ///< of the command, behind `memlane`
  std::string key;
  std::vector<std::pair<std::string, std::string>> key_parts;
};

/// All points of the sweep. Errors: of values and machines; `{n}` without values, values of a name
/// that the command does not have.
Result<std::vector<KernelPoint>> kernel_points(const KernelCommand& command,
                                               const sweep::SweepSpec& spec, Sources& sources);

/// Runs the points that the store lacks, `jobs` at a time, and stores each as it ends.
struct KernelSweep {
  const sweep::SweepSpec& spec;
  std::string store;
  std::size_t jobs = 1;
  bool retry = false;
  Limits limits; ///< its check: whether the sweep shall stop
};
Result<SweepReport> sweep_kernels(const KernelSweep& request,
                                  const std::vector<KernelPoint>& points, const Console& console);

} // namespace memlane::cli
