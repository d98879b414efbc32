#include "memlane/study/figures/store_chart.hpp"

#include "plot_table.hpp"

#include "memlane/chart/scale.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace memlane {
namespace {

using sweep::Cell;
using Names = std::vector<std::string>;

constexpr std::size_t most_series = 200;

/// Rows of one series at one x, whose mean is drawn.
struct Spread {
  double sum = 0, least = INFINITY, greatest = -INFINITY;
  std::size_t count = 0;
  const PlotRow* first = nullptr;

  void add(const PlotRow& row, double y) {
    sum += y;
    least = std::min(least, y);
    greatest = std::max(greatest, y);
    if (count++ == 0) first = &row;
  }
};

std::string unit_of(const PlotTable& table, const std::string& column) {
  if (column == "time") return "time units";
  if (column == "seconds" || column == "nanoseconds") return column;
  return unit_in(table.columns[table.at(column)].meaning);
}

class ChartMaker {
public:
  ChartMaker(const PlotTable& table, const PlotRequest& request, PlotColumns columns)
      : table_(table), request_(request), columns_(std::move(columns)) {}

  Result<StoreChart> make();

private:
  Status check_numbers() const;
  void find_several_y();
  void choose_x_axis();
  void choose_y_axis();
  std::string names_with_units() const;
  void choose_words(Chart& chart) const;
  double x_of(const PlotRow& row) const;
  std::string series_name(const PlotRow& row, const std::string& y) const;
  std::string point_text(const PlotRow& row, const std::string& y, const Spread& spread) const;
  ChartSeries& series_of(ChartPanel& panel, const PlotRow& row, const std::string& y) const;
  void add_rows(ChartPanel& panel, const std::vector<std::size_t>& rows) const;
  std::vector<double> numbers(const std::string& column) const;
  std::set<std::string> values_of(const std::string& column) const;
  std::string caption() const;

