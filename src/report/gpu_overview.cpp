#include "gpu_overview.hpp"

#include "gpu_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {
namespace {

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}
std::string rate_text(double gbps) { return fmt::format("{:.4g} GB/s", gbps); }
std::string bare_text(double value) { return fmt::format("{:g}", value); }
std::string ratio_text(double ratio) {
  return ratio >= 1 ? short_number(ratio) : "1/" + short_number(1 / ratio);
}
std::string percent_mark(double ratio) {
  const double percent = 100 * (ratio - 1);
  return fmt::format("{}{:.2g} %", percent > 1e-6 ? "+" : "",
                     std::abs(percent) < 1e-6 ? 0 : percent);
}

std::string name_of(const OverviewPoint& point) {
  return fmt::format("{} {} ({})", point.curve, point.parameters, point.kernel);
}

/// Styles that occur, with what they stand for, in the order of the table.
std::vector<std::pair<std::string_view, std::string>> legend_of(const Plot& plot) {
  std::vector<std::pair<std::string_view, std::string>> legend;
  const std::pair<std::string_view, std::string> all[] = {
      {"measured", "emitted kernels"}, {"hand-written", "written by hand"}, {"cub", "CUB"}};
  for (const auto& key : all)
    if (std::any_of(plot.points.begin(), plot.points.end(),
                    [&](const PlotPoint& point) { return point.style == key.first; }))
      legend.push_back(key);
  return legend;
}

std::size_t within_factor(const Plot& plot, double factor) {
  return static_cast<std::size_t>(
      std::count_if(plot.points.begin(), plot.points.end(), [&](const PlotPoint& point) {
        return point.y <= factor * point.x && point.x <= factor * point.y;
      }));
}

/// A plot over the measured time of all predicted points; `height` and `text` are of a point.
template <class Height, class Text>
Plot plot_of_predictions(const Overview& overview, std::string title, std::string y_name,
                         Height&& height, Text&& text) {
  Plot plot;
  plot.title = std::move(title);
  plot.x_name = "measured";
  plot.y_name = std::move(y_name);
  plot.x_text = short_time;
  for (const OverviewPoint& point : overview.points)
    if (point.predicted_ns)
      plot.points.push_back({point.measured_ns, height(point), point.style,
                             fmt::format("{}: {}", name_of(point), text(point))});
  plot.legend = legend_of(plot);
  return plot;
}

Plot predicted_plot(const Overview& overview) {
  Plot plot = plot_of_predictions(
      overview, "Predicted against measured", "predicted",
      [](const OverviewPoint& point) { return *point.predicted_ns; },
      [](const OverviewPoint& point) {
        return fmt::format("predicted {}, measured {}", short_time(*point.predicted_ns),
                           short_time(point.measured_ns));
      });
  plot.y_text = short_time;
  plot.lines = {{"as measured", true}, {"twice, half", false, 2}, {"", false, 0.5}};
  plot.summary = fmt::format("Both axes are logarithmic. Of {} points {} are within a factor of "
                             "two of the line where the prediction is right.",
                             plot.points.size(), within_factor(plot, 2));
  return plot;
}

/// Around 1 to both sides alike: in per cent where all are near, else as multiples.
void mark_residuals(double most, Plot& plot) {
  plot.y_also = {1 / most, most};
  if (most > 1.6) return;
  double step = 0.0005;
  for (const double next : {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2})
    if (step * 3 < most - 1) step = next;
  for (int k = -3; k <= 3; ++k)
    if (1 + k * step > 1 / most && 1 + k * step < most) plot.y_marks.push_back(1 + k * step);
  plot.y_text = percent_mark;
  plot.lines.resize(1); // twice and half are far outside
}

