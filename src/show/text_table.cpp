#include "memlane/show/text_table.hpp"

#include "memlane/show/kernel_name.hpp"
#include "memlane/support/text.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

namespace memlane {

namespace {

using Numbers = std::vector<std::size_t>;

constexpr std::size_t widest_name = 100; ///< templates have names of thousands of characters

std::size_t width_of(const Numbers& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
         2 * (widths.size() - std::min<std::size_t>(1, widths.size()));
}

/// The least widths to which columns are cut.
Numbers least_widths(Numbers widths, const std::vector<Align>& columns) {
  bool is_last = true;
  for (std::size_t i = widths.size(); i-- > 0;) {
    if (columns[i] == Align::right) continue;
    const bool is_text = std::exchange(is_last, false) && columns[i] != Align::name;
    widths[i] = std::min<std::size_t>(widths[i], is_text ? 16 : 24);
  }
  return widths;
}

/// Columns of the table that stand side by side. Where not all fit, each piece begins with the
/// columns that tell rows apart: the first ones, as far as a text or name that others follow.
std::vector<Numbers> pieces_of(const Numbers& least, const std::vector<Align>& columns,
                               std::size_t most) {
  Numbers all(least.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (most == 0 || width_of(least) <= most) return {all};
  const auto text = std::find_if(columns.begin(), columns.end(),
                                 [](Align align) { return align != Align::right; });
  const std::size_t found = static_cast<std::size_t>(text - columns.begin()) + 1,
                    keys = found < columns.size() ? found : 1;
  const Numbers first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keys));
  std::vector<Numbers> pieces{first};
  std::size_t width = 0;
  for (const std::size_t column : all) {
    if (column >= keys && width + 2 + least[column] > most && pieces.back().size() > keys) {
      pieces.push_back(first);
      width = width_of({least.begin(), least.begin() + static_cast<std::ptrdiff_t>(keys)});
    }
    width += (column == 0 ? 0 : 2) + least[column];
    if (column >= keys) pieces.back().push_back(column);
  }
  return pieces;
}

/// The columns give up what the piece is too wide by, from the last one on.
Numbers narrowed(Numbers widths, const Numbers& least, const Numbers& piece, std::size_t most) {
  Numbers own;
  for (const std::size_t column : piece) own.push_back(widths[column]);
  std::size_t all = width_of(own);
  for (auto column = piece.rbegin(); most != 0 && column != piece.rend(); ++column) {
    const std::size_t cut = std::min(all - std::min(all, most), widths[*column] - least[*column]);
    widths[*column] -= cut;
    all -= cut;
  }
  return widths;
}

/// A cell that begins at the column, in its width.
std::string cell_text(const std::string& text, Align align, std::size_t at, std::size_t width) {
  if (display_width(text) <= width) return text;
  if (align == Align::name) return name_in_width(text, width);
  if (align != Align::prose) return on_one_line(text, width);
  const std::string lines = paragraph_lines(text, at, at + width);
  return lines.substr(at, lines.size() - at - 1);
}

} // namespace

std::string TextTable::text(std::size_t indent, std::size_t most) const {
  Numbers widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t width = display_width(row[i]);
      widths[i] =
          std::max(widths[i], columns_[i] == Align::name ? std::min(width, widest_name) : width);
    }
  }
  const std::size_t room = most > indent ? most - indent : 0;
  const Numbers least = least_widths(widths, columns_);
  std::string out;
  for (const Numbers& piece : pieces_of(least, columns_, room)) {
    const Numbers own = narrowed(widths, least, piece, room);
    if (!out.empty()) out += '\n';
    for (const auto& row : rows_) {
      std::string line(indent, ' ');
      for (const std::size_t i : piece) {
        if (i >= row.size()) break;
        if (i > 0) line += "  ";
        const std::string cell = cell_text(row[i], columns_[i], display_width(line), own[i]);
        const std::string blanks(own[i] - std::min(own[i], display_width(cell)), ' ');
        line += columns_[i] == Align::right ? blanks + cell : cell + blanks;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
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
