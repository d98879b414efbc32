// A chart of the rows of result stores, beside measured and printed values.
#pragma once

#include "memlane/chart/chart.hpp"
#include "memlane/claim/column_formula.hpp"
#include "memlane/store/query.hpp"
#include "memlane/support/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// A store to plot, and what it is called where several are.
struct PlottedStore {
  std::string name;
  const sweep::StoreReader* reader = nullptr;
};

/// Which axes are logarithmic.
struct LogAxes {
  bool x = false, y = false;
};

/// A formula over the columns of the rows, drawn as a curve of x; or what the rows' programs claim
/// about y.
struct PlotCurve {
  std::string name; ///< empty: the formula
  std::string text; ///< of the formula
  ColumnFormula formula;
  bool is_bound = false;  ///< drawn with the least factor that no simulated point exceeds
  bool of_claims = false; ///< the claims' right sides as the results have them, without a formula
};

/// A formula over the columns of a row, whose values are a further column.
struct PlotColumn {
  std::string option; ///< that it is from
  std::string name;   ///< after `as`, else the formula
  ColumnFormula formula;
  /// `least` or `greatest`: of the rows of a series at one x, the one with this value is drawn.
  std::optional<Aggregate> of_rows = {};
};

/// What the user chooses. Otherwise, x is the column of numbers with the most values, y the
/// time and, of measured rows, the nanoseconds. Rows are one series if they have the same texts and
/// differ only in x, or in numbers that follow from x.
struct PlotRequest {
  std::optional<std::string> x;
  std::vector<std::string> y;                 ///< several: a series for each
  std::optional<std::vector<std::string>> by; ///< columns whose values tell series apart
  std::vector<std::string> panels;            ///< columns whose values tell panels apart
  std::string where;                          ///< an SQL condition
  std::optional<LogAxes> log;
  std::optional<Mark> mark;
  std::optional<std::string> title = {};                 ///< none: made from what is drawn
  std::optional<std::string> x_label = {}, y_label = {}; ///< none: the columns' names and units
  std::vector<PlotColumn> columns = {};                  ///< that x and y may name
  std::vector<PlotCurve> curves = {};
  ChartLook look = {};
};

/// Values of a paper: a file of comma-separated values with a heading. Columns are those of stores,
/// and `series`, the name of a value's series.
struct PrintedValues {
  std::vector<std::string> columns;
  std::vector<std::vector<sweep::Cell>> rows;
  Span heading;
  std::vector<std::vector<Span>> places; ///< the place of each cell
};

/// Errors: a text that is no such file, with its place.
Result<PrintedValues> read_printed_values(const Sources& sources, std::int32_t file);

struct StoreChart {
  Chart chart;
  std::string contents;              ///< `18 points, 2 series, 1 panel`
  std::vector<std::string> warnings; ///< a sentence each
};

/// Reads at most 100,000 rows. Points that did not end are left out, which the caption says. Runs
/// that differ only in their seed are drawn as their mean; of inputs that `memlane worst` tried,
/// the greatest value is drawn, except by Mark::points. Errors: an unknown column (with the
/// nearest), no column of numbers as x, a condition that SQLite does not understand, no rows, no
/// numbers in y, too many rows or series, a printed value that cannot be drawn.
Result<StoreChart> store_chart(const std::vector<PlottedStore>& stores, const PlotRequest& request,
                               const PrintedValues& printed);

/// The unit of a column, which its meaning ends with in parentheses; empty: it has none.
std::string unit_in(std::string_view meaning);

} // namespace memlane