  const PlotTable& table_;
  const PlotRequest& request_;
  PlotColumns columns_;
  ChartAxis x_, y_;
  Names varied_; ///< columns whose values a hover text says
  Mark mark_ = Mark::line;
  std::set<SeriesBasis> several_y_; ///< bases whose rows have numbers in several columns of y
  Names several_;                   ///< columns in which several rows of a series at one x differ
  bool means_ = false; ///< several rows of a series at one x differ in their seed alone
};

std::vector<double> ChartMaker::numbers(const std::string& column) const {
  std::set<double> values;
  const std::size_t at = table_.at(column);
  for (const PlotRow& row : table_.rows)
    if (const auto value = number_of_cell(row.cells[at])) values.insert(*value);
  return {values.begin(), values.end()};
}

void ChartMaker::find_several_y() {
  std::map<SeriesBasis, std::set<std::string>> columns;
  for (const std::string& y : table_.y)
    for (const PlotRow& row : table_.rows)
      if (number_of_cell(table_.cell(row, y))) columns[row.basis].insert(y);
  for (const auto& [basis, names] : columns)
    if (names.size() > 1) several_y_.insert(basis);
}

Status ChartMaker::check_numbers() const {
  for (const std::string& y : table_.y) {
    if (!numbers(y).empty()) continue;
    return error_in("--y", fmt::format("the column '{}' has no number in these rows", y),
                    {"--y time, or another count: 'memlane explain counts'"});
  }
  return Done{};
}

void ChartMaker::choose_x_axis() {
  x_.name = columns_.x;
  std::set<std::string> texts;
  bool all_numbers = true;
  const std::size_t at = table_.at(columns_.x);
  for (const PlotRow& row : table_.rows) {
    all_numbers = all_numbers && !std::holds_alternative<std::string>(row.cells[at]);
    if (texts.insert(text_of_cell(row.cells[at])).second)
      x_.categories.push_back(text_of_cell(row.cells[at]));
  }
  if (!all_numbers) {
    x_.scale = AxisScale::categories;
  } else if (request_.kind == PlotKind::bar && !request_.log) {
    x_.scale = AxisScale::categories; // in their order
    x_.categories.clear();
    for (const double value : numbers(columns_.x)) x_.categories.push_back(value_text({}, value));
  } else {
    const std::vector<double> values = numbers(columns_.x);
    x_.scale = !request_.log     ? scale_of_values(values)
               : request_.log->x ? log_scale_of(values)
                                 : AxisScale::linear;
    x_.categories.clear();
  }
}

void ChartMaker::choose_y_axis() {
  std::vector<double> all;
  for (const std::string& y : table_.y) {
    const std::vector<double> values = numbers(y);
    all.insert(all.end(), values.begin(), values.end());
  }
  const auto [least, greatest] = std::minmax_element(all.begin(), all.end());
  const bool x_is_log = x_.scale == AxisScale::log2 || x_.scale == AxisScale::log10;
  const bool bars = mark_ == Mark::bars;
  const bool log = request_.log ? request_.log->y
                                : !bars && *least > 0 && (x_is_log || *greatest >= 1000 * *least);
  y_.scale = log ? AxisScale::log10 : AxisScale::linear;
  if (table_.y == Names{"time", "nanoseconds"}) {
    y_.name = "time in time units; measured: in nanoseconds";
  } else if (table_.y == Names{"nanoseconds"}) {
    y_.name = "time";
    y_.text = AxisText::nanoseconds;
  } else {
    y_.name = names_with_units();
  }
}

/// `global_busy, time in time units`; each with its unit where they differ.
std::string ChartMaker::names_with_units() const {
  std::string text;
  for (std::size_t k = 0; k < table_.y.size(); ++k) {
    const std::string& name = table_.y[k];
    const std::string unit = unit_of(table_, name);
    const bool same_follows = k + 1 < table_.y.size() && unit_of(table_, table_.y[k + 1]) == unit;
    const bool said = unit.empty() || same_follows || name.ends_with(unit);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name, said ? "" : " in " + unit);
  }
  return text;
}

double ChartMaker::x_of(const PlotRow& row) const {
  const Cell& cell = table_.cell(row, columns_.x);
  if (x_.scale != AxisScale::categories) return number_of_cell(cell).value_or(NAN);
  const auto number = number_of_cell(cell);
  const bool in_order = request_.kind == PlotKind::bar && number;
  const std::string text = in_order ? value_text({}, *number) : text_of_cell(cell);
  const auto at = std::find(x_.categories.begin(), x_.categories.end(), text);
  return at == x_.categories.end() ? NAN : static_cast<double>(at - x_.categories.begin());
}

std::string ChartMaker::series_name(const PlotRow& row, const std::string& y) const {
  std::string name;
  if (table_.has("series")) name = text_of_cell(table_.cell(row, "series"));
  if (name.empty()) name = values_text(table_, row, columns_.by);
  if (!several_y_.contains(row.basis)) return name;
  return name.empty() ? y : name + ": " + y;
}

std::string ChartMaker::point_text(const PlotRow& row, const std::string& y,
                                   const Spread& spread) const {
  std::string text = row.basis == SeriesBasis::model ? "" : std::string(name_of(row.basis)) + ": ";
  text += values_text(table_, row, varied_);
  const double mean = spread.sum / static_cast<double>(spread.count);
  text += fmt::format("{}{} {}", text.empty() ? "" : ", ", y, value_text({}, mean));
  if (spread.count > 1)
    text += fmt::format(" (mean of {} runs, {} to {})", spread.count, value_text({}, spread.least),
                        value_text({}, spread.greatest));
  return text;
}

ChartSeries& ChartMaker::series_of(ChartPanel& panel, const PlotRow& row,
                                   const std::string& y) const {
  const std::string name = series_name(row, y);
  for (ChartSeries& series : panel.series)
    if (series.name == name && series.basis == row.basis) return series;
  return panel.series.emplace_back(ChartSeries{name, row.basis, mark_, {}});
}

