// One self-contained HTML page: plots of all points, pictures of curves over n, tables.
#pragma once

#include "plot.hpp"

#include "memlane/report/charts_page.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Marks in a picture: measured times as dots with a line, a model as a dashed line.
struct PictureLine {
  std::string name;
  std::string_view style; ///< a class of the page: measured, model, hand-written, cub
  std::vector<std::pair<double, double>> points; ///< n and nanoseconds, ascending
};

struct Picture {
  std::string title;
  std::vector<PictureLine> lines;
};

struct Page {
  std::string title;
  std::vector<std::string> words; ///< a paragraph each
  std::vector<Plot> plots;        ///< of all points
  std::vector<PageTable> first_tables;
  std::vector<Picture> pictures; ///< of each curve
  std::vector<std::string> findings;
  std::vector<PageTable> tables;
};

std::string render_page(const Page& page);
/// The characters that HTML would read as its own, made harmless; control characters and bytes that
/// are not UTF-8 as escapes (support/utf8.hpp).
std::string escaped(std::string_view text);
/// An SVG element with logarithmic axes; empty where there is nothing to show.
std::string render_picture(const Picture& picture, std::size_t number);

} // namespace memlane
