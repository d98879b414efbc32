// What `memlane sweep` is asked to vary: a sweep file, options, or both.
#pragma once

#include "options.hpp"

#include "memlane/points/plan.hpp"
#include "memlane/points/sweep_options.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

/// The words and options that say what varies.
struct SweepSelection {
  std::optional<std::string> file; ///< a path, or the name of a shipped sweep with `.json`
  sweep::SweepOptions options;     ///< alone, or in place of what the file says
};

inline constexpr std::string_view several_machines =
    "a shipped machine or a path, once for each; if none is given umm-w32,\n"
    "or one that fits the programs";

/// -m with its help, -D, --set, --layout, --type, --fn with several values each, and --where.
void add_axes(Options& options, sweep::SweepOptions& texts,
              std::string_view machines = several_machines);
/// --input, --no-verify and --allow-races of such runs.
void add_content(Options& options, sweep::SweepOptions& texts);
/// The words; programs and machines, axes, condition, seeds, --timing-only, --no-verify,
/// --allow-races, --input, --pram, --price and --prices.
void add_sweep(Options& options, SweepSelection& selection,
               std::string_view machines = several_machines);

/// Reads the file, if there is one, and applies the options.
Result<sweep::SweepSpec> load_sweep(Sources& sources, const SweepSelection& selection);

/// Reads programs, machines and inputs as `run` does. `sources` must outlive it.
sweep::SweepFiles sweep_files(Sources& sources);

} // namespace memlane::cli
