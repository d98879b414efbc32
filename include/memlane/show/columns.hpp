// A result of rows as one list of columns, from which its JSON with its schema, CSV, and the tables
// for people and papers are made.
#pragma once

#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/support/text.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// The tables that a column is shown in.
enum class ShownIn { both, text, paper };

/// How tables show a column.
struct Shown {
  std::string heading;
  Align align = Align::left;
  std::string (*number)(double) = nullptr; ///< writes its number; null: as in CSV
  ShownIn where = ShownIn::both;
  std::size_t width = 60;  ///< text tables cut cells there
  bool is_code = false;    ///< papers set it in a typewriter face
  bool hide_empty = false; ///< tables leave it out where no row has it
};

/// One fact of a T: a member of JSON with its unit and meaning, a column of CSV, a column of
/// tables. Each of them can be left out.
template <class T>
struct Column {
  using Cell = std::function<std::string(const T&)>;

  explicit Column(schema::Member<T> its_member)
      : member(std::move(its_member)),
        meaning(member.schema.is_object() ? member.schema.value("description", "") : "") {}
  /// In JSON and CSV; the arguments are those of a member.
  template <class... Arguments>
  Column(std::string name, Arguments&&... arguments)
      : Column(schema::Member<T>(std::move(name), std::forward<Arguments>(arguments)...)) {}
  /// In tables too.
  template <class... Arguments>
  Column(Shown its_shown, std::string name, Arguments&&... arguments)
      : Column(std::move(name), std::forward<Arguments>(arguments)...) {
    shown = std::move(its_shown);
  }
  /// In JSON alone.
  template <class... Arguments>
  static Column json(std::string name, Arguments&&... arguments) {
    Column column(std::move(name), std::forward<Arguments>(arguments)...);
    column.in_csv = false;
    return column;
  }
  /// Tables show this instead of the cell of CSV.
  Column showing(Cell its_cell) && { return cell = std::move(its_cell), std::move(*this); }

  std::string csv_text(const T& row) const {
    return member.present && !member.present(row) ? "" : cell_text(member.value(row));
  }
  std::string shown_text(const T& row) const {
    if (cell) return cell(row);
    if (!shown->number) return csv_text(row);
    const schema::Json number = member.value(row);
    return number.is_number() ? shown->number(number.template get<double>()) : "";
  }
  bool is_in(ShownIn table) const {
    return shown && (shown->where == ShownIn::both || shown->where == table);
  }

  schema::Member<T> member; ///< without a schema: not in JSON
  std::string meaning;      ///< with its unit, where it is known
  bool in_csv = true;
  std::optional<Shown> shown;
  Cell cell;
};

/// A column of CSV, not of JSON: part of what JSON has as one value.
template <class T, class Get>
Column<T> csv_column(std::string name, Get cell, std::optional<Shown> shown = {}) {
  Column<T> column(std::move(name), schema::Json(), std::move(cell));
  column.shown = std::move(shown);
  return column;
}
/// A column of tables alone.
template <class T>
Column<T> table_column(Shown shown, typename Column<T>::Cell cell) {
  Column<T> column =
      Column<T>::json("", schema::Json(), [](const T&) { return nullptr; }).showing(cell);
  column.shown = std::move(shown);
  return column;
}
/// A column for each number of a table of counts, right-aligned; `get` gives the row's counts.
/// Tables hide one that no row knows.
template <class T, class Counted, class Get>
std::vector<Column<T>> count_columns(const std::vector<Field<Counted>>& fields, Get get) {
  std::vector<Column<T>> columns;
  for (schema::Member<T>& member : count_members<T>(fields, get)) {
    const std::string name = member.name;
    const bool may_hide = fields[columns.size()].known != nullptr;
    columns.push_back(Column<T>(std::move(member)));
    columns.back().shown = Shown{.heading = name, .align = Align::right, .hide_empty = may_hide};
  }
  return columns;
}

/// A row a line, as JSON.
template <class T>
std::string json_lines(const schema::Table<T>& table, const std::vector<T>& rows) {
  std::string text;
  for (const T& row : rows) text += json_text(table.json(row), -1);
  return text;
}

/// All columns of rows of a T, in the order of every format.
template <class T>
class Columns {
public:
  Columns(std::vector<Column<T>> columns, const std::vector<Column<T>>& more = {},
          const std::vector<Column<T>>& last = {})
      : columns_(std::move(columns)), json_({}) {
    for (const auto* next : {&more, &last})
      columns_.insert(columns_.end(), next->begin(), next->end());
    std::vector<schema::Member<T>> members;
    for (const Column<T>& column : columns_)
      if (!column.member.schema.is_null()) members.push_back(column.member);
    json_ = schema::Table<T>(std::move(members));
  }

