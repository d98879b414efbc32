// Charts to draw, and SVG to look into.
#pragma once

#include "support/catch.hpp"

#include "memlane/chart/chart.hpp"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <string>

namespace memlane::test {

inline ChartSeries curve(const std::string& name, int points, double factor = 1,
                         SeriesBasis basis = SeriesBasis::model, Mark mark = Mark::line) {
  ChartSeries series{name, basis, mark, {}};
  for (int k = 0; k < points; ++k) {
    const double n = std::pow(2, k + 4);
    series.points.push_back({n, factor * n, fmt::format("{}, n={:.0f}", name, n),
                             fmt::format("memlane run {} -D n={:.0f}", name, n)});
  }
  return series;
}

inline Chart chart_of(std::vector<ChartSeries> series) {
  Chart chart;
  chart.title = "a title";
  chart.summary = "It grows.";
  chart.x = {"n", AxisScale::log2, AxisText::number, {}, {}};
  chart.y = {"time in units", AxisScale::log10, AxisText::number, {}, {}};
  chart.panels = {{"", std::move(series)}};
  return chart;
}

using Xml = boost::property_tree::ptree;

/// Fails the test if it is not well-formed.
inline Xml xml_of(const std::string& text) {
  std::istringstream in(text);
  Xml tree;
  boost::property_tree::read_xml(in, tree);
  return tree;
}

/// Calls `see` for each element, outer ones first.
template <class See>
void each_element(const Xml& tree, See&& see) {
  for (const auto& [name, child] : tree) {
    if (name.rfind('<', 0) == 0) continue; // <xmlattr>
    see(name, child);
    each_element(child, see);
  }
}

/// Elements of a name whose class has this word; all for an empty word.
inline std::vector<Xml> elements(const Xml& tree, const std::string& name,
                                 const std::string& word = "") {
  std::vector<Xml> found;
  each_element(tree, [&](const std::string& its_name, const Xml& element) {
    const std::string words = " " + element.get("<xmlattr>.class", "") + " ";
    if (its_name == name && (word.empty() || words.find(" " + word + " ") != std::string::npos))
      found.push_back(element);
  });
  return found;
}

/// The titles of points.
inline std::vector<std::string> point_titles(const Xml& svg) {
  std::vector<std::string> titles;
  each_element(svg, [&](const std::string& name, const Xml& element) {
    const bool point = name == "circle" || name == "path" || name == "rect";
    const bool guide = element.get("<xmlattr>.class", "").rfind("guide", 0) == 0;
    if (point && !guide && element.count("title"))
      titles.push_back(element.get<std::string>("title"));
  });
  return titles;
}

} // namespace memlane::test
