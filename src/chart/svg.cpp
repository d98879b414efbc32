// Charts as SVG.
#include "memlane/chart/svg.hpp"

#include "panel_marks.hpp"

#include "memlane/chart/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace memlane {
namespace {

constexpr std::string_view ink = chart_ink, faint = "#55555c", rule = "#d9d9de";

constexpr std::string_view white_ground =
    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";

std::string text_at(double x, double y, std::string_view text, std::string_view style,
                    std::string_view colour, std::string_view more = "") {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\"{}{}>{}</text>\n",
                     style, x, y, colour, more.empty() ? "" : " ", more, escaped(text));
}

/// On the middle of a pixel, so that a line of one unit is one pixel wide.
double crisp(double at) { return std::floor(at) + 0.5; }

std::string grid_line(double x1, double x2, double y1, double y2) {
  return fmt::format("<line class=\"grid\" x1=\"{:g}\" x2=\"{:g}\" y1=\"{:g}\" y2=\"{:g}\" "
                     "stroke=\"{}\"/>\n",
                     x1, x2, y1, y2, rule);
}

std::string frame_text(const PanelFrame& frame, const ChartLayout& layout) {
  std::string text, words;
  for (const AxisTick& tick : layout.axes.x_ticks) {
    const double at = frame.left + frame.width * layout.axes.x.share(tick.at);
    text += grid_line(crisp(at), crisp(at), crisp(frame.top), crisp(frame.bottom()));
    if (!frame.x_texts) continue;
    const double below = frame.bottom() + (layout.slanted ? 14 : 16);
    words +=
        layout.slanted
            ? text_at(at + 4, below, tick.text, "tick", faint,
                      fmt::format("text-anchor=\"end\" transform=\"rotate(-40 {:.1f} {:.1f})\"",
                                  at + 4, below))
            : text_at(at, below, tick.text, "tick", faint, "text-anchor=\"middle\"");
  }
  for (const AxisTick& tick : layout.axes.y_ticks) {
    const double at = frame.bottom() - frame.height * layout.axes.y.share(tick.at);
    text += grid_line(crisp(frame.left), crisp(frame.right()), crisp(at), crisp(at));
    if (frame.y_texts)
      words += text_at(frame.left - 6, at + 4, tick.text, "tick", faint, "text-anchor=\"end\"");
  }
  text += fmt::format("<rect class=\"frame\" x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" "
                      "fill=\"none\" stroke=\"#8a8a92\"/>\n",
                      crisp(frame.left), crisp(frame.top), crisp(frame.right()) - crisp(frame.left),
                      crisp(frame.bottom()) - crisp(frame.top));
  return text + words;
}

