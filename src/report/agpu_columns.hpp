// The counts after Koike as columns of whatever has them.
#pragma once

#include "columns.hpp"

#include "memlane/count/fields.hpp"

namespace memlane {

/// Whether tables show the counts: of launches on a machine with both memories.
bool shows_agpu(const Counts& counts);

/// The members of the object `agpu`.
const schema::Table<AgpuCounts>& agpu_table();

/// `agpu` in JSON; `agpu_time`, `agpu_io`, … in CSV. `get` gives a pointer to the counts of a T, or
/// null.
template <class T, class Get>
std::vector<Column<T>> agpu_columns(Get get) {
  std::vector<Column<T>> columns;
  columns.push_back(Column<T>::json("agpu", agpu_table(),
                                    "after Koike: null where a block has other than w threads",
                                    [get](const T& row) {
                                      const AgpuCounts* counts = get(row);
                                      return counts ? std::optional(*counts) : std::nullopt;
                                    }));
  for (const schema::Member<AgpuCounts>& member : agpu_table().members())
    columns.push_back(csv_column<T>("agpu_" + member.name, [get, &member](const T& row) {
      const AgpuCounts* counts = get(row);
      return counts ? member.value(*counts) : schema::Json();
    }));
  return columns;
}

/// Columns of tables: the time (unless the row's own time is this one), the I/O, the multiplicity.
/// A table hides those that no row has.
template <class T, class Get>
std::vector<Column<T>> agpu_table_columns(Get get) {
  std::vector<Column<T>> columns;
  const auto add = [&](const char* heading, auto text) {
    columns.push_back(
        table_column<T>(Shown{.heading = heading, .align = Align::right, .hide_empty = true},
                        [get, text](const T& row) {
                          const AgpuCounts* counts = get(row);
                          return counts && counts->io ? text(*counts) : std::string();
                        }));
  };
  add("AGPU time",
      [](const AgpuCounts& agpu) { return agpu.time ? std::to_string(*agpu.time) : ""; });
  add("I/O", [](const AgpuCounts& agpu) { return std::to_string(*agpu.io); });
  add("multiplicity",
      [](const AgpuCounts& agpu) { return agpu.multiplicity ? agpu.multiplicity->text() : ""; });
  return columns;
}

} // namespace memlane
