// Charts of papers: their size as users write it, and as pictures of LaTeX.
#include "chart/chart_fixture.hpp"

#include "memlane/study/figures/paper_chart.hpp"

#include <cmath>

namespace memlane::test {
namespace {

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Braces open and close, and no line's comment hides one.
void check_braces(const std::string& text) {
  int open = 0;
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped = i > 0 && text[i - 1] == '\\';
    if (text[i] == '\n') comment = false;
    if (text[i] == '%' && !is_escaped) comment = true;
    if (comment || is_escaped) continue;
    open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    CHECK(open >= 0);
  }
  CHECK(open == 0);
}

} // namespace

TEST_CASE("a size is two lengths with units") {
  const auto inches = [](const std::string& text) {
    const auto look = look_of_size("--size", text);
    REQUIRE(look);
    CHECK(look->bare);
    return std::pair(std::round(look->width / 1.08) / 100, std::round(look->height / 1.08) / 100);
  };
  CHECK(inches("3.5inx2.4in") == std::pair(3.5, 2.4));
  CHECK(inches("3.5x2.4") == std::pair(3.5, 2.4));
  CHECK(inches("254mmx5.08cm") == std::pair(10.0, 2.0));
  CHECK(inches("88x60mm") == inches("8.8cmx6cm"));
  CHECK(inches("144.54ptx2in") == std::pair(2.0, 2.0));
  CHECK(inches("1x40") == std::pair(1.0, 40.0));
  for (const char* text : {"", "x", "3", "3in", "3inx", "x3in", "3x4x5", "-3x4", "1e1x4", "nanxnan",
                           "3 x 4", "3inchx4inch", "٣x٤", "99999999999999999999x4"}) {
    INFO(text);
    const auto look = look_of_size("--size", text);
    REQUIRE(!look);
    CHECK(contains(look.errors().front().message, "is no size"));
    CHECK(contains(look.errors().front().help.front(), "3.5inx2.4in"));
  }
  for (const char* text : {"0x0", "0.9x3", "3x41", "1000x1000"}) {
    const auto look = look_of_size("--size", text);
    REQUIRE(!look);
    CHECK(contains(look.errors().front().message, "is too small or too large"));
  }
}

TEST_CASE("LaTeX has the axes, points and legend of a chart") {
  Chart chart = chart_of({curve("a_b", 3), curve("a_b", 2, 2, SeriesBasis::measured),
                          curve("bound", 9, 4, SeriesBasis::formula, Mark::curve)});
  chart.panels[0].series[0].points[1].least = 30;
  chart.panels[0].series[0].points[1].greatest = 40;
  const std::string text = charts_tikz({chart});
  INFO(text);
  check_braces(text);
  CHECK(text.rfind("% \\usepackage{pgfplots}", 0) == 0);
  CHECK(contains(text, "% a title\n"));
  CHECK(contains(text, "xlabel={n}"));
  CHECK(contains(text, "ylabel={time in units}"));
  CHECK(contains(text, "xmode=log"));
  CHECK(contains(text, "ymode=log"));
  CHECK(contains(text, "    (16, 16)\n    (32, 32) += (0, 8) -= (0, 2)\n    (64, 64)\n"));
  CHECK(times_in(text, "\\addplot[") == 3);
  CHECK(times_in(text, "error bars/.cd") == 1);
  CHECK(contains(text, "\\addlegendentry{a\\_b (model)}"));
  CHECK(contains(text, "\\addlegendentry{a\\_b (measured)}"));
  CHECK(contains(text, "\\addlegendentry{bound}"));
  CHECK(times_in(text, "no marks") == 2); // the curve, and its sample
  CHECK(text.ends_with("\\end{axis}\n\\end{tikzpicture}\n"));
  chart.look.legend = LegendPlace::none;
  CHECK(!contains(charts_tikz({chart}), "legend"));
  CHECK(times_in(charts_tikz({chart, chart}), "\\begin{tikzpicture}") == 2);
}

