// What pages show of all measured points together: predicted against measured, and a roofline.
#pragma once

#include "page.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// A measured point of a page.
struct OverviewPoint {
  std::string curve, parameters, kernel;
  std::string_view style; ///< measured, hand-written, cub
  double measured_ns = 0;
  std::optional<double> predicted_ns;
  std::optional<double> bytes; ///< of its arrays in global memory, each once
};

struct Overview {
  std::vector<OverviewPoint> points;
  std::optional<double> peak_gbps; ///< of the device's memory
  std::optional<double> launch_ns; ///< of one launch
};

/// Adds the plots and the table of the worst ten.
void add_overview(const Overview& overview, Page& page);

} // namespace memlane
