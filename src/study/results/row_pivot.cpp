// Tables with a column for each value of one of their columns.
#include "table_columns.hpp"

#include "memlane/study/results/stored_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memlane {
namespace {

using sweep::Cell;
using Cells = std::vector<Cell>;

constexpr std::size_t most_values = 200;

/// Which columns of a table do what.
struct PivotPlaces {
  std::vector<std::size_t> keys;
  std::size_t pivot = 0, filling = 0;
};

/// Whether equal cells in one column have equal ones in the other.
bool tells(const sweep::Rows& rows, std::size_t column, std::size_t other) {
  std::map<Cell, Cell> known;
  return std::all_of(rows.rows.begin(), rows.rows.end(), [&](const Cells& row) {
    return known.emplace(row[column], row[other]).first->second == row[other];
  });
}

/// `mean(time/n) as m`, which the command needs to know the name.
std::string as_written(const TableColumn& column) {
  return column.name == column.text ? column.text : column.text + " as " + column.name;
}

/// What fills the cells is the one column that is no key. A column of the store by another name,
/// which the pivot tells, is none: `layouts` beside the pivot `layout`.
Result<PivotPlaces> places_of(const RowTable& table, const std::vector<TableColumn>& columns,
                              const std::string& pivot) {
  PivotPlaces places;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].text == pivot) places.pivot = i;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_pivot = columns[i].is_key && columns[i].of == columns[places.pivot].of &&
                          tells(table.rows, places.pivot, i);
    if (i != places.pivot && !is_pivot) (columns[i].is_key ? places.keys : others).push_back(i);
  }
  if (others.size() == 1) {
    places.filling = others.front();
    return places;
  }
  std::vector<std::string> names, advised;
  for (const std::size_t other : others) names.push_back(columns[other].name);
  for (const std::size_t key : places.keys) advised.push_back(columns[key].name);
  if (advised.empty()) advised.emplace_back("n");
  advised.push_back(pivot);
  advised.push_back(others.empty() ? "time" : as_written(columns[others.front()]));
  return error_in(
      "--pivot",
      others.empty()
          ? "no column can fill the cells"
          : fmt::format("several columns can fill the cells: {}", fmt::join(names, ", ")),
      {fmt::format("choose keys and one column: --columns \"{}\"", fmt::join(advised, ",")),
       "columns that say what was run are keys, others fill cells; with --group-by, "
       "its columns are the keys"});
}

/// The values of the pivot: numbers ascending, texts in the order of the rows.
Result<Cells> values_of(const sweep::Rows& rows, const PivotPlaces& places,
                        const std::string& pivot) {
  Cells values;
  for (const Cells& row : rows.rows)
    if (std::find(values.begin(), values.end(), row[places.pivot]) == values.end()) {
      values.push_back(row[places.pivot]);
      if (values.size() > most_values)
        return error_in("--pivot", fmt::format("'{}' has more than {} values", pivot, most_values),
                        {"choose rows with --where, or another column"});
    }
  if (std::all_of(values.begin(), values.end(),
                  [](const Cell& value) { return sweep::number_in(value).has_value(); }))
    std::sort(values.begin(), values.end(), [](const Cell& a, const Cell& b) {
      return *sweep::number_in(a) < *sweep::number_in(b);
    });
  return values;
}

/// `padded(1)` of a text, `p=32` of a number.
std::string heading_of(const Cell& value, const std::string& pivot,
                       const std::vector<std::string>& others) {
  const std::string text = cell_text(value);
  if (text.empty()) return fmt::format("{}: none", pivot);
  const bool is_clear = std::holds_alternative<std::string>(value) &&
                        std::find(others.begin(), others.end(), text) == others.end();
  return is_clear ? text : fmt::format("{}={}", pivot, text);
}

Diagnostic two_rows(const sweep::Rows& rows, const PivotPlaces& places, const Cells& row) {
  std::string text;
  for (const std::size_t key : places.keys)
    text += fmt::format("{}={}, ", rows.columns[key], cell_text(row[key]));
  text += fmt::format("{}={}", rows.columns[places.pivot], cell_text(row[places.pivot]));
  const std::string& filling = rows.columns[places.filling];
  return error_in("--pivot", fmt::format("two rows have {}", text),
                  {fmt::format("tell them apart by another column in --columns, choose with "
                               "--where, or write --group-by and mean({})",
                               filling)});
}

} // namespace

Result<RowTable> pivoted(RowTable table, const std::vector<TableColumn>& columns,
                         const std::string& pivot) {
  const Result<PivotPlaces> places = places_of(table, columns, pivot);
  if (!places) return places.errors();
  const Result<Cells> values = values_of(table.rows, *places, pivot);
  if (!values) return values.errors();
  RowTable result;
  for (const std::size_t key : places->keys) result.rows.columns.push_back(table.rows.columns[key]);
  const std::size_t keys = places->keys.size();
  result.over.resize(keys);
  for (const Cell& value : *values) {
    result.rows.columns.push_back(heading_of(value, pivot, result.rows.columns));
    result.over.push_back(table.rows.columns[places->filling]);
  }
  std::map<Cells, std::size_t> numbers;
  std::map<std::pair<std::size_t, std::size_t>, bool> taken;
  for (const Cells& row : table.rows.rows) {
    Cells key;
    for (const std::size_t place : places->keys) key.push_back(row[place]);
    const auto [number, added] = numbers.emplace(key, result.rows.rows.size());
    if (added) {
      key.resize(result.rows.columns.size());
      result.rows.rows.push_back(std::move(key));
    }
    const auto at = static_cast<std::size_t>(
        std::find(values->begin(), values->end(), row[places->pivot]) - values->begin());
    if (!taken.emplace(std::pair(number->second, at), true).second)
      return two_rows(table.rows, *places, row);
    result.rows.rows[number->second][keys + at] = row[places->filling];
  }
  result.left_out = table.left_out;
  result.notes = std::move(table.notes);
  return result;
}

} // namespace memlane
