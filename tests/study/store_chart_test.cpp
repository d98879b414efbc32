// Charts of stores: what is chosen from the rows, what is said of the rest, printed values.
#include "study/filled_store.hpp"

#include "memlane/study/figures/paper_chart.hpp"

#include <set>

namespace memlane::test {
namespace {

PrintedValues printed_of(const std::string& text) {
  Sources sources;
  const Result<PrintedValues> printed = read_printed_values(sources, sources.add("p.csv", text));
  if (!printed) FAIL(render(printed.errors(), sources));
  return *printed;
}

std::string printed_error(const std::string& text) {
  Sources sources;
  const Result<PrintedValues> printed = read_printed_values(sources, sources.add("p.csv", text));
  REQUIRE(!printed);
  return render(printed.errors(), sources);
}

} // namespace

TEST_CASE("x is the column of numbers that varies most, series are what else differs") {
  const StoreFolder folder;
  Filled store(folder);
  for (const char* program : {"sum", "scan"})
    for (const char* machine : {"one", "two"})
      for (std::int64_t size = 16; size <= 4096; size *= 2)
        store.add(program, machine, size, size * 3, 1, size / 16); // d follows from n
  const Chart chart = store.chart();
  CHECK(text_of(chart) == "scan on one 9, scan on two 9, sum on one 9, sum on two 9");
  CHECK(chart.x.name == "n");
  CHECK(chart.x.scale == AxisScale::log2);
  CHECK(chart.y.scale == AxisScale::log10);
  CHECK(chart.title == "time over n");
  CHECK(chart.summary == "time in time units (logarithmic) over n (logarithmic): 36 points in 4 "
                         "series, from 48 to 12288.");
  CHECK(chart.caption.empty());
  const ChartPoint& point = chart.panels[0].series[0].points[0];
  CHECK(point.x == 16);
  CHECK(point.y == 48);
  CHECK(point.text == "scan on one, n=16, time 48");
  PlotRequest request;
  request.where = "program = 'sum' AND n < 100";
  CHECK(text_of(store.chart(request)) == "one 3, two 3");
  request.by = {"machine_name"};
  request.panels = {"program"};
  request.where.clear();
  CHECK(text_of(store.chart(request)) == "scan: one 9, two 9; sum: one 9, two 9");
  request.mark = Mark::bars;
  CHECK(store.chart(request).x.categories.size() == 9);
  CHECK(store.chart(request).y.scale == AxisScale::linear);
}

TEST_CASE("a parameter that differs at one x makes series, panels are chosen") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t d : {1, 2, 4})
    for (const std::int64_t size : {100, 200, 300, 400})
      store.add("sum", "one", size, size / d, 1, d);
  CHECK(text_of(store.chart()) == "d=1 4, d=2 4, d=4 4");
  CHECK(store.chart().x.scale == AxisScale::linear);
  CHECK(store.chart().title == "sum on one: time over n");
  for (const char* machine : {"two", "three"})
    for (const std::int64_t d : {1, 2, 4})
      for (const std::int64_t size : {100, 200, 300, 400})
        store.add("sum", machine, size, size / d, 1, d);
  CHECK(store.chart().panels.size() == 1);
  CHECK(store.chart().panels[0].series.size() == 9);
  PlotRequest request;
  request.panels = {"machine_name"};
  CHECK(text_of(store.chart(request)) == "one: d=1 4, d=2 4, d=4 4; three: d=1 4, d=2 4, d=4 4; "
                                         "two: d=1 4, d=2 4, d=4 4");
}

TEST_CASE("all series are drawn, up to a limit that names their columns") {
  const StoreFolder folder;
  Filled store(folder);
  for (std::int64_t d = 1; d <= 22; ++d)
    for (std::int64_t size = 100; size <= 2500; size += 100)
      store.add("sum", "one", size, size / d, 1, d);
  const auto made = store.plot();
  REQUIRE(made);
  CHECK(made->chart.panels[0].series.size() == 22);
  CHECK(made->warnings.empty());
  for (std::int64_t d = 1; d <= 201; ++d)
    for (const std::int64_t size : {1, 2}) store.add("scan", "one", size, d, 1, d);
  PlotRequest request;
  request.x = "n";
  CHECK(store.error(request).find("more than 200 series|they are told apart by program, d; "
                                  "choose fewer columns with --by") != std::string::npos);
}

