// The rows of all stores of a plot as one table.
#pragma once

#include "memlane/study/figures/store_chart.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

struct PlotRow {
  SeriesBasis basis = SeriesBasis::model;
  std::vector<sweep::Cell> cells; ///< by column of the table
};

/// Columns that say what was run, and those that are asked for. The last is `store`.
struct PlotTable {
  std::vector<sweep::StoreColumn> columns;
  std::vector<PlotRow> rows;
  std::size_t left_out = 0;   ///< rows of points that did not end
  std::vector<std::string> y; ///< columns to draw

  /// Requires a column of the table.
  std::size_t at(std::string_view column) const;
  std::vector<std::size_t> places(const std::vector<std::string>& columns) const;
  bool has(std::string_view column) const;
  const sweep::Cell& cell(const PlotRow& row, std::string_view column) const;
};

inline constexpr std::size_t most_plotted_rows = 100'000;

Result<PlotTable> read_plot_table(const std::vector<PlottedStore>& stores,
                                  const PlotRequest& request, const PrintedValues& printed);

/// Whether a printed point has what the chart needs: x and one y. Errors: each row that has not,
/// with its place.
Status check_printed_rows(const PrintedValues& printed, const PlotTable& table,
                          const std::string& x);

/// The number of a cell, if it holds one.
std::optional<double> number_of_cell(const sweep::Cell& cell);
/// The number that a text is, else the text.
sweep::Cell number_in_text(const std::string& text);
/// Empty for no value; numbers to their last digit.
std::string text_of_cell(const sweep::Cell& cell);

/// Columns that tell rows apart, chosen.
struct PlotColumns {
  std::string x;
  std::vector<std::string> by, panels;
};
/// What the request leaves open: as x the column of numbers with the most values; for series what
/// else differs, except seeds and what follows from x. Errors: no column of numbers varies.
Result<PlotColumns> choose_columns(const PlotTable& table, const PlotRequest& request);
/// Columns that tell rows apart, but are not among those chosen: a series has several points at one
/// x. `seed` is not among them.
std::vector<std::string> forgotten_columns(const PlotTable& table, const PlotColumns& chosen);

/// A panel and its rows, as numbers of rows of the table, ascending.
struct PlotPanel {
  std::string title;
  std::vector<std::size_t> rows;
};

/// A panel for each combination of values of these columns; a single one without columns. Measured
/// and printed rows are in all panels that their values do not contradict: a measured row, which
/// names no machine, is in the panel of each.
std::vector<PlotPanel> plot_panels(const PlotTable& table, const std::vector<std::string>& columns);

/// `sum on hmm-titan, d=4`: the values of some columns, without those that are empty.
std::string values_text(const PlotTable& table, const PlotRow& row,
                        const std::vector<std::string>& columns);

} // namespace memlane
