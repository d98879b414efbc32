// Charts and tables of a figure, from the rows of their queries.
#include "numbers.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace memlane {
namespace {

using sweep::Cell;
using sweep::number_in;
using sweep::Rows;

/// Puts the rows of a query into panels and series, in the order in which they appear.
class ChartRows {
public:
  ChartRows(const FigureChart& chart, const std::string& path, const Rows& rows)
      : chart_(chart), path_(path), rows_(rows) {}

  Result<Chart> read(const TextOfPoint& text_of);

private:
  /// A column that no chart reads is a name that is spelt wrong.
  Status check_columns() const;
  /// The text of a column; empty where there is none.
  std::string text(const std::vector<Cell>& row, std::string_view column) const;
  Result<double> x_of(const std::vector<Cell>& row);
  Result<SeriesBasis> basis_of(const std::vector<Cell>& row) const;
  ChartSeries& series_of(const std::string& panel, const std::string& name, SeriesBasis basis);

  const FigureChart& chart_;
  const std::string& path_;
  const Rows& rows_;
  Chart out_;
};

Status ChartRows::check_columns() const {
  const std::vector<std::string> read = {"x",     "y",     "least", "greatest", "series",
                                         "panel", "basis", "text",  "key"};
  for (const std::string& column : rows_.columns) {
    if (std::find(read.begin(), read.end(), column) != read.end()) continue;
    std::vector<std::string> help = did_you_mean(column, read);
    help.push_back(fmt::format("a chart reads {}", fmt::join(read, ", ")));
    return query_error(chart_.query, path_, fmt::format("a chart has no column {}", column),
                       std::move(help));
  }
  if (rows_.rows.empty()) return query_error(chart_.query, path_, "the query gives no row", {});
  return Done{};
}

std::string ChartRows::text(const std::vector<Cell>& row, std::string_view column) const {
  const auto at = column_of(rows_, column);
  if (!at || std::holds_alternative<std::monostate>(row[*at])) return "";
  return cell_in_words(row[*at]);
}

Result<double> ChartRows::x_of(const std::vector<Cell>& row) {
  const Cell& cell = row[*column_of(rows_, "x")];
  if (chart_.x.scale == AxisScale::categories) {
    const std::string name = cell_in_words(cell);
    auto& names = out_.x.categories;
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    if (static_cast<std::size_t>(at) == names.size()) names.push_back(name);
    return static_cast<double>(at);
  }
  if (const auto number = number_in(cell)) return *number;
  return query_error(chart_.query, path_, fmt::format("x is {}, not a number", cell_in_words(cell)),
                     {R"(for texts write "scale": "categories" in the x axis)"});
}

Result<SeriesBasis> ChartRows::basis_of(const std::vector<Cell>& row) const {
  const std::string name = text(row, "basis");
  if (name.empty()) return SeriesBasis::model;
  std::vector<std::string> words;
  for (const auto basis :
       {SeriesBasis::model, SeriesBasis::formula, SeriesBasis::measured, SeriesBasis::printed}) {
    if (name_of(basis) == name) return basis;
    words.emplace_back(name_of(basis));
  }
  return query_error(chart_.query, path_, fmt::format("basis is {}", in_quotes(name)),
                     {fmt::format("accepted: {}", fmt::join(words, ", "))});
}

ChartSeries& ChartRows::series_of(const std::string& panel, const std::string& name,
                                  SeriesBasis basis) {
  auto& panels = out_.panels;
  auto in_panel = std::find_if(panels.begin(), panels.end(),
                               [&](const ChartPanel& p) { return p.title == panel; });
  if (in_panel == panels.end()) in_panel = panels.insert(panels.end(), {panel, {}});
  auto& all = in_panel->series;
  auto series = std::find_if(all.begin(), all.end(), [&](const ChartSeries& s) {
    return s.name == name && s.basis == basis;
  });
  if (series == all.end()) series = all.insert(all.end(), {name, basis, chart_.mark, {}});
  return *series;
}

Result<Chart> ChartRows::read(const TextOfPoint& text_of) {
  out_.title = chart_.title;
  out_.caption = chart_.caption;
  out_.x = chart_.x;
  out_.y = chart_.y;
  out_.look = chart_.look;
  for (const char* column : {"x", "y"})
    if (!column_of(rows_, column))
      return query_error(chart_.query, path_, fmt::format("the query has no column {}", column),
                         {fmt::format("its columns are {}", fmt::join(rows_.columns, ", "))});
  if (Status known = check_columns(); !known) return known.errors();
  const std::size_t y_column = *column_of(rows_, "y");
  for (const std::vector<Cell>& row : rows_.rows) {
    if (std::holds_alternative<std::string>(row[y_column]))
      return query_error(chart_.query, path_,
                         fmt::format("y is {}, not a number", cell_in_words(row[y_column])), {});
    const auto x = x_of(row);
    const auto basis = basis_of(row);
    if (!x) return x.errors();
    if (!basis) return basis.errors();
    const auto number = [&](std::string_view column) {
      const auto at = column_of(rows_, column);
      return at ? number_in(row[*at]).value_or(NAN) : NAN;
    };
    const std::string key = text(row, "key");
    const PointText point = key.empty() ? PointText{} : text_of(key);
    std::string about = text(row, "text");
    if (about.empty()) about = point.label;
    about += fmt::format("{}{} {}", about.empty() ? "" : ": ", chart_.y.name,
                         cell_in_words(row[y_column]));
    series_of(text(row, "panel"), text(row, "series"), *basis)
        .points.push_back({*x, number("y"), std::move(about), point.command, number("least"),
                           number("greatest")});
  }
  std::vector<std::string> names;
  for (const ChartPanel& panel : out_.panels)
    for (const ChartSeries& series : panel.series)
      if (!series.name.empty() && std::find(names.begin(), names.end(), series.name) == names.end())
        names.push_back(series.name);
  out_.summary = fmt::format("{} over {}{}", chart_.y.name, chart_.x.name,
                             names.empty() ? "" : fmt::format(": {}", fmt::join(names, ", ")));
  return std::move(out_);
}

} // namespace

Result<Chart> chart_of(const FigureChart& chart, const std::string& path, const Rows& rows,
                       const TextOfPoint& text_of) {
  return ChartRows(chart, path, rows).read(text_of);
}

Result<PageTable> table_of(const FigureTable& table, const std::string& path,
                           const FigureSpec& spec, const FigureSelect& select) {
  const auto rows = rows_of(table.query, path, spec, select);
  if (!rows) return rows.errors();
  PageTable out{table.title, {rows->columns}, {}};
  for (const auto& row : rows->rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell_in_words(cell, spec.plain));
    out.rows.push_back(std::move(cells));
  }
  const auto is_text = [&](std::size_t column) {
    return std::none_of(rows->rows.begin(), rows->rows.end(), [&](const std::vector<Cell>& row) {
      return number_in(row[column]).has_value();
    });
  };
  for (std::size_t column = 0; column < rows->columns.size(); ++column)
    if (is_text(column)) out.texts.insert(column);
  return out;
}

} // namespace memlane