void ChartMaker::add_rows(ChartPanel& panel, const std::vector<std::size_t>& rows) const {
  std::map<std::pair<std::size_t, double>, Spread> spreads; // by series and x
  for (const std::string& y : table_.y) {
    const std::size_t at = table_.at(y);
    for (const std::size_t number : rows) {
      const PlotRow& row = table_.rows[number];
      const auto value = number_of_cell(row.cells[at]);
      if (!value) continue;
      ChartSeries& series = series_of(panel, row, y);
      const double x = x_of(row);
      if (means_ && row.basis != SeriesBasis::printed && std::isfinite(x)) {
        spreads[{static_cast<std::size_t>(&series - panel.series.data()), x}].add(row, *value);
        continue;
      }
      Spread one;
      one.add(row, *value);
      series.points.push_back(
          {x, *value, point_text(row, y, one),
           table_.has("command") ? text_of_cell(table_.cell(row, "command")) : ""});
    }
    for (const auto& [place, spread] : spreads) {
      const PlotRow& row = *spread.first;
      panel.series[place.first].points.push_back(
          {place.second, spread.sum / static_cast<double>(spread.count), point_text(row, y, spread),
           table_.has("command") ? text_of_cell(table_.cell(row, "command")) : ""});
    }
    spreads.clear();
  }
}

std::string ChartMaker::caption() const {
  std::vector<std::string> sentences;
  if (means_)
    sentences.emplace_back("Each point is the mean of the runs that differ in their seed.");
  if (!several_.empty())
    sentences.push_back(
        fmt::format("A series has several points at one {}: rows also differ in {}.", columns_.x,
                    fmt::join(several_, ", ")));
  const auto left_out = static_cast<std::int64_t>(table_.left_out);
  if (left_out > 0)
    sentences.push_back(fmt::format("{} that did not end {} left out.", counted(left_out, "point"),
                                    left_out == 1 ? "is" : "are"));
  if (table_.has("check_failed")) {
    const auto failed = std::count_if(table_.rows.begin(), table_.rows.end(),
                                      [at = table_.at("check_failed")](const auto& row) {
                                        return number_of_cell(row.cells[at]).value_or(0) != 0;
                                      });
    if (failed > 0)
      sentences.push_back(
          fmt::format("The verify or a claim of {} failed.", counted(failed, "point")));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string axis_words(const ChartAxis& axis) {
  return axis.scale == AxisScale::log2 || axis.scale == AxisScale::log10 ? " (logarithmic)" : "";
}

/// The different texts of a column, if the table has it.
std::set<std::string> ChartMaker::values_of(const std::string& column) const {
  std::set<std::string> values;
  if (!table_.has(column)) return values;
  for (const PlotRow& row : table_.rows) values.insert(text_of_cell(table_.cell(row, column)));
  values.erase("");
  return values;
}

void ChartMaker::choose_words(Chart& chart) const {
  const std::set<std::string> programs = values_of("program");
  const std::set<std::string> machines =
      values_of(table_.has("machine") ? "machine" : "machine_name");
  const std::string on = machines.size() == 1 ? " on " + *machines.begin() : "";
  chart.title = request_.title;
  if (chart.title.empty() && programs.size() == 1)
    chart.title = fmt::format("{}{}: {} over {}", *programs.begin(), on, fmt::join(table_.y, ", "),
                              columns_.x);
  else if (chart.title.empty())
    chart.title = fmt::format("{} over {}{}", fmt::join(table_.y, ", "), columns_.x, on);
  std::size_t points = 0;
  std::set<std::string> names;
  double least = INFINITY, greatest = -INFINITY;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      names.insert(series.name);
      points += series.points.size();
      for (const ChartPoint& point : series.points) {
        least = std::min(least, point.y);
        greatest = std::max(greatest, point.y);
      }
    }
  }
  chart.summary =
      fmt::format("{}{} over {}{}: {} in {}, from {} to {}.", y_.name, axis_words(y_), x_.name,
                  axis_words(x_), counted(static_cast<std::int64_t>(points), "point"),
                  counted(static_cast<std::int64_t>(names.size()), "series", "series"),
                  value_text({}, least), value_text({}, greatest));
  chart.caption = caption();
}

