// Stores whose points are added one by one, and their charts.
#pragma once

#include "store/store_fixture.hpp"

#include "memlane/study/figures/store_chart.hpp"

namespace memlane::test {

using store_test::StoreFolder;
using store_test::test_point;
using sweep::Cell;

inline Cell n(std::int64_t value) { return value; }

/// A store whose points are added one by one.
class Filled {
public:
  explicit Filled(const StoreFolder& folder, const std::string& name = "a.db")
      : path_(folder.file(name)), store_(store_test::open_store(path_)) {}
  /// Cells: program, machine_name, seed, time, ratio.
  void add(const std::string& program, const std::string& machine, std::int64_t size,
           std::int64_t time, std::int64_t seed = 1, std::int64_t d = 1,
           sweep::PointStatus status = sweep::PointStatus::done) {
    auto point = test_point(program, {{"n", n(size)}, {"d", n(d)}}, time);
    point.key = sha256(point.key + machine + std::to_string(seed));
    point.cells[1] = machine;
    point.cells[2] = seed;
    REQUIRE(store_.add(point, status, false, ""));
  }
  Result<StoreChart> plot(const PlotRequest& request = {}, const PrintedValues& printed = {}) {
    const auto reader = sweep::StoreReader::open(path_);
    REQUIRE(reader);
    return store_chart({{"a", &*reader}}, request, printed);
  }
  Chart chart(const PlotRequest& request = {}, const PrintedValues& printed = {}) {
    Result<StoreChart> made = plot(request, printed);
    if (!made) FAIL(made.errors().front().message);
    return made->chart;
  }
  std::string error(const PlotRequest& request) {
    const Result<StoreChart> made = plot(request);
    REQUIRE(!made);
    std::string text = made.errors().front().place + ": " + made.errors().front().message;
    for (const std::string& help : made.errors().front().help) text += "|" + help;
    return text;
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
  sweep::Store store_;
};

/// `panel: series, series (measured) 3`: names and numbers of points.
inline std::string text_of(const Chart& chart) {
  std::string text;
  for (const ChartPanel& panel : chart.panels) {
    text += (text.empty() ? "" : "; ") + panel.title + (panel.title.empty() ? "" : ": ");
    for (const ChartSeries& series : panel.series) {
      if (&series != &panel.series.front()) text += ", ";
      text += series.name;
      if (series.basis != SeriesBasis::model) text += fmt::format(" ({})", name_of(series.basis));
      text += fmt::format(" {}", series.points.size());
    }
  }
  return text;
}

} // namespace memlane::test
