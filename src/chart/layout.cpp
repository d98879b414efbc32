#include "memlane/chart/layout.hpp"

#include "memlane/chart/markup.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace memlane {
namespace {

constexpr double narrow_width = 360, width_of_one = 640, width_of_several = 760;
constexpr double line_height = 17, side = 8, slant_sine = 0.643;
constexpr double slant_cosine = 0.766;

double widest(const std::vector<AxisTick>& ticks) {
  double width = 0;
  for (const AxisTick& tick : ticks)
    width = std::max(width, text_width(tick.text, chart_text_size));
  return width;
}

/// Panels in a row: one to three, and about as many as rows; fewer in a narrow picture, whose
/// panels have at least this width.
std::size_t columns_of(std::size_t panels, double width, double least_width) {
  const std::size_t most = panels <= 3 ? panels : panels == 4 ? 2 : 3;
  return std::clamp(static_cast<std::size_t>(width / least_width), std::size_t{1},
                    std::max<std::size_t>(1, most));
}

/// Slanted texts take a share of the picture's width, and of its height if that is given.
double longest_slanted(const Chart& chart, double width) {
  const double across = 0.3 * width / slant_cosine;
  const bool is_high = !(chart.look.height > 0);
  return is_high ? across : std::min(across, 0.33 * chart.look.height / slant_sine);
}

/// Chooses the ticks of the x axis so that their texts do not touch; texts of categories become
/// slanted before some are left out.
void choose_x_ticks(const Chart& chart, double panel_width, ChartLayout& layout) {
  std::vector<AxisTick>& ticks = layout.axes.x_ticks;
  const auto touch = [&] {
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      const double room =
          panel_width * (layout.axes.x.share(ticks[i].at) - layout.axes.x.share(ticks[i - 1].at));
      const double both = text_width(ticks[i].text, chart_text_size) +
                          text_width(ticks[i - 1].text, chart_text_size);
      if (room < (layout.slanted ? 1.3 * chart_text_size : both / 2 + 8)) return true;
    }
    return false;
  };
  const bool categories = chart.x.scale == AxisScale::categories;
  std::size_t most = categories ? std::max<std::size_t>(2, chart.x.categories.size()) : 9;
  ticks = ticks_of(chart.x, layout.axes.x, most);
  layout.slanted = layout.slanted || (categories && touch());
  if (categories && touch())
    most = std::max<std::size_t>(2, static_cast<std::size_t>(panel_width / 17));
  ticks = ticks_of(chart.x, layout.axes.x, most);
  for (; most > 2 && touch(); ticks = ticks_of(chart.x, layout.axes.x, most)) --most;
  if (!layout.slanted) return;
  std::vector<std::string> texts;
  for (const AxisTick& tick : ticks) texts.push_back(tick.text);
  texts = told_apart(texts, chart_text_size, longest_slanted(chart, layout.width));
  for (std::size_t i = 0; i < ticks.size(); ++i) ticks[i].text = std::move(texts[i]);
}

/// The entries' texts, each with the name of the line that its own equals; without room for that,
/// those of lines that others hide are marked.
std::vector<std::string> legend_texts(const std::vector<LegendEntry>& entries, double width) {
  constexpr std::string_view hidden = " (hidden)";
  std::vector<std::string> whole, names;
  for (const LegendEntry& entry : entries) {
    names.push_back(entry.text);
    whole.push_back(entry.text);
    if (!entry.equal_to.empty()) whole.back() += fmt::format(" (= {})", entry.equal_to);
  }
  const bool fit = std::all_of(whole.begin(), whole.end(), [&](const std::string& text) {
    return text_width(text, chart_text_size) <= width;
  });
  if (fit) return told_apart(whole, chart_text_size, width);
  std::vector<std::string> texts = told_apart(names, chart_text_size, width);
  const std::vector<std::string> shorter =
      told_apart(names, chart_text_size, width - text_width(hidden, chart_text_size));
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (entries[i].is_hidden) texts[i] = shorter[i] + std::string(hidden);
  return texts;
}

/// Places entries side by side, and on the next line where they do not fit. Returns the lines.
std::size_t place_legend(const Chart& chart, double top, ChartLayout& layout) {
  double x = side, y = top;
  const double most = layout.width - 2 * side - legend_sample - 6;
  const auto next = [&](const std::string& text) {
    const double width = legend_sample + 6 + std::min(most, text_width(text, chart_text_size));
    if (x > side && x + width > layout.width - side) x = side, y += line_height;
    const double at = x + legend_sample + 6;
    x += width + 16;
    return at;
  };
  std::vector<LegendEntry> entries = legend_of(chart);
  const std::vector<std::string> texts = legend_texts(entries, most);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    LegendEntry& entry = entries[i];
    entry.text = texts[i];
    if (entry.text.empty()) continue;
    const double at = next(entry.text);
    layout.legend.push_back({at, y, std::move(entry)});
  }
  for (const ChartGuide& guide : chart.guides) {
    if (guide.label.empty()) continue;
    const double at = next(guide.label);
    layout.guides.push_back({at, y, &guide});
  }
  const bool none = layout.legend.empty() && layout.guides.empty();
  return none ? 0 : static_cast<std::size_t>((y - top) / line_height) + 1;
}

