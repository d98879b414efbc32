// Which rows of a plot are in which panel.
#pragma once

#include "plot_table.hpp"

namespace memlane {

/// A panel and its rows, as numbers of rows of the table, ascending.
struct PlotPanel {
  std::string title;
  std::vector<std::size_t> rows;
};

/// A panel for each combination of values of these columns; a single one without columns. Measured
/// rows name no machine: they are in the panels of machines with the shape that their kernel was
/// built for (model, width, multiprocessors, threads), else in one of their own that names the
/// device. Printed rows are in all panels that their values do not contradict.
std::vector<PlotPanel> plot_panels(const PlotTable& table, const std::vector<std::string>& columns);

/// `sum on hmm-titan, d=4`: the values of some columns, without those that are empty.
std::string values_text(const std::vector<std::string>& columns,
                        const std::vector<std::string>& values);

} // namespace memlane
