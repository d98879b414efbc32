// What other models say of a run, counts and prices, as columns of whatever has them. The tables of
// count/fields.hpp and claim/prices.hpp decide what there is; only shows_agpu names a model.
#pragma once

#include "memlane/claim/prices.hpp"
#include "memlane/count/fields.hpp"
#include "memlane/show/columns.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

// --- counts. `get` gives a pointer to the counts of a T, or null.

/// Whether tables show the counts after Koike: of launches on a machine with both memories.
bool shows_agpu(const Counts& counts);

/// The object of a model in JSON: a member for each field; of a bound a number and an exact text.
const schema::Table<ModelCounts>& model_object(const ModelTable& model);
/// The value as a number or a text; null: none.
schema::Json model_value_json(const ModelValue& value);

/// A model's counts. `always`: `get` never gives null.
template <class T, class Get>
schema::Member<T> model_member(const ModelTable& model, Get get, bool always) {
  const auto counts = [get, &model](const T& row) { return model.published(get(row)); };
  const bool on_request = model.without == WithoutCounts::nothing;
  const bool never_null = on_request || (always && model.without != WithoutCounts::null);
  const schema::Json schema = model_object(model).schema(model.meaning);
  schema::PresenceOf<T> presence;
  if (on_request)
    presence = schema::PresenceOf<T>([counts](const T& row) { return counts(row) != nullptr; });
  return {std::string(model.name), never_null ? schema : schema::or_null(schema),
          [counts, &model](const T& row) {
            const ModelCounts* of_row = counts(row);
            return of_row ? model_object(model).json(*of_row) : schema::Json();
          },
          std::move(presence)};
}

/// Those of all models, of what always has counts.
template <class T, class Get>
schema::Members<T> model_members(Get get) {
  schema::Members<T> members;
  for (const ModelTable& model : model_tables())
    members.push_back(model_member<T>(model, get, true));
  return members;
}

/// `agpu` in JSON; `agpu_time`, `agpu_io`, … in CSV. `on_request`: also of models that count runs
/// that are asked for it.
template <class T, class Get>
ColumnList<T> model_columns(Get get, bool on_request = true) {
  ColumnList<T> columns;
  for (const ModelTable& model : model_tables()) {
    if (!on_request && model.without == WithoutCounts::nothing) continue;
    columns.push_back(Column<T>(model_member<T>(model, get, false)));
    columns.back().in_csv = false;
    for (const ModelField& field : model.fields) {
      columns.push_back(csv_column<T>(
          fmt::format("{}_{}", model.name, field.name), [get, &model, &field](const T& row) {
            const ModelCounts* counts = model.published(get(row));
            return counts ? model_value_json(field.get(*counts)) : schema::Json();
          }));
      columns.back().meaning = field.meaning_with_unit();
    }
  }
  return columns;
}

/// Columns of tables, which hide them where no row has a value.
template <class T, class Get>
ColumnList<T> model_table_columns(Get get, bool on_request = true) {
  ColumnList<T> columns;
  for (const ModelTable& model : model_tables()) {
    if (!on_request && model.without == WithoutCounts::nothing) continue;
    for (const ModelField& field : model.fields) {
      if (field.heading.empty()) continue;
      columns.push_back(table_column<T>(
          Shown{.heading = std::string(field.heading), .align = Align::right, .hide_empty = true},
          [get, &model, &field](const T& row) {
            const ModelCounts* counts = get(row);
            return counts && model.known(*counts) ? to_text(field.get(*counts)) : std::string();
          }));
    }
  }
  return columns;
}

// --- prices of runs on models of parallel computation

/// An object with a member for each price, by model.
schema::Json prices_json(const std::vector<Price>& prices);
schema::Json prices_schema();
/// The exact number, or nothing.
std::string price_cell(const std::vector<Price>& prices, const PriceModel& model);
/// A line for each price.
std::string prices_text(const std::vector<Price>& prices);

} // namespace memlane
