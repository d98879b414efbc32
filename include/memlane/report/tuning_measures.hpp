// What a value of a tuned parameter is judged by on each model, from the columns of stores.
#pragma once

#include "memlane/machine/spec.hpp"
#include "memlane/support/result.hpp"
#include "memlane/sweep/store.hpp"
#include "memlane/sweep/tuning.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// A rule that gives a measure its number, such as a theorem, and the column with that number. All
/// values of a table have the same rule.
struct TuningRule {
  std::string column;
  std::string name;    ///< `Corollary 1`
  std::string formula; ///< `(N/K + Λ)·C`
};

/// A measure and the columns it is from: their sum, or the first of them that has a number.
struct TuningMeasure {
  std::string name;    ///< `time`, in options and JSON
  std::string heading; ///< of tables: `span S`
  std::string unit;    ///< may be empty
  std::string meaning;
  std::vector<std::string> columns;
  bool is_sum = false;
  bool may_choose = true;  ///< the least is the best
  std::string letter = {}; ///< of ratios that the MMM paper prints: `W`
  /// Of a measure whose columns are alternatives: numbers by different rules cannot be compared.
  std::vector<TuningRule> rules = {};
  std::optional<TuningRule> rule = {}; ///< the one that all values of the machine have

  /// Its value in a row. `cell` gives the row's cell of a column.
  sweep::Cell value(const std::function<sweep::Cell(const std::string&)>& cell) const;
  /// Takes the first rule whose column no run lacks. A measure without rules stays as it is.
  void choose_rule(const std::function<bool(const std::string& column)>& all_runs_have);
  /// The name, with the rule that was chosen: `bound (Corollary 1)`.
  std::string label() const;
};

/// The measures that tables of a model show, in their order.
std::vector<TuningMeasure> tuning_measures(Model model);
/// By which `tune` chooses on a model without --objective.
std::string_view standard_objective(Model model);
/// The measure of a name, else the column of this name. Errors: neither; a measure of other models
/// only, which are named.
Result<TuningMeasure> find_objective(const std::string& name, Model model,
                                     const std::vector<sweep::StoreColumn>& columns);

} // namespace memlane
