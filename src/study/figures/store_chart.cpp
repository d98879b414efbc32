#include "memlane/study/figures/store_chart.hpp"

#include "plot_table.hpp"

#include "memlane/chart/scale.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace memlane {
namespace {

using sweep::Cell;
using Names = std::vector<std::string>;

/// Columns that are empty where a point has what its program declares.
bool is_of_declarations(const std::string& column) {
  constexpr std::string_view all[] = {"layouts", "fns", "types", "inputs", "input_hashes",
                                      "layout",  "fn",  "type",  "input"};
  return std::count(std::begin(all), std::end(all), column) > 0;
}

std::string column_of_machine(const PlotTable& table) {
  return table.has("machine") ? "machine" : "machine_name";
}

/// The value of a cell on an axis of categories.
std::string category_of(const PlotTable& table, const PlotRow& row, const std::string& x) {
  const auto number = sweep::number_in(table.cell(row, x));
  std::string text = number ? value_text({}, *number) : table.text(row, x);
  return text.empty() && is_of_declarations(x) ? "as declared" : text;
}

/// A label without the dollars of its formulas, which the chart keeps for LaTeX.
std::string labelled(const std::string& label, Chart& chart) {
  const std::string one_line = on_one_line(label, 400), plain = plain_label(one_line);
  if (plain == one_line) return label;
  chart.latex[plain] = latex_label(one_line);
  return plain;
}

/// Of the categories `t=rows` and `t=padded(1)`, what all begin with stands at the axis:
/// `layouts: t`.
void move_common_name(ChartAxis& axis) {
  const std::string& first = axis.categories.front();
  const std::size_t end = first.find('=') + 1;
  const bool is_common =
      end > 0 && axis.categories.size() > 1 &&
      std::all_of(axis.categories.begin(), axis.categories.end(), [&](const std::string& text) {
        return text.starts_with(first.substr(0, end)) && text.find('=', end) == text.npos;
      });
  if (!is_common) return;
  axis.name += ": " + first.substr(0, end - 1);
  for (std::string& text : axis.categories) text.erase(0, end);
}

/// Eight digits of a hash tell the contents of a few files apart, and fit into a legend.
std::string with_short_hashes(const std::string& text) {
  std::string shown;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = std::isxdigit(static_cast<unsigned char>(c)) ? digits + 1 : 0;
    if (digits <= 8) shown += c;
  }
  return shown;
}

/// Whether the row's machine has the key of the column, and no value for it:
/// `shared.capacity=null`.
bool is_null_key(const PlotTable& table, const PlotRow& row, const std::string& column) {
  const MachineKey* key = key_of_column(column);
  if (!key) key = find_machine_key(column);
  const auto model = key ? model_named(table.text(row, "machine_model")) : std::nullopt;
  return model && contains(key->models, *model) && row.basis <= SeriesBasis::formula;
}

/// `sum on hmm-titan, d=4`: the values of some columns, without those that are empty.
std::string values_text(const PlotTable& table, const PlotRow& row, const Names& columns) {
  constexpr std::string_view bare[] = {"program", "series", "store", "layouts", "fns",  "types",
                                       "inputs",  "layout", "fn",    "type",    "input"};
  std::string text;
  for (const std::string& column : columns) {
    std::string value = table.text(row, column);
    if (value.empty() && is_null_key(table, row, column)) value = "null";
    if (value.empty()) continue;
    if (column == "sha256" || column == "input_hashes") value = with_short_hashes(value);
    const bool machine = column == "machine" || column == "machine_name";
    const bool is_bare = machine || std::count(std::begin(bare), std::end(bare), column) > 0;
    text += text.empty() ? "" : machine ? " on " : ", ";
    text += is_bare ? value : column + "=" + value;
  }
  return text;
}

/// A panel and its rows, as numbers of rows of the table, ascending.
struct PlotPanel {
  Names values;
  std::string title;
  std::set<std::size_t> rows;
};

