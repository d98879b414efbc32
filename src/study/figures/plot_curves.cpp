// Curves by formulas over the columns of a plot's rows.
#include "plot_table.hpp"

#include "memlane/chart/scale.hpp"
#include "memlane/study/results/cell_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane {
namespace {

using exact::Number;
using Names = std::vector<std::string>;

constexpr int curve_pieces = 64;

/// Rows that share what a curve names beside x.
struct CurveRows {
  const PlotRow* first = nullptr;
  std::map<double, double> greatest; ///< by x: of the simulated values; NaN: there is none
};

class CurveMaker {
public:
  CurveMaker(const PlotTable& table, const PlotColumns& columns, const PlotCurve& curve,
             const PlotScales& scales)
      : table_(table), columns_(columns), curve_(curve), scales_(scales),
        others_(curve.formula.columns) {
    std::erase(others_, columns.x);
  }
  Status add(const std::set<std::size_t>& rows, ChartPanel& panel);

private:
  std::map<Names, CurveRows> groups(const std::set<std::size_t>& rows) const;
  std::vector<ChartPoint> points(const CurveRows& group);
  double value_at(const CurveRows& group, double x);
  std::string name(const Names& values, bool alone, double factor) const;

  const PlotTable& table_;
  const PlotColumns& columns_;
  const PlotCurve& curve_;
  const PlotScales& scales_;
  Names others_; ///< columns of the formula beside x
  std::string reason_;
  double factor_ = 1; ///< of the last group
};

std::map<Names, CurveRows> CurveMaker::groups(const std::set<std::size_t>& rows) const {
  std::map<Names, CurveRows> all;
  for (const std::size_t number : rows) {
    const PlotRow& row = table_.rows[number];
    const auto at = sweep::number_in(table_.cell(row, columns_.x));
    if (!at || !has_place(scales_.x, *at)) continue;
    Names values;
    for (const std::string& name : others_)
      if (exact_number(table_.cell(row, name))) values.push_back(table_.text(row, name));
    if (values.size() < others_.size()) continue; // a measured row names no machine
    CurveRows& group = all[values];
    if (!group.first) group.first = &row;
    double& greatest = group.greatest.emplace(*at, NAN).first->second;
    for (const std::string& y : columns_.y)
      if (const auto value = sweep::number_in(table_.cell(row, y));
          value && row.basis <= SeriesBasis::formula)
        greatest = std::fmax(greatest, *value);
  }
  return all;
}

double CurveMaker::value_at(const CurveRows& group, double x) {
  std::vector<Number> numbers;
  for (const std::string& name : curve_.formula.columns)
    numbers.push_back(Number::decimal(
        name == columns_.x ? x : *sweep::number_in(table_.cell(*group.first, name))));
  const ColumnValue value = value_of(curve_.formula, numbers);
  if (!value.value) reason_ = value.reason;
  return value.value ? value.value->to_double() : NAN;
}

/// At the rows' own x, where a value that is missing interrupts the curve, and between them: there
/// a formula that needs whole numbers has no value.
std::vector<ChartPoint> CurveMaker::points(const CurveRows& group) {
  std::vector<ChartPoint> points;
  factor_ = curve_.is_bound ? 0 : 1;
  for (const auto& [x, greatest] : group.greatest) {
    points.push_back({x, value_at(group, x), "", ""});
    if (curve_.is_bound && points.back().y > 0)
      factor_ = std::fmax(factor_, greatest / points.back().y);
  }
  if (!(factor_ > 0)) {
    if (reason_.empty())
      reason_ = "O(…) has no factor: no simulated point has a value above 0 where the formula has";
    return {};
  }
  const double lo = points.front().x, hi = points.back().x;
  for (int i = 1; i < curve_pieces; ++i) {
    const double share = static_cast<double>(i) / curve_pieces;
    const double x =
        scales_.x == AxisScale::linear ? lo + (hi - lo) * share : lo * std::pow(hi / lo, share);
    if (const double y = value_at(group, x); !std::isnan(y)) points.push_back({x, y, "", ""});
  }
  for (ChartPoint& point : points) point.y *= factor_;
  const bool any = std::any_of(points.begin(), points.end(), [&](const ChartPoint& point) {
    return has_place(scales_.y, point.y);
  });
  if (!any && reason_.empty()) reason_ = "a logarithmic axis has no place for its values";
  return any ? points : std::vector<ChartPoint>();
}

/// `bound (w=32)`; `1.37 (n/w + l)` for the formula `O(n/w + l)`.
std::string CurveMaker::name(const Names& values, bool alone, double factor) const {
  const std::string drawn =
      curve_.is_bound ? fmt::format("{:.3g} {}", factor, curve_.text) : curve_.text;
  const std::string name = curve_.name.empty() ? drawn
                           : curve_.is_bound   ? fmt::format("{}: {}", curve_.name, drawn)
                                               : curve_.name;
  if (alone) return name;
  std::string text;
  for (std::size_t i = 0; i < others_.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ", ", others_[i], values[i]);
  return fmt::format("{} ({})", name, text);
}

Status CurveMaker::add(const std::set<std::size_t>& rows, ChartPanel& panel) {
  if (scales_.x == AxisScale::categories)
    return error_in("--curve", "a curve needs an x axis of numbers",
                    {"choose one with --x, or another --kind"});
  auto all = groups(rows);
  if (all.empty()) reason_ = "no row has a number in each of its columns";
  std::erase_if(all, [](const auto& group) { return group.second.greatest.size() < 2; });
  if (all.empty() && reason_.empty())
    reason_ = others_.empty() ? fmt::format("all points have the same {}", columns_.x)
                              : fmt::format("points at different {} have no common {}", columns_.x,
                                            fmt::join(others_, ", "));
  const std::size_t before = panel.series.size();
  for (const auto& [values, group] : all) {
    std::vector<ChartPoint> of_group = points(group);
    if (of_group.empty()) continue;
    panel.series.push_back({name(values, all.size() == 1, factor_), SeriesBasis::formula,
                            Mark::curve, std::move(of_group)});
    if (panel.series.size() > most_series) return Done{};
  }
  if (panel.series.size() > before) return Done{};
  return error_in(
      "--curve", fmt::format("'{}' cannot be drawn: {}", curve_.text, reason_),
      {fmt::format("write a formula over {} and what is constant along it", columns_.x)});
}

} // namespace

Status add_curves(const PlotTable& table, const PlotColumns& columns,
                  const std::vector<PlotCurve>& curves, const PlotScales& scales,
                  const std::set<std::size_t>& rows, ChartPanel& panel) {
  for (const PlotCurve& curve : curves) {
    if (curve.of_claims)
      add_claim_curves(table, columns, scales, rows, panel);
    else if (Status added = CurveMaker(table, columns, curve, scales).add(rows, panel); !added)
      return added;
  }
  return Done{};
}

} // namespace memlane
