// Pages of charts: what is in them, and, in a browser, what their script draws.
#include "browser.hpp"
#include "chart_fixture.hpp"
#include "report/page_text.hpp"

#include "memlane/report/charts_page.hpp"

#include <nlohmann/json.hpp>

namespace memlane::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find(to, begin + from.size());
  REQUIRE(end != std::string::npos);
  return text.substr(begin + from.size(), end - begin - from.size());
}

nlohmann::json data_of(const std::string& page) {
  return nlohmann::json::parse(between(page, "id=\"memlane-charts\">", "</script>"));
}

/// Lines, points with measured and printed ones, and bars in two panels.
ChartsPage sample_page() {
  Chart lines = chart_of({curve("sum", 9), curve("scan", 5, 7, SeriesBasis::formula)});
  lines.title = "lines";
  lines.panels[0].series[0].points[2].y = 0;
  Chart points = chart_of({curve("sum", 6, 1, SeriesBasis::measured, Mark::points)});
  points.title = "points";
  points.guides = {{"as large", true}};
  Chart bars = chart_of({curve("sum", 2, 1, SeriesBasis::model, Mark::bars),
                         curve("scan", 2, 2, SeriesBasis::measured, Mark::bars)});
  bars.title = "bars";
  bars.x = {"machine", AxisScale::categories, AxisText::number, {"first", "second"}, {}};
  bars.y.scale = AxisScale::linear;
  for (ChartSeries& series : bars.panels[0].series)
    for (int i = 0; i < 2; ++i) series.points[static_cast<std::size_t>(i)].x = i;
  bars.panels.push_back(bars.panels[0]);
  bars.panels[0].title = "one", bars.panels[1].title = "two";
  ChartsPage page;
  page.title = "a page";
  page.paragraphs = {"What it is."};
  page.sections = {{"first",
                    "First",
                    {"Words."},
                    {{"word", "A fact."}},
                    {lines, points},
                    {},
                    {},
                    "memlane list programs"},
                   {"second",
                    "Second",
                    {},
                    {},
                    {bars},
                    {{Judgement::holds, "It holds."}, {Judgement::fails, "It does not."}},
                    {{"A table", {{"n", "time"}, {"1", "2"}}, 0}},
                    ""}};
  return page;
}

} // namespace

TEST_CASE("a page has its words, each chart as SVG and as data, and asks nothing of a network") {
  const std::string page = charts_page(sample_page());
  for (const char* part :
       {"<h1>a page</h1>", "<p>What it is.</p>", "<a href=\"#second\">Second</a>",
        "<section id=\"second\">", "<figcaption>lines</figcaption>", "memlane list programs",
        "<dt>word</dt>\n<dd>A fact.</dd>", "<li class=\"holds\">", "<li class=\"fails\">",
        "<h3>A table</h3>", "1 point is not drawn",
        "Content-Security-Policy\" content=\"default-src 'none'"})
    CHECK(page.find(part) != std::string::npos);
  const std::string words = page.substr(0, page.find("<script"));
  CHECK(count_of(words, "<svg") == 3);
  for (const char* address : {"http:", "https:", " src=", "url(", "@import"})
    CHECK(words.find(address) == std::string::npos);
  const auto data = data_of(page);
  REQUIRE(data.at("charts").size() == 3);
  const auto& point = data.at("charts")[0].at("panels")[0].at("series")[0].at("points")[1];
  CHECK(point.at("x") == 32);
  CHECK(point.at("y") == 32);
  CHECK(point.at("text") == "sum, n=32");
  CHECK(point.at("command") == "memlane run sum -D n=32");
  const auto& bars = data.at("charts")[2].at("panels")[1].at("series");
  CHECK(bars[0].at("points")[0].at("to") <= bars[1].at("points")[0].at("from"));
  CHECK(bars[1].at("points")[0].at("to") <= bars[0].at("points")[1].at("from"));
  CHECK(count_of(page, "</script>") == (pages_have_plot() ? 2 : 1));
}