TEST_CASE("panels are a group in LaTeX, with one legend, and bars stand side by side") {
  Chart chart = chart_of({curve("a", 3, 1, SeriesBasis::model, Mark::bars),
                          curve("b", 3, 2, SeriesBasis::model, Mark::bars)});
  chart.y.scale = AxisScale::linear;
  chart.panels.resize(4, chart.panels[0]);
  chart.panels[1].series[1].name = "c";
  chart.panels[2].title = "50 %";
  const std::string text = charts_tikz({chart});
  INFO(text);
  check_braces(text);
  CHECK(contains(text, "\\usepgfplotslibrary{groupplots}"));
  CHECK(contains(text, "group size=2 by 2"));
  CHECK(times_in(text, "\\nextgroupplot") == 4);
  CHECK(contains(text, "\\nextgroupplot[title={50 \\%}]"));
  CHECK(times_in(text, "\\addlegendentry") == 3);
  CHECK(text.rfind("\\addlegendentry") < text.find("\\addplot"));
  CHECK(times_in(text, "bar shift=-") == 4);
  CHECK(times_in(text, "bar shift=") == 8);
}

TEST_CASE("no two series of bars look the same in LaTeX") {
  std::vector<ChartSeries> series;
  for (int i = 0; i < 9; ++i)
    series.push_back(curve(std::to_string(i), 3, 1, SeriesBasis::model, Mark::bars));
  const std::string text = charts_tikz({chart_of(series)});
  // Each in a plot and in the legend; the 8th and the 9th have the colours of the first two.
  CHECK(times_in(text, "fill=memlane6") == 2);
  CHECK(times_in(text, "fill=memlane0") == 4);
  CHECK(times_in(text, "fill=memlane0!50!white") == 2);
  CHECK(times_in(text, "fill=memlane1!50!white") == 2);
  CHECK(times_in(text, "!50!white") == 8);
}

TEST_CASE("a narrow logarithmic axis is a linear one in LaTeX, whose lengths are limited") {
  const auto y_is_log = [](double least, double greatest) {
    const Chart chart = chart_of(
        {{"a", SeriesBasis::model, Mark::line, {{16, least, "", ""}, {32, greatest, "", ""}}}});
    return contains(charts_tikz({chart}), "ymode=log");
  };
  CHECK(y_is_log(1070, 2140));
  CHECK(!y_is_log(1070, 1072));
  CHECK(y_is_log(1e15, 1e16));
  CHECK(!y_is_log(1e15, 1.2e15));
}

TEST_CASE("no text of a chart breaks its LaTeX") {
  const std::string hostile = "a]{b},%$#&_^~\\x\n\\end{axis}\r\xff\x1b[31m|`";
  Chart chart = chart_of({curve(hostile, 3), curve("}", 3, 2)});
  chart.title = chart.x.name = chart.y.name = hostile;
  chart.panels.resize(2, chart.panels[0]);
  chart.panels[0].title = hostile;
  chart.x = {hostile, AxisScale::categories, AxisText::number, {hostile, "%", "}"}, {}};
  for (ChartPanel& panel : chart.panels)
    for (ChartSeries& series : panel.series)
      for (int i = 0; i < 3; ++i) series.points[static_cast<std::size_t>(i)].x = i;
  const std::string text = charts_tikz({chart});
  INFO(text);
  check_braces(text);
  CHECK(times_in(text, "\\end{axis}") == 0);
  CHECK(times_in(text, "\n% ") == 1);
}

TEST_CASE("LaTeX draws no point that another one covers, and none without a place") {
  ChartSeries cloud{"cloud", SeriesBasis::model, Mark::points, {}};
  for (int i = 0; i < 20'000; ++i) cloud.points.push_back({1.0 + i % 50, 1.0 + i % 3, "", ""});
  cloud.points.push_back({1, -1, "", ""});
  cloud.points.push_back({-1, 1, "", ""});
  const std::string text = charts_tikz({chart_of({cloud})});
  CHECK(times_in(text, "    (") <= 151);
  CHECK(!contains(text, "-1"));
  Chart line = chart_of({curve("a", 3)});
  line.panels[0].series[0].points[1].y = NAN;
  CHECK(contains(charts_tikz({line}), "(16, 16)\n    (32, nan)\n    (64, 64)"));
  CHECK(!contains(charts_tikz({chart_of({})}), "\\addplot"));
  Chart none = chart_of({});
  none.panels.clear();
  check_braces(charts_tikz({none}));
}

} // namespace memlane::test