/// A panel for each combination of values of these columns; a single one without columns. Measured
/// and printed rows are in all panels that their values do not contradict: a measured row, which
/// names no machine, is in the panel of each.
std::vector<PlotPanel> plot_panels(const PlotTable& table, const Names& columns) {
  std::vector<PlotPanel> panels;
  for (const bool simulated : {true, false}) {
    for (std::size_t number = 0; number < table.rows.size(); ++number) {
      const PlotRow& row = table.rows[number];
      if ((row.basis <= SeriesBasis::formula) != simulated) continue;
      Names own;
      for (const std::string& column : columns) own.push_back(table.text(row, column));
      bool added = false;
      for (PlotPanel& panel : panels) {
        const auto agree = [&](const std::string& mine, const std::string& value) {
          return mine == value || (!simulated && mine.empty());
        };
        if (!std::equal(own.begin(), own.end(), panel.values.begin(), agree)) continue;
        panel.rows.insert(number);
        added = true;
      }
      if (!added) panels.push_back({own, values_text(table, row, columns), {number}});
    }
  }
  return panels;
}

/// `sum on hmm-titan: time over n`, without the program or machine if there are several.
std::string title_of(const PlotTable& table, const PlotColumns& columns) {
  const auto only = [&](const std::string& column) {
    std::set<std::string> values;
    for (const PlotRow& row : table.rows) values.insert(table.text(row, column));
    values.erase("");
    return values.size() == 1 ? *values.begin() : std::string();
  };
  const std::string program = only("program"), machine = only(column_of_machine(table));
  const std::string on = machine.empty() ? "" : " on " + machine;
  const std::string axes = fmt::format("{} over {}", fmt::join(columns.y, ", "), columns.x);
  return program.empty() ? axes + on : program + on + ": " + axes;
}

/// Rows that are drawn as one point: their mean.
struct Spread {
  double x = 0, sum = 0, least = INFINITY, greatest = -INFINITY;
  std::size_t count = 0;
  const PlotRow* first = nullptr;
};

class ChartMaker {
public:
  /// `title`: of a request without one. `said`: sentences of the caption about what was removed
  /// from the table.
  ChartMaker(const PlotTable& table, const PlotRequest& request, PlotColumns columns,
             std::string title, Names said);
  Result<StoreChart> make();

private:
  ChartAxis x_axis() const;
  ChartAxis y_axis() const;
  double x_of(const PlotRow& row) const;
  ChartSeries& series_of(ChartPanel& panel, const PlotRow& row, const std::string& y) const;
  std::string point_text(const Spread& spread, const std::string& y) const;
  void add_rows(ChartPanel& panel, const std::set<std::size_t>& rows);
  std::string caption() const;
  void describe(StoreChart& made) const;

  const PlotTable& table_;
  const PlotRequest& request_;
  PlotColumns columns_;
  Names differ_; ///< columns in which several rows of a series at one x differ
  Names said_;   ///< columns whose values a hover text says
  std::string title_;
  Names sentences_; ///< of the caption, known before
  ChartAxis x_;
  Mark mark_ = Mark::line;
  std::set<SeriesBasis> several_y_; ///< bases whose rows have numbers in several columns of y
  bool has_means_ = false;
};

ChartMaker::ChartMaker(const PlotTable& table, const PlotRequest& request, PlotColumns columns,
                       std::string title, Names said)
    : table_(table), request_(request), columns_(std::move(columns)), title_(std::move(title)),
      sentences_(std::move(said)) {
  Names apart = columns_.by;
  apart.insert(apart.end(), columns_.panels.begin(), columns_.panels.end());
  differ_ = differing_columns(table_, columns_.x, apart, true);
  said_ = {"program", column_of_machine(table_)};
  apart.insert(apart.end(), differ_.begin(), differ_.end());
  apart.push_back(columns_.x);
  for (const std::string& name : apart)
    if (std::find(said_.begin(), said_.end(), name) == said_.end()) said_.push_back(name);
  x_ = x_axis();
  mark_ = request_.mark.value_or(x_.scale == AxisScale::categories ? Mark::bars : Mark::line);
  std::map<SeriesBasis, std::set<std::string>> of_basis;
  for (const std::string& y : columns_.y)
    for (const PlotRow& row : table_.rows)
      if (sweep::number_in(table_.cell(row, y))) of_basis[row.basis].insert(y);
  for (const auto& [basis, names] : of_basis)
    if (names.size() > 1) several_y_.insert(basis);
}

