// Plots of the least or the greatest of several rows.
#include "plot_table.hpp"

#include "memlane/study/results/cell_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane {
namespace {

using Names = std::vector<std::string>;

bool is_among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Which row of several is drawn, and what the rows are.
struct Extreme {
  bool is_least = false;
  bool of_series = false; ///< of all rows of a series at one x
  const char* rows = "the runs that differ in their seed";
};

std::optional<Extreme> extreme_of(const std::string& y, const PlotRequest& request) {
  const auto column = std::find_if(request.columns.begin(), request.columns.end(),
                                   [&](const PlotColumn& one) { return one.name == y; });
  const bool is_formula = column != request.columns.end();
  const bool of_trials = is_formula ? is_among(column->formula.columns, sweep::worst_value_column)
                                    : y == sweep::worst_value_column;
  const std::optional<Aggregate> asked = is_formula ? column->of_rows : std::nullopt;
  // A mean of inputs that a search chose says nothing of any input.
  if (!asked && (!of_trials || request.mark == Mark::points)) return std::nullopt;
  Extreme extreme;
  extreme.is_least = asked == Aggregate::least;
  extreme.of_series = asked.has_value();
  if (of_trials) extreme.rows = "the inputs that were tried";
  return extreme;
}

/// Empties the cells of y in all rows but one of those with the same values of `apart`. Returns
/// whether there was one to empty. An undefined number is neither the least nor the greatest.
bool keep_one(PlotTable& table, const std::string& y, const Names& apart, bool is_least) {
  std::map<Names, sweep::Cell*> kept;
  bool has_emptied = false;
  for (PlotRow& row : table.rows) {
    sweep::Cell& cell = row.cells[table.at(y)];
    const auto value = sweep::number_in(cell);
    if (!value || row.basis == SeriesBasis::printed) continue;
    Names key = {std::string(name_of(row.basis))};
    for (const std::string& column : apart) key.push_back(table.text(row, column));
    const auto [place, is_first] = kept.emplace(std::move(key), &cell);
    if (is_first) continue;
    const double other = sweep::number_in(*place->second).value_or(0);
    const bool is_better = std::isnan(other) || (is_least ? *value < other : *value > other);
    (is_better ? *place->second : cell) = {};
    if (is_better) place->second = &cell;
    has_emptied = true;
  }
  return has_emptied;
}

} // namespace

Names keep_extremes(PlotTable& table, const PlotRequest& request, const PlotColumns& columns) {
  Names of_series = columns.by, sentences;
  of_series.insert(of_series.end(), columns.panels.begin(), columns.panels.end());
  const Names differ = differing_columns(table, columns.x, of_series, true);
  of_series.push_back(columns.x);
  Names apart = of_series;
  apart.insert(apart.end(), differ.begin(), differ.end());
  bool has_joined = false;
  for (const std::string& y : columns.y) {
    const std::optional<Extreme> extreme = extreme_of(y, request);
    if (!extreme) continue;
    const bool joins = extreme->of_series && !differ.empty();
    if (!keep_one(table, y, joins ? of_series : apart, extreme->is_least)) continue;
    has_joined = has_joined || joins;
    sentences.push_back(
        fmt::format("Each point{} is the {} of {}.", columns.y.size() > 1 ? " of " + y : "",
                    extreme->is_least ? "least" : "greatest",
                    joins ? fmt::format("the runs of its series at one {}, which differ in {}",
                                        columns.x, fmt::join(differ, ", "))
                          : extreme->rows));
  }
  if (has_joined) // rows that lost all values are not part of the chart
    std::erase_if(table.rows, [&](const PlotRow& row) {
      return std::none_of(columns.y.begin(), columns.y.end(), [&](const std::string& y) {
        return sweep::number_in(table.cell(row, y)).has_value();
      });
    });
  return sentences;
}

} // namespace memlane
