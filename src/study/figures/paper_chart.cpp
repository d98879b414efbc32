// Charts for LaTeX: pgfplots draws them in the fonts of the paper.
#include "memlane/study/figures/paper_chart.hpp"

#include "memlane/chart/layout.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/support/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace memlane {
namespace {

// --- sizes

/// A number of inches, where a number without a unit has `unit`.
std::optional<double> inches_in(std::string_view text, double& unit) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"in", 1}, {"mm", 1 / 25.4}, {"cm", 1 / 2.54}, {"pt", 1 / 72.27}};
  for (const auto& [name, inches] : units)
    if (text.ends_with(name)) {
      text.remove_suffix(name.size());
      unit = inches;
      break;
    }
  const std::optional<Decimal> number = decimal_of(text);
  if (!number) return std::nullopt;
  return unit * static_cast<double>(number->millionths) / Decimal::one;
}

// --- pgfplots

/// In the order of markers().
constexpr std::string_view tikz_markers[] = {
    "*", "square*", "triangle*", "diamond*", "triangle*, mark options={rotate=180}",
    "+", "star",    "x"};

std::string_view tikz_dashes(SeriesBasis basis) {
  switch (basis) {
  case SeriesBasis::model: return "solid";
  case SeriesBasis::formula: return "dashed";
  case SeriesBasis::measured: return "densely dotted";
  case SeriesBasis::printed: return "dashdotted";
  }
  return "";
}

/// Units of a layout as points of TeX.
double in_points(double units) { return units * 72.27 / chart_units_of_inch; }

/// Without a line end, which would end a comment.
std::string tex_text(std::string_view text) { return latex_text(on_one_line(text, 400)); }

/// The most series of bars in a panel.
std::size_t most_bars(const Chart& chart) {
  std::size_t most = 0;
  for (const ChartPanel& panel : chart.panels)
    most = std::max(most, static_cast<std::size_t>(std::count_if(
                              panel.series.begin(), panel.series.end(),
                              [](const ChartSeries& one) { return one.mark == Mark::bars; })));
  return most;
}

class TikzPicture {
public:
  explicit TikzPicture(const Chart& chart)
      : chart_(chart), layout_(layout_of(chart, ChartPlace::document)),
        names_(series_names(chart)) {
    const std::size_t bars = most_bars(chart);
    if (bars == 0) return;
    const AxisSpan& x = layout_.axes.x;
    const double slot =
        chart.x.scale == AxisScale::categories ? 1 / std::max(1.0, x.hi - x.lo) : 0.12;
    bar_width_ = in_points(layout_.frames.front().width *
                           std::min(0.8 * slot / static_cast<double>(bars), 0.12));
  }
  std::string text() const;

private:
  /// A text as an option's value: commas and brackets do not end it.
  std::string value(const std::string& text) const {
    const auto known = chart_.latex.find(text);
    return "{" + (known == chart_.latex.end() ? tex_text(text) : known->second) + "}";
  }
  std::string coordinates(const ChartSeries& series) const;
  /// `bar_shift`: of bars that stand side by side.
  std::string plot(const ChartSeries& series, double bar_shift) const;
  std::string guide(const ChartGuide& guide) const;
  std::string axis(const ChartAxis& axis, const AxisSpan& span, const std::vector<AxisTick>& ticks,
                   char letter) const;
  std::string group() const;
  std::string panel_text(const ChartPanel& panel) const;
  std::string legend() const;
  std::string samples() const;

  const Chart& chart_;
  ChartLayout layout_;
  std::vector<std::string> names_;
  double bar_width_ = 0; ///< in points; 0: there are no bars
};

/// A value without a place interrupts a line.
std::string TikzPicture::coordinates(const ChartSeries& series) const {
  std::vector<const ChartPoint*> points;
  for (const ChartPoint& point : series.points)
    if (has_place(chart_.x.scale, point.x)) points.push_back(&point);
  std::stable_sort(points.begin(), points.end(), [](auto* a, auto* b) { return a->x < b->x; });
  std::string text;
  std::set<std::pair<double, double>> taken; // places of the picture
  const PanelFrame& frame = layout_.frames.front();
  for (const ChartPoint* point : points) {
    if (!has_place(chart_.y.scale, point->y)) {
      if (!taken.empty()) text += fmt::format("    ({:.10g}, nan)\n", point->x);
      continue;
    }
    const std::pair place(std::round(frame.width * layout_.axes.x.share(point->x)),
                          std::round(frame.height * layout_.axes.y.share(point->y)));
    if (!taken.insert(place).second && series.mark != Mark::bars) continue;
    text += fmt::format("    ({:.10g}, {:.10g})", point->x, point->y);
    if (point->has_spread())
      text += fmt::format(" += (0, {:.6g}) -= (0, {:.6g})", point->greatest - point->y,
                          point->y - point->least);
    text += '\n';
  }
  return taken.empty() ? "" : text;
}

