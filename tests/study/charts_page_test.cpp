// Pages of charts: what is in them, and, in a browser, what their script shows.
#include "chart/browser.hpp"
#include "chart/chart_fixture.hpp"

#include "memlane/study/pages/charts_page.hpp"

namespace memlane::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
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
                    {{"A table", {{"n", "time"}, {"1", "2"}}, {}}},
                    ""}};
  return page;
}

} // namespace

TEST_CASE(
    "a page has its words, each chart for wide and narrow screens, and asks nothing of a network") {
  const std::string page = charts_page(sample_page());
  for (const char* part :
       {"<h1>a page</h1>", "<p>What it is.</p>", "<a href=\"#second\">Second</a>",
        "<section id=\"second\">", "<figcaption>lines</figcaption>", "memlane list programs",
        "<dt>word</dt>\n<dd>A fact.</dd>", "<li class=\"holds\">", "<li class=\"fails\">",
        "<h3>A table</h3>", "1 point is not drawn",
        "Content-Security-Policy\" content=\"default-src 'none'"})
    CHECK(page.find(part) != std::string::npos);
  const std::string words = page.substr(0, page.find("<script"));
  CHECK(count_of(words, "<svg class=\"wide\"") == 3);
  CHECK(count_of(words, "<svg class=\"narrow\"") == 3);
  CHECK(count_of(words, "<title>sum, n=32\nmemlane run sum -D n=32</title>") == 2 * 6);
  for (const char* address : {"http:", "https:", " src=", "url(", "@import"})
    CHECK(words.find(address) == std::string::npos);
  CHECK(count_of(page, "</script>") == 1);
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("texts in a page are texts, whatever they hold") {
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
  CHECK(count_of(text, "<script") == 1);
  CHECK(text.find("<title id=\"chart-1-title\">&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;"
                  "/script&gt;&lt;!--&quot;&amp;\\x1b\\xff</title>") != std::string::npos);
}

TEST_CASE("a page without charts, and one without anything, are whole") {
  ChartsPage page;
  page.title = "nothing";
  CHECK(count_of(charts_page(page), "<script") == 0);
  page.sections = {{}};
  CHECK(charts_page(page).ends_with("</html>\n"));
}

#ifdef MEMLANE_CHROMIUM
namespace {

/// Points at marks of the charts, touches one, goes on with keys, and writes what the page shows.
constexpr const char* look = R"js(
const told = { narrow: document.documentElement.scrollWidth <= window.innerWidth };
const figures = [...document.querySelectorAll("figure")];
const pictures = figures.map((figure) => [...figure.querySelectorAll(".picture > svg")].filter((svg) => svg.getClientRects().length));
told.pictures = pictures.map((shown) => shown.length);
told.titles = document.querySelectorAll(".mark title, .bar title").length;
told.below = figures.every((figure) => figure.lastElementChild.className === "detail");
const text_size = Math.min(...pictures.flat().map((svg) => 12 * svg.getScreenCTM().a));
told.readable = text_size >= 9 && text_size <= 18;
const show = (figure) => {
  const tip = figure.querySelector(".tip"), frame = figure.querySelector(".picture").getBoundingClientRect();
  const box = tip.getBoundingClientRect();
  return { tip: tip.hidden ? "" : tip.textContent, detail: figure.querySelector(".detail").textContent,
    inside: box.left >= frame.left - 1 && box.right <= frame.right + 1 };
};
const event = (svg, type, box, pointerType, aside = 0) => svg.dispatchEvent(new PointerEvent(type,
  { clientX: box.x + box.width / 2 + aside, clientY: box.y + box.height / 2, pointerType, bubbles: true }));
const [lines] = pictures[0], mark = lines.querySelectorAll(".panel .mark")[1].getBoundingClientRect();
event(lines, "pointermove", mark, "mouse", 4);
told.pointed = show(figures[0]);
const key = (name) => (lines.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true })), show(figures[0]));
told.back = key("ArrowLeft");
told.before_first = key("ArrowUp");
told.escaped = key("Escape");
event(lines, "pointermove", mark, "mouse");
event(lines, "pointerleave", mark, "mouse");
told.left = show(figures[0]);
event(lines, "pointerdown", mark, "touch");
event(lines, "pointerleave", mark, "touch");
told.touched = show(figures[0]);
const [bars] = pictures[2];
event(bars, "pointermove", bars.querySelectorAll(".bar")[1].getBoundingClientRect(), "mouse");
told.bar = show(figures[2]);
told.reachable = pictures.flat().every((svg) => svg.tabIndex === 0);
document.body.dataset.told = JSON.stringify(told);
)js";

} // namespace

TEST_CASE("in a browser, pointer, touch and keys show the nearest mark and its command",
          "[release]") {
  const std::string page = charts_page(sample_page());
  for (const std::string size : {"1280,900", "800,900", "500,900", "390,900"}) {
    const auto told = told_in_browser(page, look, size);
    INFO(size << '\n' << told.dump(2));
    CHECK(told.at("narrow") == true);
    CHECK(told.at("pictures") == nlohmann::json{1, 1, 1});
    CHECK(told.at("titles") == 0);   // browsers would show them beside the tip
    CHECK(told.at("below") == true); // between a chart and its caption is no room for details
    CHECK(told.at("readable") == true);
    CHECK(told.at("reachable") == true);
    const std::string second = "sum, n=32memlane run sum -D n=32";
    const std::string first = "sum, n=16memlane run sum -D n=16";
    const auto shows = [&](const char* when, const std::string& tip, const std::string& detail) {
      INFO(when);
      CHECK(told.at(when).at("tip") == tip);
      CHECK(told.at(when).at("detail") == detail + "Copy");
      CHECK(told.at(when).at("inside") == true);
    };
    shows("pointed", second, second);
    shows("back", first, first);
    const std::string last = "scan, n=256memlane run scan -D n=256";
    shows("before_first", last, last);
    CHECK(told.at("escaped").at("tip") == "");
    CHECK(told.at("escaped").at("detail") == last + "Copy"); // stays, to be copied
    CHECK(told.at("left").at("tip") == "");
    shows("touched", second, second);
    shows("bar", second, second);
  }
}
#endif

} // namespace memlane::test
