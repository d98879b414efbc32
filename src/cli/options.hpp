// Options that several commands have. What receives their values has its default at once.
#pragma once

#include "arguments.hpp"

#include "memlane/claim/prices.hpp"
#include "memlane/points/recipe.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

using sweep::MachineSelection;
using sweep::ProgramSelection;
using sweep::Recipe;
using sweep::standard_machine;

void add_replacements(Options& options, ProgramSelection& program); ///< --fn, --type and --layout
void add_program(Options& options, ProgramSelection& program);      ///< these and -D
void add_atomics(Options& options, ExecutionOrder& order);          ///< --atomics
/// --where; given, it says something.
void add_where(Options& options, std::string& where, std::string_view help);
void add_races(Options& options, bool& allow_races); ///< --allow-races

/// -m and --set.
void add_machine(Options& options, MachineSelection& machine,
                 std::string_view help =
                     "a shipped machine or a path; if not given umm-w32, or one "
                     "that\nfits the program ('memlane list machines' lists "
                     "the shipped ones)");
/// Its help for commands that run no program.
constexpr std::string_view machine_without_program =
    "a shipped machine or a path; umm-w32 if not given\n"
    "('memlane list machines' lists the shipped ones)";
/// The same with several machines; the standard ones are kept if none is given.
void add_machines(Options& options, std::vector<MachineSelection>& machines, std::string_view help);

/// --max-seconds, and how the limits are checked. `of_each`: what receives the seconds if they are
/// those of each of many runs.
void add_seconds(Options& options, Limits& limits, double* of_each = nullptr);
/// --max-time and --max-seconds.
void add_time_limits(Options& options, Limits& limits, double* of_each = nullptr);
/// --max-steps, --max-memory and these.
void add_limits(Options& options, Limits& limits, double* of_each = nullptr);

void add_engine(Options& options, sweep::Engine& engine);

/// --jobs; one a core if it is not given.
void add_jobs(Options& options, std::size_t& jobs,
              std::string_view help = "runs side by side; one a core if not given. The result is "
                                      "the same");

/// --store of commands that are not sweeps.
void add_point_store(Options& options, std::optional<std::string>& store);

void add_verbose(Options& options, bool& verbose);
/// Lines about one run among several: each begins with the run's name.
std::string lines_of_run(const std::string& run, const std::string& lines);

void add_pram(Options& options, bool& pram);
/// --price and --prices.
void add_prices(Options& options, std::vector<PriceRequest>& prices);
void add_seed(Options& options, std::uint64_t& seed);

/// --timing-only. Errors: one of the options that need data is given beside it, or the reference
/// engine.
void add_timing_only(Options& options, bool& timing_only, std::vector<std::string_view> need_data);

} // namespace memlane::cli
