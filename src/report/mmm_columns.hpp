// The counts of an MMM as columns of whatever has them.
#pragma once

#include "columns.hpp"

#include "memlane/count/fields.hpp"

namespace memlane {

inline constexpr const char* mmm_meaning =
    "after Haque, Moreno Maza and Xie: null on other machines than an mmm";

/// The counts and bounds as numbers. A bound is exact if it is whole, else the nearest double.
const schema::Table<MmmCounts>& mmm_numbers();
/// The members of the object `mmm`: the numbers, and the bounds as exact texts.
const schema::Table<MmmCounts>& mmm_table();

/// The counts and bounds of two runs side by side.
std::string compared_mmm_text(const MmmCounts& a, const MmmCounts& b);
PaperTable compared_mmm_paper(const MmmCounts& a, const MmmCounts& b);

/// `mmm` in JSON; `mmm_work`, `mmm_span`, … in CSV. `get` gives the optional counts of a T.
template <class T, class Get>
std::vector<Column<T>> mmm_columns(Get get) {
  std::vector<Column<T>> columns;
  columns.push_back(Column<T>::json("mmm", mmm_table(), mmm_meaning, get));
  for (const schema::Member<MmmCounts>& member : mmm_numbers().members()) {
    columns.push_back(csv_column<T>("mmm_" + member.name, [get, &member](const T& row) {
      const std::optional<MmmCounts> counts = schema::get_from(row, get);
      return counts ? member.value(*counts) : schema::Json();
    }));
    columns.back().meaning = member.schema.value("description", "");
  }
  return columns;
}

/// The column of tables with this count; empty: there is none.
std::string_view mmm_heading(std::string_view count);

/// Columns of tables, which hide those that no row has. The time is the row's own.
template <class T, class Get>
std::vector<Column<T>> mmm_table_columns(Get get) {
  std::vector<Column<T>> columns;
  for (const Field<MmmCounts>& field : mmm_fields()) {
    const std::string_view heading = mmm_heading(field.name);
    if (heading.empty()) continue;
    columns.push_back(table_column<T>(
        Shown{.heading = std::string(heading), .align = Align::right, .hide_empty = true},
        [get, &field](const T& row) {
          const std::optional<MmmCounts> counts = schema::get_from(row, get);
          return counts ? std::to_string(field.get(*counts)) : std::string();
        }));
  }
  return columns;
}

} // namespace memlane
