// One self-contained HTML page: pictures of curves over n, then tables.
#pragma once

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

struct PageTable {
  std::string title;
  std::vector<std::vector<std::string>> rows; ///< the first is the heading
  std::size_t texts = 1; ///< so many first columns are texts, the others numbers
};

struct Page {
  std::string title;
  std::vector<std::string> words; ///< a paragraph each
  std::vector<Picture> pictures;
  std::vector<std::string> findings;
  std::vector<PageTable> tables;
};

std::string render_page(const Page& page);
/// The characters that HTML would read as its own, and control characters, made harmless.
std::string escaped(std::string_view text);
/// An SVG element with logarithmic axes; empty where there is nothing to show.
std::string render_picture(const Picture& picture, std::size_t number);

} // namespace memlane