TEST_CASE("an axis is logarithmic where values grow by factors rather than by steps") {
  const auto scale = [](const std::vector<std::int64_t>& sizes) {
    const StoreFolder folder;
    Filled store(folder);
    for (const std::int64_t size : sizes) store.add("sum", "one", size, size);
    return store.chart().x.scale;
  };
  CHECK(scale({64, 128, 256}) == AxisScale::log2);
  CHECK(scale({64, 1024}) == AxisScale::log2);
  CHECK(scale({10, 100, 1000}) == AxisScale::log10);
  CHECK(scale({1, 2, 4, 8, 12, 16}) == AxisScale::log10);
  CHECK(scale({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) == AxisScale::linear);
  CHECK(scale({100, 200, 300}) == AxisScale::linear);
  CHECK(scale({64, 128}) == AxisScale::linear);
}

TEST_CASE("runs that differ in their seed are drawn as their mean, others only with a warning") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t size : {64, 128})
    for (const std::int64_t seed : {1, 2, 3}) store.add("sum", "one", size, size + seed, seed);
  const Chart chart = store.chart();
  CHECK(text_of(chart) == " 2");
  CHECK(chart.panels[0].series[0].points[0].y == 66);
  CHECK(chart.panels[0].series[0].points[0].text ==
        "sum on one, n=64, time 66 (mean of 3 runs, 65 to 67)");
  CHECK(chart.panels[0].series[0].points[0].least == 65);
  CHECK(chart.panels[0].series[0].points[0].greatest == 67);
  CHECK(chart.caption ==
        "Each point is the mean of the runs that differ in their seed; its bar goes "
        "from the least to the greatest.");
  store.add("scan", "one", 64, 5);
  PlotRequest request;
  request.by.emplace();
  const auto made = store.plot(request);
  REQUIRE(made);
  CHECK(text_of(made->chart) == " 7");
  REQUIRE(made->warnings.size() == 1);
  CHECK(made->warnings[0].find("rows differ in program") != std::string::npos);
}

TEST_CASE("points that did not end are left out, which the caption says") {
  const StoreFolder folder;
  Filled store(folder);
  store.add("sum", "one", 64, 100);
  store.add("sum", "one", 128, 200);
  store.add("sum", "one", 256, 1, 1, 1, sweep::PointStatus::stopped);
  CHECK(text_of(store.chart()) == " 2");
  CHECK(store.chart().caption == "1 point that did not end is left out.");
  PlotRequest request;
  request.where = "n = 256";
  CHECK(store.error(request).find("no row to plot|1 point did not end") != std::string::npos);
}

TEST_CASE("texts as x are categories of bars, without numbers that vary, x is to be chosen") {
  const StoreFolder folder;
  Filled store(folder);
  store.add("sum", "one", 64, 100);
  PlotRequest request;
  const std::string error = "--x: no column of numbers has several values in these rows|choose "
                            "the x axis with --x: ";
  CHECK(store.error(request) == error + "d, n");
  store.add("scan", "one", 64, 200);
  CHECK(store.error(request) == error + "program");
  request.x = "program";
  const Chart chart = store.chart(request);
  CHECK(chart.x.scale == AxisScale::categories);
  CHECK(chart.x.categories == std::vector<std::string>{"scan", "sum"});
  CHECK(chart.panels[0].series[0].mark == Mark::bars);
}

TEST_CASE("texts that follow from texts on the x axis make no series") {
  const StoreFolder folder;
  Filled store(folder);
  store.add("sum", "one", 64, 100);
  store.add("scan", "two", 64, 200);
  PlotRequest request;
  request.x = "program";
  CHECK(text_of(store.chart(request)) == " 2");
  store.add("scan", "one", 64, 300);
  CHECK(text_of(store.chart(request)) == "one 2, two 1");
}