/// Lines of a text below each other; returns where the next one goes.
double place_lines(const std::string& text, double size, double top, double width,
                   std::vector<PlacedText>& lines) {
  for (std::string& line : wrapped(text, size, width)) {
    lines.push_back({side, top + size, std::move(line)});
    top += size * 1.4;
  }
  return top;
}

/// The frames, row by row; returns where what is below them begins. `frame_height` 0: the usual
/// one.
double place_frames(const Chart& chart, double top, double frame_height, double least_width,
                    ChartLayout& layout) {
  const std::size_t panels = chart.panels.size();
  const std::size_t columns = columns_of(panels, layout.width, least_width);
  const bool titles = std::any_of(chart.panels.begin(), chart.panels.end(),
                                  [](const ChartPanel& panel) { return !panel.title.empty(); });
  const double gap = 18;
  double left = side + widest(layout.axes.y_ticks) + 8;
  const auto in_row = static_cast<double>(columns);
  const double right = layout.width - side - 8 - gap * (in_row - 1);
  const auto width_beside = [&] { return (right - left) / in_row; };
  choose_x_ticks(chart, width_beside(), layout);
  if (layout.slanted) { // texts begin left of the frame
    for (const AxisTick& tick : layout.axes.x_ticks) {
      const double before = side + slant_cosine * text_width(tick.text, chart_text_size);
      const double share = layout.axes.x.share(tick.at) / in_row;
      left = std::max(left, (before - share * right) / (1 - share));
    }
    choose_x_ticks(chart, width_beside(), layout);
  }
  const double width = width_beside();
  const double text_height =
      layout.slanted ? 16 + slant_sine * widest(layout.axes.x_ticks) : line_height + 4;
  const double height = frame_height > 0 ? frame_height : std::min(320.0, std::round(0.75 * width));
  std::vector<std::string> texts;
  for (const ChartPanel& panel : chart.panels) texts.push_back(panel.title);
  texts = told_apart(texts, chart_text_size, width);
  for (std::size_t i = 0; i < panels; ++i) {
    const std::size_t column = i % columns;
    if (column == 0 && i > 0) { // a new row starts below the last, whose last frames may have texts
      const bool texts_above = columns == 1 || (i + columns > panels && panels % columns != 0);
      top += height + (texts_above ? text_height : 0) + 12;
    }
    if (column == 0 && titles) top += line_height;
    PanelFrame frame{left + static_cast<double>(column) * (width + gap), top, width, height};
    frame.x_texts = columns == 1 || i + columns >= panels;
    frame.y_texts = column == 0;
    if (titles) layout.panel_titles.push_back({frame.left, frame.top - 5, std::move(texts[i])});
    layout.frames.push_back(frame);
  }
  return panels == 0 ? top : top + height + text_height;
}

/// The spans of both axes, over all panels. Frames that are not high have few ticks.
ChartAxes axes_of(const Chart& chart, double frame_height) {
  AxisRange x(chart.x), y(chart.y);
  bool bars = false;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      bars = bars || series.mark == Mark::bars;
      for (const ChartPoint& point : series.points) {
        if (!has_place(chart.x.scale, point.x) || !has_place(chart.y.scale, point.y)) continue;
        x.hold(point.x);
        for (const double value : {point.y, point.least, point.greatest}) y.hold(value);
      }
    }
  }
  ChartAxes axes{x.span(false), y.span(bars), {}, {}};
  const double most = frame_height > 0 ? std::clamp(frame_height / 24, 2.0, 7.0) : 7;
  axes.y_ticks = ticks_of(chart.y, axes.y, static_cast<std::size_t>(most));
  return axes;
}

} // namespace

static std::int64_t without_place(const Chart& chart, const ChartSeries& series) {
  return std::count_if(series.points.begin(), series.points.end(), [&](const ChartPoint& point) {
    return !has_place(chart.x.scale, point.x) || !has_place(chart.y.scale, point.y);
  });
}

/// Series whose points all lack a place, in all panels.
static std::vector<std::string> undrawn_series(const Chart& chart) {
  std::vector<std::string> undrawn;
  for (const std::string& name : series_names(chart)) {
    bool lacks = false, draws = false;
    for (const ChartPanel& panel : chart.panels)
      for (const ChartSeries& series : panel.series) {
        if (series.name != name || series.mark == Mark::curve) continue;
        const std::int64_t count = without_place(chart, series);
        lacks = lacks || count > 0;
        draws = draws || count < static_cast<std::int64_t>(series.points.size());
      }
    if (lacks && !draws && !name.empty()) undrawn.push_back(name);
  }
  return undrawn;
}