/// Of a series, and of its sample in the legend.
std::string style_of(std::size_t name, SeriesBasis basis, Mark mark) {
  // Bars have no markers: those of a colour's second series are lighter.
  const bool lighter = mark == Mark::bars && name / series_colours.size() % 2 == 1;
  const std::string colour =
      fmt::format("memlane{}{}", name % series_colours.size(), lighter ? "!50!white" : "");
  std::string style = fmt::format("{}, thick, {}", colour, tikz_dashes(basis));
  if (mark == Mark::bars)
    return style + (basis == SeriesBasis::model      ? fmt::format(", fill={}", colour)
                    : basis == SeriesBasis::measured ? fmt::format(", fill={}!30", colour)
                                                     : "");
  if (mark == Mark::curve) return style + ", sharp plot, no marks";
  return style + fmt::format("{}, mark={}, every mark/.append style={{solid{}}}",
                             mark == Mark::points ? ", only marks" : "",
                             tikz_markers[name % std::size(tikz_markers)],
                             is_hollow(basis) ? ", fill=white" : "");
}

std::string TikzPicture::plot(const ChartSeries& series, double bar_shift) const {
  const std::string points = coordinates(series);
  if (points.empty()) return "";
  const auto name = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), series.name) -
                                             names_.begin());
  const bool bars = series.mark == Mark::bars;
  std::string style = style_of(name, series.basis, series.mark);
  if (bars) style += fmt::format(", /pgf/bar shift={:.2f}pt", bar_shift);
  if (std::any_of(series.points.begin(), series.points.end(),
                  [](const ChartPoint& point) { return point.has_spread(); }))
    style += fmt::format(", error bars/.cd, y dir=both, y explicit, error bar style={{solid{}}}",
                         bars ? ", black" : "");
  return fmt::format("  \\addplot[{}] coordinates {{\n{}  }};\n", style, points);
}

std::string TikzPicture::guide(const ChartGuide& guide) const {
  const AxisSpan& x = layout_.axes.x;
  const AxisSpan part{x.scale, std::max(x.lo, guide.from), std::min(x.hi, guide.to)};
  std::string points;
  for (int i = 0; part.lo < part.hi && i <= 64; ++i) {
    const double at = part.value(i / 64.0), y = guide.factor * std::pow(at, guide.power);
    if (has_place(chart_.y.scale, y)) points += fmt::format(" ({:.6g}, {:.6g})", at, y);
  }
  if (points.empty()) return "";
  return fmt::format("  \\addplot[sharp plot, no marks, {}] coordinates {{{} }};\n",
                     guide.strong ? "black" : "gray, dashed", points);
}

/// Whether pgfplots can draw the axis as a logarithmic one. A narrow span of large values exceeds
/// TeX's longest length; on a linear axis it looks almost the same.
bool is_tikz_log(const AxisSpan& span, double length) {
  if (span.scale != AxisScale::log2 && span.scale != AxisScale::log10) return false;
  const double farthest = std::max(std::abs(std::log(span.lo)), std::abs(std::log(span.hi)));
  return in_points(length) * farthest / std::log(span.hi / span.lo) < 14000;
}

std::string TikzPicture::axis(const ChartAxis& axis, const AxisSpan& span,
                              const std::vector<AxisTick>& ticks, char letter) const {
  std::string at, texts;
  for (const AxisTick& tick : ticks) {
    at += fmt::format("{}{:.10g}", at.empty() ? "" : ", ", tick.at);
    // LaTeX has the fonts: a category is not cut to what the picture is thought to have room for.
    const bool is_category = axis.scale == AxisScale::categories;
    texts += (texts.empty() ? "" : ", ") +
             value(is_category ? axis.categories[static_cast<std::size_t>(tick.at)] : tick.text);
  }
  const PanelFrame& frame = layout_.frames.front();
  const bool is_log = is_tikz_log(span, letter == 'x' ? frame.width : frame.height);
  return fmt::format("  {0}label={1}, {0}min={2:.10g}, {0}max={3:.10g},{4}\n"
                     "  {0}tick={{{5}}}, {0}ticklabels={{{6}}},{7}\n",
                     letter, value(axis.name), span.lo, span.hi,
                     is_log ? fmt::format(" {}mode=log,", letter) : "", at, texts,
                     layout_.slanted && letter == 'x'
                         ? " x tick label style={rotate=40, anchor=north east},"
                         : "");
}

/// The rows and columns of several panels; empty: there is one.
std::string TikzPicture::group() const {
  const std::vector<PanelFrame>& frames = layout_.frames;
  if (frames.size() < 2) return "";
  const auto columns = static_cast<std::size_t>(
      std::count_if(frames.begin(), frames.end(),
                    [&](const PanelFrame& frame) { return frame.top == frames.front().top; }));
  const double across = columns > 1 ? frames[1].left - frames[0].right() : 0;
  const double down = columns < frames.size() ? frames[columns].top - frames[0].bottom() : 0;
  return fmt::format("  group style={{group size={} by {}, horizontal sep={:.1f}pt, vertical "
                     "sep={:.1f}pt,\n    xlabels at=edge bottom, xticklabels at=edge bottom, "
                     "ylabels at=edge left, yticklabels at=edge left}},\n",
                     columns, (frames.size() + columns - 1) / columns, in_points(across),
                     in_points(down));
}

