// Charts as SVG: what is in them, and that no content breaks them.
#include "chart_fixture.hpp"

#include "memlane/chart/layout.hpp"
#include "memlane/chart/markup.hpp"

#include <algorithm>
#include <set>

namespace memlane::test {
namespace {

/// All places of the picture are in it, and are numbers.
void check_places(const std::string& svg) {
  const Xml tree = xml_of(svg);
  const double width = tree.get<double>("svg.<xmlattr>.width");
  const double height = tree.get<double>("svg.<xmlattr>.height");
  each_element(tree, [&](const std::string& name, const Xml& element) {
    for (const char* key : {"x", "x1", "x2", "cx", "y", "y1", "y2", "cy"}) {
      const auto place = element.get_optional<std::string>(std::string("<xmlattr>.") + key);
      if (!place) continue;
      INFO(name << ' ' << key << ' ' << *place);
      const double at = std::stod(*place);
      CHECK(at >= 0);
      CHECK(at <= (std::string(key).find('x') != std::string::npos ? width : height));
    }
  });
  for (const char* no_number : {"nan", "inf\"", "inf,"})
    CHECK(svg.find(no_number) == std::string::npos);
}

/// Texts of ticks do not touch, and the legend is within the picture.
void check_room(const Chart& chart, ChartPlace place = ChartPlace::document) {
  if (place == ChartPlace::document) check_room(chart, ChartPlace::narrow_page);
  const ChartLayout layout = layout_of(chart, place);
  for (const PanelFrame& frame : layout.frames) {
    INFO(chart.panels.size() << " panels, " << chart.x.categories.size() << " categories");
    CHECK(frame.right() <= layout.width);
    CHECK(frame.bottom() <= layout.height);
    double end = -INFINITY;
    for (const AxisTick& tick : layout.axes.x_ticks) {
      const double at = frame.left + frame.width * layout.axes.x.share(tick.at);
      const double half = layout.slanted ? 6 : text_width(tick.text, chart_text_size) / 2;
      CHECK(at - half >= end);
      end = at + half;
      if (layout.slanted) CHECK(at - 0.766 * text_width(tick.text, chart_text_size) >= 0);
    }
    double last = INFINITY;
    for (const AxisTick& tick : layout.axes.y_ticks) {
      const double at = frame.bottom() - frame.height * layout.axes.y.share(tick.at);
      CHECK(last - at >= chart_text_size);
      last = at;
      CHECK(frame.left - 6 - text_width(tick.text, chart_text_size) >= 0);
    }
    for (const PanelFrame& other : layout.frames)
      CHECK((&other == &frame || other.left >= frame.right() || other.right() <= frame.left ||
             other.top >= frame.bottom() || other.bottom() <= frame.top));
  }
  for (const PlacedEntry& entry : layout.legend) {
    CHECK(entry.x + text_width(entry.entry.text, chart_text_size) <= layout.width);
    for (const PlacedEntry& other : layout.legend)
      if (&other > &entry && other.y == entry.y)
        CHECK(other.x - legend_sample - 6 >=
              entry.x + text_width(entry.entry.text, chart_text_size));
  }
}

std::vector<ChartSeries> curves(int count, const std::string& name) {
  std::vector<ChartSeries> all;
  for (int i = 0; i < count; ++i) all.push_back(curve(name + std::to_string(i), 8, i + 1));
  return all;
}

} // namespace

TEST_CASE("a chart is well-formed and says what it shows, with a title on each point") {
  Chart chart = chart_of(
      {curve("sum", 12), curve("scan", 12, 3), curve("scan", 4, 9, SeriesBasis::formula),
       curve("sum", 12, 2, SeriesBasis::measured), curve("sum", 3, 2, SeriesBasis::printed)});
  chart.caption = "What else there is to say.";
  const std::string text = chart_svg(chart);
  const Xml svg = xml_of(text);
  CHECK(svg.get<std::string>("svg.title") == "a title");
  CHECK(svg.get<std::string>("svg.desc") == "It grows.");
  const auto titles = point_titles(svg);
  CHECK(titles.size() == 12 + 12 + 4 + 12 + 3);
  CHECK(std::find(titles.begin(), titles.end(), "sum, n=16\nmemlane run sum -D n=16") !=
        titles.end());
  CHECK(elements(svg, "path", "line").size() == 5 + 5); // and in the legend
  std::set<std::string> dashes;
  for (const Xml& line : elements(svg, "path", "line"))
    dashes.insert(line.get("<xmlattr>.stroke-dasharray", "solid"));
  CHECK(dashes.size() == 4);
  CHECK(text.find(">What else there is to say.<") != std::string::npos);
  for (const char* name :
       {">sum (model)<", ">sum (measured)<", ">sum (printed)<", ">scan (formula)<"})
    CHECK(text.find(name) != std::string::npos);
  check_places(text);
  check_room(chart);
}

TEST_CASE("names have markers of their own, beside their colours") {
  std::set<std::string> shapes, pairs;
  const auto all = curves(8, "name ");
  CHECK(series_names(chart_of(all)).size() == 8);
  for (std::size_t name = 0; name < 56; ++name) {
    const std::size_t marker = name % markers().size(), colour = name % series_colours.size();
    if (name < 8) shapes.insert(std::to_string(marker));
    pairs.insert(fmt::format("{} {}", marker, colour));
  }
  CHECK(shapes.size() == 8);
  CHECK(pairs.size() == 56);
}

TEST_CASE("a printed value leaves the model's at the same place to be seen") {
  const std::string svg = chart_svg(chart_of({curve("sum", 3, 2, SeriesBasis::model, Mark::points),
                                              curve("sum", 3, 2, SeriesBasis::printed)}));
  const auto radius = [&](std::string_view start) {
    const std::size_t at = svg.find(start);
    REQUIRE(at != svg.npos);
    return std::stod(svg.substr(svg.find(" r=\"", at) + 4));
  };
  CHECK(radius("<circle class=\"mark hollow\" fill=\"none\"") >
        radius("<circle class=\"mark\"") + 1);
}

TEST_CASE("texts do not overlap, with one to eight series and names of any length") {
  for (const std::string name :
       {"a", "prefix_sums on hmm-titan ",
        "a name that is much too long for "
        "the width of any picture, whatever the size of its letters, and so on "}) {
    for (int count = 1; count <= 8; ++count) check_room(chart_of(curves(count, name)));
    for (const std::size_t panels : {2U, 3U, 4U, 5U, 7U, 12U}) {
      Chart chart = chart_of(curves(3, name));
      chart.panels.resize(panels, {"panel " + name, chart.panels.front().series});
      check_room(chart);
      check_places(chart_svg(chart));
    }
    for (const int categories : {1, 5, 40, 300}) {
      Chart chart = chart_of({{"", SeriesBasis::model, Mark::bars, {}}});
      chart.x = {"program", AxisScale::categories, AxisText::number, {}, {}};
      for (int i = 0; i < categories; ++i) {
        chart.x.categories.push_back(name + std::to_string(i));
        chart.panels[0].series[0].points.push_back({double(i), 1.0 + i, "", ""});
      }
      check_room(chart);
      check_places(chart_svg(chart));
    }
  }
}

TEST_CASE("texts that are cut are still told apart") {
  using Texts = std::vector<std::string>;
  const Texts fit = {"one", "two"};
  CHECK(told_apart(fit, 12, 100) == fit);
  CHECK(told_apart({"sum on machines/gpu-with-12-latency", "sum on machines/gpu-with-34-latency"},
                   12, 130) == Texts{"…12…", "…34…"});
  CHECK(told_apart({"a long beginning, 12, a long ending", "a long beginning, 34, a long ending"},
                   12, 60) == Texts{"…12…", "…34…"});
  const Texts cut = told_apart({"first words and more and the end", ""}, 12, 120);
  CHECK(cut[0].rfind("first", 0) == 0);
  CHECK(cut[0].find("…") != std::string::npos);
  CHECK(cut[0].ends_with("end"));
  CHECK(cut[1].empty());
  Chart chart = chart_of(curves(1, "sum"));
  const std::string common = "prefix_sums on configs/machines/hmm-h200 with ";
  chart.panels.resize(3, chart.panels[0]);
  for (std::size_t i = 0; i < 3; ++i)
    chart.panels[i].title = common + "latency " + std::to_string(400 + 50 * i);
  const std::string svg = chart_svg(chart);
  for (const char* number : {"400", "450", "500"})
    CHECK(svg.find(fmt::format("<title>{0}latency {1}</title><text", common, number)) !=
          std::string::npos);
  for (const char* number : {"400", "450", "500"})
    CHECK(svg.find(fmt::format("{}</text>", number)) != std::string::npos);
  check_room(chart);
}

TEST_CASE("several charts are one picture, below each other") {
  const Chart chart = chart_of(curves(2, "sum"));
  const Xml one = xml_of(chart_svg(chart)), two = xml_of(charts_svg({chart, chart}));
  CHECK(charts_svg({chart}) == chart_svg(chart));
  const auto height = [](const Xml& svg) { return svg.get<double>("svg.<xmlattr>.height"); };
  CHECK(height(two) == 2 * height(one));
  CHECK(elements(two, "svg").size() == 3);
  CHECK(elements(two, "path", "line").size() == 2 * elements(one, "path", "line").size());
}

TEST_CASE("what a logarithmic axis has no place for is not drawn, and counted") {
  Chart chart = chart_of({curve("sum", 10)});
  std::vector<ChartPoint>& points = chart.panels[0].series[0].points;
  points[3].y = NAN;
  points[5].y = 0;
  points[6].y = -1;
  points[7].x = INFINITY;
  const Xml svg = xml_of(chart_svg(chart));
  CHECK(point_titles(svg).size() == 6);
  CHECK(svg.get<std::string>("svg.desc").find("4 points are not drawn") != std::string::npos);
  CHECK(elements(svg, "path", "line").size() ==
        2 + 1); // of three points, of two, and in the legend
  check_places(chart_svg(chart));
}

TEST_CASE("charts of nothing, of one point and of equal points have axes") {
  for (const bool log : {false, true}) {
    for (const double value : {1.0, 1024.0, 1e-30, 1e30, 1e249, -5.0, 0.0}) {
      Chart chart = chart_of({{"a", SeriesBasis::model, Mark::line, {{value, value, "", ""}}}});
      if (!log) chart.x.scale = chart.y.scale = AxisScale::linear;
      check_places(chart_svg(chart));
      chart.panels[0].series[0].points.push_back({value, value, "", ""});
      check_places(chart_svg(chart));
      const bool drawn = !log || value > 0;
      CHECK(point_titles(xml_of(chart_svg(chart))).size() ==
            (drawn ? 1 : 0)); // one covers the other
    }
  }
  Chart empty = chart_of({});
  CHECK(chart_svg(empty).find("There is nothing to draw.") != std::string::npos);
  check_places(chart_svg(empty));
  empty.panels.clear();
  check_places(chart_svg(empty));
}

TEST_CASE("numbers of all sizes keep their places") {
  Chart chart =
      chart_of({{"a",
                 SeriesBasis::model,
                 Mark::line,
                 {{1e-240, 1e240, "", ""}, {1, 9.2e18, "", ""}, {1e240, 1e-240, "", ""}}}});
  chart.guides = {{"a guide", true, 2, 1}, {"a level", false, 1e300, 0}};
  for (const AxisScale scale : {AxisScale::log2, AxisScale::log10, AxisScale::linear}) {
    chart.x.scale = chart.y.scale = scale;
    check_places(chart_svg(chart));
  }
  check_room(chart);
}

TEST_CASE("texts of a chart are texts, whatever they hold") {
  const std::string hostile = "</title><script>alert('x')</script>\"&]]>\x1b[31m\xff\xef\xbf\xbf"
                              "\xe2\x80\xae"
                              "end";
  Chart chart = chart_of({curve(hostile, 3)});
  chart.title = chart.summary = chart.caption = chart.x.name = chart.y.name = hostile;
  chart.panels[0].title = hostile;
  chart.guides = {{hostile, true}};
  const Xml svg = xml_of(chart_svg(chart));
  CHECK(svg.get<std::string>("svg.title") ==
        "</title><script>alert('x')</script>\"&]]>\\x1b[31m\\xff\\uffff\\u202eend");
  CHECK(elements(svg, "script").empty());
  check_places(chart_svg(chart));
}

TEST_CASE("ten thousand points of a series: those that would cover each other are one") {
  ChartSeries cloud{"cloud", SeriesBasis::model, Mark::points, {}};
  ChartSeries walk{"walk", SeriesBasis::model, Mark::line, {}};
  for (int i = 0; i < 10000; ++i) {
    cloud.points.push_back({1.0 + i % 100, 1.0 + i % 3, "", ""});
    walk.points.push_back({1.0 + i, 100 + 50 * std::sin(i * 0.7), "", ""});
  }
  const std::string text = chart_svg(chart_of({cloud, walk}));
  const auto titles = point_titles(xml_of(text));
  CHECK(titles.size() < 300 + 1500);
  CHECK(text.size() < 400'000);
  check_places(text);
}

TEST_CASE("bars stand on 0, side by side") {
  Chart chart = chart_of({curve("a", 3, 1, SeriesBasis::model, Mark::bars),
                          curve("b", 3, 2, SeriesBasis::model, Mark::bars)});
  chart.x = {
      "layout", AxisScale::categories, AxisText::number, {"rows", "columns", "padded(1)"}, {}};
  chart.y.scale = AxisScale::linear;
  for (ChartSeries& series : chart.panels[0].series)
    for (int i = 0; i < 3; ++i) series.points[static_cast<std::size_t>(i)].x = i;
  const auto bars = elements(xml_of(chart_svg(chart)), "rect", "bar");
  REQUIRE(bars.size() == 6);
  const auto place = [&](std::size_t bar, const char* key) {
    return bars[bar].get<double>(std::string("<xmlattr>.") + key);
  };
  std::vector<std::pair<double, double>> extents;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    CHECK(std::abs(place(i, "y") + place(i, "height") - place(0, "y") - place(0, "height")) < 0.11);
    extents.emplace_back(place(i, "x"), place(i, "x") + place(i, "width"));
  }
  CHECK(std::abs(place(3, "height") - 2 * place(0, "height")) < 0.3);
  std::sort(extents.begin(), extents.end());
  for (std::size_t i = 1; i < extents.size(); ++i) CHECK(extents[i].first >= extents[i - 1].second);
}

} // namespace memlane::test