/// Texts are categories, as are numbers under bars.
ChartAxis ChartMaker::x_axis() const {
  ChartAxis axis;
  axis.name = columns_.x;
  const std::vector<double> values = table_.numbers(columns_.x);
  if (table_.has_text(columns_.x)) {
    std::set<std::string> seen;
    for (const PlotRow& row : table_.rows)
      if (std::string text = category_of(table_, row, columns_.x); seen.insert(text).second)
        axis.categories.push_back(std::move(text));
  } else if (request_.mark == Mark::bars && !request_.log) {
    for (const double value : values) axis.categories.push_back(value_text({}, value));
  } else {
    axis.scale = !request_.log     ? scale_of_values(values)
                 : request_.log->x ? log_scale_of(values)
                                   : AxisScale::linear;
  }
  if (!axis.categories.empty()) axis.scale = AxisScale::categories;
  return axis;
}

bool is_log(const ChartAxis& axis) {
  return axis.scale == AxisScale::log2 || axis.scale == AxisScale::log10;
}

/// Its name lists the columns with their units, a common one once.
ChartAxis ChartMaker::y_axis() const {
  ChartAxis axis;
  double least = INFINITY, greatest = -INFINITY;
  std::string last_unit;
  const auto in_unit = [&](const std::string& unit) {
    if (!unit.empty()) axis.name += " in " + unit;
  };
  for (const std::string& name : columns_.y) {
    const std::vector<double> values = table_.numbers(name);
    least = std::min(least, values.front());
    greatest = std::max(greatest, values.back());
    std::string unit = unit_in(table_.columns[table_.at(name)].meaning);
    if (name == "time") unit = "time units";
    if (unit != last_unit) in_unit(last_unit);
    axis.name += (axis.name.empty() ? "" : ", ") + name;
    last_unit = name.ends_with(unit) ? "" : unit;
  }
  in_unit(last_unit);
  if (columns_.y == Names{"nanoseconds"}) {
    axis.name = "time";
    axis.text = AxisText::nanoseconds;
  } else if (columns_.y == Names{"time", "nanoseconds"}) {
    axis.name = "time in time units; measured: in nanoseconds";
  }
  const bool grows = mark_ != Mark::bars && least > 0 && (is_log(x_) || greatest >= 1000 * least);
  axis.scale = (request_.log ? request_.log->y : grows) ? AxisScale::log10 : AxisScale::linear;
  return axis;
}

/// NaN for a row without a value.
double ChartMaker::x_of(const PlotRow& row) const {
  if (x_.scale != AxisScale::categories)
    return sweep::number_in(table_.cell(row, columns_.x)).value_or(NAN);
  const auto& all = x_.categories;
  const auto at = std::find(all.begin(), all.end(), category_of(table_, row, columns_.x));
  return at == all.end() ? NAN : static_cast<double>(at - all.begin());
}

/// A simulated series without a value has what its program declares, or lacks what others have.
ChartSeries& ChartMaker::series_of(ChartPanel& panel, const PlotRow& row,
                                   const std::string& y) const {
  std::string name = table_.text(row, "series");
  if (name.empty()) name = values_text(table_, row, columns_.by);
  if (name.empty() && row.basis <= SeriesBasis::formula && !columns_.by.empty())
    name = std::any_of(columns_.by.begin(), columns_.by.end(), is_of_declarations)
               ? "as declared"
               : fmt::format("without {}", fmt::join(columns_.by, ", "));
  if (several_y_.contains(row.basis)) name = name.empty() ? y : name + ": " + y;
  for (ChartSeries& series : panel.series)
    if (series.name == name && series.basis == row.basis) return series;
  return panel.series.emplace_back(ChartSeries{name, row.basis, mark_, {}});
}

