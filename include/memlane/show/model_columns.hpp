// What other models say of a run, counts and prices, as columns of whatever has them.
#pragma once

#include "memlane/claim/prices.hpp"
#include "memlane/count/counts.hpp"
#include "memlane/count/fields.hpp"
#include "memlane/show/columns.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

// --- AGPU: the counts after Koike

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

// --- PRAM, counted on request

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

// --- MMM

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

// --- prices of runs on models of parallel computation

/// The object of one price.
const schema::Table<Price>& price_table();
/// An object with a member for each price, by model.
schema::Json prices_json(const std::vector<Price>& prices);
schema::Json prices_schema();
/// The exact number, or nothing.
std::string price_cell(const std::vector<Price>& prices, const PriceModel& model);
/// A line for each price.
std::string prices_text(const std::vector<Price>& prices);

/// `prices` in JSON; `price_pem`, `price_bsp`, … in CSV. `get` gives the prices of a T.
template <class T, class Get>
std::vector<Column<T>> price_columns(Get get) {
  std::vector<Column<T>> columns;
  columns.push_back(Column<T>::json(
      "prices", prices_schema(), [get](const T& row) { return prices_json(get(row)); },
      [get](const T& row) { return !get(row).empty(); }));
  for (const PriceModel& model : price_models()) {
    columns.push_back(
        csv_column<T>("price_" + std::string(model.name),
                      [get, &model](const T& row) { return price_cell(get(row), model); }));
    columns.back().meaning = "--price: " + std::string(model.formula);
  }
  return columns;
}

} // namespace memlane
