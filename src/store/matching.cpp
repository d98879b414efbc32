#include "matching.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

std::size_t place_of(const Names& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

} // namespace

bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string quoted_cell(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&cell)) return fmt::format("'{}'", *text);
  return "nothing";
}

Names subject_columns(const StoreReader& reader) {
  Names names;
  for (const StoreColumn& column : reader.columns()) {
    const bool is_text = column.name == "path" || column.name == "sha256" ||
                         column.name == "semantics" || column.name == "version" ||
                         column.name == "sweep";
    if ((column.shared || column.parameter || column.name == "seed") && !is_text)
      names.push_back(column.name);
  }
  return names;
}

Result<std::int64_t> count_left_out(const StoreReader& reader, RowQuery query) {
  query.also.push_back({"status <> 'done'"});
  return reader.count(query);
}

Cells cells_at(const Cells& row, const std::vector<std::size_t>& places) {
  Cells cells;
  for (const std::size_t place : places) cells.push_back(row[place]);
  return cells;
}

Diagnostic several_match(const Rows& rows, const Cells& a, const Cells& b, const Names& match,
                         const std::string& place, const std::string& help) {
  Names differ, where;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (has(match, rows.columns[i]) && where.size() < 4 && a[i].index() != 0)
      where.push_back(fmt::format("{}={}", rows.columns[i], quoted_cell(a[i])));
    if (a[i] != b[i] && !has(match, rows.columns[i])) differ.push_back(rows.columns[i]);
  }
  return error_in(place,
                  fmt::format("several points match each other at {}; they differ in {}",
                              fmt::join(where, ", "), fmt::join(differ, ", ")),
                  {help});
}

MatchedValues matched_values(const Rows& rows, const Names& match) {
  MatchedValues values;
  std::vector<std::size_t> places;
  for (const std::string& name : match) places.push_back(place_of(rows.columns, name));
  for (const Cells& row : rows.rows) {
    Cells key = cells_at(row, places);
    const auto [known, added] = values.rows.emplace(key, row);
    if (added)
      values.order.push_back(std::move(key));
    else if (known->second.back() != row.back())
      values.ambiguous.emplace(std::move(key), row);
  }
  return values;
}

} // namespace memlane::sweep