std::string ChartMaker::point_text(const Spread& spread, const std::string& y) const {
  const PlotRow& row = *spread.first;
  std::string text = row.basis == SeriesBasis::model ? "" : std::string(name_of(row.basis)) + ": ";
  text += values_text(table_, row, said_);
  const double mean = spread.sum / static_cast<double>(spread.count);
  text += fmt::format("{}{} {}", text.empty() ? "" : ", ", y, value_text({}, mean));
  if (spread.count > 1)
    text += fmt::format(" (mean of {} runs, {} to {})", spread.count, value_text({}, spread.least),
                        value_text({}, spread.greatest));
  return plain_label(text);
}

/// Rows of a series at one x that differ in nothing else, thus in their seed, are one point.
void ChartMaker::add_rows(ChartPanel& panel, const std::set<std::size_t>& rows) {
  const bool join = mark_ != Mark::points && differ_.empty();
  for (const std::string& y : columns_.y) {
    std::map<std::tuple<std::size_t, double, std::size_t>, Spread> points; // by series and x
    for (const std::size_t number : rows) {
      const PlotRow& row = table_.rows[number];
      const auto value = sweep::number_in(table_.cell(row, y));
      if (!value) continue;
      const ChartSeries& series = series_of(panel, row, y);
      const double x = x_of(row);
      const bool alone = !join || row.basis == SeriesBasis::printed || std::isnan(x);
      Spread& point = points[{static_cast<std::size_t>(&series - panel.series.data()),
                              alone ? 0 : x, alone ? number : table_.rows.size()}];
      point.x = x;
      point.sum += *value;
      point.least = std::min(point.least, *value);
      point.greatest = std::max(point.greatest, *value);
      if (point.count++ == 0) point.first = &row;
    }
    for (const auto& [place, point] : points) {
      has_means_ = has_means_ || point.count > 1;
      panel.series[std::get<0>(place)].points.push_back(
          {point.x, point.sum / static_cast<double>(point.count), point_text(point, y),
           table_.text(*point.first, "command"), point.count > 1 ? point.least : NAN,
           point.count > 1 ? point.greatest : NAN});
    }
  }
}

std::string ChartMaker::caption() const {
  Names sentences = sentences_;
  if (has_means_)
    sentences.emplace_back(
        "Each point is the mean of the runs that differ in their seed; its bar goes from the "
        "least to the greatest.");
  if (!differ_.empty() && mark_ != Mark::points)
    sentences.push_back(
        fmt::format("A series has several points at one {}: rows also differ in {}.", columns_.x,
                    fmt::join(differ_, ", ")));
  const auto left_out = static_cast<std::int64_t>(table_.left_out);
  if (left_out > 0)
    sentences.push_back(fmt::format("{} that did not end {} left out.", counted(left_out, "point"),
                                    left_out == 1 ? "is" : "are"));
  const auto failed = std::count_if(table_.rows.begin(), table_.rows.end(), [&](auto& row) {
    return sweep::number_in(table_.cell(row, "check_failed")).value_or(0) != 0;
  });
  if (failed > 0)
    sentences.push_back(
        fmt::format("The verify or a claim of {} failed.", counted(failed, "point")));
  return plain_label(fmt::format("{}", fmt::join(sentences, " ")));
}

