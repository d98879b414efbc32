// Values of a paper: comma-separated values (RFC 4180), and their place in a plot.
#include "plot_table.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {
namespace {

struct CsvCell {
  std::string text;
  Span span;
  bool quoted = false;
};

/// Reads records one by one.
class CsvReader {
public:
  CsvReader(const Sources& sources, std::int32_t file) : text_(sources.text(file)), file_(file) {
    if (text_.rfind("\xef\xbb\xbf", 0) == 0) at_ = 3; // a byte order mark
  }
  bool at_end() const { return at_ >= text_.size(); }
  /// The cells of a record; an error at a quote that does not end, or ends within a cell.
  Result<std::vector<CsvCell>> record() {
    std::vector<CsvCell> cells;
    do {
      Result<CsvCell> next = cell();
      if (!next) return next.errors();
      cells.push_back(std::move(*next));
    } while (take(','));
    take('\r');
    take('\n');
    return cells;
  }

private:
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool at_cell_end() const {
    return at_end() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r';
  }
  Span span_from(std::size_t begin) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }
  Result<CsvCell> cell() {
    const std::size_t begin = at_;
    CsvCell cell;
    cell.quoted = take('"');
    while (cell.quoted) {
      if (at_end()) return error_at(span_from(begin), "this quote does not end");
      const char c = text_[at_++];
      if (c == '"' && !take('"')) break; // two quotes stand for one
      cell.text += c;
    }
    const std::size_t rest = at_;
    while (!at_cell_end()) ++at_;
    if (cell.quoted && at_ > rest)
      return error_at(span_from(begin), "text after the end of a quoted cell",
                      {"write a quote within a cell twice"});
    if (!cell.quoted) cell.text = text_.substr(rest, at_ - rest);
    cell.span = span_from(begin);
    return cell;
  }

  const std::string& text_;
  std::int32_t file_;
  std::size_t at_ = 0;
};

/// A whole number, a real one, else the text; nothing if it is empty.
sweep::Cell number_in_text(const std::string& text) {
  if (text.empty()) return {};
  if (const auto whole = number_of<std::int64_t>(text)) return *whole;
  if (const auto real = number_of<double>(text)) return *real;
  return text;
}

} // namespace

Result<PrintedValues> read_printed_values(const Sources& sources, std::int32_t file) {
  CsvReader reader(sources, file);
  PrintedValues printed;
  if (reader.at_end())
    return error_at({file, 0, 0}, "is empty", {"its first line names columns: n,time,program"});
  Result<std::vector<CsvCell>> heading = reader.record();
  if (!heading) return heading.errors();
  printed.heading = cover(heading->front().span, heading->back().span);
  for (CsvCell& cell : *heading) {
    for (const std::string& known : printed.columns)
      if (known == cell.text) return error_at(cell.span, "this column is there twice");
    printed.columns.push_back(std::move(cell.text));
  }
  while (!reader.at_end()) {
    Result<std::vector<CsvCell>> cells = reader.record();
    if (!cells) return cells.errors();
    if (cells->size() == 1 && cells->front().text.empty()) continue; // an empty line
    if (cells->size() != printed.columns.size())
      return error_at(
          cover(cells->front().span, cells->back().span),
          fmt::format("{} cells, but the heading has {}", cells->size(), printed.columns.size()));
    std::vector<sweep::Cell>& row = printed.rows.emplace_back();
    std::vector<Span>& places = printed.places.emplace_back();
    for (const CsvCell& cell : *cells) {
      row.push_back(cell.quoted && !cell.text.empty() ? sweep::Cell(cell.text)
                                                      : number_in_text(cell.text));
      places.push_back(cell.span);
    }
  }
  if (printed.rows.empty()) return error_at({file, 0, 0}, "has a heading and no values");
  return printed;
}

Status add_printed(const PrintedValues& printed, PlotTable& table) {
  std::vector<bool> are_numbers;
  for (const std::string& column : printed.columns)
    are_numbers.push_back(!table.has_text(column) && !table.numbers(column).empty());
  ErrorCollector errors;
  for (std::size_t k = 0; k < printed.rows.size(); ++k) {
    PlotRow row{SeriesBasis::printed, std::vector<sweep::Cell>(table.columns.size())};
    for (std::size_t i = 0; i < printed.columns.size(); ++i) {
      sweep::Cell& cell = row.cells[table.at(printed.columns[i])] = printed.rows[k][i];
      if (!are_numbers[i] || cell.index() == 0) continue;
      const std::string text = table.text(row, printed.columns[i]);
      cell = number_in_text(text);
      if (std::isfinite(sweep::number_in(cell).value_or(NAN))) continue;
      errors.add(
          error_at(printed.places[k][i], fmt::format("'{}' is no number, as {} has in the store",
                                                     text, printed.columns[i])));
    }
    table.rows.push_back(std::move(row));
  }
  return errors.status();
}

Status check_printed(const PrintedValues& printed, const PlotColumns& columns) {
  ErrorCollector errors;
  /// Places of these names in the heading; an error if there are none.
  const auto named = [&](const std::vector<std::string>& names, const char* what,
                         const char* option) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < printed.columns.size(); ++i)
      if (std::find(names.begin(), names.end(), printed.columns[i]) != names.end())
        places.push_back(i);
    if (places.empty())
      errors.add(
          error_at(printed.heading,
                   fmt::format("no column '{}', which is {}", fmt::join(names, "' or '"), what),
                   {fmt::format("name it in the heading, or choose another one with {}", option)}));
    return places;
  };
  const std::vector<std::string> x = {columns.x};
  const auto x_places = named(x, "the x axis", "--x"), y_places = named(columns.y, "drawn", "--y");
  for (std::size_t k = 0; k < printed.rows.size() && errors.ok(); ++k)
    for (const auto& [places, names] : {std::pair(x_places, x), std::pair(y_places, columns.y)}) {
      const auto is_empty = [&](std::size_t i) { return printed.rows[k][i].index() == 0; };
      if (std::all_of(places.begin(), places.end(), is_empty))
        errors.add(error_at(printed.places[k][places.front()],
                            fmt::format("no value of {}", fmt::join(names, " or "))));
    }
  return errors.status();
}

} // namespace memlane
