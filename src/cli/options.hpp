// Options that several commands have, and the typed requests that they are read into.
#pragma once

#include "arguments.hpp"
#include "pending_file.hpp"

#include "memlane/claim/prices.hpp"
#include "memlane/points/recipe.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

using sweep::MachineSelection;
using sweep::ProgramSelection;
using sweep::Recipe;
using sweep::standard_machine;

std::vector<Option> replacement_options(); ///< --fn, --type and --layout
std::vector<Option> program_options();     ///< these and -D
std::vector<Option> races_options();       ///< --allow-races
ProgramSelection read_program(const OptionReader& options, std::string name);

/// -m and --set, of a command that runs a program or not.
std::vector<Option> machine_options(bool of_program = true);
MachineSelection read_machine(const OptionReader& options);

/// --max-time and --max-seconds, and for commands with arrays of their own --max-steps and
/// --max-memory; all four are read.
std::vector<Option> limit_options();
Limits read_limits(OptionReader& options);
/// --max-seconds; 0: none.
std::int64_t read_seconds(OptionReader& options);

std::vector<Option> engine_options();
sweep::Engine read_engine(OptionReader& options);

/// --jobs; one a core if it is not given.
std::vector<Option> jobs_options(std::string_view help = "runs side by side; one a core if not "
                                                         "given. The result is the same");
std::size_t read_jobs(OptionReader& options);

std::vector<Option> verbose_options();
/// Lines about one run among several: each begins with the run's name.
std::string lines_of_run(const std::string& run, const std::string& lines);

std::vector<Option> pram_options(); ///< --pram
/// --price and --prices.
std::vector<Option> price_options();
std::vector<PriceRequest> read_price_options(OptionReader& options, Sources& sources);

std::vector<Option> seed_options();
std::uint64_t read_seed(OptionReader& options);

/// --timing-only. Errors: one of the options that need data is given beside it, or the reference
/// engine.
std::vector<Option> timing_only_options();
bool read_timing_only(OptionReader& options, std::initializer_list<std::string_view> need_data);

/// Opens the file of an option, if it is given. Errors stay in `options`.
std::optional<PendingFile> open_file(OptionReader& options, std::string_view name);

} // namespace memlane::cli
