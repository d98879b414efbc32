// Prices of a run as JSON, CSV and lines of tables.
#pragma once

#include "columns.hpp"

#include "memlane/claim/prices.hpp"

#include <string>
#include <vector>

namespace memlane {

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