std::string sample_text(const PlacedEntry& placed) {
  const LegendEntry& entry = placed.entry;
  const double from = placed.x - legend_sample - 6, middle = placed.y - 4;
  std::string text;
  if (entry.mark == Mark::line || entry.mark == Mark::curve) {
    const std::string_view dashes = dashes_of(entry.basis);
    text = fmt::format("<path class=\"line\" d=\"M{:.1f},{:.1f}h{:g}\" fill=\"none\" "
                       "stroke-width=\"1.8\"{}/>",
                       from, middle, legend_sample,
                       dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
  }
  if (entry.mark != Mark::curve)
    text +=
        marker_start(entry.name, from + legend_sample / 2, middle, 3.8, is_hollow(entry.basis)) +
        std::string(marker_end(entry.name));
  return fmt::format("<g {}>{}</g>\n", colour_attributes(entry.name), text) +
         text_at(placed.x, placed.y, entry.text, "name", ink);
}

std::string guide_sample(const PlacedGuide& placed, double width) {
  const bool strong = placed.guide->strong;
  return fmt::format("<path class=\"guide{}\" d=\"M{:.1f},{:.1f}h{:g}\" fill=\"none\" stroke=\"{}\""
                     "{}/>\n",
                     strong ? " strong" : "", placed.x - legend_sample - 6, placed.y - 4,
                     legend_sample, strong ? ink : faint,
                     strong ? "" : " stroke-dasharray=\"5 4\"") +
         text_at(placed.x, placed.y,
                 shortened(placed.guide->label, chart_text_size, width - legend_sample - 30),
                 "name", ink);
}

bool has_marks(const Chart& chart) {
  const auto is_drawn = [&](const ChartPoint& point) {
    return has_place(chart.x.scale, point.x) && has_place(chart.y.scale, point.y);
  };
  for (const ChartPanel& panel : chart.panels)
    for (const ChartSeries& series : panel.series)
      if (std::any_of(series.points.begin(), series.points.end(), is_drawn)) return true;
  return false;
}

std::string content_of(const Chart& chart, const ChartLayout& layout) {
  std::string text;
  for (const PlacedText& line : layout.title)
    text += text_at(line.x, line.y, line.text, "title", ink,
                    fmt::format("font-size=\"{:g}\" font-weight=\"bold\"", chart_title_size));
  for (const PlacedEntry& entry : layout.legend) text += sample_text(entry);
  for (const PlacedGuide& guide : layout.guides) text += guide_sample(guide, layout.width);
  text += text_at(layout.y_name.x, layout.y_name.y, layout.y_name.text, "name", ink);
  for (std::size_t i = 0; i < layout.panel_titles.size(); ++i) {
    const PlacedText& line = layout.panel_titles[i];
    const std::string whole = escaped(chart.panels[i].title);
    text += fmt::format("<g>{}{}</g>\n",
                        escaped(line.text) == whole ? "" : "<title>" + whole + "</title>",
                        text_at(line.x, line.y, line.text, "name", ink, "font-weight=\"bold\""));
  }
  for (std::size_t i = 0; i < layout.frames.size(); ++i)
    text += "<g class=\"panel\">\n" + frame_text(layout.frames[i], layout) +
            marks_text(chart, chart.panels[i], layout.frames[i], layout.axes) + "</g>\n";
  if (!has_marks(chart))
    text += text_at(layout.width / 2, layout.height / 2, "There is nothing to draw.", "name", ink,
                    "text-anchor=\"middle\"");
  text += text_at(layout.x_name.x, layout.x_name.y, layout.x_name.text, "name", ink,
                  "text-anchor=\"middle\"");
  for (const PlacedText& line : layout.notes)
    text += text_at(line.x, line.y, line.text, "note", faint);
  return text;
}

/// The summary, and what is not drawn.
std::string description_of(const Chart& chart) {
  const std::string undrawn = sentence_about_undrawn(chart);
  return chart.summary + (chart.summary.empty() || undrawn.empty() ? "" : " ") + undrawn;
}

std::string element_text(const Chart& chart, const ChartLayout& layout, std::string_view id,
                         std::string_view attributes, std::string_view ground) {
  return fmt::format("<svg{0} viewBox=\"0 0 {1:g} {2:g}\" role=\"img\" aria-labelledby=\"{3}-title "
                     "{3}-text\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" "
                     "font-size=\"{4:g}\" stroke-linejoin=\"round\">\n<title id=\"{3}-title\">{5}"
                     "</title>\n<desc id=\"{3}-text\">{6}</desc>\n{7}{8}</svg>\n",
                     attributes, layout.width, layout.height, id, chart_text_size,
                     escaped(chart.title), escaped(description_of(chart)), ground,
                     content_of(chart, layout));
}

} // namespace

std::string chart_elements(const Chart& chart, std::string_view id) {
  return element_text(chart, layout_of(chart, ChartPlace::page), id, " class=\"wide\"", "") +
         element_text(chart, layout_of(chart, ChartPlace::narrow_page),
                      fmt::format("{}-narrow", id), " class=\"narrow\"", "");
}

namespace {

/// Charts that have a size in inches say it in inches.
std::string size_attributes(double width, double height, bool is_sized) {
  const double unit = is_sized ? chart_units_of_inch : 1;
  return fmt::format(" width=\"{0:g}{2}\" height=\"{1:g}{2}\"", width / unit, height / unit,
                     is_sized ? "in" : "");
}

} // namespace

std::string chart_svg(const Chart& chart) {
  const ChartLayout layout = layout_of(chart, ChartPlace::document);
  return element_text(chart, layout, "chart",
                      " xmlns=\"http://www.w3.org/2000/svg\"" +
                          size_attributes(layout.width, layout.height, chart.look.width > 0),
                      white_ground);
}

std::string charts_svg(const std::vector<Chart>& charts) {
  if (charts.size() == 1) return chart_svg(charts.front());
  double width = 0, height = 0;
  bool is_sized = true;
  std::string text;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const ChartLayout layout = layout_of(charts[i], ChartPlace::document);
    const std::string place =
        fmt::format(" y=\"{:g}\"", height) + size_attributes(layout.width, layout.height, false);
    text += element_text(charts[i], layout, fmt::format("chart-{}", i + 1), place, "");
    width = std::max(width, layout.width);
    height += layout.height;
    is_sized = is_sized && charts[i].look.width > 0;
  }
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\"{} viewBox=\"0 0 {:g} {:g}\">\n"
                     "{}{}</svg>\n",
                     size_attributes(width, height, is_sized), width, height, white_ground, text);
}

} // namespace memlane
