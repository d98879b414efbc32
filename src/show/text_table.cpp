#include "memlane/show/text_table.hpp"

#include "memlane/support/text.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

namespace memlane {

namespace {

/// Left columns give up what the row is too wide by, from the last one on.
void narrow(std::vector<std::size_t>& widths, const std::vector<Align>& columns, std::size_t most) {
  std::size_t all = std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
  bool is_last = true;
  for (std::size_t i = widths.size(); i-- > 0;) {
    if (columns[i] != Align::left) continue;
    const std::size_t least = std::exchange(is_last, false) ? 16 : 24;
    const std::size_t cut =
        std::min(all - std::min(all, most), widths[i] - std::min(widths[i], least));
    widths[i] -= cut;
    all -= cut;
  }
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

std::string paragraph_lines(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out, line;
  const auto end_line = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) + indent > width) end_line();
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  end_line();
  return out;
}

std::string hanging_lines(const std::string& text, std::size_t indent) {
  constexpr std::size_t columns = 80;
  return paragraph_lines(text, indent, columns).substr(indent);
}

std::string labelled_lines(std::string_view label, const std::string& text, std::size_t indent) {
  const std::size_t blanks = indent - std::min(indent, label.size());
  return std::string(label) + std::string(blanks, ' ') + hanging_lines(text, indent);
}

std::string paragraph_text(const std::string& text, std::size_t indent) {
  constexpr std::size_t columns = 80;
  const std::string margin(indent, ' ');
  std::istringstream words(text);
  std::string out, line;
  std::vector<std::string> kept; // a number and its % stay together
  for (std::string word; words >> word;)
    if (word.front() == '%' && !kept.empty())
      kept.back() += ' ' + word;
    else
      kept.push_back(word);
  for (const std::string& word : kept) {
    const bool fits = indent + display_width(line) + 1 + display_width(word) <= columns;
    if (!line.empty() && !fits) {
      out += margin + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + margin + line + '\n';
}

} // namespace memlane
