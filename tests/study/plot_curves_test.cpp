// Curves of formulas over the points of stores, and what stands at the axes.
#include "study/filled_store.hpp"

#include <algorithm>

namespace memlane::test {
namespace {

PlotCurve curve_of(const std::string& text, const std::string& name = "", bool is_bound = false) {
  Sources sources;
  ColumnNames names;
  names.aggregates = false;
  names.known = [](const std::string&) { return true; };
  names.suggestions = [](const std::string&) { return std::vector<std::string>(); };
  auto formula = read_column_formula(sources, "--curve", text, names);
  if (!formula) FAIL(render(formula.errors(), sources));
  return {name, text, std::move(*formula), is_bound};
}

PlotRequest request_of(PlotCurve curve) {
  PlotRequest request;
  request.x = "n";
  request.curves.push_back(std::move(curve));
  return request;
}

/// The curves of the first panel.
std::vector<ChartSeries> curves_of(const Chart& chart) {
  std::vector<ChartSeries> curves = chart.panels.front().series;
  std::erase_if(curves, [](const ChartSeries& series) { return series.mark != Mark::curve; });
  return curves;
}

double value_at(const ChartSeries& curve, double x) {
  for (const ChartPoint& point : curve.points)
    if (point.x == x) return point.y;
  return NAN;
}

} // namespace

TEST_CASE("a curve has the formula's values at the points and between them") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t size : {64, 128, 256, 1024}) store.add("sum", "one", size, 3 * size);
  const Chart chart = store.chart(request_of(curve_of("3*(n/32 + log2(n))", "bound")));
  const auto curves = curves_of(chart);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].name == "bound");
  CHECK(curves[0].basis == SeriesBasis::formula);
  CHECK(curves[0].points.size() == 4 + 63);
  CHECK(value_at(curves[0], 64) == 3 * (2 + 6));
  CHECK(value_at(curves[0], 1024) == 3 * (32 + 10));
  CHECK(chart.summary.find("4 points in 1 series, from 192 to 3072") != std::string::npos);
  CHECK(curves_of(store.chart(request_of(curve_of("n"))))[0].name == "n");
  CHECK(curves_of(store.chart(request_of(curve_of("7"))))[0].points[5].y == 7);
  // Between the points, a formula may have no value; at one of them, it interrupts the curve.
  const auto whole = curves_of(store.chart(request_of(curve_of("1/(n-128)"))));
  CHECK(std::isnan(value_at(whole[0], 128)));
}

TEST_CASE("a curve is drawn for each combination of what it names beside x") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t d : {1, 2})
    for (const std::int64_t size : {64, 128, 256}) store.add("sum", "one", size, size / d, 1, d);
  const auto curves = curves_of(store.chart(request_of(curve_of("n/d", "ideal"))));
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].name == "ideal (d=1)");
  CHECK(value_at(curves[1], 128) == 64);
  CHECK(curves_of(store.chart(request_of(curve_of("n")))).size() == 1);
  PlotRequest request = request_of(curve_of("n/d"));
  request.panels = {"d"};
  const Chart panels = store.chart(request);
  REQUIRE(panels.panels.size() == 2);
  for (const ChartPanel& panel : panels.panels) CHECK(panel.series.back().mark == Mark::curve);
}

TEST_CASE("a bound has the least factor that no simulated point exceeds") {
  const StoreFolder folder;
  Filled store(folder);
  store.add("sum", "one", 64, 100);
  store.add("sum", "one", 128, 640);
  store.add("sum", "one", 256, 1000);
  const auto curves = curves_of(store.chart(request_of(curve_of("(n)", "", true))));
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].name == "5 (n)");
  CHECK(value_at(curves[0], 128) == 640);
  CHECK(value_at(curves[0], 256) == 1280);
}

TEST_CASE("a curve that cannot be drawn is an error that says why") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t size : {64, 128, 256}) store.add("sum", "one", size, 3 * size);
  const auto error = [&](const std::string& formula, bool is_bound = false) {
    return store.error(request_of(curve_of(formula, "", is_bound)));
  };
  CHECK(error("time/2").find("--curve: 'time/2' cannot be drawn: points at different n have no "
                             "common time|write a formula over n") == 0);
  CHECK(error("1/0").find("'1/0' cannot be drawn: division by zero") != std::string::npos);
  CHECK(error("0-n").find("a logarithmic axis has no place for its values") != std::string::npos);
  CHECK(error("0-n", true).find("no simulated point has a value") != std::string::npos);
  CHECK(error("program").find("no row has a number in each of its columns") != std::string::npos);
  CHECK(error("nn").find("--curve: no store has a column 'nn'") == 0);
  Filled zeros(folder, "zeros.db");
  for (const std::int64_t size : {64, 128}) zeros.add("sum", "one", size, 0);
  CHECK(zeros.error(request_of(curve_of("n", "", true))).find("no simulated point has a value") !=
        std::string::npos);
  PlotRequest request = request_of(curve_of("n"));
  request.where = "n = 64";
  CHECK(store.error(request).find("all points have the same n") != std::string::npos);
  request.where.clear();
  request.mark = Mark::bars;
  CHECK(store.error(request).find("a curve needs an x axis of numbers") != std::string::npos);
}

TEST_CASE("more curves than a panel may have are an error") {
  const StoreFolder folder;
  Filled store(folder);
  for (std::int64_t d = 1; d <= 201; ++d)
    for (const std::int64_t size : {1, 2}) store.add("sum", "one", size, d, 1, d);
  PlotRequest request = request_of(curve_of("n*d"));
  request.where = "d <= 150";
  request.by.emplace();
  CHECK(curves_of(store.chart(request)).size() == 150);
  request.where.clear();
  CHECK(store.error(request).find("more than 200 series") != std::string::npos);
}

TEST_CASE("labels and the look of a plot are those of the request") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t size : {64, 128, 256}) store.add("sum", "one", size, size);
  PlotRequest request;
  request.x_label = "numbers";
  request.y_label = "cycles";
  request.look = {378, 216, LegendPlace::bottom, true};
  const Chart chart = store.chart(request);
  CHECK(chart.x.name == "numbers");
  CHECK(chart.y.name == "cycles");
  CHECK(chart.look.width == 378);
  CHECK(chart.look.legend == LegendPlace::bottom);
}

} // namespace memlane::test