Plot residual_plot(const Overview& overview) {
  const auto ratio = [](const OverviewPoint& point) {
    return *point.predicted_ns / point.measured_ns;
  };
  Plot plot = plot_of_predictions(overview, "Residuals: predicted / measured",
                                  "predicted / measured", ratio, [&](const OverviewPoint& point) {
                                    return fmt::format("{:.4g} times as measured", ratio(point));
                                  });
  plot.y_text = ratio_text;
  double least = INFINITY, most = 0;
  for (const PlotPoint& point : plot.points) {
    least = std::min(least, point.y);
    most = std::max(most, point.y);
  }
  plot.lines = {{"as measured", true, 1, 0}, {"twice, half", false, 2, 0}, {"", false, 0.5, 0}};
  mark_residuals(std::max({most, 1 / least, 1.001}), plot);
  if (!plot.points.empty())
    plot.summary = fmt::format("Both axes are logarithmic. The prediction is {:.4g} to {:.4g} "
                               "times the measured time.",
                               least, most);
  return plot;
}

/// A roofline [Williams, Waterman & Patterson 2009] over the bytes that a kernel must move at
/// least: the models price memory, not operations, so that the slope is the cost of a launch.
Plot roofline(const Overview& overview) {
  Plot plot;
  plot.title = "Roofline: bandwidth of the arrays";
  plot.x_name = "bytes of the arrays, each once";
  plot.y_name = "bandwidth in GB/s";
  plot.x_text = bytes_text;
  plot.y_text = bare_text;
  double most = 0;
  for (const OverviewPoint& point : overview.points) {
    if (!point.bytes) continue;
    const double rate = *point.bytes / point.measured_ns; // a byte a nanosecond is 1 GB/s
    most = std::max(most, rate);
    plot.points.push_back({*point.bytes, rate, point.style,
                           fmt::format("{}: {} in {}, {}", name_of(point), bytes_text(*point.bytes),
                                       short_time(point.measured_ns), rate_text(rate))});
  }
  const double ridge = overview.peak_gbps.value_or(INFINITY) * overview.launch_ns.value_or(0);
  if (std::isfinite(ridge) && ridge > 0) plot.x_also = {ridge / 2, ridge * 2};
  plot.summary =
      fmt::format("Both axes are logarithmic. The highest bandwidth is {}.", rate_text(most));
  if (overview.peak_gbps) {
    plot.y_also.push_back(*overview.peak_gbps);
    plot.lines.push_back(
        {"peak " + rate_text(*overview.peak_gbps), true, *overview.peak_gbps, 0, ridge});
    plot.summary += fmt::format(" The device's peak is {}.", rate_text(*overview.peak_gbps));
  }
  if (overview.launch_ns && *overview.launch_ns > 0) {
    plot.lines.push_back({"one launch of " + short_time(*overview.launch_ns), true,
                          1 / *overview.launch_ns, 1, 0, ridge});
    plot.summary += fmt::format(" A launch alone takes {}.", short_time(*overview.launch_ns));
  }
  plot.legend = legend_of(plot);
  return plot;
}

PageTable worst_table(const Overview& overview) {
  const auto distance = [](const OverviewPoint* point) {
    return std::abs(std::log(*point->predicted_ns / point->measured_ns));
  };
  std::vector<const OverviewPoint*> worst;
  for (const OverviewPoint& point : overview.points)
    if (point.predicted_ns) worst.push_back(&point);
  std::stable_sort(worst.begin(), worst.end(),
                   [&](const auto* a, const auto* b) { return distance(a) > distance(b); });
  if (worst.size() > 10) worst.resize(10);
  PageTable table{
      worst.size() == 10 ? "The worst ten" : "From the worst to the best",
      {{"algorithm", "parameters", "kernel", "measured", "predicted", "predicted / measured"}},
      3};
  for (const OverviewPoint* point : worst)
    table.rows.push_back({point->curve, point->parameters, point->kernel,
                          short_time(point->measured_ns), short_time(*point->predicted_ns),
                          ratio_text(*point->predicted_ns / point->measured_ns)});
  return table;
}

} // namespace

void add_overview(const Overview& overview, Page& page) {
  page.plots = {predicted_plot(overview), residual_plot(overview), roofline(overview)};
  page.first_tables = {worst_table(overview)};
}

} // namespace memlane
