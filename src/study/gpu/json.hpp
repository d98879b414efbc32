// What the formats of measurements and of fits are made from.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/study/gpu/compare.hpp"
#include "memlane/study/gpu/report.hpp"

namespace memlane {

/// An estimated value and how certain it is.
std::vector<schema::Member<measure::Estimate>> estimate_members();

const Columns<measure::ComparedPoint>& compared_point_columns();

/// A fitted point.
struct PointOfFit {
  const measure::MeasuredPoint& measured;
  const std::string& curve;
  const measure::FittedPoint& fitted;
};
std::vector<PointOfFit> fit_points(const FitReport& report);
const Columns<PointOfFit>& fit_point_columns();

} // namespace memlane