/// Above the first panel, or below the last row.
std::string TikzPicture::legend() const {
  if (layout_.legend.empty()) return "";
  const PanelFrame& first = layout_.frames.front();
  const auto in_first_line =
      std::count_if(layout_.legend.begin(), layout_.legend.end(),
                    [&](const PlacedEntry& entry) { return entry.y == layout_.legend.front().y; });
  const bool below = chart_.look.legend == LegendPlace::bottom;
  const double shift = below ? first.bottom() - layout_.legend.front().y + chart_text_size - 8
                             : (layout_.panel_titles.empty() ? 4 : 20);
  return fmt::format(
      "  legend columns={}, legend cell align=left,\n  legend style={{at={{(0,{})}}, "
      "anchor={} west, yshift={:.1f}pt, draw=none, fill=none, font=\\footnotesize, "
      "inner sep=0pt, column sep=3pt}},\n",
      in_first_line, below ? 0 : 1, below ? "north" : "south", in_points(shift));
}

/// What the first panel says of the series of all panels, which have no entries of their own.
std::string TikzPicture::samples() const {
  std::string text;
  for (const PlacedEntry& placed : layout_.legend) {
    const LegendEntry& entry = placed.entry;
    text += fmt::format("  \\addlegendimage{{{}{}}}\n  \\addlegendentry{}\n",
                        entry.mark == Mark::bars ? "area legend, " : "",
                        style_of(entry.name, entry.basis, entry.mark), value(entry.text));
  }
  return text;
}

std::string TikzPicture::panel_text(const ChartPanel& panel) const {
  std::string text;
  for (const ChartGuide& one : chart_.guides) text += guide(one);
  double shift = 0.5 * bar_width_ * (1 - static_cast<double>(panel.series.size()));
  for (const ChartSeries& series : panel.series) {
    text += plot(series, shift);
    shift += bar_width_;
  }
  return text;
}

std::string TikzPicture::text() const {
  const bool several = layout_.frames.size() > 1;
  const char* environment = several ? "groupplot" : "axis";
  std::string text =
      fmt::format("% \\usepackage{{pgfplots}} \\pgfplotsset{{compat=1.16}}{}\n% {}\n",
                  several ? " \\usepgfplotslibrary{groupplots}" : "", tex_text(chart_.title));
  if (layout_.frames.empty()) return text;
  for (std::size_t i = 0; i < std::min(names_.size(), series_colours.size()); ++i)
    text += fmt::format("\\definecolor{{memlane{}}}{{HTML}}{{{}}}\n", i,
                        series_colours[i].light.substr(1));
  const PanelFrame& frame = layout_.frames.front();
  text += fmt::format(
      "\\begin{{tikzpicture}}[font=\\footnotesize, mark "
      "size=1.5pt]\n\\begin{{{}}}[\n{}  scale only axis, "
      "width={:.1f}pt, height={:.1f}pt,\n"
      "  grid=major, grid style={{black!15}}, scaled ticks=false, unbounded "
      "coords=jump,\n  minor tick style={{draw=none}}, title style={{yshift=-4pt}},\n{}{}{}{}]\n",
      environment, group(), in_points(frame.width), in_points(frame.height),
      axis(chart_.x, layout_.axes.x, layout_.axes.x_ticks, 'x'),
      axis(chart_.y, layout_.axes.y, layout_.axes.y_ticks, 'y'),
      bar_width_ > 0 ? fmt::format("  ybar, /pgf/bar width={:.2f}pt, area legend, log "
                                   "origin=infty,\n",
                                   0.94 * bar_width_)
                     : "",
      legend());
  for (const ChartPanel& panel : chart_.panels)
    text += (several ? fmt::format("\\nextgroupplot[title={}]\n", value(panel.title)) : "") +
            (&panel == &chart_.panels.front() ? samples() : "") + panel_text(panel);
  return text + fmt::format("\\end{{{}}}\n\\end{{tikzpicture}}\n", environment);
}

} // namespace

Result<ChartLook> look_of_size(const std::string& place, const std::string& text) {
  const std::size_t cross = text.find('x');
  const std::string_view whole = text;
  double unit = 1; // the width's is the height's if it has none
  const auto height = cross == text.npos ? std::nullopt : inches_in(whole.substr(cross + 1), unit);
  const auto width = inches_in(whole.substr(0, cross), unit);
  constexpr double least = 1, most = 40;
  if (!width || !height)
    return error_in(place, fmt::format("{} is no size", in_quotes(text)),
                    {"write width x height: 3.5inx2.4in, 88x60mm"});
  if (std::min(*width, *height) < least || std::max(*width, *height) > most)
    return error_in(place, fmt::format("'{}' is too small or too large", text),
                    {fmt::format("width and height are from {} to {} inches", least, most)});
  ChartLook look;
  look.width = *width * chart_units_of_inch;
  look.height = *height * chart_units_of_inch;
  look.bare = true;
  return look;
}

std::string charts_tikz(const std::vector<Chart>& charts) {
  std::string text;
  for (const Chart& chart : charts) text += (text.empty() ? "" : "\n") + TikzPicture(chart).text();
  return text;
}

} // namespace memlane
