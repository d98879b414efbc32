#include "memlane/show/text_table.hpp"

#include "memlane/support/text.hpp"

#include <algorithm>
#include <numeric>

namespace memlane {

namespace {

/// The widest left column gives up what the row is too wide by.
void narrow(std::vector<std::size_t>& widths, const std::vector<Align>& columns, std::size_t most) {
  constexpr std::size_t least = 16;
  const std::size_t all = std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
  std::size_t* widest = nullptr;
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (columns[i] == Align::left && (!widest || widths[i] > *widest)) widest = &widths[i];
  if (!widest || all <= most || *widest <= least) return;
  *widest = std::max(least, *widest - std::min(all - most, *widest));
}

} // namespace

std::string TextTable::text(std::size_t indent, std::size_t most) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  if (most > indent && !widths.empty()) narrow(widths, columns_, most - indent);
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const bool fits = display_width(row[i]) <= widths[i];
      const std::string cell = fits ? row[i] : on_one_line(row[i], widths[i]);
      const std::string blanks(widths[i] - display_width(cell), ' ');
      line += columns_[i] == Align::right ? blanks + cell : cell + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

} // namespace memlane