  const schema::Table<T>& json() const { return json_; }
  const std::vector<Column<T>>& list() const { return columns_; }

  /// A heading, and a line a row.
  template <class List>
  std::string csv(const List& rows) const {
    std::string text;
    for (const Column<T>& column : columns_)
      if (column.in_csv) text += (text.empty() ? "" : ",") + column.member.name;
    for (const T& row : rows) {
      char separator = '\n';
      for (const Column<T>& column : columns_) {
        if (!column.in_csv) continue;
        text += separator + csv_cell(column.csv_text(row));
        separator = ',';
      }
    }
    return text + '\n';
  }

  /// For people: a heading and a row each.
  template <class List>
  TextTable text(const List& rows) const {
    const Columns shown = without_empty(rows);
    TextTable table = shown.text_heading();
    for (const T& row : rows) table.add(shown.text_cells(row));
    return table;
  }
  /// Without the columns that hide themselves where no row has anything.
  template <class List>
  Columns without_empty(const List& rows) const {
    std::vector<Column<T>> kept;
    for (const Column<T>& column : columns_) {
      const auto has_text = [&](const T& row) { return !column.shown_text(row).empty(); };
      const bool may_hide = column.shown && column.shown->hide_empty;
      if (!may_hide || std::any_of(rows.begin(), rows.end(), has_text)) kept.push_back(column);
    }
    return Columns(std::move(kept));
  }
  /// A text table without rows.
  TextTable text_heading() const {
    TextTable table(text_aligns());
    table.add(heading_cells());
    return table;
  }
  std::vector<std::string> heading_cells() const {
    std::vector<std::string> cells;
    for (const Column<T>& column : columns_)
      if (column.is_in(ShownIn::text)) cells.push_back(column.shown->heading);
    return cells;
  }
  /// Of the columns that `heading_cells` names.
  std::vector<Align> text_aligns() const {
    std::vector<Align> aligns;
    for (const Column<T>& column : columns_)
      if (column.is_in(ShownIn::text)) aligns.push_back(column.shown->align);
    return aligns;
  }
  std::vector<std::string> text_cells(const T& row) const {
    std::vector<std::string> cells;
    for (const Column<T>& column : columns_)
      if (column.is_in(ShownIn::text))
        cells.push_back(on_one_line(column.shown_text(row), column.shown->align == Align::name
                                                                ? std::string::npos
                                                                : column.shown->width));
    return cells;
  }

  template <class List>
  PaperTable paper(std::string caption, const List& rows) const {
    std::vector<PaperColumn> headings;
    std::vector<const Column<T>*> shown;
    const Columns kept = without_empty(rows);
    for (const Column<T>& column : kept.columns_) {
      if (!column.is_in(ShownIn::paper)) continue;
      headings.push_back({column.shown->heading, column.shown->align, column.shown->is_code});
      shown.push_back(&column);
    }
    PaperTable table(std::move(caption), headings);
    for (const T& row : rows) {
      std::vector<std::string> cells;
      for (const Column<T>* column : shown) cells.push_back(column->shown_text(row));
      table.add(std::move(cells));
    }
    return table;
  }

  /// In any format: those of whole results, `table` and `json`, are given; the others have the
  /// rows.
  std::string text_in(Format format, const std::string& caption, const std::vector<T>& rows,
                      const std::function<std::string()>& table,
                      const std::function<schema::Json()>& json_of_all) const {
    switch (format) {
    case Format::table: return table();
    case Format::json: return json_text(json_of_all(), 2);
    case Format::csv: return csv(rows);
    case Format::jsonl: return json_lines(json_, rows);
    case Format::markdown:
    case Format::latex: break;
    }
    return paper_text({paper(caption, rows)}, format);
  }

private:
  std::vector<Column<T>> columns_;
  schema::Table<T> json_;
};

/// A part of a result, with the whole that its columns refer to.
template <class T, class Whole>
struct PartOf {
  const T& part;
  const Whole& whole;

  const T& operator*() const { return part; }
  const T* operator->() const { return &part; }
};

/// Every part with the whole; both must outlive the list.
template <class T, class Whole>
std::vector<PartOf<T, Whole>> parts_of(const std::vector<T>& parts, const Whole& whole) {
  std::vector<PartOf<T, Whole>> all;
  for (const T& part : parts) all.push_back({part, whole});
  return all;
}

} // namespace memlane
