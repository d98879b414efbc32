// The rows of all stores of a plot as one table.
#pragma once

#include "memlane/study/figures/store_chart.hpp"

#include <set>

namespace memlane {

/// What a program claims about a count, at a point.
struct RowClaim {
  std::string count; ///< `time`
  std::string bound; ///< `O(n/w + l)`, `3*n/w`
  std::string kind;  ///< `O`, `Omega`, `Theta`, `==`, `<=`, …
  double value = 0;  ///< of the right side, within O(…)
};

struct PlotRow {
  SeriesBasis basis = SeriesBasis::model;
  std::vector<sweep::Cell> cells;    ///< by column of the table
  std::vector<RowClaim> claims = {}; ///< about columns, where they apply, if curves need them
};

/// The columns that a plot reads, and their rows.
struct PlotTable {
  std::vector<sweep::StoreColumn> columns;
  std::vector<PlotRow> rows;
  std::size_t left_out = 0; ///< rows of points that did not end
  /// Columns of what was run that tell rows apart: those that `memlane results` shows.
  std::vector<std::string> telling;

  /// The column's index; columns.size() if the table lacks it.
  std::size_t at(std::string_view column) const;
  bool has(std::string_view column) const { return at(column) < columns.size(); }
  /// Empty if the table lacks the column.
  const sweep::Cell& cell(const PlotRow& row, std::string_view column) const;
  /// Empty for no value; numbers to their last digit.
  std::string text(const PlotRow& row, std::string_view column) const;
  /// The numbers of a column, ascending and each once, without NaN: an undefined value of a
  /// formula.
  std::vector<double> numbers(std::string_view column) const;
  bool has_text(std::string_view column) const;
};

/// The axes and the columns that tell rows apart, chosen.
struct PlotColumns {
  std::string x;
  std::vector<std::string> y, by, panels;
};

/// Reads the rows and adds the printed ones.
Result<PlotTable> read_plot_table(const std::vector<PlottedStore>& stores,
                                  const PlotRequest& request, const PrintedValues& printed);
/// What the request leaves open: see PlotRequest. Errors: no column of numbers varies.
Result<PlotColumns> choose_columns(const PlotTable& table, const PlotRequest& request);
/// Of the rows of a series at one x, keeps only the least or the greatest y where the request asks
/// for it; and the greatest of inputs that were tried, if the rows differ in no other column,
/// unless all are drawn as points. Returns, for each y that lost values, a sentence on that.
std::vector<std::string> keep_extremes(PlotTable& table, const PlotRequest& request,
                                       const PlotColumns& columns);
/// The telling columns beside `chosen` in which rows with the same values of these differ at one x;
/// texts, except the store, also at different x, unless `at_x` or x has texts itself: what follows
/// from x tells nothing more.
std::vector<std::string> differing_columns(const PlotTable& table, const std::string& x,
                                           std::vector<std::string> chosen, bool at_x);

struct PlotScales {
  AxisScale x = AxisScale::linear, y = AxisScale::linear;
};
inline constexpr std::size_t most_series = 200; ///< of a panel

/// The claims of a whole result that apply at its point.
std::vector<RowClaim> claims_in(const std::string& json);
/// Errors: an x axis of texts; no claim about y applies at two different x.
Status check_claim_curves(const PlotTable& table, const PlotColumns& columns,
                          const PlotScales& scales);
/// Adds a curve for each claim about y of each program, machine and series, through its values at
/// the points, if it applies at two of the rows. O(…) has the least factor that no simulated point
/// exceeds, Omega(…) the greatest that none falls below.
void add_claim_curves(const PlotTable& table, const PlotColumns& columns, const PlotScales& scales,
                      const std::set<std::size_t>& rows, ChartPanel& panel);

/// Adds each curve over the x of the rows, once for all rows that differ in nothing that it names;
/// after more than most_series no further. Errors: an x axis of texts, a curve without a value.
Status add_curves(const PlotTable& table, const PlotColumns& columns,
                  const std::vector<PlotCurve>& curves, const PlotScales& scales,
                  const std::set<std::size_t>& rows, ChartPanel& panel);

/// Adds the printed rows to a table that has their columns. Errors: what is no number in a column
/// of numbers, with its place.
Status add_printed(const PrintedValues& printed, PlotTable& table);
/// Whether all printed points have what the chart needs: x and one y. Errors: each row that has
/// not, with its place.
Status check_printed(const PrintedValues& printed, const PlotColumns& columns);

} // namespace memlane
