#include "chart_json.hpp"

#include "chart_marks.hpp"

#include "memlane/support/utf8.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace memlane {
namespace {

using Json = nlohmann::ordered_json;

/// JSON is UTF-8.
std::string plain(std::string_view text) { return escape_controls(text); }

std::string_view name_of(AxisScale scale) {
  switch (scale) {
  case AxisScale::linear: return "linear";
  case AxisScale::log2: return "log2";
  case AxisScale::log10: return "log10";
  case AxisScale::categories: return "categories";
  }
  return "";
}

std::string_view name_of(Mark mark) {
  return mark == Mark::line ? "line" : mark == Mark::points ? "points" : "bars";
}

Json axis_json(const ChartAxis& axis, const AxisSpan& span, const std::vector<AxisTick>& ticks) {
  Json json = {{"name", plain(axis.name)},
               {"scale", name_of(axis.scale)},
               {"domain", {span.lo, span.hi}},
               {"ticks", Json::array()}};
  for (const AxisTick& tick : ticks)
    json["ticks"].push_back({{"at", tick.at}, {"text", plain(tick.text)}});
  if (axis.scale != AxisScale::categories) return json;
  json["categories"] = Json::array();
  for (const std::string& category : axis.categories) json["categories"].push_back(plain(category));
  return json;
}

/// The colour and the marker of a name.
void add_style(std::size_t name, Json& json) {
  json["colour"] = name % series_colours.size();
  json["marker"] = name % markers().size();
}

Json legend_json(const Chart& chart) {
  Json json = Json::array();
  for (const LegendEntry& entry : legend_of(chart)) {
    if (entry.text.empty()) continue;
    Json one = {{"text", plain(entry.text)},
                {"basis", name_of(entry.basis)},
                {"mark", name_of(entry.mark)}};
    add_style(entry.name, one);
    json.push_back(std::move(one));
  }
  return json;
}

Json guides_json(const Chart& chart, const ChartAxes& axes) {
  Json json = Json::array();
  for (const ChartGuide& guide : chart.guides)
    json.push_back({{"label", plain(guide.label)},
                    {"strong", guide.strong},
                    {"lines", guide_lines(guide, axes)}});
  return json;
}

/// Numbers without a place in JSON are null.
Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json point_json(const Chart& chart, const ChartSeries& series, const ChartPoint& point) {
  return {{"x", number_json(point.x)},
          {"y", number_json(point.y)},
          {"text", plain(hover_text(chart, series, point))},
          {"command", plain(point.command)}};
}

Json panel_json(const Chart& chart, const ChartPanel& panel, const ChartAxes& axes) {
  const std::vector<std::string> names = series_names(chart);
  const BarPlaces bars(chart, panel, axes);
  std::size_t bar = 0;
  Json json = {{"title", plain(panel.title)}, {"series", Json::array()}};
  for (const ChartSeries& series : panel.series) {
    const auto name = static_cast<std::size_t>(std::find(names.begin(), names.end(), series.name) -
                                               names.begin());
    Json one = {{"name", plain(series.name)},
                {"basis", name_of(series.basis)},
                {"mark", name_of(series.mark)}};
    add_style(name, one);
    one["points"] = Json::array();
    for (const ChartPoint& point : series.points) {
      Json& added = one["points"].emplace_back(point_json(chart, series, point));
      if (series.mark != Mark::bars || !has_place(chart.x.scale, point.x)) continue;
      const auto [from, to] = bars.extent(bar, point.x);
      added["from"] = axes.x.value(from);
      added["to"] = axes.x.value(to);
      added["base"] = axes.y.base();
    }
    if (series.mark == Mark::bars) {
      one["marked"] = names.size() > 1;
      ++bar;
    }
    json["series"].push_back(std::move(one));
  }
  return json;
}

} // namespace

Json chart_json(const Chart& chart, std::string_view id) {
  const ChartLayout layout = layout_of(chart, false);
  Json json = {{"id", id},
               {"title", plain(chart.title)},
               {"summary", plain(chart.summary)},
               {"caption", plain(chart.caption)},
               {"columns", layout.columns},
               {"x", axis_json(chart.x, layout.axes.x, layout.axes.x_ticks)},
               {"y", axis_json(chart.y, layout.axes.y, layout.axes.y_ticks)},
               {"legend", legend_json(chart)},
               {"guides", guides_json(chart, layout.axes)},
               {"panels", Json::array()}};
  json["x"]["slanted"] = layout.slanted;
  for (const ChartPanel& panel : chart.panels)
    json["panels"].push_back(panel_json(chart, panel, layout.axes));
  return json;
}

Json markers_json() { return markers(); }

Json dashes_json() {
  Json json;
  for (const SeriesBasis basis :
       {SeriesBasis::model, SeriesBasis::formula, SeriesBasis::measured, SeriesBasis::printed})
    json[std::string(name_of(basis))] = dashes_of(basis);
  return json;
}

} // namespace memlane
