// Charts of figure files, and figures in LaTeX.
#include "study/judged_figure.hpp"

namespace memlane {

using namespace figure_test;

namespace {

std::string with_chart(const std::string& keys) {
  return figure_text(R"(,
  "charts": [{ "title": "Time", "caption": "Of n_1.", "x": { "name": "n" }, "y": { "name": "time" },
    "query": "SELECT n AS x, time AS y, time - 1 AS least, time + 2 AS greatest FROM sums WHERE n < 1000")" +
                     keys + " }]");
}

} // namespace

TEST_CASE("a chart of a figure has the size and the legend of the paper, and error bars") {
  const Judged judged(with_chart(R"(, "legend": "none", "size": "3.5inx2in")"));
  REQUIRE(judged.errors().empty());
  const Chart& chart = judged.result.charts.at(0);
  CHECK(chart.look.width == 3.5 * chart_units_of_inch);
  CHECK(chart.look.height == 2 * chart_units_of_inch);
  CHECK(chart.look.bare);
  CHECK(chart.look.legend == LegendPlace::none);
  CHECK(chart.panels[0].series[0].points[0].least == 3 * 64 - 1);
  CHECK(chart.panels[0].series[0].points[0].greatest == 3 * 64 + 2);
  const FigureFile wrong(with_chart(R"(, "legend": "left", "size": "3.5")"));
  CHECK(wrong.errors().find("charts[0].size: \"3.5\" is no size") != std::string::npos);
  CHECK(wrong.errors().find("charts[0].legend") != std::string::npos);
  CHECK(wrong.errors().find("top, bottom, none") != std::string::npos);
}

TEST_CASE("figures in LaTeX have their charts, findings and tables") {
  Judged judged(with_chart(R"( }], "tables": [{ "title": "100 %", "query": "SELECT n FROM sums")"));
  REQUIRE(judged.errors().empty());
  judged.result.checks = {{{FigureVerdict::shows, "It does & must."}, "It_grows.", true, {}}};
  const std::string text = render_figures({judged.result}, Format::latex, TableStyle{}, "0");
  INFO(text);
  CHECK(text.rfind("\\section*{f: A title}\n\nA paper.\n\nfirst\n\n", 0) == 0);
  CHECK(text.find("\\begin{figure}\n\\centering\n% \\usepackage{pgfplots}") != std::string::npos);
  CHECK(text.find("+= (0, 2) -= (0, 1)") != std::string::npos);
  CHECK(text.find("\\caption{Time. Of n\\_1.}\\label{fig:f}\n\\end{figure}") != std::string::npos);
  CHECK(text.find("It\\_grows. & shows it") != std::string::npos);
  CHECK(text.find("It does \\& must.") != std::string::npos);
  CHECK(text.find("\\caption{100 \\%}\\label{tab:f}") != std::string::npos);
  CHECK(text.find("1 finding in 1 figure") != std::string::npos);
  CHECK(text.find("**") == std::string::npos);
}

} // namespace memlane
