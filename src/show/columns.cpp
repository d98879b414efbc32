// AnyRows in every format, whatever they describe.

#include "memlane/show/columns.hpp"

namespace memlane {

AnyColumn::AnyColumn(schema::AnyMember its_member)
    : member(std::move(its_member)),
      meaning(member.schema.is_object() ? member.schema.value("description", "") : "") {}

std::string AnyColumn::csv_text(const void* row) const {
  return member.present && !member.present(row) ? "" : cell_text(member.value(row));
}

std::string AnyColumn::shown_text(const void* row) const {
  if (cell) return cell(row);
  if (!shown->number) return csv_text(row);
  const schema::Json number = member.value(row);
  return number.is_number() ? shown->number(number.get<double>()) : "";
}

schema::AnyTable AnyColumns::json() const {
  std::vector<schema::AnyMember> members;
  for (const AnyColumn& column : columns_)
    if (!column.member.schema.is_null()) members.push_back(column.member);
  return schema::AnyTable(std::move(members));
}

std::string AnyColumns::csv(const AnyRows& rows) const {
  std::string text;
  for (const AnyColumn& column : columns_)
    if (column.in_csv) text += (text.empty() ? "" : ",") + column.member.name;
  for (const void* row : rows) {
    char separator = '\n';
    for (const AnyColumn& column : columns_) {
      if (!column.in_csv) continue;
      text += separator + csv_cell(column.csv_text(row));
      separator = ',';
    }
  }
  return text + '\n';
}

TextTable AnyColumns::text(const AnyRows& rows) const {
  const AnyColumns shown = without_empty(rows);
  TextTable table = shown.text_heading();
  for (const void* row : rows) table.add(shown.text_cells(row));
  return table;
}

AnyColumns AnyColumns::without_empty(const AnyRows& rows) const {
  std::vector<AnyColumn> kept;
  for (const AnyColumn& column : columns_) {
    const auto has_text = [&](const void* row) { return !column.shown_text(row).empty(); };
    const bool may_hide = column.shown && column.shown->hide_empty;
    if (!may_hide || std::any_of(rows.begin(), rows.end(), has_text)) kept.push_back(column);
  }
  return AnyColumns(std::move(kept));
}

TextTable AnyColumns::text_heading() const {
  TextTable table(text_aligns());
  table.add(heading_cells());
  return table;
}

std::vector<std::string> AnyColumns::heading_cells() const {
  std::vector<std::string> cells;
  for (const AnyColumn& column : columns_)
    if (column.is_in(ShownIn::text)) cells.push_back(column.shown->heading);
  return cells;
}

std::vector<Align> AnyColumns::text_aligns() const {
  std::vector<Align> aligns;
  for (const AnyColumn& column : columns_)
    if (column.is_in(ShownIn::text)) aligns.push_back(column.shown->align);
  return aligns;
}

std::vector<std::string> AnyColumns::text_cells(const void* row) const {
  std::vector<std::string> cells;
  for (const AnyColumn& column : columns_) {
    if (!column.is_in(ShownIn::text)) continue;
    const bool whole = column.shown->align == Align::name;
    cells.push_back(
        on_one_line(column.shown_text(row), whole ? std::string::npos : column.shown->width));
  }
  return cells;
}

PaperTable AnyColumns::paper(std::string caption, const AnyRows& rows) const {
  std::vector<PaperColumn> headings;
  std::vector<const AnyColumn*> shown;
  const AnyColumns kept = without_empty(rows);
  for (const AnyColumn& column : kept.columns_) {
    if (!column.is_in(ShownIn::paper)) continue;
    headings.push_back({column.shown->heading, column.shown->align, column.shown->is_code});
    shown.push_back(&column);
  }
  PaperTable table(std::move(caption), headings);
  for (const void* row : rows) {
    std::vector<std::string> cells;
    for (const AnyColumn* column : shown) cells.push_back(column->shown_text(row));
    table.add(std::move(cells));
  }
  return table;
}

} // namespace memlane