TEST_CASE("no text of a chart has the dollars of its formulas and LaTeX has all of them") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t size : {64, 128})
    for (const std::int64_t seed : {1, 2}) store.add("sum", "one", size, size + seed, seed);
  Sources sources;
  ColumnNames names;
  names.known = [](const std::string& name) { return name == "n" || name == "time"; };
  PlotRequest request;
  request.x = "$x$";
  request.y = {"time", "$t/n$"};
  for (const auto& [option, name, text] :
       {std::tuple("--x", "$x$", "2*n"), std::tuple("--y", "$t/n$", "time/n")}) {
    auto formula = read_column_formula(sources, option, text, names);
    REQUIRE(formula);
    request.columns.push_back({option, name, std::move(*formula)});
  }
  const Chart chart = store.chart(request);
  CHECK(chart.title == "sum on one: time, t/n over x");
  CHECK(chart.panels[0].series[1].name == "t/n");
  CHECK(chart.panels[0].series[1].points[0].text.find("x=128, t/n 1.0") != std::string::npos);
  CHECK(chart_svg(chart).find('$') == std::string::npos);
  CHECK(chart.latex.at(chart.title) == "sum on one: time, $t/n$ over $x$");
  CHECK(chart.latex.at("t/n") == "$t/n$");
}

TEST_CASE("what all categories begin with stands at the axis, and LaTeX has them whole") {
  const StoreFolder folder;
  const std::string path = folder.file("l.db");
  sweep::Store store = [&] {
    auto made = sweep::Store::open(path, {{"program", "what ran", true},
                                          {"layouts", "texts of --layout", true},
                                          {"time", "in time units", false}});
    REQUIRE(made);
    return std::move(*made);
  }();
  const std::string most = "bits(1,2,4,8,16,33,66,132,264,528,1056,2112,4224,8448,16896)";
  for (const std::string layout : {"t=rows", "t=padded(1)", "t=diagonal"})
    for (const std::string& text : {layout, "t=" + most}) {
      auto point = test_point("p", {{"n", n(1)}}, 5);
      point.key = sha256(text);
      point.cells = {std::string("p"), text, std::int64_t{5}};
      REQUIRE(store.add(point, sweep::PointStatus::done, false, ""));
    }
  const auto reader = sweep::StoreReader::open(path);
  REQUIRE(reader);
  PlotRequest request;
  request.x = "layouts";
  request.look = {378, 260};
  const Result<StoreChart> made = store_chart({{"l", &*reader}}, request, {});
  REQUIRE(made);
  CHECK(made->chart.x.name == "layouts: t");
  CHECK(made->chart.x.categories.size() == 4);
  const std::string svg = chart_svg(made->chart), tex = charts_tikz({made->chart});
  for (const char* const text : {"rows", "padded(1)", "diagonal"}) {
    CHECK(svg.find(fmt::format(">{}</text>", text)) != std::string::npos);
    CHECK(tex.find(fmt::format("{{{}}}", text)) != std::string::npos);
  }
  CHECK(svg.find(">" + most + "<") == std::string::npos); // it has no room
  CHECK(tex.find("{" + most + "}") != std::string::npos);
}

TEST_CASE("what cannot be plotted is said, with a way out") {
  const StoreFolder folder;
  Filled store(folder);
  store.add("sum", "one", 64, 100);
  PlotRequest request;
  request.x = "m";
  request.y = {"tme"};
  CHECK(store.error(request).find("--x: no store has a column 'm'") == 0);
  request.x.reset();
  CHECK(store.error(request) == "--y: no store has a column 'tme'|did you mean 'time'?");
  request.x = "n";
  request.y = {"program"};
  CHECK(store.error(request).find("--y: the column 'program' has no number") == 0);
  request.y = {"time"};
  request.where = "n >";
  CHECK(store.error(request).find("--where") == 0);
  request.where = "n > 100";
  CHECK(store.error(request) == "--where: no row to plot");
}

TEST_CASE("several stores are overlaid, and told apart where they have the same points") {
  const StoreFolder folder;
  Filled first(folder, "a.db"), second(folder, "b.db"), third(folder, "c.db");
  for (const std::int64_t size : {64, 128, 256}) {
    first.add("sum", "one", size, size);
    second.add("sum", "one", size, 2 * size);
    third.add("scan", "one", size, 3 * size);
  }
  const auto a = sweep::StoreReader::open(first.path()),
             b = sweep::StoreReader::open(second.path()),
             c = sweep::StoreReader::open(third.path());
  REQUIRE((a && b && c));
  const auto same = store_chart({{"a", &*a}, {"b", &*b}}, {}, {});
  const auto others = store_chart({{"a", &*a}, {"c", &*c}}, {}, {});
  REQUIRE((same && others));
  CHECK(text_of(same->chart) == "a 3, b 3");
  CHECK(text_of(others->chart) == "sum 3, scan 3");
}

