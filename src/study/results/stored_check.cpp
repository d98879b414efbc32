#include "memlane/study/results/stored_check.hpp"

#include "memlane/study/results/measured_rows.hpp"
#include "memlane/study/results/stored_result.hpp"
#include "memlane/study/results/stored_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace memlane {
namespace {

using schema::Json;
using sweep::Cell;
using CellsByName = std::map<std::string, Cell>;

/// Of several memory units a column has the sum, of resident warps the greatest number, and nothing
/// where one of them has none.
void add_unit(const std::string& name, const Cell& cell, CellsByName& cells) {
  const auto [known, added] = cells.emplace(name, cell);
  const auto *one = std::get_if<std::int64_t>(&known->second),
             *other = std::get_if<std::int64_t>(&cell);
  if (added) return;
  if (!one || !other)
    known->second = Cell();
  else if (name.ends_with("resident_warps"))
    known->second = std::max(*one, *other);
  else // a damaged one may overflow
    known->second = static_cast<std::int64_t>(static_cast<std::uint64_t>(*one) +
                                              static_cast<std::uint64_t>(*other));
}

/// What the columns of a unit in the list `units` begin with; empty: there are none.
std::string column_of_unit(const std::string& units, const Json& unit) {
  if (!unit.is_object()) return "";
  if (units == "global" || units == "shared") return units + "_";
  if (units == "ports") return "port_";
  const auto of = unit.find("unit"); // of operations
  const bool is_tensor = of != unit.end() && *of == name_of(OperationClass::tensor);
  return units == "operations" && is_tensor ? "tensor_" : "";
}

/// Adds the values of a result under the names of their columns, which are those on the way to a
/// value: `machine_shared_latency`. Others get names that no column has.
void add_cells(const Json& object, const std::string& prefix, CellsByName& cells) {
  constexpr std::size_t longest = 100; // of a column; a damaged result may be deep
  if (prefix.size() > longest) return;
  for (const auto& [key, value] : object.items()) {
    const bool is_first = prefix.empty();
    const bool is_unnamed =
        is_first && (key == "tool" || key == "program" || key == "counts" || key == "units");
    if (value.is_object()) {
      const bool is_price = prefix == "prices_" && value.contains("text");
      if (is_price) cells["price_" + key] = stored_cell("price_" + key, value["text"]);
      add_cells(value, is_unnamed ? "" : prefix + key + "_", cells);
    } else if (value.is_array() && is_first) {
      for (const Json& unit : value) {
        const std::string column = column_of_unit(key, unit);
        CellsByName own;
        if (!column.empty()) add_cells(unit, column, own);
        for (const auto& [name, cell] : own) add_unit(name, cell, cells);
      }
    } else if (!value.is_array()) {
      cells[prefix + key] = stored_cell(prefix + key, value);
    }
  }
}

/// Rows of commands may have a fraction as text.
bool are_equal(const std::string& column, const Cell& stored, const Cell& expected) {
  const auto* text = std::get_if<std::string>(&stored);
  const Cell cell = text ? stored_cell(column, *text) : stored;
  const auto left = sweep::number_in(cell), right = sweep::number_in(expected);
  return left && right ? *left == *right : cell == expected;
}

std::string said(const Cell& cell) {
  if (cell.index() == 0) return "empty";
  return std::holds_alternative<std::string>(cell) ? fmt::format("'{}'", cell_text(cell))
                                                   : cell_text(cell);
}

Diagnostic other_value(const std::string& path, const std::string& key, const std::string& column,
                       const Cell& stored, const Cell& expected) {
  return error_in(path,
                  fmt::format("the store is damaged: column {} of point {} is {}, in its result {}",
                              column, key, said(stored), said(expected)),
                  {"run the point again into another store",
                   fmt::format("'memlane results {} --json {:.10}' shows its result", path, key)});
}

/// The values of the point's result, by the names of columns and, behind `parameters_`, those of
/// parameters.
CellsByName cells_of_result(const sweep::StoredPoint& point) {
  CellsByName cells;
  const Json result = Json::parse(point.json, nullptr, false);
  if (!result.is_object()) return cells;
  add_cells(result, "", cells);
  const auto claims = result.find("claims");
  if (claims == result.end() || !claims->is_array()) return cells;
  for (const auto& [column, verdict] : {std::pair("claims_hold", ClaimVerdict::holds),
                                        std::pair("claims_fail", ClaimVerdict::fails)}) {
    std::int64_t count = 0;
    for (const Json& claim : *claims)
      count += claim.is_object() && claim.value("verdict", Json()) == name_of(verdict);
    cells[column] = count;
  }
  return cells;
}

/// A measurement's line gives its row again.
CellsByName cells_of_measurement(const sweep::StoredPoint& point) {
  CellsByName cells;
  Sources sources;
  const auto measured = measure::read_measurements(sources, sources.add(point.key, point.json));
  if (!measured || measured->points.empty()) return cells;
  const sweep::StoredPoint row = measured_row(measured->points.front(), sources);
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    cells.emplace(measured_columns()[i].name, row.cells[i]);
  for (const auto& [name, cell] : row.parameters) cells.emplace("parameters_" + name, cell);
  cells.emplace("nanoseconds", row.measured->nanoseconds);
  return cells;
}

Status check_point(const std::string& path, const sweep::WholePoint& whole,
                   const std::vector<sweep::StoreColumn>& columns) {
  const sweep::StoredPoint& point = whole.point;
  if (whole.status != sweep::PointStatus::done) return Done{};
  CellsByName expected = point.measured ? cells_of_measurement(point) : cells_of_result(point);
  if (whole.check_failed) expected.erase("verify"); // of a command, its exit status decides
  std::vector<std::pair<std::string, Cell>> stored;
  for (std::size_t i = 0; i < columns.size(); ++i)
    stored.emplace_back(columns[i].name, point.cells[i]);
  if (point.measured) stored.emplace_back("nanoseconds", point.measured->nanoseconds);
  ErrorCollector errors;
  const auto check = [&](const std::string& shown, const std::string& name, const Cell& cell) {
    const auto found = expected.find(name);
    if (errors.ok() && found != expected.end() && !are_equal(name, cell, found->second))
      errors.add(other_value(path, point.key, shown, cell, found->second));
  };
  for (const auto& [name, cell] : stored) check(name, name, cell);
  for (const auto& [name, cell] : point.parameters) check(name, "parameters_" + name, cell);
  return errors.status();
}

} // namespace

Status check_store(const sweep::StoreReader& reader, const std::string& path) {
  const std::vector<sweep::StoreColumn> columns = reader.result_columns();
  return reader.check(
      [&](const sweep::WholePoint& point) { return check_point(path, point, columns); });
}

} // namespace memlane