std::string sentence_about_undrawn(const Chart& chart) {
  std::int64_t points = 0, curves = 0;
  for (const ChartPanel& panel : chart.panels)
    for (const ChartSeries& series : panel.series) {
      const std::int64_t count = without_place(chart, series);
      if (series.mark == Mark::curve)
        curves += count > 0 ? 1 : 0;
      else
        points += count;
    }
  if (points + curves == 0) return "";
  std::string subject = points > 0 ? counted(points, "point") : "";
  if (curves > 0)
    subject += (points > 0 ? " and parts of " : "Parts of ") + counted(curves, "curve");
  const std::vector<std::string> undrawn = undrawn_series(chart);
  const bool has_log = !has_place(chart.x.scale, 0) || !has_place(chart.y.scale, 0);
  return fmt::format(
      "{} {} not drawn: {}.{}", subject, points == 1 && curves == 0 ? "is" : "are",
      has_log
          ? "logarithmic axes have no place for 0 and negative numbers, and no axis has one for "
            "undefined numbers"
          : "no axis has a place for undefined numbers",
      undrawn.empty() ? "" : fmt::format(" No point is drawn of: {}.", fmt::join(undrawn, "; ")));
}

namespace {

ChartLayout laid_out(const Chart& chart, ChartPlace place, double frame_height,
                     double least_width) {
  const bool is_document = place == ChartPlace::document;
  const bool with_title = is_document && !chart.look.bare;
  ChartLayout layout;
  layout.width = is_document && chart.look.width > 0 ? chart.look.width
                 : place == ChartPlace::narrow_page  ? narrow_width
                 : chart.panels.size() > 1           ? width_of_several
                                                     : width_of_one;
  layout.axes = axes_of(chart, frame_height);
  const double text_width = layout.width - 2 * side;
  double top = 6;
  const auto add_legend = [&] {
    const auto lines = static_cast<double>(place_legend(chart, top + chart_text_size, layout));
    top += lines * line_height + (lines > 0 ? 6 : 0);
  };
  if (with_title)
    top = place_lines(chart.title, chart_title_size, top, text_width, layout.title) + 4;
  if (chart.look.legend == LegendPlace::top) add_legend();
  layout.y_name = {side, top + chart_text_size,
                   shortened(chart.y.name, chart_text_size, text_width)};
  top = place_frames(chart, top + line_height + 2, frame_height, least_width, layout);
  layout.x_name = {layout.width / 2, top + chart_text_size - 2,
                   shortened(chart.x.name, chart_text_size, text_width)};
  if (!layout.frames.empty())
    layout.x_name.x = (layout.frames.front().left + layout.frames.back().right()) / 2;
  if (layout.frames.size() > 1) layout.x_name.x = layout.width / 2;
  top = layout.x_name.y + 10;
  if (chart.look.legend == LegendPlace::bottom) add_legend();
  if (with_title) {
    top =
        place_lines(sentence_about_undrawn(chart), chart_text_size, top, text_width, layout.notes);
    top = place_lines(chart.caption, chart_text_size, top, text_width, layout.notes);
  }
  layout.height = std::ceil(top + 4);
  return layout;
}

} // namespace

namespace {

/// What is around the frames has the height that its texts need; the frames share the rest.
ChartLayout fitted(const Chart& chart, ChartPlace place, double least_width) {
  ChartLayout layout = laid_out(chart, place, 0, least_width);
  if (place != ChartPlace::document || !(chart.look.height > 0) || layout.frames.empty())
    return layout;
  std::set<double> rows;
  for (const PanelFrame& frame : layout.frames) rows.insert(frame.top);
  constexpr double least_frame = 30;
  const double more = (chart.look.height - layout.height) / static_cast<double>(rows.size());
  layout = laid_out(chart, place, std::max(least_frame, layout.frames.front().height + more),
                    least_width);
  if (layout.height < chart.look.height + 1) layout.height = chart.look.height;
  return layout;
}

} // namespace

/// Panels of a low picture stand beside each other where they would be too low below each other.
ChartLayout layout_of(const Chart& chart, ChartPlace place) {
  constexpr double usual_width = 190, least_width = 120, low = 40;
  ChartLayout layout = fitted(chart, place, usual_width);
  if (layout.frames.empty() || layout.frames.front().height >= low) return layout;
  ChartLayout beside = fitted(chart, place, least_width);
  return beside.frames.front().height > layout.frames.front().height ? beside : layout;
}

} // namespace memlane