TEST_CASE("without npm a page has the SVG, with what was run as titles of its points") {
  const std::string page = page_with_script(sample_page(), {});
  CHECK(count_of(page, "<script") == 1); // the data
  CHECK(count_of(page, "<svg") == 3);
  CHECK(page.find("<title>sum, n=32\nmemlane run sum -D n=32</title>") != std::string::npos);
  CHECK(count_of(page, "class=\"drawn\"></div>") == 3); // empty, and nothing hides the SVG
  CHECK(page.find("class=\"plotted\"") == std::string::npos);
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("texts in a page and in its data are texts, whatever they hold") {
  const std::string hostile = "</script><script>alert('x')</script><!--\"&\x1b\xff";
  ChartsPage page = sample_page();
  page.title = page.paragraphs[0] = page.sections[0].heading = page.sections[0].id = hostile;
  page.sections[1].verdicts[0].text = page.sections[1].tables[0].rows[0][0] = hostile;
  page.sections[0].command = hostile;
  Chart& chart = page.sections[0].charts[0];
  chart = chart_of({curve(hostile, 3)});
  chart.title = chart.summary = chart.caption = chart.x.name = hostile;
  const std::string text = charts_page(page);
  CHECK(text.find("<script>alert") == std::string::npos);
  CHECK(text.find("<!--\"") == std::string::npos);
  CHECK(count_of(text, "<script") == (pages_have_plot() ? 2 : 1));
  CHECK(data_of(text).at("charts")[0].at("title") ==
        "</script><script>alert('x')</script><!--\"&\\x1b\\xff");
}

TEST_CASE("a page without charts, and one without anything, are whole") {
  ChartsPage page;
  page.title = "nothing";
  CHECK(data_of(charts_page(page)).at("charts").empty());
  page.sections = {{}};
  CHECK(charts_page(page).ends_with("</html>\n"));
}

#if defined MEMLANE_CHROMIUM && defined MEMLANE_PAGES_NPM
namespace {

/// Moves over a point of the first chart, then goes on with a key, and writes what the page shows.
constexpr const char* look = R"js(
const told = { charts: document.querySelectorAll("figure.plotted").length };
const parts = (query) => document.querySelectorAll(".drawn " + query).length;
told.dots = parts('[aria-label="dot"] > *');
told.lines = parts('[aria-label="line"] > path');
told.bars = parts('[aria-label="rect"] > rect');
told.hidden = [...document.querySelectorAll(".picture")].every((e) => getComputedStyle(e).display === "none");
told.below = [...document.querySelectorAll("figure")].every((figure) => figure.lastElementChild.className === "detail");
told.narrow = document.documentElement.scrollWidth <= window.innerWidth;
const svg = document.querySelector(".drawn .panels svg");
const place = svg.createSVGPoint();
[place.x, place.y] = [svg.scale("x").apply(32), svg.scale("y").apply(32)];
const { x, y } = place.matrixTransform(svg.getScreenCTM());
const move = (type) => new PointerEvent(type, { clientX: x, clientY: y, pointerType: "mouse", bubbles: true });
svg.dispatchEvent(move("pointerenter"));
svg.dispatchEvent(move("pointermove"));
const detail = document.querySelector(".detail");
told.tip = svg.querySelector('[aria-label="tip"]')?.textContent ?? "";
told.detail = detail.textContent;
told.reachable = svg.getAttribute("tabindex");
svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
told.key = detail.textContent;
document.body.dataset.told = JSON.stringify(told);
)js";

} // namespace

TEST_CASE("in a browser, Plot draws all marks, and pointer and keys show a point and its command") {
  REQUIRE(pages_have_plot());
  const std::string page = charts_page(sample_page());
  for (const std::string size : {"1280,900", "500,900"}) {
    const auto told = told_in_browser(page, look, size);
    INFO(told.dump(2));
    CHECK(told.at("charts") == 3);
    CHECK(told.at("dots") == 8 + 5 + 6 + 2 * 4); // bars have markers, too
    CHECK(told.at("lines") == 2 + 1);
    CHECK(told.at("bars") == 2 * 4);
    CHECK(told.at("hidden") == true);
    CHECK(told.at("narrow") == true);
    CHECK(told.at("below") == true); // between a chart and its caption is no room for details
    CHECK(told.at("reachable") == "0");
    for (const char* shown : {"tip", "detail"}) {
      const std::string text = told.at(shown);
      CHECK(text.find("sum, n=32") != std::string::npos);
      CHECK(text.find("memlane run sum -D n=32") != std::string::npos);
    }
    CHECK(told.at("key").get<std::string>().find("memlane run sum -D n=16") != std::string::npos);
  }
}
#endif

} // namespace memlane::test
