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

struct AsText {
  std::string operator()(std::string text) const { return text; }
};
using TextOf = std::function<std::string(const void* described)>;

/// One fact of what a row describes: a member of JSON with its unit and meaning, a column of CSV, a
/// column of tables. Each of them can be left out. Tables of all types share this code (see
/// support/json_table.hpp): rows are addresses here.
struct AnyColumn {
  explicit AnyColumn(schema::AnyMember its_member);

  std::string csv_text(const void* row) const;
  std::string shown_text(const void* row) const;
  bool is_in(ShownIn table) const {
    return shown && (shown->where == ShownIn::both || shown->where == table);
  }

  schema::AnyMember member; ///< without a schema: not in JSON
  std::string meaning;      ///< with its unit, where it is known
  bool in_csv = true;
  std::optional<Shown> shown;
  TextOf cell; ///< tables show this instead of the cell of CSV; empty: nothing else
};

/// The column of rows that describe a T.
template <class T>
struct Column : AnyColumn {
  explicit Column(schema::Member<T> its_member) : AnyColumn(std::move(its_member)) {}
  /// In JSON and CSV; the arguments are those of a member.
  template <class... Arguments>
  Column(std::string name, Arguments&&... arguments)
      : Column(schema::Member<T>(std::move(name), std::forward<Arguments>(arguments)...)) {}
  /// In tables too.
  template <class... Arguments>
  Column(Shown its_shown, std::string name, Arguments&&... arguments)
      : Column(schema::Member<T>(std::move(name), std::forward<Arguments>(arguments)...)) {
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
  template <class Get>
  Column showing(Get get) && {
    return cell = schema::from_address<AsText, T>(std::move(get)), std::move(*this);
  }
};
template <class T>
using ColumnList = schema::ListOf<Column<T>, AnyColumn>;

/// A column of CSV, not of JSON: part of what JSON has as one value.
template <class T, class Get>
Column<T> csv_column(std::string name, Get cell, std::optional<Shown> shown = {}) {
  Column<T> column(std::move(name), schema::Json(), std::move(cell));
  column.shown = std::move(shown);
  return column;
}
/// A column of tables alone.
template <class T, class Get>
Column<T> table_column(Shown shown, Get cell) {
  Column<T> column = Column<T>::json("", schema::Json(), [](const T&) {
                       return nullptr;
                     }).showing(std::move(cell));
  column.shown = std::move(shown);
  return column;
}
/// A column for each number of a table of counts, right-aligned; `get` gives the row's counts.
/// Tables hide one that no row knows.
template <class T, class Counted, class Get>
ColumnList<T> count_columns(const std::vector<Field<Counted>>& fields, Get get) {
  ColumnList<T> columns;
  for (const Field<Counted>& field : fields) {
    Column<T> column(count_member<T>(field, get));
    column.shown = Shown{.heading = std::string(field.name),
                         .align = Align::right,
                         .hide_empty = field.known != nullptr};
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Rows by their addresses.
using AnyRows = std::vector<const void*>;

/// The columns of rows, in the order of every format.
class AnyColumns {
public:
  explicit AnyColumns(std::vector<AnyColumn> columns) : columns_(std::move(columns)) {}

  const std::vector<AnyColumn>& list() const { return columns_; }
  schema::AnyTable json() const;
  std::string csv(const AnyRows& rows) const;
  TextTable text(const AnyRows& rows) const;
  TextTable text_heading() const;
  std::vector<std::string> heading_cells() const;
  std::vector<Align> text_aligns() const;
  std::vector<std::string> text_cells(const void* row) const;
  PaperTable paper(std::string caption, const AnyRows& rows) const;
  AnyColumns without_empty(const AnyRows& rows) const;

private:
  std::vector<AnyColumn> columns_;
};

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
  Columns(ColumnList<T> columns, const ColumnList<T>& more = {}, const ColumnList<T>& last = {})
      : Columns(AnyColumns(together(std::move(columns), more, last))) {}
  explicit Columns(AnyColumns columns) : columns_(std::move(columns)), json_(columns_.json()) {}

  const schema::Table<T>& json() const { return json_; }
  const std::vector<AnyColumn>& list() const { return columns_.list(); }

  /// A heading, and a line a row.
  template <class List>
  std::string csv(const List& rows) const {
    return columns_.csv(addresses(rows));
  }
  /// For people: a heading and a row each, without the columns that hide themselves where no row
  /// has anything.
  template <class List>
  TextTable text(const List& rows) const {
    return columns_.text(addresses(rows));
  }
  /// Without the columns that hide themselves where no row has anything.
  template <class List>
  Columns without_empty(const List& rows) const {
    return Columns(columns_.without_empty(addresses(rows)));
  }
  /// A text table without rows.
  TextTable text_heading() const { return columns_.text_heading(); }
  std::vector<std::string> heading_cells() const { return columns_.heading_cells(); }
  /// Of the columns that `heading_cells` names.
  std::vector<Align> text_aligns() const { return columns_.text_aligns(); }
  std::vector<std::string> text_cells(const T& row) const { return columns_.text_cells(&row); }
  template <class List>
  PaperTable paper(std::string caption, const List& rows) const {
    return columns_.paper(std::move(caption), addresses(rows));
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
  template <class List>
  static AnyRows addresses(const List& rows) {
    AnyRows all;
    for (const T& row : rows) all.push_back(&row);
    return all;
  }

  AnyColumns columns_;
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
