// Pictures in papers: their size, where the legend stands, error bars, curves.
#include "chart_fixture.hpp"

#include "memlane/chart/layout.hpp"

namespace memlane::test {
namespace {

Chart sized(double width, double height, LegendPlace legend = LegendPlace::top) {
  Chart chart = chart_of({curve("sum", 9), curve("scan", 9, 3)});
  chart.caption = "A caption.";
  chart.look = {width, height, legend, true};
  return chart;
}

} // namespace

TEST_CASE("a picture of a paper has its size in inches, and neither title nor caption") {
  for (const auto& [width, height] : {std::pair(3.5, 2.4), std::pair(7.0, 1.6)}) {
    const Chart chart = sized(width * chart_units_of_inch, height * chart_units_of_inch);
    const Xml svg = xml_of(chart_svg(chart)).get_child("svg");
    CHECK(svg.get<std::string>("<xmlattr>.width") == fmt::format("{:g}in", width));
    CHECK(svg.get<std::string>("<xmlattr>.height") == fmt::format("{:g}in", height));
    CHECK(svg.get<std::string>("<xmlattr>.viewBox") ==
          fmt::format("0 0 {:g} {:g}", 108 * width, 108 * height));
    CHECK(elements(svg, "text", "title").empty());
    CHECK(elements(svg, "text", "note").empty());
    const ChartLayout layout = layout_of(chart, ChartPlace::document);
    CHECK(layout.x_name.y > layout.height - 20); // nothing is left empty below
    double last = INFINITY;
    for (const AxisTick& tick : layout.axes.y_ticks) {
      const PanelFrame& frame = layout.frames.front();
      const double at = frame.bottom() - frame.height * layout.axes.y.share(tick.at);
      CHECK(last - at >= chart_text_size);
      last = at;
    }
  }
  CHECK(layout_of(sized(756, 200), ChartPlace::page).width == 640);
  const std::string two = charts_svg({sized(378, 216), sized(378, 216)});
  CHECK(two.find("width=\"3.5in\" height=\"4in\"") != std::string::npos);
}

TEST_CASE("panels of a narrow picture are below each other, and texts make it higher if need be") {
  Chart chart = sized(378, 300);
  chart.panels.resize(3, chart.panels.front());
  const ChartLayout narrow = layout_of(chart, ChartPlace::document);
  CHECK(narrow.frames[0].left == narrow.frames[1].left);
  CHECK(narrow.height == 300);
  chart.look.width = 756;
  CHECK(layout_of(chart, ChartPlace::document).frames[1].top == narrow.frames[0].top);
  chart.look.height = 20;
  const ChartLayout low = layout_of(chart, ChartPlace::document);
  CHECK(low.height > 20);
  CHECK(low.frames.front().height == 30);
}

TEST_CASE("panels that would be too low below each other stand beside each other, with two ticks") {
  Chart chart = sized(378, 216);
  chart.panels.resize(2, chart.panels.front());
  for (ChartPanel& panel : chart.panels) panel.title = "a panel";
  chart.y.scale = AxisScale::log10;
  const ChartLayout low = layout_of(chart, ChartPlace::document);
  CHECK(low.height == 216);
  CHECK(low.frames[0].top == low.frames[1].top);
  CHECK(low.axes.y_ticks.size() >= 2);
  CHECK(low.axes.x_ticks.size() >= 2);
}

TEST_CASE("the legend stands above, below or nowhere") {
  const auto of = [](LegendPlace place) {
    return layout_of(sized(400, 300, place), ChartPlace::document);
  };
  CHECK(of(LegendPlace::top).legend[0].y < of(LegendPlace::top).frames[0].top);
  const ChartLayout bottom = of(LegendPlace::bottom);
  CHECK(bottom.legend[0].y > bottom.x_name.y);
  CHECK(bottom.legend[0].y < bottom.height);
  CHECK(of(LegendPlace::none).legend.empty());
  CHECK(of(LegendPlace::none).frames[0].height > bottom.frames[0].height);
}

TEST_CASE("a bar goes from the least to the greatest of a point's values") {
  Chart chart =
      chart_of({{"a", SeriesBasis::model, Mark::line, {{16, 8, "", "", 4, 16}, {32, 8, "", ""}}}});
  for (const Mark mark : {Mark::line, Mark::bars}) {
    chart.panels[0].series[0].mark = mark;
    const ChartLayout layout = layout_of(chart, ChartPlace::document);
    CHECK(layout.axes.y.holds(4));
    CHECK(layout.axes.y.holds(16));
    const auto spreads = elements(xml_of(chart_svg(chart)), "path", "spread");
    REQUIRE(spreads.size() == 1);
    const PanelFrame& frame = layout.frames[0];
    const std::string path = spreads[0].get<std::string>("<xmlattr>.d");
    for (const double value : {4, 16})
      CHECK(path.find(fmt::format(",{:.1f}",
                                  frame.bottom() - frame.height * layout.axes.y.share(value))) !=
            std::string::npos);
  }
  ChartPoint& point = chart.panels[0].series[0].points[0];
  point.least = -1; // no place on a logarithmic axis: the bar ends at the frame
  CHECK(elements(xml_of(chart_svg(chart)), "path", "spread").size() == 1);
  point.greatest = INFINITY;
  CHECK(elements(xml_of(chart_svg(chart)), "path", "spread").empty());
  CHECK(chart_svg(chart).find("inf") == std::string::npos);
}

TEST_CASE("a curve is a line without markers, which no picture counts as points") {
  Chart chart =
      chart_of({curve("sum", 5), curve("bound", 70, 2, SeriesBasis::formula, Mark::curve)});
  chart.panels[0].series[1].points.push_back({64, NAN, "", ""});
  const Xml svg = xml_of(chart_svg(chart));
  CHECK(point_titles(svg).size() == 5);
  CHECK(elements(svg, "path", "line").size() == 2 + 1 + 2); // interrupted once; in the legend
  CHECK(sentence_about_undrawn(chart).starts_with("Parts of 1 curve are not drawn: "));
  // The basis of a curve does not make a legend name the bases of others.
  CHECK(chart_svg(chart).find("(model)") == std::string::npos);
  // Beside a curve, a series without a name is called by its basis.
  chart.panels[0].series[0].name.clear();
  const auto legend = layout_of(chart, ChartPlace::document).legend;
  REQUIRE(legend.size() == 2);
  CHECK(legend[0].entry.text == "model");
}

} // namespace memlane::test
