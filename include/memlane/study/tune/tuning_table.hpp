// What `memlane tune` found, as people and programs read it.
#pragma once

#include "memlane/machine/spec.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/study/tune/tuning.hpp"
#include "memlane/support/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// A number of a run that values are compared by.
struct TuningMeasure {
  std::string name;                 ///< `time`, in options and JSON
  std::string heading;              ///< its column's heading in tables: `span S`
  std::string meaning;              ///< ends with the unit, in parentheses
  std::vector<std::string> columns; ///< columns of stores that it adds up
  std::string letter = {};          ///< names a ratio that the MMM paper prints: `W`
  bool may_choose = true;           ///< the least is the best
  /// Of a bound: the column of a theorem that always holds, taken for all values if a run lacks the
  /// other, since numbers by different theorems cannot be compared.
  std::string fallback = {};

  /// `Corollary 1`, `Theorem 1`; empty: it is no bound.
  std::string_view rule() const;
  std::string label() const; ///< the name, with the rule: `bound (Corollary 1)`
};

/// The measures of a machine: first what is compared (`objective`; empty: time, on an MMM the
/// bound), then what tables show beside it. Errors: the objective is no count of a run on this
/// model.
Result<std::vector<TuningMeasure>> tuning_measures(const std::string& objective, Model model,
                                                   const std::vector<sweep::StoreColumn>& columns);

/// What became of a value.
enum class TunedState : std::uint8_t {
  done,         ///< it can be chosen
  check_failed, ///< its verify failed: it cannot be chosen
  no_objective, ///< the run has not this count
  failed,       ///< it cannot run
  stopped,      ///< a limit stopped it
  missing,      ///< not run: interrupted
};
/// `done`, `check_failed`, `no_objective`, `failed`, `stopped`, `missing`.
std::string_view name_of(TunedState state);

/// A value, or a combination of values, on one machine.
struct TunedRow {
  std::vector<std::size_t> at; ///< the number of its value on each axis
  TunedState state = TunedState::missing;
  std::vector<sweep::Cell> numbers; ///< one for each of TunedMachine::measures, the mean over seeds
  std::string verify;        ///< `passed`, `failed`, `none`, the worst over seeds; empty: not run
  bool claim_failed = false; ///< an exact claim; its verify passed or there is none
  std::string reason;        ///< why it cannot be chosen, or that a claim failed
  std::string command;       ///< the command that repeats the run
};

struct TunedMachine {
  std::string name;                                       ///< its name on the command line
  std::vector<TuningMeasure> measures;                    ///< the first is compared
  std::vector<std::pair<std::string, std::string>> fixed; ///< values of options that do not vary
  std::vector<TunedRow> rows;                             ///< sorted as the command lists them
  std::optional<std::size_t> naive;    ///< the naive value's row; none: a condition excludes it
  std::optional<sweep::Tuning> tuning; ///< refers to rows; none: no value can be chosen

  const TuningMeasure& objective() const { return measures.front(); }
};

struct TuningReport {
  std::string version;                ///< memlane's version
  std::string program;                ///< its name on the command line
  std::vector<sweep::TunedAxis> axes; ///< one or two
  /// By axis: the command that tries more values beyond the edge where the best is; empty: none.
  std::vector<std::string> extensions;
  /// By axis: an input array whose size changes with the values, which are different problems then;
  /// empty: there is none.
  std::vector<std::string> changed_inputs;
  std::vector<TunedMachine> machines; ///< the first is tuned for, the others confirm it
  double within = 5;                  ///< percent: so much worse values are nearly as good
  std::int64_t seeds = 1;
  bool timing_only = false;
  bool interrupted = false;
};

/// Finds the best of every machine, from its rows.
void find_best(TuningReport& report);
/// What ratios refer to; null: nothing. A result that is wrong is none to compare with.
const TunedRow* naive_row(const TunedMachine& machine);
/// naive/value of a measure: above 1 the value is better. None where one of them has no number.
std::optional<double> ratio_to_naive(const TunedMachine& machine, const TunedRow& row,
                                     std::size_t measure = 0);
/// `best`, `tie` (as good), `yes` (in the range worth using), `apart` (nearly as good, but not
/// beside the best), or nothing.
std::string_view worth_of(const TuningReport& report, const TunedMachine& machine, std::size_t row);

/// `alpha=2`, `n=64, m=8`.
std::string values_text(const TuningReport& report, const TunedRow& row);
/// For people: all digits of a whole number; others with two decimals, more where these are zeros,
/// and six digits of one below 1; nothing of none.
std::string shown(const sweep::Cell& number);
/// A ratio with four digits; nothing of none.
std::string shown_ratio(std::optional<double> ratio);

/// What was found, each with a word before it: `best`, `worth using`, `edge`, …
std::vector<std::pair<std::string, std::string>> tuning_findings(const TuningReport& report);

nlohmann::ordered_json tuning_schema();
/// A line of `--format jsonl`: a value on a machine.
nlohmann::ordered_json tuning_line_schema();
/// Any of the formats, ending with a line end.
std::string render_tuning(const TuningReport& report, Format format);

} // namespace memlane
