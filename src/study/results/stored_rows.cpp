#include "memlane/study/results/stored_rows.hpp"

#include "column_notation.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memlane {

using schema::Json;
using sweep::Cell;

namespace {

constexpr std::size_t terminal_width = 80, most_columns_of_a_table = 10, widest_cell = 40;

Json json_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return Json(nullptr);
        else
          return schema::json_of_value(value);
      },
      cell);
}

Json row_json(const sweep::Rows& rows, const std::vector<Cell>& row) {
  Json object = Json::object();
  for (std::size_t i = 0; i < row.size(); ++i) object[rows.columns[i]] = json_of(row[i]);
  return object;
}

Json rows_json(const StoredRows& rows) {
  Json result = {{"tool", tool_json(rows.version)}};
  for (const auto& [name, cell] : rows.totals) result[name] = json_of(cell);
  result["rows"] = json_of_rows(rows.rows);
  return result;
}

std::string csv_of(const StoredRows& rows) {
  std::string text;
  const auto add_line = [&](const auto& cells, const auto& cell_text) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += (i == 0 ? "" : ",") + csv_cell(cell_text(cells[i]));
    text += '\n';
  };
  add_line(rows.rows.columns, [](const std::string& name) { return name; });
  for (const std::vector<Cell>& row : rows.rows.rows)
    add_line(row, [](const Cell& cell) { return cell_text(cell); });
  return text;
}

/// Digits of real numbers: for people, and in print.
constexpr int shown_digits = 6, paper_digits = 4;

/// Columns below one heading hold values of one quantity, and are written alike.
std::vector<ColumnNotation> notations_of(const StoredRows& rows, int digits) {
  std::vector<ColumnNotation> all(rows.rows.columns.size(), ColumnNotation(digits));
  std::map<std::string, std::size_t> first; // column by heading
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_alone = i >= rows.over.size() || rows.over[i].empty();
    places.push_back(is_alone ? i : first.emplace(rows.over[i], i).first->second);
    for (const std::vector<Cell>& row : rows.rows.rows) all[places[i]].hold(row[i]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[places[i]];
  return all;
}

/// Numbers are aligned at the right: columns that have no text.
Align align_of(const StoredRows& rows, std::size_t column) {
  const bool has_text =
      std::any_of(rows.rows.rows.begin(), rows.rows.rows.end(), [&](const auto& row) {
        return std::holds_alternative<std::string>(row[column]);
      });
  return has_text ? Align::left : Align::right;
}

std::string block_text(const StoredRows& rows) {
  std::string text;
  const std::vector<ColumnNotation> notations = notations_of(rows, shown_digits);
  for (const std::vector<Cell>& row : rows.rows.rows) {
    TextTable table({Align::left, Align::left});
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i].index() != 0)
        table.add({rows.rows.columns[i], on_one_line(notations[i].text(row[i]), 2 * widest_cell)});
    text += (text.empty() ? "" : "\n") + table.text();
  }
  return text;
}

std::string table_text(const StoredRows& rows) {
  std::vector<Align> aligns;
  for (std::size_t i = 0; i < rows.rows.columns.size(); ++i) aligns.push_back(align_of(rows, i));
  TextTable table(aligns);
  std::vector<std::string> cells;
  for (const std::string& name : rows.rows.columns) cells.push_back(on_one_line(name, widest_cell));
  table.add(cells);
  const std::vector<ColumnNotation> notations = notations_of(rows, shown_digits);
  for (const std::vector<Cell>& row : rows.rows.rows) {
    cells.clear();
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(on_one_line(notations[i].text(row[i]), widest_cell));
    table.add(cells);
  }
  std::string text = table.text();
  std::size_t widest = 0, begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    widest = std::max(widest, display_width(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  const bool is_wide = widest > terminal_width && aligns.size() > most_columns_of_a_table;
  if (is_wide) return block_text(rows);
  return rows.rows.rows.empty() ? "" : text;
}

/// `12 matched, 10 equal`. What was left out is said apart, whatever the format.
std::string totals_text(const StoredRows& rows) {
  std::vector<std::string> parts;
  for (const auto& [name, cell] : rows.totals) {
    if (name == "left_out") continue;
    std::string words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    ColumnNotation notation(shown_digits);
    notation.hold(cell);
    parts.push_back(fmt::format("{}: {}", words, notation.text(cell)));
  }
  return parts.empty() ? "" : fmt::format("{}\n", fmt::join(parts, ", "));
}

/// For print.
PaperTable paper_of(const StoredRows& rows) {
  std::vector<PaperColumn> columns;
  const auto is_label = [&](const std::string& text) {
    return std::find(rows.labels.begin(), rows.labels.end(), text) != rows.labels.end();
  };
  for (std::size_t i = 0; i < rows.rows.columns.size(); ++i) {
    const std::string& name = rows.rows.columns[i];
    const std::string over = i < rows.over.size() ? rows.over[i] : "";
    columns.push_back({name, align_of(rows, i), false, over, is_label(over.empty() ? name : over)});
  }
  const std::vector<ColumnNotation> notations = notations_of(rows, paper_digits);
  PaperTable table(rows.caption, columns, rows.label);
  if (is_label(rows.caption)) table.allow_formulas();
  for (const std::vector<Cell>& row : rows.rows.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(notations[i].text(row[i]));
    table.add(std::move(cells));
  }
  return table;
}

} // namespace

Json json_of_rows(const sweep::Rows& rows) {
  Json list = Json::array();
  for (const std::vector<Cell>& row : rows.rows) list.push_back(row_json(rows, row));
  return list;
}

Json stored_row_schema() {
  const Json value = {{"description", "a value of the column; null: the row has none"},
                      {"type", {"string", "number", "null"}}};
  return schema::map(value, "a row: its columns by name");
}

std::string cell_text(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "";
}

std::string render_rows(const StoredRows& rows, Format format) {
  switch (format) {
  case Format::json: return json_text(rows_json(rows), 2);
  case Format::csv: return csv_of(rows);
  case Format::jsonl: {
    std::string text;
    for (const std::vector<Cell>& row : rows.rows.rows)
      text += json_text(row_json(rows.rows, row), -1);
    return text;
  }
  case Format::markdown:
  case Format::latex: return paper_text({paper_of(rows)}, format);
  case Format::table: break;
  }
  const std::string table = table_text(rows), totals = totals_text(rows);
  return table + (table.empty() || totals.empty() ? "" : "\n") + totals;
}

Json stored_rows_schema() {
  const auto number = [](const char* meaning) { return schema::count(meaning); };
  return schema::document(
      "The result of memlane results, results best and results diff",
      schema::object(
          "what --format json prints",
          {{"tool", tool_schema()}, {"rows", schema::list(stored_row_schema(), "in their order")}},
          {{"matched", number("points that both sides have (results diff)")},
           {"equal", number("of these, with the same value")},
           {"changed", number("of these, with another value")},
           {"only_left", number("points that the left side alone has")},
           {"only_right", number("points that the right side alone has")},
           {"left_out", number("points that are not done (results diff, --baseline)")},
           {"largest_change", schema::real("the largest distance of a ratio from 1")}}));
}

Json stored_row_line_schema() { return line_document("results", stored_row_schema()); }

} // namespace memlane