Result<StoreChart> ChartMaker::make() {
  if (Status numbers = check_numbers(); !numbers) return numbers.errors();
  find_several_y();
  choose_x_axis();
  const PlotKind kind =
      request_.kind.value_or(x_.scale == AxisScale::categories ? PlotKind::bar : PlotKind::line);
  mark_ = kind == PlotKind::line ? Mark::line : kind == PlotKind::bar ? Mark::bars : Mark::points;
  choose_y_axis();
  StoreChart made;
  const Names forgotten = forgotten_columns(table_, columns_);
  varied_ = columns_.by;
  varied_.insert(varied_.end(), columns_.panels.begin(), columns_.panels.end());
  varied_.insert(varied_.end(), forgotten.begin(), forgotten.end());
  if (std::find(varied_.begin(), varied_.end(), columns_.x) == varied_.end())
    varied_.push_back(columns_.x);
  const char* const machine = table_.has("machine") ? "machine" : "machine_name";
  for (const char* subject : {machine, "program"}) // first, as `sum on hmm-titan`
    if (table_.has(subject)) {
      std::erase(varied_, subject);
      varied_.insert(varied_.begin(), subject);
    }
  means_ = mark_ != Mark::points && forgotten.empty();
  if (mark_ != Mark::points) several_ = forgotten;
  if (!several_.empty())
    made.warnings.push_back(
        fmt::format("a series has several points at one {}, since rows differ in {}; add that to "
                    "--by or --panels, or choose with --where",
                    columns_.x, fmt::join(several_, ", ")));
  for (PlotPanel& planned : plot_panels(table_, columns_.panels)) {
    ChartPanel& panel = made.chart.panels.emplace_back();
    panel.title = std::move(planned.title);
    add_rows(panel, planned.rows);
    if (panel.series.size() > most_series)
      return error_in("", fmt::format("more than {} series", most_series),
                      {fmt::format("they are told apart by {}; choose fewer columns with --by, or "
                                   "rows with --where",
                                   fmt::join(columns_.by, ", "))});
  }
  // A caption speaks of means only where there are some.
  std::size_t points = 0, values = 0;
  for (const ChartPanel& panel : made.chart.panels)
    for (const ChartSeries& series : panel.series) points += series.points.size();
  for (const std::string& y : table_.y)
    for (const PlotRow& row : table_.rows)
      values += number_of_cell(table_.cell(row, y)).has_value();
  if (points >= values) means_ = false;
  made.chart.x = x_;
  made.chart.y = y_;
  choose_words(made.chart);
  return made;
}

} // namespace

Result<StoreChart> store_chart(const std::vector<PlottedStore>& stores, const PlotRequest& request,
                               const PrintedValues& printed) {
  Result<PlotTable> table = read_plot_table(stores, request, printed);
  if (!table) return table.errors();
  Result<PlotColumns> columns = choose_columns(*table, request);
  if (!columns) return columns.errors();
  if (!printed.rows.empty())
    if (Status whole = check_printed_rows(printed, *table, columns->x); !whole)
      return whole.errors();
  return ChartMaker(*table, request, std::move(*columns)).make();
}

std::string unit_in(std::string_view meaning) {
  const std::size_t begin = meaning.rfind('(');
  if (begin == std::string::npos || !meaning.ends_with(')')) return "";
  return std::string(meaning.substr(begin + 1, meaning.size() - begin - 2));
}

} // namespace memlane
