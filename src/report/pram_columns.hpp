// The counts of a PRAM as columns of whatever has them. They are counted on request.
#pragma once

#include "columns.hpp"

#include "memlane/count/pram.hpp"

#include <optional>
#include <string_view>

namespace memlane {

inline constexpr std::string_view pram_class_meaning =
    "weakest PRAM that the run needs, judged round by round: EREW, CREW or CRCW";
inline constexpr std::string_view pram_line_meaning =
    "smallest line of the earliest round that needs the class; none of EREW";

/// The members of the object `pram`.
const schema::Table<PramCounts>& pram_table();

/// `pram` in JSON, where it was counted.
template <class T, class Get>
schema::Member<T> pram_member(Get get) {
  return {"pram", pram_table(), "on a PRAM: --pram", [get](const T& row) { return *get(row); },
          [get](const T& row) { return get(row).has_value(); }};
}

/// `pram` in JSON; `pram_steps`, `pram_work`, … in CSV. `get` gives the optional counts of a T.
template <class T, class Get>
std::vector<Column<T>> pram_columns(Get get) {
  std::vector<Column<T>> columns;
  columns.push_back(Column<T>(pram_member<T>(get)));
  columns.back().in_csv = false;
  for (const schema::Member<PramCounts>& member : pram_table().members()) {
    columns.push_back(csv_column<T>("pram_" + member.name, [get, &member](const T& row) {
      const std::optional<PramCounts>& counts = get(row);
      return counts ? member.value(*counts) : schema::Json();
    }));
    columns.back().meaning = member.schema.value("description", "");
  }
  return columns;
}

/// Columns of tables, which hide them where no row was counted.
template <class T, class Get>
std::vector<Column<T>> pram_table_columns(Get get) {
  std::vector<Column<T>> columns;
  const auto add = [&](const char* heading, auto text) {
    columns.push_back(
        table_column<T>(Shown{.heading = heading, .align = Align::right, .hide_empty = true},
                        [get, text](const T& row) {
                          const std::optional<PramCounts>& counts = get(row);
                          return counts ? text(*counts) : std::string();
                        }));
  };
  add("PRAM steps", [](const PramCounts& pram) { return std::to_string(pram.steps); });
  add("PRAM work", [](const PramCounts& pram) { return std::to_string(pram.work); });
  add("PRAM", [](const PramCounts& pram) { return std::string(name_of(pram.needs)); });
  return columns;
}

} // namespace memlane
