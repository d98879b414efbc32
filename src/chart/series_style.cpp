#include "memlane/chart/series_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace memlane {
namespace {

/// Corners on a circle, or on two in turn.
Marker star(int corners, double radius, double inner, double turn) {
  Marker marker;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * (i + turn) / corners - std::numbers::pi / 2;
    const double length = i % 2 == 1 ? inner : radius;
    marker.emplace_back(length * std::cos(angle), length * std::sin(angle));
  }
  return marker;
}

Marker plus() {
  constexpr double arm = 1.15, half = 0.38;
  return {{-half, -arm}, {half, -arm}, {half, -half}, {arm, -half}, {arm, half},   {half, half},
          {half, arm},   {-half, arm}, {-half, half}, {-arm, half}, {-arm, -half}, {-half, -half}};
}

/// The plus, turned by an eighth.
Marker cross() {
  Marker marker = plus();
  for (auto& [x, y] : marker) {
    const double sum = (x + y) / std::numbers::sqrt2;
    y = (y - x) / std::numbers::sqrt2;
    x = sum;
  }
  return marker;
}

} // namespace

std::string_view name_of(SeriesBasis basis) {
  switch (basis) {
  case SeriesBasis::model: return "model";
  case SeriesBasis::formula: return "formula";
  case SeriesBasis::measured: return "measured";
  case SeriesBasis::printed: return "printed";
  }
  return "";
}

const std::vector<Marker>& markers() {
  static const std::vector<Marker> all = {{},                       // circle
                                          star(4, 1.25, 1.25, 0.5), // square
                                          star(3, 1.45, 1.45, 0),   // triangle
                                          star(4, 1.35, 1.35, 0),   // diamond
                                          star(3, 1.45, 1.45, 1.5), // triangle on its tip
                                          plus(),                   //
                                          star(10, 1.5, 0.65, 0),   // star
                                          cross()};
  return all;
}

std::vector<std::string> series_names(const Chart& chart) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const ChartPanel& panel : chart.panels)
    for (const ChartSeries& series : panel.series)
      if (seen.insert(series.name).second) names.push_back(series.name);
  return names;
}

std::string_view dashes_of(SeriesBasis basis) {
  switch (basis) {
  case SeriesBasis::model: return "";
  case SeriesBasis::formula: return "6 4";
  case SeriesBasis::measured: return "2 3";
  case SeriesBasis::printed: return "9 3 2 3";
  }
  return "";
}

bool is_hollow(SeriesBasis basis) {
  return basis == SeriesBasis::measured || basis == SeriesBasis::printed;
}

namespace {

/// Where the points of an entry are, panel by panel and by x.
std::vector<std::vector<std::pair<double, double>>>
places_of(const Chart& chart, std::string_view name, SeriesBasis basis) {
  std::vector<std::vector<std::pair<double, double>>> places;
  for (const ChartPanel& panel : chart.panels) {
    auto& points = places.emplace_back();
    for (const ChartSeries& series : panel.series)
      if (series.name == name && series.basis == basis)
        for (const ChartPoint& point : series.points)
          if (!std::isnan(point.x) && !std::isnan(point.y)) points.emplace_back(point.x, point.y);
    std::sort(points.begin(), points.end());
  }
  return places;
}

/// A line hides those before it that it lies on. Bars stand side by side.
void find_equal(const Chart& chart, const std::vector<std::string>& names,
                std::vector<LegendEntry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].mark == Mark::bars) continue;
    const auto own = places_of(chart, names[entries[i].name], entries[i].basis);
    for (std::size_t j = 0; j < i; ++j) {
      if (places_of(chart, names[entries[j].name], entries[j].basis) != own) continue;
      if (entries[i].equal_to.empty()) entries[i].equal_to = entries[j].text;
      entries[j].is_hidden = true;
    }
  }
}

} // namespace

std::vector<LegendEntry> legend_of(const Chart& chart) {
  const std::vector<std::string> names = series_names(chart);
  std::vector<LegendEntry> entries;
  std::set<SeriesBasis> bases;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      const auto name = static_cast<std::size_t>(
          std::find(names.begin(), names.end(), series.name) - names.begin());
      if (series.mark != Mark::curve) bases.insert(series.basis);
      const auto same = [&](const LegendEntry& entry) {
        return entry.name == name && entry.basis == series.basis && entry.mark == series.mark;
      };
      if (std::none_of(entries.begin(), entries.end(), same))
        entries.push_back({name, series.basis, series.mark, series.name, {}});
    }
  }
  for (LegendEntry& entry : entries) {
    const bool says_basis = entry.text.empty() ? entries.size() > 1 : bases.size() > 1;
    if (!says_basis || entry.mark == Mark::curve || entry.text.starts_with(name_of(entry.basis)))
      continue;
    entry.text +=
        entry.text.empty() ? name_of(entry.basis) : fmt::format(" ({})", name_of(entry.basis));
  }
  // Names in the order of their colours, with what belongs to them.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  find_equal(chart, names, entries);
  return entries;
}

} // namespace memlane
