// All points of a page together: predicted against measured, and a roofline.
#pragma once

#include "memlane/study/pages/charts_page.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// A measured point of a page.
struct OverviewPoint {
  std::string curve, parameters, kernel;
  std::string series; ///< emitted kernels, written by hand, CUB
  double measured_ns = 0;
  std::optional<double> predicted_ns;
  std::optional<double> bytes; ///< of its arrays in global memory, each once
};

struct Overview {
  std::vector<OverviewPoint> points;
  std::optional<double> peak_gbps; ///< of the device's memory
  std::optional<double> launch_ns; ///< of one launch
};

ChartAxis log_axis(std::string name, AxisText text);

/// The charts that have points, and the table of the worst ten.
PageSection overview_section(const Overview& overview);

} // namespace memlane
