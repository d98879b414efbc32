// Charts of a tuning: the objective over the values, one for each machine.
#include "scale.hpp"
#include "tuning_text.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane {
namespace {

using sweep::TunedAxis;

/// More series are hard to tell apart.
constexpr std::size_t most_tuned_series = 8;

/// Which axis is along x: the first that has numbers, of two such that with more values.
std::size_t axis_of_x(const TuningReport& report) {
  if (report.axes.size() < 2) return 0;
  const auto rank = [&](std::size_t axis) {
    const TunedAxis& one = report.axes[axis];
    return one.numbers.empty() ? 0 : one.values.size();
  };
  return rank(1) > rank(0) ? 1 : 0;
}

ChartAxis tuned_x_axis(const TunedAxis& axis) {
  ChartAxis x;
  x.name = axis.title;
  if (axis.numbers.empty()) {
    x.scale = AxisScale::categories;
    x.categories = axis.values;
    return x;
  }
  std::vector<double> numbers = axis.numbers;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  x.scale = scale_of_values(numbers);
  return x;
}

ChartAxis tuned_y_axis(const TunedMachine& machine, bool x_is_log) {
  ChartAxis y;
  y.name = machine.objective.label();
  if (!machine.objective.unit.empty() && machine.objective.unit != machine.objective.name)
    y.name += " in " + machine.objective.unit;
  bool positive = true;
  for (const TunedRow& row : machine.rows)
    positive = positive && (!row.objective || row.objective->value > 0);
  if (x_is_log && positive) y.scale = AxisScale::log10;
  return y;
}

/// The values of the other axis that have a series: all, or some evenly between the ends.
std::vector<std::size_t> values_of_series(const TuningReport& report, std::size_t x) {
  const std::size_t count = report.axes.size() < 2 ? 1 : report.axes[1 - x].values.size();
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < std::min(count, most_tuned_series); ++k)
    kept.push_back(count <= most_tuned_series ? k : k * (count - 1) / (most_tuned_series - 1));
  return kept;
}

Chart tuning_chart(const TuningReport& report, const TunedMachine& machine) {
  const std::size_t x = axis_of_x(report);
  Chart chart;
  chart.x = tuned_x_axis(report.axes[x]);
  const bool is_log = chart.x.scale == AxisScale::log2 || chart.x.scale == AxisScale::log10;
  const bool bars = chart.x.scale == AxisScale::categories;
  chart.y = bars ? tuned_y_axis(machine, false) : tuned_y_axis(machine, is_log);
  chart.title = fmt::format("{} on {}: {} by {}", report.program, machine.name,
                            machine.objective.label(), report.axes[x].title);
  const std::vector<std::size_t> kept = values_of_series(report, x);
  std::map<std::size_t, ChartSeries> series;
  for (const std::size_t value : kept) {
    ChartSeries& one = series[value];
    one.name = report.axes.size() < 2 ? machine.objective.name
                                      : fmt::format("{}={}", report.axes[1 - x].title,
                                                    report.axes[1 - x].values[value]);
    one.mark = bars ? Mark::bars : Mark::line;
  }
  std::size_t points = 0;
  for (const TunedRow& row : machine.rows) {
    const auto at = series.find(report.axes.size() < 2 ? 0 : row.at[1 - x]);
    if (row.state != TunedState::done || at == series.end()) continue;
    const double place = bars ? static_cast<double>(row.at[x]) : report.axes[x].numbers[row.at[x]];
    at->second.points.push_back({place, row.objective->value,
                                 fmt::format("{}: {} {}", values_text(report, row),
                                             machine.objective.name, shown(row.objective)),
                                 row.command});
    ++points;
  }
  ChartPanel& panel = chart.panels.emplace_back();
  for (auto& [value, one] : series)
    if (!one.points.empty()) panel.series.push_back(std::move(one));
  const double leftmost = bars ? -1 : 0;
  if (const auto& naive = machine.other_naive; naive && naive->state == TunedState::done)
    chart.guides.push_back(
        {report.naive_program, true, naive->objective->value, 0, leftmost, INFINITY});
  if (machine.tuning) {
    const TunedRow& best = machine.rows[machine.tuning->best];
    chart.guides.push_back({fmt::format("{} worse than the best", percent(report.within)), false,
                            best.objective->value * (1 + report.within), 0, leftmost, INFINITY});
    chart.caption = fmt::format("Best: {}, {} {}.", values_text(report, best),
                                machine.objective.name, shown(best.objective));
  }
  if (report.axes.size() > 1 && report.axes[1 - x].values.size() > kept.size())
    chart.caption +=
        fmt::format("{}Of {} values of {}, {} are drawn.", chart.caption.empty() ? "" : " ",
                    report.axes[1 - x].values.size(), report.axes[1 - x].title, kept.size());
  chart.summary = fmt::format("{} over {}: {}.", chart.y.name, chart.x.name,
                              counted(static_cast<std::int64_t>(points), "point"));
  return chart;
}

} // namespace

std::vector<Chart> tuning_charts(const TuningReport& report) {
  std::vector<Chart> charts;
  for (const TunedMachine& machine : report.machines)
    charts.push_back(tuning_chart(report, machine));
  return charts;
}

} // namespace memlane
