// What `memlane tune` found, as people and programs read it.
#pragma once

#include "memlane/report/chart.hpp"
#include "memlane/report/run_report.hpp"
#include "memlane/report/tuning_measures.hpp"
#include "memlane/sweep/tuning.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// What became of a value.
enum class TunedState : std::uint8_t {
  done,         ///< it can be chosen
  check_failed, ///< its verify failed: it cannot be chosen
  no_objective, ///< the run has not this count
  failed,       ///< it cannot run
  stopped,      ///< at a limit
  missing,      ///< not run: interrupted
};
/// `done`, `check_failed`, `no_objective`, `failed`, `stopped`, `missing`.
std::string_view name_of(TunedState state);

/// A value, or a combination of values, on one machine.
struct TunedRow {
  std::vector<std::size_t> at; ///< the number of its value on each axis
  TunedState state = TunedState::missing;
  std::optional<sweep::Objective> objective;
  std::vector<std::optional<sweep::Objective>> measures; ///< by TunedMachine::measures
  std::string verify; ///< `passed`, `failed`, `none`, of several seeds the worst; empty: not run
  bool claim_failed = false;
  std::string reason;  ///< why it cannot be chosen
  std::string command; ///< that repeats the run
};

struct TunedMachine {
  std::string name; ///< as the command names it
  Model model = Model::umm;
  MachineSpec spec;                 ///< with the first value of what varies
  std::vector<std::string> varying; ///< axes that are values of the machine
  TuningMeasure objective;
  std::vector<TuningMeasure> measures; ///< that tables show beside it
  std::vector<TunedRow> rows;          ///< in the order of the command
  std::optional<std::size_t> naive;    ///< its row; none: a condition excludes it
  std::optional<TunedRow> other_naive; ///< of --naive-program, instead of `naive`; without `at`
  std::optional<sweep::Tuning> tuning; ///< refers to rows; none: no value can be chosen
};

/// What another machine says about the best value.
struct TuningConfirmation {
  bool agrees = false;        ///< a best value of the one is a best value of the other
  std::optional<double> loss; ///< there, of taking the best value of the first machine: 0.1 is 10 %
  std::optional<double> tau;  ///< Kendall's tau-b of both orders
  std::int64_t common = 0;    ///< values that can be chosen on both
};

/// How to go on beyond an edge of an axis.
struct TuningExtension {
  std::string least, greatest; ///< a command each; empty: there is none
};

struct TuningReport {
  std::string version;       ///< of the tool
  std::string program;       ///< as the command names it
  std::string naive_program; ///< of --naive-program; empty: a value is the naive one
  std::vector<std::pair<std::string, std::string>> fixed; ///< values of options that do not vary
  std::vector<sweep::TunedAxis> axes;                     ///< one or two
  std::vector<TuningExtension> extensions;                ///< by axis
  /// By axis: an input array whose size changes with the values, which are different problems then;
  /// empty: there is none.
  std::vector<std::string> changed_inputs;
  std::vector<TunedMachine> machines; ///< the first is tuned for, the others confirm it
  double within = 0.05;
  std::int64_t seeds = 1;
  bool timing_only = false;
  bool interrupted = false;
};

/// What ratios refer to; null: nothing. A result that is wrong is none to compare with.
const TunedRow* naive_row(const TunedMachine& machine);
/// Finds the best of every machine, from its rows.
void find_best(TuningReport& report);
/// Requires machines whose best was found, and a best value on both.
TuningConfirmation confirm(const TunedMachine& tuned, const TunedMachine& other);

/// `best`, `tie` (as good), `yes` (in the range worth using), `apart` (nearly as good, but not
/// beside the best), or nothing.
std::string_view worth_of(const TuningReport& report, const TunedMachine& machine, std::size_t row);
/// `alpha=2`, `n=64, m=8`.
std::string values_text(const TuningReport& report, const TunedRow& row);
/// What was found, each with a word before it: `best`, `worth using`, `trend`, …
std::vector<std::pair<std::string, std::string>> tuning_findings(const TuningReport& report);

nlohmann::ordered_json tuning_schema();
/// A line of `--format jsonl`: a value on a machine.
nlohmann::ordered_json tuning_line_schema();
/// Any of the formats, ending with a line end.
std::string render_tuning(const TuningReport& report, Format format);

/// The objective over the values, a chart for each machine; of two axes the second has the series.
std::vector<Chart> tuning_charts(const TuningReport& report);
/// The charts, the findings and the tables as one page.
std::string tuning_page(const TuningReport& report);

} // namespace memlane