TEST_CASE("printed values are beside the rows, in the series of their columns") {
  const StoreFolder folder;
  Filled store(folder);
  for (const char* program : {"sum", "scan"})
    for (const std::int64_t size : {64, 128, 256}) store.add(program, "one", size, size);
  const PrintedValues printed =
      printed_of("n,time,program\r\n64,90,sum\r\n\r\n128,1.5e2,\"sum\"\r\n");
  CHECK(text_of(store.chart({}, printed)) == "scan 3, sum 3, sum (printed) 2");
  CHECK(store.chart({}, printed).panels[0].series[2].points[1].y == 150);
  CHECK(store.chart({}, printed).panels[0].series[2].points[0].text ==
        "printed: sum, n=64, time 90");
  CHECK(text_of(store.chart({}, printed_of("series,n,time\n\"Table I, \"\"a\"\"\",64,90"))) ==
        "scan 3, sum 3, Table I, \"a\" (printed) 1");
  const Chart far = store.chart({}, printed_of("n,d,time\n64,1,90\n64,2,90\n64,3,90\n64,4,90\n"));
  CHECK(far.x.name == "n"); // d varies in the printed values alone
  const auto unknown = store.plot({}, printed_of("n,tim\n1,2\n"));
  REQUIRE(!unknown);
  CHECK(unknown.errors().front().help.front() == "did you mean 'time'?");
}

TEST_CASE("a printed value that cannot be drawn is an error with its place") {
  const StoreFolder folder;
  Filled store(folder);
  for (const std::int64_t size : {64, 128, 256}) store.add("sum", "one", size, size);
  const auto errors = [&](const std::string& text) {
    Sources sources;
    const auto printed = read_printed_values(sources, sources.add("p.csv", text));
    REQUIRE(printed);
    const auto made = store.plot({}, *printed);
    return made ? std::string() : render(made.errors(), sources);
  };
  CHECK(errors("n,time\n64,\"90\"\n128,1e3\n").empty());
  CHECK(errors("n,time\n64,90 us\n128,n/a\n")
            .find("p.csv:2:4: error: '90 us' is no number, as time has in the store") == 0);
  CHECK(errors("n,time\n64,90 us\n128,n/a\n").find("p.csv:3:5: error: 'n/a'") != std::string::npos);
  CHECK(errors("n,time\nmany,90\n").find("p.csv:2:1: error: 'many' is no number, as n has") == 0);
  CHECK(errors("n,time\n64,inf\n").find("p.csv:2:4: error: 'inf'") == 0);
  CHECK(errors("n,time\n64,\n").find("p.csv:2:4: error: no value of time") == 0);
  CHECK(errors("n,time\n,90\n").find("p.csv:2:1: error: no value of n") == 0);
  CHECK(errors("d,time\n1,90\n").find("p.csv:1:1: error: no column 'n', which is the x axis") == 0);
  CHECK(errors("n,rati\n64,90\n").find("no store has a column 'rati'") != std::string::npos);
  CHECK(errors("n,seed\n64,90\n").find("p.csv:1:1: error: no column 'time', which is drawn") == 0);
}

TEST_CASE("a file of printed values that is none is an error with its place") {
  CHECK(printed_error("").find("is empty") != std::string::npos);
  CHECK(printed_error("n,time\n").find("no values") != std::string::npos);
  CHECK(printed_error("n,n\n1,2\n").find("p.csv:1:3: error: this column is there twice") == 0);
  CHECK(printed_error("n,time\n1\n").find("p.csv:2:1: error: 1 cells, but the heading has 2") == 0);
  CHECK(printed_error("n,time\n1,\"2\n").find("p.csv:2:3: error: this quote does not end") == 0);
  CHECK(printed_error("n,time\n1,\"2\"3\n").find("p.csv:2:3: error: text after the end") == 0);
}

} // namespace memlane::test