/// What is said of the points of a whole chart.
void ChartMaker::describe(StoreChart& made) const {
  Chart& chart = made.chart;
  std::int64_t points = 0;
  std::set<std::pair<SeriesBasis, std::string>> names;
  double least = INFINITY, greatest = -INFINITY;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      if (series.mark == Mark::curve) continue;
      names.insert({series.basis, series.name});
      points += static_cast<std::int64_t>(series.points.size());
      for (const ChartPoint& point : series.points) {
        least = std::min(least, point.y);
        greatest = std::max(greatest, point.y);
      }
    }
  }
  const std::string of_points = counted(points, "point");
  const std::string of_series =
      counted(static_cast<std::int64_t>(names.size()), "series", "series");
  const auto axis_text = [](const ChartAxis& axis) {
    return axis.name + (is_log(axis) ? " (logarithmic)" : "");
  };
  made.contents = fmt::format("{}, {}, {}", of_points, of_series,
                              counted(static_cast<std::int64_t>(chart.panels.size()), "panel"));
  chart.title = labelled(request_.title ? *request_.title : title_, chart);
  chart.summary =
      fmt::format("{} over {}: {} in {}, from {} to {}.", axis_text(chart.y), axis_text(chart.x),
                  of_points, of_series, value_text({}, least), value_text({}, greatest));
  chart.caption = caption();
}

Result<StoreChart> ChartMaker::make() {
  for (const std::string& y : columns_.y)
    if (table_.numbers(y).empty())
      return error_in("--y", fmt::format("the column '{}' has no number in these rows", y),
                      {"--y time, or another count: 'memlane explain counts'"});
  StoreChart made;
  if (!differ_.empty() && mark_ != Mark::points)
    made.warnings.push_back(
        fmt::format("a series has several points at one {}, since rows differ in {}; add that to "
                    "--by or --panels, or choose with --where",
                    columns_.x, fmt::join(differ_, ", ")));
  made.chart.x = x_;
  if (!request_.x_label) made.chart.x.name = labelled(x_.name, made.chart);
  if (x_.scale == AxisScale::categories) move_common_name(made.chart.x);
  made.chart.y = y_axis();
  if (!request_.y_label) made.chart.y.name = labelled(made.chart.y.name, made.chart);
  const PlotScales scales{x_.scale, made.chart.y.scale};
  if (std::any_of(request_.curves.begin(), request_.curves.end(),
                  [](const PlotCurve& curve) { return curve.of_claims; }))
    if (Status apply = check_claim_curves(table_, columns_, scales); !apply) return apply.errors();
  for (const PlotPanel& planned : plot_panels(table_, columns_.panels)) {
    ChartPanel& panel = made.chart.panels.emplace_back(ChartPanel{planned.title, {}});
    add_rows(panel, planned.rows);
    const Status curves =
        add_curves(table_, columns_, request_.curves, scales, planned.rows, panel);
    if (!curves) return curves.errors();
    for (ChartSeries& series : panel.series) series.name = labelled(series.name, made.chart);
    if (panel.series.size() > most_series)
      return error_in("", fmt::format("more than {} series", most_series),
                      {fmt::format("they are told apart by {}; choose fewer columns with --by, or "
                                   "rows with --where",
                                   fmt::join(columns_.by, ", "))});
  }
  if (request_.x_label) made.chart.x.name = labelled(*request_.x_label, made.chart);
  if (request_.y_label) made.chart.y.name = labelled(*request_.y_label, made.chart);
  made.chart.look = request_.look;
  describe(made);
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
    if (Status whole = check_printed(printed, *columns); !whole) return whole.errors();
  std::string title = title_of(*table, *columns); // of all rows that extremes stand for
  Names said = keep_extremes(*table, request, *columns);
  return ChartMaker(*table, request, std::move(*columns), std::move(title), std::move(said)).make();
}

std::string unit_in(std::string_view meaning) {
  const std::size_t begin = meaning.rfind('(');
  if (begin == std::string::npos || !meaning.ends_with(')')) return "";
  return std::string(meaning.substr(begin + 1, meaning.size() - begin - 2));
}

} // namespace memlane
