// How numbers and findings about measurements are said, in tables, JSON and pages alike.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/study/gpu/compare.hpp"
#include "memlane/study/gpu/report.hpp"
#include "memlane/support/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Rows of at most 80 columns, below the names of their groups. The first cell of a row is its
/// group, the second its name. Cells without a heading are notes below the row. What does not fit
/// beside the others is another table below.
struct GroupedTable {
  std::vector<std::string> headings;
  std::vector<Align> aligns;
  std::vector<std::vector<std::string>> rows;

  std::string text() const;
};

/// A share as a percentage, with its sign where it is an error.
std::string percent_text(double share);
/// What a time unit and a launch take, and what that rests on.
std::string costs_sentence(const measure::FittedCosts& costs);

/// Whether the predicted order is the measured one: a question, and a sentence for each finding.
struct OrderFinding {
  std::string_view question;
  std::vector<std::string> sentences;
};
std::vector<OrderFinding> order_findings(const measure::MeasuredComparison& comparison);

/// An estimated value and how certain it is.
schema::Members<measure::Estimate> estimate_members();

const Columns<measure::ComparedPoint>& compared_point_columns();
/// Below the rows of compared points, in a table of so many columns.
std::vector<std::string> skipped_cells(const measure::SkippedPoint& skipped, std::size_t columns);
const Columns<measure::Estimate>& estimate_columns();

/// A fitted point.
struct PointOfFit {
  const measure::MeasuredPoint& measured;
  const std::string& curve;
  const measure::FittedPoint& fitted;
};
std::vector<PointOfFit> fit_points(const FitReport& report);
const Columns<PointOfFit>& fit_point_columns();
/// Below the rows of fitted points.
std::vector<std::string> unused_cells(const measure::UnusedPoint& unused);

} // namespace memlane
